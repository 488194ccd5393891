// Computes medians by selection, which is faster than sorting. Reads quantiles from sorted values, also the
// interval of a median, with ranks from the binomial distribution.
#include "harness/model/statistics/quantiles.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace graphbench::model {
namespace {

std::size_t position_of(double fraction, std::size_t count) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(count)));
  return std::clamp<std::size_t>(rank, 1, count) - 1;
}

// Returns the largest rank r for which P(fewer than r samples lie below the median) <= 0.025. 0: none.
std::size_t lower_rank(std::size_t count) {
  const boost::math::binomial_distribution<> below(static_cast<double>(count), 0.5);
  const double n = static_cast<double>(count);
  auto rank = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - std::sqrt(n))));
  while (boost::math::cdf(below, static_cast<double>(rank)) <= 0.025) ++rank;
  while (rank > 0 && boost::math::cdf(below, static_cast<double>(rank - 1)) > 0.025) --rank;
  return rank;
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::ranges::nth_element(values, upper);
  const double high = values.at(middle);
  return values.size() % 2 == 1 ? high : (*std::max_element(values.begin(), upper) + high) / 2;
}

std::optional<double> median_or_absent(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

double nearest_rank(const std::vector<double>& sorted, double fraction) {
  return sorted[position_of(fraction, sorted.size())];
}

std::optional<MedianInterval> median_interval(const std::vector<double>& sorted) {
  if (sorted.size() < 6) return std::nullopt;
  const std::size_t rank = lower_rank(sorted.size());
  return MedianInterval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

double relative_half_width(const std::vector<double>& sorted) {
  const std::optional<MedianInterval> interval = median_interval(sorted);
  const double centre = sorted.empty() ? 0 : median(sorted);
  if (!interval || centre <= 0) return std::numeric_limits<double>::infinity();
  return (interval->high - interval->low) / 2 / centre;
}

}  // namespace graphbench::model
