// Summarizes cells: medians and intervals over launches. Finds the eager cell of each cell by its id. The
// minimum cost of submitting a step is a sum over its launches.
#include "harness/model/statistics/cell_summary.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "harness/model/axes.hpp"
#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/statistics/summary.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::statistics {
namespace {

using model::CellResult;
using Field = std::optional<model::Summary> model::Launch::*;

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double each : values) logs.push_back(std::log(each));
  return logs;
}

// Adds Student's interval of the geometric mean over launches, on logarithms: times vary by factors.
void add_interval(model::Estimate& estimate, const std::vector<double>& medians) {
  if (medians.size() < 3) return;
  const std::vector<double> logs = logs_of(medians);
  const auto count = static_cast<double>(logs.size());
  const boost::math::students_t distribution(count - 1);
  const double half_width =
      boost::math::quantile(distribution, 0.975) * standard_deviation(logs) / std::sqrt(count);
  estimate.ci95_low = std::exp(mean_of(logs) - half_width);
  estimate.ci95_high = std::exp(mean_of(logs) + half_width);
}

// Returns the spread of a launch's samples on the log scale, from their quartiles, which a few outliers do
// not change. The interquartile range of a normal distribution is 1.349 standard deviations.
double log_spread(std::vector<double> samples) {
  std::ranges::sort(samples);
  const double low = nearest_rank(samples, 0.25);
  return low > 0 ? std::log(nearest_rank(samples, 0.75) / low) / 1.349 : 0;
}

// Returns the last of->count samples, because the summary does not count the samples of the ramp.
std::vector<double> behind_ramp(const std::vector<double>& samples, const std::optional<model::Summary>& of) {
  const std::size_t counted =
      std::min(samples.size(), of ? static_cast<std::size_t>(of->count) : samples.size());
  return {samples.end() - static_cast<std::ptrdiff_t>(counted), samples.end()};
}

std::optional<double> spread_of(const std::vector<double>& samples, const std::optional<model::Summary>& of) {
  const std::vector<double> counted = behind_ramp(samples, of);
  return counted.size() >= 2 ? std::optional(log_spread(counted)) : std::nullopt;
}

std::vector<double> medians_of(const std::vector<model::Launch>& launches, Field field) {
  std::vector<double> medians;
  for (const model::Launch& launch : launches) {
    if ((launch.*field).has_value()) medians.push_back((launch.*field)->p50);
  }
  return medians;
}

// Returns the samples of the ramp and of the first placement only, because steady times differ by placement.
std::vector<double> first_placement(const model::Launch& launch) {
  std::vector<double> samples = launch.latency_samples;
  for (std::size_t i = 1; i < launch.placements.size(); ++i)
    samples.resize(samples.size() -
                   std::min(samples.size(), static_cast<std::size_t>(launch.placements[i].latency_samples)));
  return samples;
}

// Returns the warmups plus the launches' median first steady step. nullopt if most launches have none.
std::optional<std::int64_t> steady_after(const CellResult& cell,
                                         const std::vector<model::WithinLaunch>& within) {
  std::vector<double> steps;
  for (const model::WithinLaunch& each : within) {
    if (each.steady_step) steps.push_back(static_cast<double>(*each.steady_step));
  }
  if (steps.empty() || 2 * steps.size() < within.size()) return std::nullopt;
  return cell.cell.warmup + static_cast<std::int64_t>(std::ceil(median(steps)));
}

std::optional<model::Estimate> estimate_of(const CellResult& cell,
                                           const std::vector<model::WithinLaunch>& within, Field field,
                                           std::optional<double> model::WithinLaunch::*spread) {
  std::optional<model::Estimate> estimate = estimate_over(medians_of(cell.launches, field));
  if (!estimate || estimate->p50 <= 0) return estimate;
  std::vector<double> spreads;
  for (const model::WithinLaunch& each : within) {
    if (each.*spread) spreads.push_back(*(each.*spread));
  }
  estimate->within_launch = median_or_absent(std::move(spreads));
  return estimate;
}

