// Means and standard deviation. Sums follow the order of the values, so results are equal on all machines.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace graphbench::model {

// The mean of at least one value.
inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The sample variance about `mean`, of at least two values.
inline double variance_of(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

inline double standard_deviation(std::span<const double> values) {
  return std::sqrt(variance_of(values, mean_of(values)));
}

// The geometric mean of at least one value. Values must not be negative. Their order has no effect.
inline double geometric_mean(std::vector<double> values) {
  std::ranges::sort(values);
  if (values.front() == values.back()) return values.front();
  for (double& value : values) value = std::log(value);
  return std::exp(mean_of(values));
}

}  // namespace graphbench::model
