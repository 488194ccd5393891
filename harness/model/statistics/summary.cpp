// Summarizes the samples of one launch, and finds the first steady one.
#include "harness/model/statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::model {
namespace {

// From the formula of samples_for_p99 (summary.hpp), for p90 and p99.9.
constexpr std::int64_t samples_for_p90 = 44;
constexpr std::int64_t samples_for_p999 = 4603;

// For steady_index().
constexpr double tolerance = 0.02;
constexpr std::ptrdiff_t steady_samples_min = 5;

using Iterator = std::vector<double>::const_iterator;

}  // namespace

std::optional<Summary> summarize(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  Summary summary{};
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

std::optional<Summary> summarize_placements(const std::vector<std::vector<double>>& placements) {
  std::vector<double> pooled;
  std::vector<double> medians;
  std::vector<double> lows;
  std::vector<double> highs;
  for (const std::vector<double>& samples : placements) {
    const std::optional<Summary> own = summarize(samples);
    if (!own) continue;
    pooled.insert(pooled.end(), samples.begin(), samples.end());
    medians.push_back(own->p50);
    if (own->p50_ci95_low) lows.push_back(*own->p50_ci95_low);
    if (own->p50_ci95_high) highs.push_back(*own->p50_ci95_high);
  }
  std::optional<Summary> summary = summarize(pooled);
  if (!summary) return summary;
  summary->p50 = geometric_mean(medians);
  const bool all = lows.size() == medians.size() && highs.size() == medians.size();
  summary->p50_ci95_low = all ? std::optional(geometric_mean(lows)) : std::nullopt;
  summary->p50_ci95_high = all ? std::optional(geometric_mean(highs)) : std::nullopt;
  return summary;
}

std::optional<std::int64_t> steady_index(const std::vector<double>& samples) {
  const auto ramp_size = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(samples.size(), static_cast<std::size_t>(ramp_samples)));
  const Iterator ramp_end = samples.begin() + ramp_size;
  const bool enough = samples.end() - ramp_end >= steady_samples_min;
  const Iterator steady_begin = enough ? ramp_end : samples.begin() + ramp_size / 2;
  const Iterator steady_end = enough ? samples.end() : ramp_end;
  if (steady_end - steady_begin < steady_samples_min) return std::nullopt;
  const double steady = median({steady_begin, steady_end});
  // The median needs at least steady_samples_min steps, because a single step is often within 2 % by chance.
  for (Iterator sample = samples.begin(); ramp_end - sample >= steady_samples_min; ++sample) {
    const bool settled = std::abs(median({sample, ramp_end}) / steady - 1) <= tolerance;
    if (settled && *sample <= steady * (1 + tolerance)) return sample - samples.begin();
  }
  return std::nullopt;
}

}  // namespace graphbench::model