void summarize_launches(CellResult& cell) {
  using model::Launch;
  using model::WithinLaunch;
  std::vector<WithinLaunch> within;
  for (const Launch& launch : cell.launches) within.push_back(within_launch(launch));
  cell.summary.submit_seconds =
      estimate_of(cell, within, &Launch::submit_seconds, &WithinLaunch::submit_spread);
  cell.summary.latency_seconds =
      estimate_of(cell, within, &Launch::latency_seconds, &WithinLaunch::latency_spread);
  cell.summary.device_seconds =
      estimate_of(cell, within, &Launch::device_seconds, &WithinLaunch::device_spread);
  cell.summary.steady_after = steady_after(cell, within);
}

std::optional<double> latency_of(const model::Launch& launch) {
  return launch.latency_seconds ? std::optional(launch.latency_seconds->p50) : std::nullopt;
}

std::optional<double> throughput_of(const model::Launch& launch) {
  return launch.throughput_steps_per_second;
}

// The values of a cell and of its eager cell in the two launches with the same index. A sweep runs the tasks
// of one launch index in shuffled order. So the two launches share only drift that is slower than all these
// tasks.
struct Pair {
  const model::Launch* launch;
  double own;
  double eager;
};

std::vector<Pair> pairs_of(const CellResult& cell, const CellResult& reference,
                           std::optional<double> (*number)(const model::Launch& launch)) {
  // A map, because a document from elsewhere may have very many launches.
  std::unordered_map<std::int64_t, const model::Launch*> by_index;
  for (const model::Launch& launch : reference.launches) by_index.emplace(launch.index, &launch);
  std::vector<Pair> pairs;
  for (const model::Launch& launch : cell.launches) {
    const auto eager = by_index.find(launch.index);
    if (eager == by_index.end()) continue;
    const Pair pair{&launch, number(launch).value_or(0), number(*eager->second).value_or(0)};
    if (pair.own > 0 && pair.eager > 0) pairs.push_back(pair);
  }
  return pairs;
}

// Returns the interval of the ratio of `eager` to `own`, or nullopt below three pairs.
std::optional<std::pair<double, double>> interval_of_ratio(const std::vector<Pair>& pairs) {
  if (pairs.size() < 3) return std::nullopt;
  std::vector<double> own;
  std::vector<double> eager;
  for (const Pair& pair : pairs) {
    own.push_back(std::log(pair.own));
    eager.push_back(std::log(pair.eager));
  }
  const MeanDifference ratio = *paired(own, eager);
  const double half_width = t_critical(0.025, ratio.freedom) * ratio.error;
  return std::pair(std::exp(ratio.mean - half_width), std::exp(ratio.mean + half_width));
}

void add_throughput(CellResult& cell, const CellResult& reference) {
  const std::vector<Pair> pairs = pairs_of(cell, reference, throughput_of);
  if (pairs.empty()) return;
  std::vector<double> own;
  std::vector<double> eager;
  for (const Pair& pair : pairs) {
    own.push_back(pair.own);
    eager.push_back(pair.eager);
  }
  cell.summary.throughput_over_eager = median(own) / median(eager);
  if (!model::is_graph_mode(cell.cell.mode)) return;
  const auto interval = interval_of_ratio(pairs);
  if (!interval) return;
  cell.summary.throughput_ci95_low = 1 / interval->second;
  cell.summary.throughput_ci95_high = 1 / interval->first;
}

// The minimum spread of a saving, which is the difference of two launches and has the sum of their variances.
const double saved_spread_min = log_spread_min * std::sqrt(2.0);

// costs[i] is a launch's setup cost, and saved[i] its saving per step, for launches whose setups count. Both
// are divided by the launch's step time, so that a slow launch changes neither.
struct Balance {
  std::vector<double> costs;
  std::vector<double> saved;
};

Balance balance_of(const CellResult& cell, const std::vector<Pair>& pairs) {
  Balance balance;
  for (const Pair& pair : pairs) {
    if (!has_later_setups(cell.launches, *pair.launch)) continue;
    balance.costs.push_back(of_later_setups(*pair.launch, cost_seconds) / pair.own);
    balance.saved.push_back(pair.eager / pair.own - 1);
  }
  return balance;
}

