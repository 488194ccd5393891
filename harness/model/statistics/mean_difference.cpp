// Tests differences of means, with Student's t from Boost.Math, and computes Fieller's interval of a ratio of
// means from its quadratic equation.
#include "harness/model/statistics/mean_difference.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "harness/model/statistics/moments.hpp"

namespace graphbench::model {
namespace {

// Boost does not promote to long double, which is several times slower and changes no relevant digit.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, Policy>;

double variance_at_least(double spread_min, std::span<const double> values, double mean) {
  return std::max(variance_of(values, mean), spread_min * spread_min);
}

// A mean, its variance, the degrees of freedom, and the mean's variance divided by that of one launch.
struct Mean {
  double mean = 0;
  double variance = 0;
  double freedom = 0;
  double share = 1;
};

MeanDifference difference_of(const Mean& base, const Mean& now) {
  const double a = base.variance;
  const double b = now.variance;
  const double freedom = (a + b) * (a + b) / (a * a / base.freedom + b * b / now.freedom);
  return {now.mean - base.mean, std::sqrt(a + b), freedom, base.share + now.share};
}

// The contribution of a launch to the mean's error is the weighted sum, over cells, of its distance from the
// cell's mean. The sum of squared contributions is too small by the factor 1 - 1/n, where n is the smallest
// number of launches of a cell. So the sum is divided by this factor.
std::optional<Mean> mean_over(const CellValues& cells, double spread_min) {
  struct Part {
    double distance = 0;
    double weight = 0;
  };
  std::map<std::int64_t, Part> launches;
  std::size_t fewest = 0;
  Mean over;
  for (const std::vector<LaunchValue>& cell : cells) {
    if (cell.size() < 2) return std::nullopt;
    fewest = fewest == 0 ? cell.size() : std::min(fewest, cell.size());
    const double weight = 1 / static_cast<double>(cells.size() * cell.size());
    double sum = 0;
    for (const LaunchValue& each : cell) sum += each.value;
    const double mean = sum / static_cast<double>(cell.size());
    over.mean += mean / static_cast<double>(cells.size());
    for (const LaunchValue& each : cell) {
      Part& part = launches[each.launch];
      part.distance += weight * (each.value - mean);
      part.weight += weight;
    }
  }
  if (cells.empty()) return std::nullopt;
  over.share = 0;
  for (const auto& [launch, part] : launches) {
    over.variance += part.distance * part.distance;
    over.share += part.weight * part.weight;
  }
  const double known = 1 - 1 / static_cast<double>(fewest);
  over.variance = std::max(over.variance / known, spread_min * spread_min * over.share);
  over.freedom = known / over.share;
  return over;
}

// Returns the smallest difference that a test finds with a probability (`found`) of 0.9. Absent if it is
// above `largest`.
std::optional<double> least_found(double largest, const std::function<double(double difference)>& found) {
  if (found(largest) < 0.9) return std::nullopt;
  double low = 0;
  double high = largest;
  while (high - low > 1e-5) {
    const double middle = (low + high) / 2;
    (found(middle) >= 0.9 ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::optional<MeanDifference> welch(std::span<const double> base, std::span<const double> now) {
  if (base.size() < 2 || now.size() < 2) return std::nullopt;
  const auto side = [](std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    const double mean = mean_of(values);
    return Mean{mean, variance_at_least(log_spread_min, values, mean) / count, count - 1, 1 / count};
  };
  return difference_of(side(base), side(now));
}

std::optional<MeanDifference> paired(std::span<const double> base, std::span<const double> now) {
  if (base.size() < 2 || base.size() != now.size()) return std::nullopt;
  std::vector<double> differences(base.size());
  std::transform(now.begin(), now.end(), base.begin(), differences.begin(), std::minus<>());
  const auto count = static_cast<double>(differences.size());
  const double mean = mean_of(differences);
  // The variance of a difference is the sum of the variances of two launches.
  const double variance = variance_at_least(log_spread_min * std::sqrt(2.0), differences, mean);
  return MeanDifference{mean, std::sqrt(variance / count), count - 1, 2 / count};
}

std::optional<MeanDifference> welch_over_cells(const CellValues& base, const CellValues& now) {
  const std::optional<Mean> before = mean_over(base, log_spread_min);
  const std::optional<Mean> after = mean_over(now, log_spread_min);
  if (!before || !after) return std::nullopt;
  return difference_of(*before, *after);
}

std::optional<MeanDifference> paired_over_cells(const CellValues& differences) {
  const std::optional<Mean> mean = mean_over(differences, log_spread_min * std::sqrt(2.0));
  if (!mean) return std::nullopt;
  return MeanDifference{mean->mean, std::sqrt(mean->variance), mean->freedom, 2 * mean->share};
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
  // The ratio of two estimates of a spread is close to lognormal, with variance 1 / freedom.
  const double other_spread = critical * std::expm1(nine_of_ten / std::sqrt(freedom)) / nine_of_ten;
  return {margin + difference.error * critical * (1 - 1 / (4 * freedom)),
          difference.error * std::sqrt(1 + other_spread * other_spread), critical};
}

std::optional<double> found_in_any(std::span<const Power> powers, double largest) {
  if (powers.empty()) return std::nullopt;
  return least_found(largest, [&](double difference) {
    double sum = 0;
    for (const Power& power : powers) sum += power.at(difference);
    return sum / static_cast<double>(powers.size());
  });
}

namespace {

double squared_half_width(double variance, std::size_t count) {
  const auto values = static_cast<double>(count);
  const double t = t_critical(0.025, values - 1);  // of a 95 % interval
  return t * t * variance / values;
}

double covariance_of(std::span<const double> a, double mean_a, std::span<const double> b, double mean_b) {
  double products = 0;
  for (std::size_t i = 0; i < a.size(); ++i) products += (a[i] - mean_a) * (b[i] - mean_b);
  return products / static_cast<double>(a.size() - 1);
}

}  // namespace

Denominator sign_of_mean(std::span<const double> values, double spread_min) {
  const double mean = mean_of(values);
  const double variance = variance_at_least(spread_min, values, mean);
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
      below * below - squared_half_width(variance_at_least(spread_min, denominator, below), count);
  const double b =
      above * below - squared_half_width(covariance_of(numerator, above, denominator, below), count);
  const double c = above * above - squared_half_width(variance_of(numerator, above), count);
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  return RatioOfMeans{above / below, std::max((b - root) / a, 0.0), (b + root) / a};
}

}  // namespace graphbench::model
