// Computes Fieller's interval from its quadratic equation.
#include "harness/model/statistics/ratio_of_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/moments.hpp"

namespace graphbench::statistics {
namespace {

constexpr double tail = 0.025;

double squared_half_width(double variance, std::size_t count) {
  const auto values = static_cast<double>(count);
  const double t = t_critical(tail, values - 1);
  return t * t * variance / values;
}

double denominator_variance(std::span<const double> values, double mean, double spread_min) {
  return std::max(variance_of(values, mean), spread_min * spread_min);
}

double covariance_of(std::span<const double> a, double mean_a, std::span<const double> b, double mean_b) {
  double products = 0;
  for (std::size_t i = 0; i < a.size(); ++i) products += (a[i] - mean_a) * (b[i] - mean_b);
  return products / static_cast<double>(a.size() - 1);
}

}  // namespace

Denominator sign_of_mean(std::span<const double> values, double spread_min) {
  const double mean = mean_of(values);
  const double variance = denominator_variance(values, mean, spread_min);
  if (mean * mean <= squared_half_width(variance, values.size())) return Denominator::uncertain;
  return mean < 0 ? Denominator::negative : Denominator::positive;
}

std::optional<RatioOfMeans> ratio_of_means(std::span<const double> numerator,
                                           std::span<const double> denominator, double spread_min) {
  if (numerator.size() < 3 || numerator.size() != denominator.size()) return std::nullopt;
  if (sign_of_mean(denominator, spread_min) != Denominator::positive) return std::nullopt;
  const double above = mean_of(numerator);
  const double below = mean_of(denominator);
  const std::size_t count = numerator.size();
  // Solves (`above` - r `below`)^2 = t^2 / n * (variance of the numerator - 2 r covariance + r^2 variance of
  // the denominator) for r, written as a r^2 - 2 b r + c = 0: the two roots are the ends of the interval.
  // a > 0, because the denominator differs significantly from 0.
  const double a =
      below * below - squared_half_width(denominator_variance(denominator, below, spread_min), count);
  const double b =
      above * below - squared_half_width(covariance_of(numerator, above, denominator, below), count);
  const double c = above * above - squared_half_width(variance_of(numerator, above), count);
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  return RatioOfMeans{above / below, std::max((b - root) / a, 0.0), (b + root) / a};
}

}  // namespace graphbench::statistics
