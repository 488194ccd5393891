// Summarizes cells over their launches: times, start-up, and what a task's first setup costs once.
#include "harness/model/statistics/cell_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/model/statistics/launch_intervals.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/statistics/summary.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

// Returns the spread of a launch's samples on the log scale, from their quartiles, which a few outliers do
// not change. The interquartile range of a normal distribution is 1.349 standard deviations.
double log_spread(std::vector<double> samples) {
  std::ranges::sort(samples);
  const double low = nearest_rank(samples, 0.25);
  return low > 0 ? std::log(nearest_rank(samples, 0.75) / low) / 1.349 : 0;
}

// Returns the last of->count samples, because the summary does not count the samples of the ramp.
std::vector<double> behind_ramp(const std::vector<double>& samples, const std::optional<Summary>& of) {
  const std::size_t counted =
      std::min(samples.size(), of ? static_cast<std::size_t>(of->count) : samples.size());
  return {samples.end() - static_cast<std::ptrdiff_t>(counted), samples.end()};
}

std::optional<double> spread_of(const std::vector<double>& samples, const std::optional<Summary>& of) {
  const std::vector<double> counted = behind_ramp(samples, of);
  return counted.size() >= 2 ? std::optional(log_spread(counted)) : std::nullopt;
}

// Returns the samples of the ramp and of the first placement only, because steady times differ by placement.
std::vector<double> first_placement(const Launch& launch) {
  std::vector<double> samples = launch.latency_samples;
  for (std::size_t i = 1; i < launch.placements.size(); ++i)
    samples.resize(samples.size() -
                   std::min(samples.size(), static_cast<std::size_t>(launch.placements[i].latency_samples)));
  return samples;
}

// Returns the warmups plus the launches' median first steady step. nullopt if most launches have none.
std::optional<std::int64_t> steady_after(const CellResult& cell, const std::vector<WithinLaunch>& within) {
  const std::vector<double> steps = present(within, &WithinLaunch::steady_step);
  if (steps.empty() || 2 * steps.size() < within.size()) return std::nullopt;
  return cell.cell.warmup + static_cast<std::int64_t>(std::ceil(median(steps)));
}

std::optional<Estimate> estimate_of(const CellResult& cell, const std::vector<WithinLaunch>& within,
                                    LaunchSummary field, std::optional<double> WithinLaunch::*spread) {
  std::optional<Estimate> estimate = estimate_over(medians_of(cell, field));
  if (!estimate || estimate->p50 <= 0) return estimate;
  estimate->within_launch = median_or_absent(present(within, spread));
  return estimate;
}

void summarize_launches(CellResult& cell) {
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

void add_startup(CellResult& cell) {
  cell.summary.startup_seconds = cell.summary.startup_ci95_low = cell.summary.startup_ci95_high =
      std::nullopt;
  const Startup* const middle = is_graph_mode(cell.cell.mode) ? middle_startup(cell.launches) : nullptr;
  if (middle == nullptr) return;
  std::vector<double> processes;
  for (const Launch& launch : cell.launches) {
    if (launch.startup) processes.push_back(startup_seconds(*launch.startup));
  }
  const Estimate estimate = *estimate_over(processes);
  cell.summary.startup_seconds = startup_seconds(*middle);
  cell.summary.startup_ci95_low = estimate.ci95_low;
  cell.summary.startup_ci95_high = estimate.ci95_high;
}

void add_prediction(CellResult& cell) {
  const std::optional<Estimate>& latency = cell.summary.latency_seconds;
  if (!cell.records) return;
  if (is_graph_mode(cell.cell.mode) && cell.records->graphed_kernels && cell.records->kernels > 0)
    cell.summary.graphed =
        static_cast<double>(*cell.records->graphed_kernels) / static_cast<double>(cell.records->kernels);
  if (!latency || latency->p50 <= 0 || is_graph_mode(cell.cell.mode)) return;
  if (cell.records->graph_seconds > 0)
    cell.summary.predicted_gain = latency->p50 / cell.records->graph_seconds;
}

}  // namespace

WithinLaunch within_launch(const Launch& launch) {
  if (launch.within) return *launch.within;
  return {spread_of(launch.submit_samples, launch.submit_seconds),
          spread_of(launch.latency_samples, launch.latency_seconds),
          spread_of(launch.device_samples, launch.device_seconds), steady_index(first_placement(launch))};
}

void summarize_cells(std::vector<CellResult>& cells) {
  for (CellResult& cell : cells) {
    if (cell.status != CellStatus::ok) continue;
    summarize_launches(cell);
    add_prediction(cell);
  }
  add_startups(cells);
  add_gains(cells);
  add_setups_once(cells);
}

void add_setups_once(std::vector<CellResult>& cells) {
  const auto task_of = [](const CellResult& cell) {
    Cell task = cell.cell;
    task.batch = 0;
    return id_of(task);
  };
  const auto counts = [](const CellResult& cell) {
    return cell.status == CellStatus::ok && is_graph_mode(cell.cell.mode);
  };
  std::map<std::string, std::map<std::int64_t, double>> sums;  // by task and launch
  for (const CellResult& cell : cells) {
    if (!counts(cell)) continue;
    for (const Launch& launch : cell.launches) {
      if (const auto excess = first_setup_excess(launch)) sums[task_of(cell)][launch.index] += *excess;
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

void add_startups(std::vector<CellResult>& cells) {
  for (CellResult& cell : cells) {
    if (cell.status == CellStatus::ok) add_startup(cell);
  }
}

}  // namespace graphbench::model
