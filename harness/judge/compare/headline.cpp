// Writes the headline: the outcome and its reason, then what else there is to know.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/report/words.hpp"

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

// The mean with this verdict that changed most: "whole submit 1.120x in the mean of its 27 cells". Empty if
// no mean has this verdict.
std::string headline_mean_text(const Comparison& comparison, Verdict verdict) {
  const model::MeanComparison* most = nullptr;
  const auto moved = [](const model::MeanComparison& mean) { return std::abs(std::log(mean.metric.ratio)); };
  for (const model::MeanComparison& mean : comparison.means) {
    if (mean.metric.verdict == verdict && (most == nullptr || moved(mean) > moved(*most))) most = &mean;
  }
  if (most == nullptr) return "";
  return fmt::format("{} {} {:.3f}x in the mean of its {} cells", most->mode, name_of(most->metric.metric),
                     most->metric.ratio, most->cells);
}

// "3 of 48 cells, up to 1.052x in latency of mlp/.../whole; whole submit 1.120x in the mean of its 27 cells".
// A latency goes before other metrics, however much they changed.
std::string extent(const Comparison& comparison, Verdict verdict) {
  std::int64_t cells = 0;
  const CellComparison* most_cell = nullptr;
  const MetricComparison* most = nullptr;
  const auto is_further = [&](const MetricComparison& metric) {
    if (most == nullptr) return true;
    if ((metric.metric == model::Metric::latency) != (most->metric == model::Metric::latency))
      return metric.metric == model::Metric::latency;
    return verdict == Verdict::slower ? metric.ratio > most->ratio : metric.ratio < most->ratio;
  };
  for (const CellComparison& cell : comparison.cells) {
    if (has(cell, verdict)) ++cells;
    for (const MetricComparison& metric : cell.metrics) {
      if (metric.verdict != verdict || !is_further(metric)) continue;
      most = &metric;
      most_cell = &cell;
    }
  }
  const std::string mean = headline_mean_text(comparison, verdict);
  if (most == nullptr) return mean.empty() ? "no cell" : mean;
  return fmt::format("{} of {} cells, {} {:.3f}x in {} of {}{}{}", cells, comparison.counts.compared,
                     verdict == Verdict::slower ? "up to" : "down to", most->ratio, name_of(most->metric),
                     most_cell->id, mean.empty() ? "" : "; ", mean);
}

std::string not_comparable(const Comparison& comparison) {
  if (comparison.comparable) return "not comparable: no cell is ok on both sides";
  const std::string fields = join(fields_in_the_way(comparison.differences), ",");
  return "not comparable: the sides differ in " + fields + "; to compare anyway, give --allow " + fields;
}

std::string lost_text(const model::ComparisonCounts& counts) {
  std::vector<std::string> lost;
  if (const std::int64_t cells = counts.coverage_regressions - counts.cells_lacking; cells > 0)
    lost.push_back(fmt::format("{} cell{}", cells, cells == 1 ? "" : "s"));
  if (counts.metrics_lost > 0) {
    lost.push_back(fmt::format("{} metric{} of {} cell{}", counts.metrics_lost,
                               counts.metrics_lost == 1 ? "" : "s", counts.cells_lacking,
                               counts.cells_lacking == 1 ? "" : "s"));
  }
  return join(lost);
}

// "mlp/.../whole submit, and 181 other metrics".
std::string undecided_text(const Comparison& comparison) {
  for (const CellComparison& cell : comparison.cells) {
    for (const MetricComparison& metric : cell.metrics) {
      if (metric.verdict != Verdict::inconclusive) continue;
      const std::int64_t others = comparison.counts.inconclusive - 1;
      return cell.id + " " + name_of(metric.metric) +
             (others == 0 ? "" : fmt::format(", and {} other metric{}", others, others == 1 ? "" : "s"));
    }
  }
  return "";
}

// ": NEW has one launch". Empty where each side has two.
std::string few_launches_text(const Comparison& comparison) {
  const bool base = comparison.base.launches_max == 1;
  const bool now = comparison.now.launches_max == 1;
  if (!base && !now) return "";
  return std::string(": ") + (!now ? "BASE has" : base ? "each side has" : "NEW has") + " one launch";
}

std::string blind_text(const Comparison& comparison) {
  if (const std::string text = incomplete_text(comparison); !text.empty()) return text;
  if (!powerful(comparison)) {
    const std::string found = found_text(comparison);
    return "--require-power " + required_text(comparison.settings) + " is not met" +
           (found.empty() ? "" : ": found in nine cases of ten is, " + found);
  }
  const model::ComparisonCounts& counts = comparison.counts;
  if (counts.same + counts.faster + counts.slower + counts.inconclusive == 0) {
    return fmt::format("{} ok on both sides, but no metric is measured on both",
                       counts.compared == 1 ? "a cell is" : fmt::format("{} cells are", counts.compared));
  }
  if (!latency_decided(comparison)) return "no latency is decided" + few_launches_text(comparison);
  return "--strict, and inconclusive is " + undecided_text(comparison);
}

std::string outcome_text(const Comparison& comparison, const std::string& disturbance) {
  const model::Outcome outcome = outcome_of(comparison);
  std::string word = name_of(outcome);
  if (!disturbance.empty()) word += ", but " + disturbance + ": compare with `graphbench ab`";
  // The reason follows the advice as a new thought.
  word += disturbance.empty() ? ": " : "; ";
  switch (outcome) {
    case model::Outcome::passed: {
      const std::string seen = cells_found_text(comparison);
      return word + "nothing is slower" +
             (seen.empty() ? "" : "; in one cell, a slowdown is noticed from " + seen + " on");
    }
    case model::Outcome::faster:
      return word + extent(comparison, Verdict::faster);
    case model::Outcome::slower:
      return word + extent(comparison, Verdict::slower);
    case model::Outcome::lost:
      return word + lost_text(comparison.counts);
    case model::Outcome::changed:
      return word + "a count changed, with --strict";
    case model::Outcome::blind:
      return word + blind_text(comparison);
    case model::Outcome::not_comparable:
      break;
  }
  return not_comparable(comparison);
}

}  // namespace

std::string headline_of(const Comparison& comparison, const std::string& disturbance) {
  const model::ComparisonCounts& counts = comparison.counts;
  const model::Outcome outcome = outcome_of(comparison);
  std::string text = outcome_text(comparison, disturbance);
  if (!comparison.comparable) return text;
  const auto add = [&](const std::string& more) {
    if (!more.empty()) text += "; " + more;
  };
  if (outcome != model::Outcome::blind) add(incomplete_text(comparison));
  if (const std::string lost = lost_text(counts); outcome != model::Outcome::lost && !lost.empty())
    add("lost: " + lost);
  if (counts.inconclusive > 0) {
    add(fmt::format("inconclusive: {} of {} metrics", counts.inconclusive,
                    counts.same + counts.faster + counts.slower + counts.inconclusive));
  }
  if (counts.changed > 0)
    add(fmt::format("changed: {} count{} of {} cell{}", counts.changed, counts.changed == 1 ? "" : "s",
                    counts.cells_changed, counts.cells_changed == 1 ? "" : "s"));
  if (counts.means_less_steady > 0)
    add(fmt::format("{} mean{} {}", counts.means_less_steady, counts.means_less_steady == 1 ? " is" : "s are",
                    model::less_steady_word));
  if (const std::size_t odd = comparison.odd_launches.size(); odd > 0)
    add(fmt::format("launches far from the others: {}", odd));
  for (const model::TwoStates& states : comparison.two_states) add(two_states_text(states));
  return text;
}

}  // namespace graphbench::judge
