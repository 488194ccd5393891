// Documents first, then what they are of.
#include "harness/verdict/fleet/judge_fleet.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "harness/statistics/outliers.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/statistics/two_way.hpp"

namespace graphbench::fleet {
namespace {

// Of alpha. GPUs differ by percents and slow CPUs by tens of them, and a threshold grows with the logarithm
// of 1 / alpha alone: this makes the nodes' a fifth higher, and leaves the GPUs' as it would be without
// nodes.
constexpr double nodes_share = 0.01;
const double half = std::log(0.5);

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::vector<double> column_of(const std::vector<double>& table, std::size_t column, std::size_t columns) {
  std::vector<double> values;
  for (std::size_t at = column; at < table.size(); at += columns) {
    if (!std::isnan(table[at])) values.push_back(table[at]);
  }
  return values;
}

std::optional<model::FleetSpread> spread_of(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values);
  return model::FleetSpread{statistics::robust_deviation(values), std::exp(high - low)};
}

std::vector<model::FleetCell> cells_of(const Replicas& replicas) {
  std::vector<model::FleetCell> cells;
  for (std::size_t c = 0; c < replicas.cells.size(); ++c) {
    model::FleetCell& cell = cells.emplace_back();
    cell.cell = replicas.cells[c];
    cell.id = model::id_of(cell.cell);
    const std::vector<double> device = column_of(replicas.device, c, replicas.cells.size());
    const std::vector<double> submit = column_of(replicas.submit, c, replicas.cells.size());
    cell.device = spread_of(device);
    cell.submit = spread_of(submit);
    cell.host_bound =
        !device.empty() && !submit.empty() && statistics::median(submit) - statistics::median(device) >= half;
  }
  return cells;
}

// In place of host-bound cells NaN.
std::vector<double> bound_by_device(const Replicas& replicas, const std::vector<model::FleetCell>& cells) {
  std::vector<double> table = replicas.device;
  if (std::ranges::all_of(cells, &model::FleetCell::host_bound)) return table;
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (cells[at % cells.size()].host_bound) table[at] = std::numeric_limits<double>::quiet_NaN();
  }
  return table;
}

// `factor` holds logarithms until here. Returns the logarithm that is the factor 1.
double judge(const std::vector<model::FleetUnit*>& units, double alpha, model::FleetTest& test) {
  std::vector<model::FleetUnit*> tested;
  std::vector<double> logs;
  for (model::FleetUnit* unit : units) {
    if (!unit->factor) continue;
    tested.push_back(unit);
    logs.push_back(*unit->factor);
  }
  test.tested = static_cast<std::int64_t>(tested.size());
  if (tested.empty()) return 0;
  const double each = alpha / static_cast<double>(tested.size());
  const auto found = statistics::slow_ones(logs, each);
  const double centre = found ? found->centre : statistics::median(logs);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->factor = std::exp(logs[i] - centre);
    if (!found) continue;
    tested[i]->p = found->p[i];
    tested[i]->outlier = found->p[i] < each;
  }
  if (!found) return centre;
  test.spread = found->spread;
  test.threshold = std::exp(found->threshold);
  test.detectable = std::expm1(found->detectable);
  return centre;
}

struct Documents {
  std::vector<double> device;  // logarithms of factors, by document
  std::vector<double> submit;
};

