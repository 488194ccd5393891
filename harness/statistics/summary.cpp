// Order statistics of one launch.
#include "harness/statistics/summary.hpp"

#include <algorithm>

#include "harness/statistics/median_interval.hpp"
#include "harness/statistics/moments.hpp"
#include "harness/statistics/quantiles.hpp"

namespace graphbench::statistics {
namespace {

// As samples_for_p99, for the other published quantiles.
constexpr std::int64_t samples_for_p90 = 44;
constexpr std::int64_t samples_for_p999 = 4603;

}  // namespace

std::optional<model::Summary> summarize(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  model::Summary summary;
  summary.count = static_cast<std::int64_t>(sorted.size());
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.p50 = nearest_rank(sorted, 0.5);
  if (summary.count >= samples_for_p90) summary.p90 = nearest_rank(sorted, 0.9);
  if (summary.count >= samples_for_p99) summary.p99 = nearest_rank(sorted, 0.99);
  if (summary.count >= samples_for_p999) summary.p999 = nearest_rank(sorted, 0.999);
  if (const std::optional<MedianInterval> interval = median_interval(sorted)) {
    summary.p50_ci95_low = interval->low;
    summary.p50_ci95_high = interval->high;
  }
  summary.mean = mean_of(sorted);
  if (sorted.size() >= 2) summary.stddev = standard_deviation(sorted);
  return summary;
}

}  // namespace graphbench::statistics
