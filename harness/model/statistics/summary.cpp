// Summarizes the samples of one launch.
#include "harness/model/statistics/summary.hpp"

#include <algorithm>

#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::statistics {
namespace {

// From the formula of samples_for_p99 (summary.hpp), for p90 and p99.9.
constexpr std::int64_t samples_for_p90 = 44;
constexpr std::int64_t samples_for_p999 = 4603;

}  // namespace

std::optional<model::Summary> summarize(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  model::Summary summary{};
  summary.count = static_cast<std::int64_t>(sorted.size());
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.p50 = median(sorted);
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

std::optional<model::Summary> summarize_placements(const std::vector<std::vector<double>>& placements) {
  std::vector<double> pooled;
  std::vector<double> medians;
  std::vector<double> lows;
  std::vector<double> highs;
  for (const std::vector<double>& samples : placements) {
    const std::optional<model::Summary> own = summarize(samples);
    if (!own) continue;
    pooled.insert(pooled.end(), samples.begin(), samples.end());
    medians.push_back(own->p50);
    if (own->p50_ci95_low) lows.push_back(*own->p50_ci95_low);
    if (own->p50_ci95_high) highs.push_back(*own->p50_ci95_high);
  }
  std::optional<model::Summary> summary = summarize(pooled);
  if (!summary) return summary;
  summary->p50 = geometric_mean(medians);
  const bool all = lows.size() == medians.size() && highs.size() == medians.size();
  summary->p50_ci95_low = all ? std::optional(geometric_mean(lows)) : std::nullopt;
  summary->p50_ci95_high = all ? std::optional(geometric_mean(highs)) : std::nullopt;
  return summary;
}

}  // namespace graphbench::statistics
