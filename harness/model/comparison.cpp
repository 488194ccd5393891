// Names verdicts and metrics, and makes the decisions about a comparison that all output formats share.
#include "harness/model/comparison.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::model {
namespace {

constexpr std::array<const char*, 4> verdict_names = {"same", "faster", "slower", "inconclusive"};
constexpr std::array<const char*, 7> outcome_names = {"passed",  "passed: faster", "slower",        "lost",
                                                      "changed", "blind",          "not comparable"};
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

std::string mode_of(const std::string& id) {
  constexpr std::size_t place = 6;
  return id_without("batch", id).empty() ? "" : split(id, '/')[place];
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

// What the test finds in nine cases of ten. Finding it means the verdict `slower`, so `same` adds nothing.
std::optional<double> found_by(const MetricComparison& test) {
  if (!test.detectable90) return std::nullopt;
  return std::max(*test.detectable90, test.margin);
}

// True if the test finds or excludes the slowdown: a verdict `same` or `faster` excludes any above the
// margin.
bool rules_on(const MetricComparison& test, double slowdown) {
  const bool excluded = test.verdict == Verdict::same || test.verdict == Verdict::faster;
  const std::optional<double> found = excluded ? test.margin : found_by(test);
  return found && *found <= slowdown;
}

}  // namespace

std::optional<double> mean_slowdown_found(const Comparison& comparison, Metric metric) {
  std::optional<double> least;
  for (const MetricComparison* test : means_of(comparison, metric)) {
    const std::optional<double> found = found_by(*test);
    if (found) least = std::min(least.value_or(*found), *found);
  }
  return least;
}

std::vector<WorstCell> worst_cells(const Comparison& comparison) {
  std::vector<WorstCell> worst;
  for (const CellComparison& cell : comparison.cells) {
    for (const MetricComparison& metric : cell.metrics) {
      if (metric.metric != Metric::latency || !metric.p) continue;
      const std::string mode = mode_of(cell.id);
      const std::optional<double> found = found_by(metric);
      const auto known = std::ranges::find(worst, mode, &WorstCell::mode);
      if (known == worst.end()) {
        worst.push_back({mode, cell.id, found});
      } else if (known->slowdown_found && (!found || *found > *known->slowdown_found)) {
        *known = {mode, cell.id, found};
      }
    }
  }
  return worst;
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
    const std::optional<double>& wanted = comparison.settings.of(metric).require_power;
    return !wanted || std::ranges::any_of(means_of(comparison, metric), [&](const MetricComparison* test) {
      return rules_on(*test, *wanted);
    });
  });
}

bool latency_decided(const Comparison& comparison) {
  bool measured = false;
  bool decided_one = false;
  const auto look_at = [&](const MetricComparison& metric) {
    if (metric.metric != Metric::latency) return;
    measured = true;
    decided_one = decided_one || metric.verdict != Verdict::inconclusive;
  };
  for (const CellComparison& cell : comparison.cells) std::ranges::for_each(cell.metrics, look_at);
  for (const MeanComparison& mean : comparison.means) look_at(mean.metric);
  return measured ? decided_one : decided(comparison);
}

Outcome outcome_of(const Comparison& comparison) {
  const ComparisonCounts& counts = comparison.counts;
  if (!comparison.comparable || counts.compared + counts.failed_now + counts.skipped_now == 0)
    return Outcome::not_comparable;
  if (any_slower(counts)) return Outcome::slower;
  if (counts.coverage_regressions > 0) return Outcome::lost;
  if (comparison.settings.strict && counts.changed > 0) return Outcome::changed;
  const bool undecided = comparison.settings.strict && counts.inconclusive > 0;
  if (undecided || !incomplete_text(comparison).empty() || !powerful(comparison) ||
      !latency_decided(comparison))
    return Outcome::blind;
  return counts.faster > 0 || counts.means_faster > 0 ? Outcome::faster : Outcome::passed;
}

std::string name_of(Outcome outcome) {
  return outcome_names.at(static_cast<std::size_t>(outcome));
}

bool passed(const Comparison& comparison) {
  const Outcome outcome = outcome_of(comparison);
  return outcome == Outcome::passed || outcome == Outcome::faster;
}

}  // namespace graphbench::model
