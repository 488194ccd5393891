// Finds the step at which a launch becomes steady.
#include "harness/model/statistics/steady.hpp"

#include <algorithm>
#include <cmath>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::statistics {
namespace {

constexpr double tolerance = 0.02;
constexpr std::ptrdiff_t steady_samples_min = 5;

using Iterator = std::vector<double>::const_iterator;

}  // namespace

std::optional<std::int64_t> steady_index(const std::vector<double>& samples) {
  const auto ramp_size = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(samples.size(), static_cast<std::size_t>(ramp_samples)));
  const Iterator ramp_end = samples.begin() + ramp_size;
  const bool enough = samples.end() - ramp_end >= steady_samples_min;
  const Iterator steady_begin = enough ? ramp_end : samples.begin() + ramp_size / 2;
  const Iterator steady_end = enough ? samples.end() : ramp_end;
  if (steady_end - steady_begin < steady_samples_min) return std::nullopt;
  const double steady = median({steady_begin, steady_end});
  // The median needs at least steady_samples_min steps, because a single step is often within 2 % by chance.
  for (Iterator sample = samples.begin(); ramp_end - sample >= steady_samples_min; ++sample) {
    const bool settled = std::abs(median({sample, ramp_end}) / steady - 1) <= tolerance;
    if (settled && *sample <= steady * (1 + tolerance)) return sample - samples.begin();
  }
  return std::nullopt;
}

}  // namespace graphbench::statistics
