// The test is a parametric bootstrap (a sieve of order one: Buehlmann, Bernoulli 3, 1997), with the statistic
// over its spread, because the level and spread of the series are not known.
#include "harness/judge/history/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/judge/history/history.hpp"
#include "harness/judge/history/split.hpp"

namespace graphbench::history {
namespace {

// The values less the mean of their segment.
std::vector<double> around_means(const std::vector<double>& values,
                                 const std::vector<std::size_t>& boundaries) {
  std::vector<double> rest = values;
  for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
    double sum = 0;
    for (std::size_t i = boundaries[k]; i < boundaries[k + 1]; ++i) sum += values[i];
    const double mean = sum / static_cast<double>(boundaries[k + 1] - boundaries[k]);
    for (std::size_t i = boundaries[k]; i < boundaries[k + 1]; ++i) rest[i] -= mean;
  }
  return rest;
}

// The best split's statistic over what still deviates around it; infinite for a step that leaves nothing.
double over_spread(const std::vector<double>& values, std::vector<std::size_t> boundaries,
                   std::size_t segment_min) {
  const auto split = best_over_segments(values, boundaries, segment_min);
  if (!split) return 0;
  boundaries.insert(std::ranges::upper_bound(boundaries, split->at), split->at);
  double deviation = 0;
  for (const double rest : around_means(values, boundaries)) deviation += std::abs(rest);
  deviation /= static_cast<double>(values.size());
  return deviation > 0 ? split->statistic / deviation : std::numeric_limits<double>::infinity();
}

// Nearly normal: std::normal_distribution may differ between standard libraries, this sum of uniforms does
// not.
double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

// Stationary, of variance 1, each segment by itself.
void simulate(std::vector<double>& values, const std::vector<std::size_t>& boundaries, double correlation,
              std::mt19937_64& random) {
  const double innovation = std::sqrt(1 - correlation * correlation);
  for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
    values[boundaries[k]] = normal(random);
    for (std::size_t i = boundaries[k] + 1; i < boundaries[k + 1]; ++i)
      values[i] = correlation * values[i - 1] + innovation * normal(random);
  }
}

}  // namespace

std::optional<double> lag_one_correlation(const std::vector<double>& values,
                                          const std::vector<std::size_t>& boundaries) {
  const std::vector<double> rest = around_means(values, boundaries);
  double products = 0;
  double squared = 0;
  for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
    for (std::size_t i = boundaries[k]; i < boundaries[k + 1]; ++i) {
      squared += rest[i] * rest[i];
      if (i > boundaries[k]) products += rest[i] * rest[i - 1];
    }
  }
  if (!(squared > 0)) return std::nullopt;
  // A mean of n values makes it smaller by (1 + 4 rho) / n.
  const double segments = static_cast<double>(boundaries.size() - 1) /
                          static_cast<double>(std::max<std::size_t>(values.size(), 1));
  return std::clamp((products / squared + segments) / (1 - std::min(0.75, 4 * segments)), -0.99, 0.99);
}

double measured_at_most(const std::vector<double>& values, const std::vector<std::size_t>& boundaries) {
  const double error = 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(values.size(), 1)));
  return std::clamp(lag_one_correlation(values, boundaries).value_or(0) + 3 * error, 0.0,
                    model::correlation_max);
}

double p_of_correlated(const std::vector<double>& values, const std::vector<std::size_t>& boundaries,
                       const CorrelatedTest& test, std::mt19937_64& random) {
  const double observed = over_spread(values, boundaries, test.segment_min);
  const double orders = static_cast<double>(test.series + 1);
  std::int64_t as_good = 0;
  std::vector<double> simulated(values.size());
  for (std::int64_t i = 0; i < test.series && std::isfinite(observed); ++i) {
    simulate(simulated, boundaries, test.correlation, random);
    if (over_spread(simulated, boundaries, test.segment_min) >= observed) ++as_good;
    if (static_cast<double>(as_good + 1) / orders > test.alpha) break;
  }
  return static_cast<double>(as_good + 1) / orders;
}

}  // namespace graphbench::history
