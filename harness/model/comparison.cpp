// The words of a comparison, which every face and the document share, and what passing means.
#include "harness/model/comparison.hpp"

#include "harness/model/metrics.hpp"

namespace graphbench::model {

std::string name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::inconclusive:
      break;
  }
  return "inconclusive";
}

std::vector<Metric> all_metrics() {
  std::vector<Metric> metrics;
  for (std::size_t i = 0; i < compared_metrics().size(); ++i) metrics.push_back(static_cast<Metric>(i));
  return metrics;
}

std::string name_of(Metric metric) {
  return std::string(row_of(metric).compared.name);
}

std::string name_of(Coverage coverage) {
  switch (coverage) {
    case Coverage::base_only:
      return "base_only";
    case Coverage::new_only:
      return "new_only";
    case Coverage::failed_now:
      return "failed_now";
    case Coverage::skipped_now:
      return "skipped_now";
    case Coverage::recovered:
      return "recovered";
    case Coverage::neither:
      return "neither";
    case Coverage::compared:
      break;
  }
  return "compared";
}

bool passed(const Comparison& comparison) {
  const ComparisonCounts& counts = comparison.counts;
  if (!comparison.comparable || counts.slower > 0 || counts.coverage_regressions > 0) return false;
  return !comparison.settings.strict || comparison.verdict != Verdict::inconclusive;
}

}  // namespace graphbench::model
