// Summarizes cells: medians and intervals over launches. Finds the eager cell of each cell by its id. The
// minimum cost of submitting a step is a sum over its launches.
#include "harness/model/statistics/cell_summary.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "harness/model/axes.hpp"
#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/statistics/summary.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

using LaunchSummary = std::optional<Summary> Launch::*;

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double each : values) logs.push_back(std::log(each));
  return logs;
}

// Adds Student's interval of the geometric mean over launches, on logarithms: times vary by factors.
void add_interval(Estimate& estimate, const std::vector<double>& medians) {
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
std::vector<double> behind_ramp(const std::vector<double>& samples, const std::optional<Summary>& of) {
  const std::size_t counted =
      std::min(samples.size(), of ? static_cast<std::size_t>(of->count) : samples.size());
  return {samples.end() - static_cast<std::ptrdiff_t>(counted), samples.end()};
}

std::optional<double> spread_of(const std::vector<double>& samples, const std::optional<Summary>& of) {
  const std::vector<double> counted = behind_ramp(samples, of);
  return counted.size() >= 2 ? std::optional(log_spread(counted)) : std::nullopt;
}

std::vector<double> medians_of(const std::vector<Launch>& launches, LaunchSummary field) {
  std::vector<double> medians;
  for (const Launch& launch : launches) {
    if ((launch.*field).has_value()) medians.push_back((launch.*field)->p50);
  }
  return medians;
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
  std::vector<double> steps;
  for (const WithinLaunch& each : within) {
    if (each.steady_step) steps.push_back(static_cast<double>(*each.steady_step));
  }
  if (steps.empty() || 2 * steps.size() < within.size()) return std::nullopt;
  return cell.cell.warmup + static_cast<std::int64_t>(std::ceil(median(steps)));
}

std::optional<Estimate> estimate_of(const CellResult& cell, const std::vector<WithinLaunch>& within,
                                    LaunchSummary field, std::optional<double> WithinLaunch::*spread) {
  std::optional<Estimate> estimate = estimate_over(medians_of(cell.launches, field));
  if (!estimate || estimate->p50 <= 0) return estimate;
  std::vector<double> spreads;
  for (const WithinLaunch& each : within) {
    if (each.*spread) spreads.push_back(*(each.*spread));
  }
  estimate->within_launch = median_or_absent(std::move(spreads));
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

std::optional<double> latency_of(const Launch& launch) {
  return launch.latency_seconds ? std::optional(launch.latency_seconds->p50) : std::nullopt;
}

std::optional<double> submit_of(const Launch& launch) {
  return launch.submit_seconds ? std::optional(launch.submit_seconds->p50) : std::nullopt;
}

std::optional<double> throughput_of(const Launch& launch) {
  return launch.throughput_steps_per_second;
}

// An interval of a positive number; both ends are positive.
struct Range {
  double low;
  double high;
};

// The tail of a median's own interval beyond each end. The interval of a ratio joins those of its two
// medians. Then it holds the ratio in 95 % of sweeps also if one median alone varies much more than the
// other, and is at most 1.5 times as wide as Student's where launches are normal (tests/simulation).
constexpr double median_tail = 0.045;
constexpr std::size_t launches_for_ranks = 5;

// Returns an interval of the median without a distribution: between order statistics, interpolated as by
// Hettmansperger and Sheather (1986). That of five launches, which are few, is from the least to the largest.
Range by_ranks(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const boost::math::binomial coin(static_cast<double>(count), 0.5);
  const auto tail_of = [&](std::size_t below) { return cdf(coin, static_cast<double>(below)); };
  std::size_t rank = 0;  // values beyond each end: by bisection, because a document may have many launches
  for (std::size_t most = (count - 3) / 2; rank < most;) {
    const std::size_t middle = (rank + most + 1) / 2;
    if (tail_of(middle) <= median_tail) {
      rank = middle;
    } else {
      most = middle - 1;
    }
  }
  double inward = 0;  // of the way to the next value
  if (count > launches_for_ranks && tail_of(rank) < median_tail) {
    const double share = (median_tail - tail_of(rank)) / (tail_of(rank + 1) - tail_of(rank));
    const auto beyond = static_cast<double>(rank + 1), n = static_cast<double>(count);
    inward = (n - beyond) * share / (beyond + (n - 2 * beyond) * share);
  }
  const double low = std::lerp(values[rank], values[rank + 1], inward);
  const double high = std::lerp(values[count - 1 - rank], values[count - 2 - rank], inward);
  return {low, high};
}

// The variance of a median divided by that of a mean is at most this, for normal values.
const double median_over_mean = boost::math::constants::half_pi<double>();

// Returns the interval of the median of launches: as below.
std::optional<Range> interval_of_median(const std::vector<double>& launches) {
  if (launches.size() < 3 || std::ranges::min(launches) <= 0) return std::nullopt;
  if (launches.size() >= launches_for_ranks) return by_ranks(launches);
  const std::vector<double> logs = logs_of(launches);
  const auto count = static_cast<double>(logs.size());
  const double factor =
      std::exp(t_critical(0.025, count - 1) * standard_deviation(logs) * std::sqrt(median_over_mean / count));
  return Range{median(launches) / factor, median(launches) * factor};
}

// Returns the interval of median(over) / median(under), of launches: Student's t on logarithms at three and
// four, and by ranks from five on. It contains the ratio. Absent below three.
std::optional<Range> interval_of_ratio(const std::vector<double>& over, const std::vector<double>& under) {
  const std::size_t least = std::min(over.size(), under.size());
  if (least < 3) return std::nullopt;
  const double ratio = median(over) / median(under);
  const MeanDifference logs = *welch(logs_of(under), logs_of(over));
  if (least < launches_for_ranks) {
    const double factor =
        std::exp(t_critical(0.025, logs.freedom) * logs.error * std::sqrt(median_over_mean));
    return Range{ratio / factor, ratio * factor};
  }
  const Range above = by_ranks(over), below = by_ranks(under);
  // Launches that agree to the last digit are no evidence of less spread than any machine has.
  const double freedom = static_cast<double>(least) - 1;
  const double factor =
      std::exp(t_critical(0.025, freedom) * log_spread_min * std::sqrt(2.0 / (freedom + 1)));
  return Range{std::min(above.low / below.high, ratio / factor),
               std::max(above.high / below.low, ratio * factor)};
}

std::vector<double> numbers_of_launches(const CellResult& cell,
                                        std::optional<double> (*number)(const Launch& launch)) {
  std::vector<double> values;
  for (const Launch& launch : cell.launches) {
    if (const std::optional<double> value = number(launch); value && *value > 0) values.push_back(*value);
  }
  return values;
}

void add_throughput(CellResult& cell, const CellResult& reference) {
  const std::vector<double> own = numbers_of_launches(cell, throughput_of),
                            eager = numbers_of_launches(reference, throughput_of);
  if (own.empty() || eager.empty()) return;
  cell.summary.throughput_over_eager = median(own) / median(eager);
  if (!is_graph_mode(cell.cell.mode)) return;
  if (const auto interval = interval_of_ratio(own, eager)) {
    cell.summary.throughput_ci95_low = interval->low;
    cell.summary.throughput_ci95_high = interval->high;
  }
}

std::vector<double> costs_of(const CellResult& cell) {
  std::vector<double> costs;
  for (const Launch& launch : cell.launches) {
    if (has_later_setups(cell.launches, launch)) costs.push_back(of_later_setups(launch, cost_seconds));
  }
  return costs;
}

// The steps after which the median saving per step has paid the median cost. The ends are those of the cost
// over those of the saving, which follow from the gain's.
void add_breakeven(CellResult& cell, double eager, double own) {
  CellSummary& summary = cell.summary;
  if (may_be_no_gain(summary)) {
    summary.no_breakeven = NoBreakeven::not_told_apart;
  } else if (eager <= own) {
    summary.no_breakeven = NoBreakeven::never;
  } else if (summary.setup_cost_seconds) {
    summary.breakeven_steps = std::ceil(*summary.setup_cost_seconds / (eager - own));
    const std::vector<double> costs = costs_of(cell);
    const auto cost = interval_of_median(costs);
    if (!cost || !summary.speedup_ci95_low) return;
    summary.breakeven_ci95_low = std::ceil(cost->low / (own * (*summary.speedup_ci95_high - 1)));
    summary.breakeven_ci95_high = std::ceil(cost->high / (own * (*summary.speedup_ci95_low - 1)));
  }
}

void forget_gains(CellSummary& summary) {
  summary.speedup_ci95_low = summary.speedup_ci95_high = std::nullopt;
  summary.throughput_over_eager = summary.throughput_ci95_low = summary.throughput_ci95_high = std::nullopt;
  summary.breakeven_steps = summary.breakeven_ci95_low = summary.breakeven_ci95_high = std::nullopt;
  summary.no_breakeven = std::nullopt;
  summary.setup_cost_seconds = std::nullopt;
}

// `reference` is null if eager was not measured.
void compare_with_reference(CellResult& cell, const CellResult* reference) {
  forget_gains(cell.summary);
  const bool is_graph = is_graph_mode(cell.cell.mode);
  if (is_graph) cell.summary.setup_cost_seconds = setup_over(cell.launches, cost_seconds);
  const auto& own = cell.summary.latency_seconds;
  if (!own || own->p50 <= 0) return;
  if (reference == nullptr || !reference->summary.latency_seconds) {
    if (is_graph) cell.summary.no_breakeven = NoBreakeven::eager_not_swept;
    return;
  }
  if (took_no_graph(cell)) {
    cell.summary.speedup_over_eager = std::nullopt;
    cell.summary.no_breakeven = NoBreakeven::no_graph;
    return;
  }
  const double eager = reference->summary.latency_seconds->p50;
  cell.summary.speedup_over_eager = eager / own->p50;
  add_throughput(cell, *reference);
  if (!is_graph) return;
  if (const auto interval = interval_of_ratio(numbers_of_launches(*reference, latency_of),
                                              numbers_of_launches(cell, latency_of))) {
    cell.summary.speedup_ci95_low = interval->low;
    cell.summary.speedup_ci95_high = interval->high;
  }
  add_breakeven(cell, eager, own->p50);
}

struct BreakCost {
  std::optional<double> (*number)(const Launch& launch);
  std::optional<double> CellSummary::*seconds;
  std::optional<double> CellSummary::*low;
  std::optional<double> CellSummary::*high;
};
constexpr BreakCost break_costs[] = {
    {latency_of, &CellSummary::break_latency_seconds, &CellSummary::break_latency_ci95_low,
     &CellSummary::break_latency_ci95_high},
    {submit_of, &CellSummary::break_submit_seconds, &CellSummary::break_submit_ci95_low,
     &CellSummary::break_submit_ci95_high}};

// The difference has the ends that follow from those of the ratio, as a break-even's saving. `whole` is null
// if it was not measured.
void add_break_costs(CellResult& cell, const CellResult* whole) {
  const bool counts = whole != nullptr && whole->fallback.empty() && breaks_of(*whole) == 0;
  const auto breaks = static_cast<double>(counts ? breaks_of(cell) : 0);
  for (const auto& [number, seconds, low, high] : break_costs) {
    cell.summary.*seconds = cell.summary.*low = cell.summary.*high = std::nullopt;
    if (breaks == 0) continue;
    const std::vector<double> own = numbers_of_launches(cell, number),
                              others = numbers_of_launches(*whole, number);
    const auto ratio = interval_of_ratio(own, others);
    if (!ratio || ratio->low <= 1) continue;
    const double least = median(others) / breaks;
    cell.summary.*seconds = median(own) / breaks - least;
    cell.summary.*low = least * (ratio->low - 1);
    cell.summary.*high = least * (ratio->high - 1);
  }
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

std::optional<Estimate> estimate_over(const std::vector<double>& launches) {
  if (launches.empty()) return std::nullopt;
  Estimate estimate{};
  estimate.p50 = median(launches);
  if (std::ranges::any_of(launches, [](double each) { return each <= 0; })) return estimate;
  add_interval(estimate, launches);
  if (launches.size() >= 2) estimate.between_launches = standard_deviation(logs_of(launches));
  return estimate;
}

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

std::int64_t breaks_of(const CellResult& cell) {
  if (!cell.counters || cell.counters->capturable == 0) return 0;
  const Counters& of = *cell.counters;
  return std::max(of.pieces - of.capturable, of.capturable - 1);
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

void add_gains(std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> measured;
  for (const CellResult& cell : cells) {
    if (cell.status == CellStatus::ok) measured[id_of(cell.cell)] = &cell;
  }
  for (CellResult& cell : cells) {
    if (cell.status != CellStatus::ok) continue;
    const auto cell_in = [&](std::string_view mode) {
      const auto found = measured.find(id_of(in_mode(cell.cell, mode)));
      return found != measured.end() ? found->second : nullptr;
    };
    compare_with_reference(cell, cell_in(reference_mode().name));
    add_break_costs(cell, cell.cell.mode == "piecewise" ? cell_in("whole") : nullptr);
  }
}

void add_launch_bound(std::string_view device_kind, std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> wholes;  // by the id of the eager cell
  for (const CellResult& cell : cells) {
    if (cell.status != CellStatus::ok || cell.cell.mode != "whole" || !cell.summary.device_seconds) continue;
    const Cell eager = reference_of(cell.cell);
    const auto [place, first] = wholes.emplace(id_of(eager), &cell);
    if (!first && cell.cell.more_axes == eager.more_axes) place->second = &cell;
  }
  for (CellResult& cell : cells) {
    cell.summary.launch_bound.reset();
    cell.summary.launch_bound_by.reset();
    const std::optional<Estimate>& latency = cell.summary.latency_seconds;
    if (cell.status != CellStatus::ok || is_graph_mode(cell.cell.mode) || !latency || latency->p50 <= 0)
      continue;
    const auto whole = wholes.find(id_of(cell.cell));
    const auto set = [&](double busy_seconds, LaunchBoundBy source) {
      if (std::isnan(busy_seconds)) return;
      cell.summary.launch_bound = std::max(0.0, 1 - busy_seconds / latency->p50);
      cell.summary.launch_bound_by = source;
    };
    if (cell.records) {
      set(cell.records->busy_seconds, LaunchBoundBy::records);
    } else if (whole != wholes.end() && !(device_kind == "host" && cell.cell.preset == of_its_own)) {
      set(whole->second->summary.device_seconds->p50, LaunchBoundBy::whole);
    }
  }
}

namespace {

double later_launch(const Floor& idle, const std::optional<Floor>& queued) {
  return queued ? std::min(idle.p50, queued->p50) : idle.p50;
}

// Returns the number of eager launches. If a foreign step has eager ops, the number comes from records, and
// is absent without records.
std::optional<std::int64_t> eager_launches(const CellResult& cell) {
  if (cell.cell.preset != of_its_own || cell.graph->eager_ops == 0) return cell.graph->eager_ops;
  if (!cell.records) return std::nullopt;
  return cell.records->operations - cell.graph->contents.nodes;
}

}  // namespace

std::optional<double> submit_floor(const Floors& floors, const CellResult& cell) {
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

void add_submit_over_floor(const Floors& floors, std::vector<CellResult>& cells) {
  for (CellResult& cell : cells) {
    const std::optional<double> floor = submit_floor(floors, cell);
    if (floor && cell.summary.submit_seconds)
      cell.summary.submit_over_floor = cell.summary.submit_seconds->p50 / *floor;
  }
}

}  // namespace graphbench::model
