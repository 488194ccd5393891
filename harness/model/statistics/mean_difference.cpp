// Tests differences of means, with Student's t from Boost.Math.
#include "harness/model/statistics/mean_difference.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "harness/model/statistics/moments.hpp"

namespace graphbench::statistics {
namespace {

// No promotion to long double: the tails lose nothing that matters, and it is several times faster.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, Policy>;

// The sample variance, never below what a launch can be known to.
double variance_at_least(double spread_min, std::span<const double> values, double mean) {
  return std::max(variance_of(values, mean), spread_min * spread_min);
}

}  // namespace

std::optional<MeanDifference> welch(std::span<const double> base, std::span<const double> now) {
  if (base.size() < 2 || now.size() < 2) return std::nullopt;
  const auto base_count = static_cast<double>(base.size());
  const auto now_count = static_cast<double>(now.size());
  const double base_mean = mean_of(base);
  const double now_mean = mean_of(now);
  const double a = variance_at_least(log_spread_min, base, base_mean) / base_count;
  const double b = variance_at_least(log_spread_min, now, now_mean) / now_count;
  const double freedom = (a + b) * (a + b) / (a * a / (base_count - 1) + b * b / (now_count - 1));
  return MeanDifference{now_mean - base_mean, std::sqrt(a + b), freedom, 1 / base_count + 1 / now_count};
}

std::optional<MeanDifference> paired(std::span<const double> base, std::span<const double> now) {
  if (base.size() < 2 || base.size() != now.size()) return std::nullopt;
  std::vector<double> differences(base.size());
  std::transform(now.begin(), now.end(), base.begin(), differences.begin(), std::minus<>());
  const auto count = static_cast<double>(differences.size());
  const double mean = mean_of(differences);
  // A difference holds the spread of two launches.
  const double variance = variance_at_least(log_spread_min * std::sqrt(2.0), differences, mean);
  return MeanDifference{mean, std::sqrt(variance / count), count - 1, 2 / count};
}

double t_critical(double tail, double freedom) {
  return boost::math::quantile(boost::math::complement(StudentT(freedom), tail));
}

double p_beyond(const MeanDifference& difference, double margin) {
  const double beyond = (std::abs(difference.mean) - margin) / difference.error;
  if (beyond <= 0) return 1;
  return 2 * boost::math::cdf(boost::math::complement(StudentT(difference.freedom), beyond));
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) order.emplace_back(p[i], i);
  std::ranges::sort(order);
  std::vector<double> q(p.size());
  double smallest = 1;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1].second;
    smallest = std::min(smallest, p[at] * static_cast<double>(p.size()) / static_cast<double>(rank));
    q[at] = smallest;
  }
  return q;
}

double next_threshold(std::span<const double> q, double alpha) {
  if (q.empty()) return alpha;
  const auto found = std::count_if(q.begin(), q.end(), [&](double value) { return value < alpha; });
  const auto tests = static_cast<double>(q.size());
  return alpha * std::min(static_cast<double>(found) + 1, tests) / tests;
}

double Power::at(double difference) const {
  return std::erfc((centre - difference) / (scale * std::sqrt(2.0))) / 2;
}

Power power_of(const MeanDifference& difference, double margin, double threshold) {
  const double freedom = difference.freedom;
  const double critical = t_critical(threshold / 2, freedom);
  return {margin + difference.error * critical * (1 - 1 / (4 * freedom)),
          difference.error * std::sqrt(1 + critical * critical / (2 * freedom)), critical};
}

std::optional<double> found_in_any(std::span<const Power> powers, double largest) {
  const auto found = [&](double difference) {
    double sum = 0;
    for (const Power& power : powers) sum += power.at(difference);
    return sum >= 0.9 * static_cast<double>(powers.size());
  };
  if (powers.empty() || !found(largest)) return std::nullopt;
  double low = 0;
  double high = largest;
  while (high - low > 1e-5) {
    const double middle = (low + high) / 2;
    (found(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace graphbench::statistics
