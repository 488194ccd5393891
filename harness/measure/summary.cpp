// Order statistics of one launch.
#include "harness/measure/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/measure/median_interval.hpp"

namespace graphbench::measure {
namespace {

// As samples_for_p99, for the other published quantiles.
constexpr std::int64_t samples_for_p90 = 44;
constexpr std::int64_t samples_for_p999 = 4603;

std::optional<double> standard_deviation(const std::vector<double>& samples, double mean) {
  if (samples.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

}  // namespace

double nearest_rank(const std::vector<double>& sorted, double fraction) {
  const auto count = static_cast<double>(sorted.size());
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * count));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

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
  double sum = 0;
  for (const double sample : sorted) sum += sample;
  summary.mean = sum / static_cast<double>(sorted.size());
  summary.stddev = standard_deviation(sorted, summary.mean);
  return summary;
}

}  // namespace graphbench::measure
