// A row a family, and what writes its lines.
#include "reporters/prometheus/fleet_series.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "reporters/prometheus/series.hpp"
#include "reporters/prometheus/text_format.hpp"

namespace graphbench::reporters {
namespace {

using Labels = std::vector<prometheus::ClientMetric::Label>;
using Add = std::function<void(Labels labels, std::optional<double> value)>;

struct Row {
  FamilyRow family;
  void (*write)(const model::Fleet& fleet, const Add& add);
};

Row row(const char* name, const char* unit, std::vector<std::string> labels, const char* help,
        void (*write)(const model::Fleet& fleet, const Add& add)) {
  return {{std::string("graphbench_fleet_") + name, "gauge", unit, std::move(labels), help}, write};
}

void write_tests(const model::Fleet& fleet, const Add& add,
                 std::optional<double> (*number)(const model::FleetTest& test)) {
  add({{"of", "gpu"}}, number(fleet.gpu_test));
  add({{"of", "node"}}, number(fleet.node_test));
}

void write_spreads(const model::Fleet& fleet, const Add& add) {
  for (const model::FleetCell& cell : fleet.cells) {
    const auto one = [&](const char* metric, const std::optional<model::FleetSpread>& spread) {
      if (!spread) return;
      Labels labels = labels_of({fleet.device_name, cell.cell});
      labels.push_back({"metric", metric});
      add(std::move(labels), spread->deviation);
    };
    one("device", cell.device);
    one("submit", cell.submit);
  }
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      row("device_factor_ratio", "ratio", {"uuid", "node"}, "Device times of a GPU over the fleet's.",
          [](const model::Fleet& fleet, const Add& add) {
            for (const auto& gpu : fleet.gpus) add({{"uuid", gpu.uuid}, {"node", gpu.node}}, gpu.unit.factor);
          }),
      row("device_drift_ratio", "ratio", {"uuid", "node"},
          "Device times of a GPU's last document over its first's.",
          [](const model::Fleet& fleet, const Add& add) {
            for (const auto& gpu : fleet.gpus) add({{"uuid", gpu.uuid}, {"node", gpu.node}}, gpu.drift);
          }),
      row("device_outlier", "boolean", {"uuid", "node"},
          "1 where a GPU is slower than GPUs like the others are.",
          [](const model::Fleet& fleet, const Add& add) {
            for (const auto& gpu : fleet.gpus)
              add({{"uuid", gpu.uuid}, {"node", gpu.node}}, gpu.unit.outlier ? 1 : 0);
          }),
      row("submit_factor_ratio", "ratio", {"node"}, "Submit times of a node over the fleet's.",
          [](const model::Fleet& fleet, const Add& add) {
            for (const auto& node : fleet.nodes) add({{"node", node.hostname}}, node.unit.factor);
          }),
      row("submit_outlier", "boolean", {"node"},
          "1 where a node is slower to submit than nodes like the others are.",
          [](const model::Fleet& fleet, const Add& add) {
            for (const auto& node : fleet.nodes) add({{"node", node.hostname}}, node.unit.outlier ? 1 : 0);
          }),
      row("spread_ratio", "ratio", {"CELL", "metric"},
          "Robust standard deviation of the logarithms of a cell's times over the fleet.", write_spreads),
      row("tested", "units", {"of"}, "GPUs and nodes that were compared with each other.",
          [](const model::Fleet& fleet, const Add& add) {
            write_tests(fleet, add,
                        [](const auto& test) { return std::optional(static_cast<double>(test.tested)); });
          }),
      row("detectable_ratio", "ratio", {"of"},
          "The slowdown of one GPU or node that is found in nine cases of ten, as a fraction.",
          [](const model::Fleet& fleet, const Add& add) {
            write_tests(fleet, add, [](const auto& test) { return test.detectable; });
          }),
  };
  return all;
}

}  // namespace

const std::vector<FamilyRow>& fleet_families() {
  static const std::vector<FamilyRow> families = [] {
    std::vector<FamilyRow> all;
    for (const Row& row : rows()) all.push_back(row.family);
    return all;
  }();
  return families;
}

std::string fleet_text(const model::Fleet& fleet) {
  std::string text;
  for (const Row& row : rows()) {
    std::string lines;
    row.write(fleet, [&](Labels labels, std::optional<double> value) {
      if (value && std::isfinite(*value)) lines += gauge_text(row.family.name, std::move(labels), *value);
    });
    if (!lines.empty())
      text += head_text(row.family.name, row.family.help, prometheus::MetricType::Gauge) + lines;
  }
  return text;
}

}  // namespace graphbench::reporters
