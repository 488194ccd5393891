// Compares cells: a graph cell with its eager cell, and the breaks of piecewise with whole. Finds the other
// cell by its id.
#include <algorithm>
#include <cmath>
#include <map>

#include "harness/model/axes.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/launch_intervals.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::model {
namespace {

std::vector<double> positive(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !(value > 0); });
  return values;
}

std::vector<double> throughputs_of(const CellResult& cell) {
  return positive(present(cell.launches, &Launch::throughput_steps_per_second));
}

void add_throughput(CellResult& cell, const CellResult& reference) {
  const std::vector<double> own = throughputs_of(cell), eager = throughputs_of(reference);
  if (own.empty() || eager.empty()) return;
  cell.summary.throughput_over_eager = median(own) / median(eager);
  if (!is_graph_mode(cell.cell.mode)) return;
  if (const auto interval = interval_of_ratio(own, eager)) {
    cell.summary.throughput_ci95_low = interval->low;
    cell.summary.throughput_ci95_high = interval->high;
  }
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
    const auto cost = interval_of_median(later_setups(cell.launches, cost_seconds));
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
  if (const auto interval = interval_of_ratio(positive(medians_of(*reference, &Launch::latency_seconds)),
                                              positive(medians_of(cell, &Launch::latency_seconds)))) {
    cell.summary.speedup_ci95_low = interval->low;
    cell.summary.speedup_ci95_high = interval->high;
  }
  add_breakeven(cell, eager, own->p50);
}

struct BreakCost {
  LaunchSummary field;
  std::optional<double> CellSummary::*seconds;
  std::optional<double> CellSummary::*low;
  std::optional<double> CellSummary::*high;
};
constexpr BreakCost break_costs[] = {
    {&Launch::latency_seconds, &CellSummary::break_latency_seconds, &CellSummary::break_latency_ci95_low,
     &CellSummary::break_latency_ci95_high},
    {&Launch::submit_seconds, &CellSummary::break_submit_seconds, &CellSummary::break_submit_ci95_low,
     &CellSummary::break_submit_ci95_high}};

// The difference has the ends that follow from those of the ratio, as a break-even's saving. `whole` is null
// if it was not measured.
void add_break_costs(CellResult& cell, const CellResult* whole) {
  const bool counts = whole != nullptr && whole->fallback.empty() && breaks_of(*whole) == 0;
  const auto breaks = static_cast<double>(counts ? breaks_of(cell) : 0);
  for (const auto& [field, seconds, low, high] : break_costs) {
    cell.summary.*seconds = cell.summary.*low = cell.summary.*high = std::nullopt;
    if (breaks == 0) continue;
    const std::vector<double> own = positive(medians_of(cell, field)),
                              others = positive(medians_of(*whole, field));
    const auto ratio = interval_of_ratio(own, others);
    if (!ratio || ratio->low <= 1) continue;
    const double least = median(others) / breaks;
    cell.summary.*seconds = median(own) / breaks - least;
    cell.summary.*low = least * (ratio->low - 1);
    cell.summary.*high = least * (ratio->high - 1);
  }
}

}  // namespace

std::int64_t breaks_of(const CellResult& cell) {
  if (!cell.counters || cell.counters->capturable == 0) return 0;
  const Counters& of = *cell.counters;
  return std::max(of.pieces - of.capturable, of.capturable - 1);
}

void add_gains(std::vector<CellResult>& cells) {
  std::map<std::string, const CellResult*> measured;
  for (const CellResult& cell : cells) {
    if (cell.status == CellStatus::ok) measured[id_of(cell.cell)] = &cell;
  }
  for (CellResult& cell : cells) {
    if (cell.status != CellStatus::ok) continue;
    const auto cell_in = [&](std::string_view mode) { return measured[id_of(in_mode(cell.cell, mode))]; };
    compare_with_reference(cell, cell_in(reference_mode().name));
    add_break_costs(cell, cell.cell.mode == "piecewise" ? cell_in("whole") : nullptr);
  }
}

}  // namespace graphbench::model
