// Names verdicts and metrics, and makes the decisions about a comparison that all output formats share.
#include "harness/model/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "harness/model/metrics.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::model {
namespace {

constexpr std::array<const char*, 4> verdict_names = {"same", "faster", "slower", "inconclusive"};
constexpr std::array<const char*, 7> coverage_names = {"compared",    "base_only", "new_only", "failed_now",
                                                       "skipped_now", "recovered", "neither"};

}  // namespace

std::string name_of(Verdict verdict) {
  return verdict_names.at(static_cast<std::size_t>(verdict));
}

std::vector<Metric> all_metrics() {
  std::vector<Metric> metrics;
  for (std::size_t i = 0; i < compared_metrics().size(); ++i) metrics.push_back(static_cast<Metric>(i));
  return metrics;
}

namespace {

std::vector<Metric> metrics_where(bool listed) {
  std::vector<Metric> metrics;
  for (const Metric metric : all_metrics()) {
    if (row_of(metric).listed == listed) metrics.push_back(metric);
  }
  return metrics;
}

}  // namespace

std::vector<Metric> tested_metrics() {
  return metrics_where(false);
}

std::vector<Metric> listed_metrics() {
  return metrics_where(true);
}

std::string name_of(Metric metric) {
  return std::string(row_of(metric).compared);
}

std::string name_of(Coverage coverage) {
  return coverage_names.at(static_cast<std::size_t>(coverage));
}

Verdict verdict_of(const ComparisonCounts& counts) {
  if (any_slower(counts)) return Verdict::slower;
  if (counts.inconclusive > 0) return Verdict::inconclusive;
  if (counts.faster > 0 || counts.means_faster > 0) return Verdict::faster;
  return counts.same > 0 ? Verdict::same : Verdict::inconclusive;
}

std::string incomplete_text(const Comparison& comparison) {
  if (comparison.base.complete && comparison.now.complete) return "";
  if (comparison.now.complete) return "BASE is not complete";
  return comparison.base.complete ? "NEW is not complete" : "BASE and NEW are not complete";
}

namespace {

// Returns the metric's tests of means over cells. If there are no means, returns its tests of single cells.
std::vector<const MetricComparison*> means_of(const Comparison& comparison, Metric metric) {
  std::vector<const MetricComparison*> tested;
  for (const MeanComparison& mean : comparison.means) {
    if (mean.metric.metric == metric) tested.push_back(&mean.metric);
  }
  if (!comparison.means.empty()) return tested;
  for (const CellComparison& cell : comparison.cells) {
    for (const MetricComparison& each : cell.metrics) {
      if (each.metric == metric) tested.push_back(&each);
    }
  }
  return tested;
}

// Returns the bound above which a decided test excludes any slowdown, or nullopt if it excludes none.
std::optional<double> excluded(const MetricComparison& test) {
  if (test.verdict == Verdict::faster) return 0;
  return test.verdict == Verdict::same ? std::optional(test.margin) : std::nullopt;
}

std::optional<double> least(const std::optional<double>& one, const std::optional<double>& other) {
  return one && other ? std::min(*one, *other) : one ? one : other;
}

}  // namespace

std::optional<double> mode_slowdown_found(const Comparison& comparison, Metric metric) {
  std::optional<double> found;
  for (const MetricComparison* test : means_of(comparison, metric)) {
    const std::optional<double> own = least(test->detectable90, excluded(*test));
    if (!own) return std::nullopt;
    found = std::max(found.value_or(0), *own);
  }
  return found;
}

std::optional<double> mean_slowdown_found(const Comparison& comparison, Metric metric) {
  std::vector<Power> powers;
  std::optional<double> known;
  for (const MetricComparison* test : means_of(comparison, metric)) {
    known = least(known, excluded(*test));
    if (!test->detectable || !test->detectable90) continue;
    const double often = std::log1p(*test->detectable90);
    const double scale = (often - std::log1p(*test->detectable)) / (nine_of_ten - four_of_five);
    if (scale > 0) powers.push_back({often - nine_of_ten * scale, scale});
  }
  std::optional<double> found = found_by_any(powers, std::log1p(slowdown_max));
  if (found) found = std::expm1(*found);
  return least(known, found);
}

bool any_slower(const ComparisonCounts& counts) {
  return counts.slower > 0 || counts.means_slower > 0;
}

bool decided(const Comparison& comparison) {
  const ComparisonCounts& counts = comparison.counts;
  return counts.same + counts.faster + counts.slower + counts.means_same + counts.means_faster +
             counts.means_slower >
         0;
}

bool powerful(const Comparison& comparison) {
  const auto enough = [](const std::optional<double>& wanted, const std::optional<double>& found) {
    return !wanted || (found && *found <= *wanted);
  };
  if (!enough(comparison.settings.require_power, comparison.slowdown_found)) return false;
  return std::ranges::all_of(mean_metrics, [&](Metric metric) {
    return enough(comparison.settings.of(metric).require_power, mean_slowdown_found(comparison, metric));
  });
}

bool passed(const Comparison& comparison) {
  const ComparisonCounts& counts = comparison.counts;
  if (!comparison.comparable || any_slower(counts) || counts.coverage_regressions > 0) return false;
  if (!powerful(comparison)) return false;
  if (!comparison.settings.strict) return true;
  return comparison.verdict != Verdict::inconclusive && counts.changed == 0 && counts.means_less_steady == 0;
}

}  // namespace graphbench::model
