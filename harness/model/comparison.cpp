// The words of a comparison, which every format and the document share, and what passing means.
#include "harness/model/comparison.hpp"

#include <algorithm>

#include "harness/model/metrics.hpp"

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

std::optional<double> mean_slowdown_found(const Comparison& comparison, Metric metric) {
  std::vector<const MetricComparison*> tested;
  for (const MeanComparison& mean : comparison.means) {
    if (mean.metric.metric == metric) tested.push_back(&mean.metric);
  }
  // A mode of one cell has no mean but the cell.
  if (comparison.means.empty()) {
    for (const CellComparison& cell : comparison.cells) {
      for (const MetricComparison& each : cell.metrics) {
        if (each.metric == metric) tested.push_back(&each);
      }
    }
  }
  std::optional<double> found;
  for (const MetricComparison* each : tested) {
    // An early look may have decided it with fewer launches than would find so little.
    std::optional<double> least = each->detectable90;
    if (each->verdict == Verdict::faster) least = 0;
    if (each->verdict == Verdict::same) least = std::min(least.value_or(each->margin), each->margin);
    if (!least) return std::nullopt;
    found = std::max(found.value_or(0), *least);
  }
  return found;
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
