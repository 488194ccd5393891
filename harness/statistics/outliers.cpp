// Sums are kept of those alike, so that leaving one out takes no loop.
#include "harness/statistics/outliers.hpp"

#include <algorithm>
#include <cmath>

#include "harness/statistics/mean_difference.hpp"
#include "harness/statistics/quantiles.hpp"

namespace graphbench::statistics {
namespace {

// Fast ones leave too, or their spread would hide slow ones; but rarely by chance, because then those left
// would spread too little.
constexpr double fast_share = 0.1;
constexpr int rounds_max = 50;
// The MAD of n values knows the deviation as well as the standard deviation of so many of them (Rousseeuw &
// Croux, JASA 88, 1993).
constexpr double mad_efficiency = 0.37;

struct Sums {
  double count = 0;
  double sum = 0;
  double squares = 0;

  Sums without(double value) const { return {count - 1, sum - value, squares - value * value}; }
  double mean() const { return sum / count; }
  double spread() const {
    const double variance = (squares - sum * mean()) / (count - 1);
    return std::max(std::sqrt(std::max(variance, 0.0)), log_spread_min);
  }
  // One more value against these.
  MeanDifference against(double value) const {
    return {value - mean(), spread() * std::sqrt(1 + 1 / count), count - 1};
  }
};

Sums sums_of(const std::vector<double>& values, const std::vector<bool>& alike) {
  Sums sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!alike[i]) continue;
    ++sums.count;
    sums.sum += values[i];
    sums.squares += values[i] * values[i];
  }
  return sums;
}

}  // namespace

double robust_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return 1.4826 * median(std::move(distances));
}

std::optional<SlowOnes> slow_ones(std::span<const double> given, double alpha) {
  if (given.size() < 3) return std::nullopt;
  std::vector<double> values(given.begin(), given.end());
  const double middle = median(values);
  for (double& value : values) value -= middle;  // sums of squares lose no digits
  const double deviation = std::max(robust_deviation(values), log_spread_min);
  const double beyond =
      t_critical(alpha, std::max(1.0, mad_efficiency * static_cast<double>(values.size() - 1)));
  std::vector<bool> alike(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) alike[i] = std::abs(values[i]) <= beyond * deviation;
  Sums sums = sums_of(values, alike);
  const auto off = [&](std::size_t i) {
    return (alike[i] ? sums.without(values[i]) : sums).against(values[i]);
  };
  for (int round = 0; round < rounds_max && sums.count >= 3; ++round) {
    std::vector<bool> next(values.size());
    for (const bool inside : {true, false}) {
      const double freedom = sums.count - (inside ? 2 : 1);
      const double slow = t_critical(alpha, freedom);
      const double fast = t_critical(alpha * fast_share, freedom);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (alike[i] != inside) continue;
        const MeanDifference difference = off(i);
        next[i] = difference.mean <= difference.error * slow && difference.mean >= -difference.error * fast;
      }
    }
    if (next == alike || std::ranges::count(next, true) < 2) break;
    alike = std::move(next);
    sums = sums_of(values, alike);
  }
  SlowOnes found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (alike[i] && sums.count < 3) {
      found.p.push_back(1);  // one other says nothing
      continue;
    }
    const MeanDifference difference = off(i);
    const double half = p_beyond(difference, 0) / 2;
    found.p.push_back(difference.mean > 0 ? half : 1 - half);
  }
  const MeanDifference next{0, sums.spread() * std::sqrt(1 + 1 / sums.count), sums.count - 1};
  const Power power = power_of(next, 0, 2 * alpha);
  found.spread = sums.spread();
  found.centre = middle + sums.mean();
  found.threshold = power.critical * next.error;
  found.detectable = power.centre + nine_of_ten * power.scale;
  return found;
}

}  // namespace graphbench::statistics