std::vector<model::FleetGpu> gpus_of(const Replicas& replicas, const Documents& of) {
  std::vector<std::size_t> oldest_first(replicas.documents.size());
  for (std::size_t i = 0; i < oldest_first.size(); ++i) oldest_first[i] = i;
  std::ranges::stable_sort(oldest_first, {}, [&](std::size_t i) { return replicas.documents[i].started_at; });
  std::map<std::string, std::pair<model::FleetGpu, std::vector<double>>> gpus;
  for (const std::size_t i : oldest_first) {
    const Replica& replica = replicas.documents[i];
    auto& [gpu, logs] = gpus[replica.gpu];
    gpu.uuid = replica.gpu;
    gpu.node = replica.node;
    gpu.cells_failed += replica.cells_failed;
    gpu.documents.push_back(
        {replica.source, replica.started_at, known(std::exp(of.device[i])), known(std::exp(of.submit[i]))});
    if (!std::isnan(of.device[i])) logs.push_back(of.device[i]);
  }
  std::vector<model::FleetGpu> made;
  for (auto& [uuid, each] : gpus) {
    auto& [gpu, logs] = each;
    gpu.unit.factor = statistics::median_or_absent(logs);
    if (logs.size() > 1) gpu.drift = std::exp(logs.back() - logs.front());
    made.push_back(std::move(gpu));
  }
  return made;
}

std::vector<model::FleetNode> nodes_of(const Replicas& replicas, const std::vector<double>& submit) {
  std::map<std::string, std::vector<double>> logs;
  for (std::size_t i = 0; i < submit.size(); ++i) {
    auto& of_node = logs[replicas.documents[i].node];
    if (!std::isnan(submit[i])) of_node.push_back(submit[i]);
  }
  std::vector<model::FleetNode> nodes;
  for (const auto& [hostname, of_node] : logs) {
    nodes.emplace_back().hostname = hostname;
    nodes.back().unit.factor = statistics::median_or_absent(of_node);
  }
  return nodes;
}

void count_gpus(model::Fleet& fleet) {
  std::map<std::string, model::FleetNode*> by_name;
  for (model::FleetNode& node : fleet.nodes) by_name[node.hostname] = &node;
  for (const model::FleetGpu& gpu : fleet.gpus) {
    model::FleetNode& node = *by_name.at(gpu.node);
    ++node.gpus;
    node.gpus_slow += gpu.unit.outlier ? 1 : 0;
  }
}

template <typename Unit>
std::vector<model::FleetUnit*> units_of(std::vector<Unit>& all) {
  std::vector<model::FleetUnit*> units;
  for (Unit& each : all) units.push_back(&each.unit);
  return units;
}

}  // namespace

model::Fleet judge_fleet(const Replicas& replicas, double alpha) {
  model::Fleet fleet;
  fleet.device_name = replicas.device_name;
  fleet.plan_hash = replicas.plan_hash;
  fleet.documents = static_cast<std::int64_t>(replicas.documents.size());
  fleet.alpha = alpha;
  for (const auto& [field, documents] : replicas.differences) fleet.differences.push_back({field, documents});
  fleet.cells = cells_of(replicas);
  const std::size_t columns = replicas.cells.size();
  const Documents documents{statistics::row_effects(bound_by_device(replicas, fleet.cells), columns),
                            statistics::row_effects(replicas.submit, columns)};
  fleet.gpus = gpus_of(replicas, documents);
  fleet.nodes = nodes_of(replicas, documents.submit);
  const bool several_nodes = fleet.nodes.size() > 2;
  const double device =
      judge(units_of(fleet.gpus), alpha * (several_nodes ? 1 - nodes_share : 1), fleet.gpu_test);
  const double submit = judge(units_of(fleet.nodes), alpha * nodes_share, fleet.node_test);
  for (model::FleetGpu& gpu : fleet.gpus) {
    for (model::FleetDocument& document : gpu.documents) {
      if (document.device_factor) *document.device_factor /= std::exp(device);
      if (document.submit_factor) *document.submit_factor /= std::exp(submit);
    }
  }
  count_gpus(fleet);
  const auto slowest_first = [](auto& units) {
    std::ranges::stable_sort(units, std::ranges::greater(),
                             [](const auto& each) { return each.unit.factor.value_or(0); });
  };
  slowest_first(fleet.gpus);
  slowest_first(fleet.nodes);
  std::ranges::stable_sort(fleet.cells, std::ranges::greater(), [](const model::FleetCell& cell) {
    return cell.device ? cell.device->deviation : 0;
  });
  return fleet;
}

}  // namespace graphbench::fleet
