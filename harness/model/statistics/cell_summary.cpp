// Medians and intervals over launches; the eager cells are looked up by their id.
#include "harness/model/statistics/cell_summary.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "harness/model/axes.hpp"
#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/steady.hpp"
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

// Student's t on the logarithms of the launch medians: launches are the unit of replication, and
// times vary by factors, not by differences. The interval is for the launches' geometric centre.
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

// The spread of a launch's own samples on the log scale, from quartiles so that a few stragglers do
// not decide it: the interquartile range of a normal distribution is 1.349 standard deviations.
double log_spread(std::vector<double> samples) {
  std::ranges::sort(samples);
  const double low = nearest_rank(samples, 0.25);
  return low > 0 ? std::log(nearest_rank(samples, 0.75) / low) / 1.349 : 0;
}

// Samples begin with the ramp, which the summary does not count.
std::vector<double> behind_ramp(const std::vector<double>& samples, const std::optional<model::Summary>& of) {
  const std::size_t counted =
      std::min(samples.size(), of ? static_cast<std::size_t>(of->count) : samples.size());
  return {samples.end() - static_cast<std::ptrdiff_t>(counted), samples.end()};
}

// Absent below two samples.
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

// The ramp and the placement that it ran in: what is steady differs between placements.
std::vector<double> first_placement(const model::Launch& launch) {
  std::vector<double> samples = launch.latency_samples;
  for (std::size_t i = 1; i < launch.placements.size(); ++i)
    samples.resize(samples.size() -
                   std::min(samples.size(), static_cast<std::size_t>(launch.placements[i].latency_samples)));
  return samples;
}

// The median launch decides; a cell that was not seen to settle in most launches has no answer.
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

// The logarithms of the latencies of launches with one index. These are neighbours: what drifts over a sweep,
// they share.
struct Neighbours {
  std::vector<double> eager;
  std::vector<double> own;
};

Neighbours neighbours_of(const CellResult& cell, const CellResult& reference) {
  Neighbours logs;
  for (const model::Launch& launch : cell.launches) {
    const auto eager = std::ranges::find(reference.launches, launch.index, &model::Launch::index);
    if (eager == reference.launches.end() || !launch.latency_seconds || !eager->latency_seconds) continue;
    if (launch.latency_seconds->p50 <= 0 || eager->latency_seconds->p50 <= 0) continue;
    logs.eager.push_back(std::log(eager->latency_seconds->p50));
    logs.own.push_back(std::log(launch.latency_seconds->p50));
  }
  return logs;
}

void add_speedup_interval(model::CellSummary& summary, const Neighbours& logs) {
  summary.speedup_ci95_low = summary.speedup_ci95_high = std::nullopt;
  if (logs.own.size() < 3) return;
  const MeanDifference gain = *paired(logs.own, logs.eager);
  const double half_width = t_critical(0.025, gain.freedom) * gain.error;
  summary.speedup_ci95_low = std::exp(gain.mean - half_width);
  summary.speedup_ci95_high = std::exp(gain.mean + half_width);
}

// From the gain's interval, which is what is uncertain of it: setups spread less than small gains do.
void add_breakeven(model::CellSummary& summary, double setup, double saved) {
  summary.breakeven_steps = summary.breakeven_ci95_low = summary.breakeven_ci95_high = std::nullopt;
  if (saved <= 0 || model::may_be_no_gain(summary)) return;
  summary.breakeven_steps = std::ceil(setup / saved);
  if (!summary.speedup_ci95_low || *summary.speedup_ci95_low <= 1) return;
  const double own = summary.latency_seconds->p50;
  summary.breakeven_ci95_low = std::ceil(setup / (own * (*summary.speedup_ci95_high - 1)));
  summary.breakeven_ci95_high = std::ceil(setup / (own * (*summary.speedup_ci95_low - 1)));
}

void compare_with_reference(CellResult& cell, const CellResult& reference) {
  const auto& own = cell.summary.latency_seconds;
  const auto& eager = reference.summary.latency_seconds;
  if (!own || !eager || own->p50 <= 0) return;
  cell.summary.speedup_over_eager = eager->p50 / own->p50;
  if (!model::is_graph_mode(cell.cell.mode)) return;
  add_speedup_interval(cell.summary, neighbours_of(cell, reference));
  if (const auto setup = setup_seconds(cell)) add_breakeven(cell.summary, *setup, eager->p50 - own->p50);
}

void add_prediction(CellResult& cell) {
  const std::optional<model::Estimate>& latency = cell.summary.latency_seconds;
  if (!cell.records || !latency || latency->p50 <= 0 || model::is_graph_mode(cell.cell.mode)) return;
  const double idle = 1 - cell.records->busy_seconds / latency->p50;
  cell.summary.launch_bound = idle > 0 ? std::optional(idle) : std::nullopt;
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

double setup_seconds(const model::Setup& setup) {
  return setup.capture_seconds + setup.instantiate_seconds + setup.upload_seconds;
}

std::optional<double> setup_seconds(const CellResult& cell) {
  std::vector<double> costs;
  for (const model::Launch& launch : cell.launches) costs.push_back(setup_seconds(launch.setup));
  return median_or_absent(std::move(costs));
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
    if (reference != measured.end()) compare_with_reference(cell, *reference->second);
  }
}

}  // namespace graphbench::statistics
