// Computes medians by selection, which is faster than sorting, and reads quantiles from sorted values.
#include "harness/model/statistics/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace graphbench::statistics {
namespace {

std::size_t position_of(double fraction, std::size_t count) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(count)));
  return std::clamp<std::size_t>(rank, 1, count) - 1;
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

}  // namespace graphbench::statistics
