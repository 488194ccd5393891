// Computes what a comparison of a binary with itself could find. The spread of a pair of launches is the one
// that it saw; the error of the spread and its degrees of freedom follow from the number of pairs.
#include "harness/judge/ab/self_power.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::ab {
namespace {

constexpr double slowdown_max = 10;

}  // namespace

std::optional<double> slowdown_found_by(std::int64_t launches, const model::Comparison& itself) {
  if (launches < 2) return std::nullopt;
  const auto pairs = static_cast<double>(launches);
  const double threshold =
      itself.settings.alpha / static_cast<double>(std::max<std::int64_t>(itself.tests, 1));
  std::vector<statistics::Power> powers;
  for (const model::CellComparison& cell : itself.cells) {
    for (const model::MetricComparison& metric : cell.metrics) {
      if (metric.metric != model::Metric::latency || !metric.spread) continue;
      const double seen = std::min(metric.base_launches, metric.new_launches);
      powers.push_back(statistics::power_of(
          {0, *metric.spread * std::sqrt(2 / pairs), *metric.freedom * (pairs - 1) / (seen - 1)},
          std::log1p(metric.margin), threshold));
    }
  }
  const std::optional<double> found = statistics::found_in_any(powers, std::log1p(slowdown_max));
  return found ? std::optional(std::expm1(*found)) : std::nullopt;
}

std::optional<std::int64_t> launches_to_find(double slowdown, const model::Comparison& itself) {
  const auto is_enough = [&](std::int64_t launches) {
    const std::optional<double> found = slowdown_found_by(launches, itself);
    return found && *found <= slowdown;
  };
  if (!is_enough(launches_max)) return std::nullopt;
  std::int64_t too_few = 1;
  std::int64_t enough = launches_max;
  while (enough - too_few > 1) {
    const std::int64_t middle = (too_few + enough) / 2;
    (is_enough(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace graphbench::ab
