// Writes the headline: the verdict, the number of cells, then the cell that changed most.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"

namespace graphbench::judge {
namespace {

using model::CellComparison;
using model::Comparison;
using model::MetricComparison;
using model::Verdict;

bool has(const CellComparison& cell, Verdict verdict) {
  return std::ranges::any_of(cell.metrics,
                             [&](const MetricComparison& metric) { return metric.verdict == verdict; });
}

// The mean with this verdict that changed most: "whole submit 1.120x over its 27 cells". Empty if no mean has
// this verdict.
std::string headline_mean_text(const Comparison& comparison, Verdict verdict) {
  const model::MeanComparison* most = nullptr;
  const auto moved = [](const model::MeanComparison& mean) { return std::abs(std::log(mean.metric.ratio)); };
  for (const model::MeanComparison& mean : comparison.means) {
    if (mean.metric.verdict == verdict && (most == nullptr || moved(mean) > moved(*most))) most = &mean;
  }
  if (most == nullptr) return "";
  return fmt::format("{} {} {:.3f}x over its {} cells", most->mode, name_of(most->metric.metric),
                     most->metric.ratio, most->cells);
}

// "3 of 48 cells; most: mlp/.../whole latency 1.052x; whole submit 1.120x over its 27 cells"
std::string extent(const Comparison& comparison, Verdict verdict) {
  std::int64_t cells = 0;
  const CellComparison* most_cell = nullptr;
  const MetricComparison* most = nullptr;
  for (const CellComparison& cell : comparison.cells) {
    if (has(cell, verdict)) ++cells;
    for (const MetricComparison& metric : cell.metrics) {
      if (metric.verdict != verdict) continue;
      const bool further = most == nullptr || (verdict == Verdict::slower ? metric.ratio > most->ratio
                                                                          : metric.ratio < most->ratio);
      if (!further) continue;
      most = &metric;
      most_cell = &cell;
    }
  }
  const std::string mean = headline_mean_text(comparison, verdict);
  if (most == nullptr) return mean.empty() ? "no cell" : mean;
  return fmt::format("{} of {} cells; most: {} {} {:.3f}x{}{}", cells, comparison.counts.compared,
                     most_cell->id, name_of(most->metric), most->ratio, mean.empty() ? "" : "; ", mean);
}

std::string not_comparable(const Comparison& comparison) {
  const std::string fields = join(fields_in_the_way(comparison.differences), ",");
  return "not comparable: the sides differ in " + fields + "; to compare anyway, give --allow " + fields;
}

std::string headline_verdict_text(const Comparison& comparison) {
  const model::ComparisonCounts& counts = comparison.counts;
  const std::int64_t metrics = counts.same + counts.faster + counts.slower + counts.inconclusive;
  switch (comparison.verdict) {
    case Verdict::slower:
      return "slower: " + extent(comparison, Verdict::slower);
    case Verdict::faster:
      return "faster: " + extent(comparison, Verdict::faster);
    case Verdict::same:
      return fmt::format("same: all {} metrics of {} cells are within the margin", metrics, counts.compared);
    case Verdict::inconclusive:
      break;
  }
  if (metrics == 0 && counts.compared == 0) return "inconclusive: no cell is ok on both sides";
  if (metrics == 0) {
    return fmt::format("inconclusive: {} ok on both sides, but no metric is measured on both",
                       counts.compared == 1 ? "a cell is" : fmt::format("{} cells are", counts.compared));
  }
  std::string text =
      fmt::format("inconclusive: {} of {} metrics; none is slower", counts.inconclusive, metrics);
  if (counts.faster > 0 || counts.means_faster > 0)
    text += "; faster: " + extent(comparison, Verdict::faster);
  return text;
}

}  // namespace

std::string headline_of(const Comparison& comparison) {
  if (!comparison.comparable) return not_comparable(comparison);
  const model::ComparisonCounts& counts = comparison.counts;
  std::string text = model::incomplete_text(comparison);
  if (!text.empty()) text += "; ";
  if (const std::int64_t cells = counts.coverage_regressions - counts.cells_lacking; cells > 0) {
    text += fmt::format("{} cell{} lost; ", cells, cells == 1 ? "" : "s");
  }
  if (counts.metrics_lost > 0) {
    text += fmt::format("{} metric{} of {} cell{} lost; ", counts.metrics_lost,
                        counts.metrics_lost == 1 ? "" : "s", counts.cells_lacking,
                        counts.cells_lacking == 1 ? "" : "s");
  }
  text += headline_verdict_text(comparison);
  if (counts.changed > 0)
    text += fmt::format("; changed: {} count{} of {} cell{}", counts.changed, counts.changed == 1 ? "" : "s",
                        counts.cells_changed, counts.cells_changed == 1 ? "" : "s");
  if (counts.means_less_steady > 0)
    text += fmt::format("; {}: {} mean{}", model::less_steady_word, counts.means_less_steady,
                        counts.means_less_steady == 1 ? "" : "s");
  if (const std::size_t odd = comparison.odd_launches.size(); odd > 0)
    text += fmt::format("; launches far from the others: {}", odd);
  return text;
}

}  // namespace graphbench::judge