// Computes the break-even from medians, because fewer than three launches give no interval.
void add_rough_breakeven(CellResult& cell, double saved) {
  model::CellSummary& summary = cell.summary;
  if (model::may_be_no_gain(summary)) {
    summary.no_breakeven = model::NoBreakeven::not_told_apart;
  } else if (saved <= 0) {
    summary.no_breakeven = model::NoBreakeven::never;
  } else if (summary.setup_cost_seconds) {
    summary.breakeven_steps = std::ceil(*summary.setup_cost_seconds / saved);
  }
}

void add_breakeven(CellResult& cell, const std::vector<Pair>& pairs, double saved) {
  model::CellSummary& summary = cell.summary;
  const Balance balance = balance_of(cell, pairs);
  if (balance.costs.size() < 3) return add_rough_breakeven(cell, saved);
  const Denominator sign = sign_of_mean(balance.saved, saved_spread_min);
  if (sign == Denominator::uncertain || model::may_be_no_gain(summary)) {
    summary.no_breakeven = model::NoBreakeven::not_told_apart;
  } else if (sign == Denominator::negative) {
    summary.no_breakeven = model::NoBreakeven::never;
  } else {
    const RatioOfMeans steps = *ratio_of_means(balance.costs, balance.saved, saved_spread_min);
    summary.breakeven_steps = std::ceil(steps.ratio);
    summary.breakeven_ci95_low = std::ceil(steps.low);
    summary.breakeven_ci95_high = std::ceil(steps.high);
  }
}

void forget_gains(model::CellSummary& summary) {
  summary.speedup_ci95_low = summary.speedup_ci95_high = std::nullopt;
  summary.throughput_over_eager = summary.throughput_ci95_low = summary.throughput_ci95_high = std::nullopt;
  summary.breakeven_steps = summary.breakeven_ci95_low = summary.breakeven_ci95_high = std::nullopt;
  summary.no_breakeven = std::nullopt;
  summary.setup_cost_seconds = std::nullopt;
}

// `reference` is null if eager was not measured.
void compare_with_reference(CellResult& cell, const CellResult* reference) {
  forget_gains(cell.summary);
  const bool is_graph = model::is_graph_mode(cell.cell.mode);
  if (is_graph) cell.summary.setup_cost_seconds = setup_over(cell.launches, cost_seconds);
  const auto& own = cell.summary.latency_seconds;
  if (!own || own->p50 <= 0) return;
  if (reference == nullptr || !reference->summary.latency_seconds) {
    if (is_graph) cell.summary.no_breakeven = model::NoBreakeven::eager_not_swept;
    return;
  }
  const double eager = reference->summary.latency_seconds->p50;
  cell.summary.speedup_over_eager = eager / own->p50;
  add_throughput(cell, *reference);
  if (!is_graph) return;
  const std::vector<Pair> pairs = pairs_of(cell, *reference, latency_of);
  if (const auto interval = interval_of_ratio(pairs)) {
    cell.summary.speedup_ci95_low = interval->first;
    cell.summary.speedup_ci95_high = interval->second;
  }
  add_breakeven(cell, pairs, eager - own->p50);
}

// Sets setup_once_seconds to the median over launches. All cells of a task get the same value.
void add_setup_once(std::vector<CellResult>& cells) {
  const auto task_of = [](const CellResult& cell) {
    model::Cell task = cell.cell;
    task.batch = 0;
    return id_of(task);
  };
  const auto counts = [](const CellResult& cell) {
    return cell.status == model::CellStatus::ok && model::is_graph_mode(cell.cell.mode);
  };
  std::map<std::string, std::map<std::int64_t, double>> sums;  // by task and launch
  for (const CellResult& cell : cells) {
    if (!counts(cell)) continue;
    for (const model::Launch& launch : cell.launches) {
      if (const auto excess = first_setup_excess(cell.launches, launch))
        sums[task_of(cell)][launch.index] += *excess;
    }
  }
  for (CellResult& cell : cells) {
    if (!counts(cell)) continue;
    std::vector<double> launches;
    for (const auto& [index, sum] : sums[task_of(cell)]) launches.push_back(sum);
    const std::optional<double> once = median_or_absent(std::move(launches));
    cell.summary.setup_once_seconds = once && *once > 0 ? once : std::nullopt;
  }
}

