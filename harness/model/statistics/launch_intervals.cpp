// Computes estimates and intervals from one value per launch.
#include "harness/model/statistics/launch_intervals.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "harness/model/statistics/mean_difference.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::model {
namespace {

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double each : values) logs.push_back(std::log(each));
  return logs;
}

// Adds Student's interval of the geometric mean over launches, on logarithms: times vary by factors.
void add_interval(Estimate& estimate, const std::vector<double>& medians) {
  if (medians.size() < 3) return;
  const std::vector<double> logs = logs_of(medians);
  const auto count = static_cast<double>(logs.size());
  const boost::math::students_t distribution(count - 1);
  const double half_width =
      boost::math::quantile(distribution, 0.975) * standard_deviation(logs) / std::sqrt(count);
  estimate.ci95_low = std::exp(mean_of(logs) - half_width);
  estimate.ci95_high = std::exp(mean_of(logs) + half_width);
}

// The tail of a median's own interval beyond each end. The interval of a ratio joins those of its two
// medians. Then it holds the ratio in 95 % of sweeps also if one median alone varies much more than the
// other, and is at most 1.5 times as wide as Student's where launches are normal (tests/simulation).
constexpr double median_tail = 0.045;
// Five launches are few: their interval is from the least to the largest.
constexpr std::size_t launches_for_ranks = 5;

// The probability that at most `below` of `count` values are below the median of any distribution.
double tail_of(std::size_t below, std::size_t count) {
  return cdf(boost::math::binomial(static_cast<double>(count), 0.5), static_cast<double>(below));
}

// Returns how many values may be left out at each end without a larger tail than median_tail. Bisects,
// because a document may have many launches.
std::size_t values_left_out(std::size_t count) {
  std::size_t least = 0;
  for (std::size_t most = (count - 3) / 2; least < most;) {
    const std::size_t middle = (least + most + 1) / 2;
    if (tail_of(middle, count) <= median_tail) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

// An end lies between two order statistics, whose tails are smaller and larger than median_tail. Returns
// which part of the way from the outer to the inner one, as Hettmansperger and Sheather (1986) interpolate.
double part_of_way(std::size_t left_out, std::size_t count) {
  const double outer = tail_of(left_out, count);
  if (count == launches_for_ranks || outer >= median_tail) return 0;
  const double share = (median_tail - outer) / (tail_of(left_out + 1, count) - outer);
  const auto k = static_cast<double>(left_out + 1), n = static_cast<double>(count);
  return (n - k) * share / (k + (n - 2 * k) * share);
}

// Returns an interval of the median without a distribution. There are at least launches_for_ranks values.
Range by_ranks(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t count = values.size(), left_out = values_left_out(count);
  const double inward = part_of_way(left_out, count);
  return {std::lerp(values[left_out], values[left_out + 1], inward),
          std::lerp(values[count - 1 - left_out], values[count - 2 - left_out], inward)};
}

// The variance of a median divided by that of a mean is at most this, for normal values.
const double median_over_mean = boost::math::constants::half_pi<double>();

Range around(double centre, double log_half_width) {
  const double factor = std::exp(log_half_width);
  return {centre / factor, centre * factor};
}

// Launches that agree to the last digit are no evidence of less spread than any machine has.
Range least_range(double ratio, std::size_t launches) {
  const auto count = static_cast<double>(launches);
  return around(ratio, t_critical(0.025, count - 1) * log_spread_min * std::sqrt(2.0 / count));
}

}  // namespace

std::vector<double> medians_of(const CellResult& cell, LaunchSummary field) {
  return present(cell.launches, [&](const Launch& launch) {
    const std::optional<Summary>& summary = launch.*field;
    return summary ? std::optional(summary->p50) : std::nullopt;
  });
}

std::optional<Estimate> estimate_over(const std::vector<double>& launches) {
  if (launches.empty()) return std::nullopt;
  Estimate estimate{};
  estimate.p50 = median(launches);
  if (std::ranges::any_of(launches, [](double each) { return each <= 0; })) return estimate;
  add_interval(estimate, launches);
  if (launches.size() >= 2) estimate.between_launches = standard_deviation(logs_of(launches));
  return estimate;
}

std::optional<Range> interval_of_median(const std::vector<double>& launches) {
  if (launches.size() < 3 || std::ranges::min(launches) <= 0) return std::nullopt;
  if (launches.size() >= launches_for_ranks) return by_ranks(launches);
  const auto count = static_cast<double>(launches.size());
  return around(median(launches), t_critical(0.025, count - 1) * standard_deviation(logs_of(launches)) *
                                      std::sqrt(median_over_mean / count));
}

std::optional<Range> interval_of_ratio(const std::vector<double>& over, const std::vector<double>& under) {
  const std::size_t least = std::min(over.size(), under.size());
  if (least < 3) return std::nullopt;
  const double ratio = median(over) / median(under);
  if (least < launches_for_ranks) {
    const MeanDifference logs = *welch(logs_of(under), logs_of(over));
    return around(ratio, t_critical(0.025, logs.freedom) * logs.error * std::sqrt(median_over_mean));
  }
  const Range above = by_ranks(over), below = by_ranks(under), narrowest = least_range(ratio, least);
  return Range{std::min(above.low / below.high, narrowest.low),
               std::max(above.high / below.low, narrowest.high)};
}

}  // namespace graphbench::model