void add_prediction(CellResult& cell) {
  const std::optional<model::Estimate>& latency = cell.summary.latency_seconds;
  if (!cell.records || !latency || latency->p50 <= 0 || model::is_graph_mode(cell.cell.mode)) return;
  const double idle = 1 - cell.records->busy_seconds / latency->p50;
  cell.summary.launch_bound = idle > 0 ? std::optional(idle) : std::nullopt;
  if (cell.records->graph_seconds > 0)
    cell.summary.predicted_gain = latency->p50 / cell.records->graph_seconds;
}

}  // namespace

std::optional<model::Estimate> estimate_over(const std::vector<double>& launches) {
  if (launches.empty()) return std::nullopt;
  model::Estimate estimate{};
  estimate.p50 = median(launches);
  if (std::ranges::any_of(launches, [](double each) { return each <= 0; })) return estimate;
  add_interval(estimate, launches);
  if (launches.size() >= 2) estimate.between_launches = standard_deviation(logs_of(launches));
  return estimate;
}

model::WithinLaunch within_launch(const model::Launch& launch) {
  if (launch.within) return *launch.within;
  return {spread_of(launch.submit_samples, launch.submit_seconds),
          spread_of(launch.latency_samples, launch.latency_seconds),
          spread_of(launch.device_samples, launch.device_seconds), steady_index(first_placement(launch))};
}

void summarize_cells(std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> measured;
  for (CellResult& cell : cells) {
    if (cell.status != model::CellStatus::ok) continue;
    summarize_launches(cell);
    add_prediction(cell);
    measured[id_of(cell.cell)] = &cell;
  }
  for (CellResult& cell : cells) {
    if (cell.status != model::CellStatus::ok) continue;
    const auto reference = measured.find(id_of(model::reference_of(cell.cell)));
    compare_with_reference(cell, reference != measured.end() ? reference->second : nullptr);
  }
  add_setup_once(cells);
}

namespace {

double later_launch(const model::Floor& idle, const std::optional<model::Floor>& queued) {
  return queued ? std::min(idle.p50, queued->p50) : idle.p50;
}

// Returns the number of eager launches. If a foreign step has eager ops, the number comes from records, and
// is absent without records.
std::optional<std::int64_t> eager_launches(const CellResult& cell) {
  if (cell.cell.preset != model::of_its_own || cell.graph->eager_ops == 0) return cell.graph->eager_ops;
  if (!cell.records) return std::nullopt;
  return cell.records->operations - cell.graph->contents.nodes;
}

}  // namespace

std::optional<double> submit_floor(const model::Floors& floors, const CellResult& cell) {
  if (!cell.graph || !floors.kernel_launch || !floors.graph_launch) return std::nullopt;
  const std::optional<std::int64_t> eager = eager_launches(cell);
  if (!eager || cell.graph->pieces + *eager <= 0) return std::nullopt;
  const double graph = later_launch(*floors.graph_launch, floors.queued_graph_launch);
  const double kernel = later_launch(*floors.kernel_launch, floors.queued_kernel_launch);
  const double first =
      cell.graph->pieces > 0 ? floors.graph_launch->p50 - graph : floors.kernel_launch->p50 - kernel;
  const double floor =
      first + static_cast<double>(cell.graph->pieces) * graph + static_cast<double>(*eager) * kernel;
  return floor > 0 ? std::optional<double>(floor) : std::nullopt;
}

void add_submit_over_floor(const model::Floors& floors, std::vector<CellResult>& cells) {
  for (CellResult& cell : cells) {
    const std::optional<double> floor = submit_floor(floors, cell);
    if (floor && cell.summary.submit_seconds)
      cell.summary.submit_over_floor = cell.summary.submit_seconds->p50 / *floor;
  }
}

}  // namespace graphbench::statistics
