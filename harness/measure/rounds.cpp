// Decides how many more samples a pass takes, from its samples so far and its bounds.
#include "harness/measure/rounds.hpp"

#include <algorithm>
#include <cmath>

namespace graphbench::measure {
std::string_view name_of(StoppedBy bound) noexcept {
  switch (bound) {
    case StoppedBy::precision:
      return "precision";
    case StoppedBy::time:
      return "time";
    case StoppedBy::samples:
      return "samples";
  }
  return "unknown";
}

PassBounds part_of(const PassBounds& bounds, std::int64_t visit, std::int64_t visits) {
  const auto due = [&](std::int64_t samples) { return (samples * visit + visits - 1) / visits; };
  return {.seconds_max = bounds.seconds_max * static_cast<double>(visit) / static_cast<double>(visits),
          .relative_half_width = bounds.relative_half_width,
          .samples_min = due(bounds.samples_min),
          .samples_wanted = due(bounds.samples_wanted),
          .samples_max = due(bounds.samples_max)};
}

std::optional<StoppedBy> stop_of(const PassBounds& bounds, const PassState& state) {
  if (state.samples >= bounds.samples_wanted && state.relative_half_width <= bounds.relative_half_width) {
    return StoppedBy::precision;
  }
  if (state.samples >= bounds.samples_max) return StoppedBy::samples;
  if (state.seconds >= bounds.seconds_max && state.samples >= bounds.samples_min) return StoppedBy::time;
  return std::nullopt;
}

std::int64_t next_round(const PassBounds& bounds, const PassState& state) {
  const std::int64_t left = bounds.samples_max - state.samples;
  if (state.samples == 0) return 1;
  if (state.seconds >= bounds.seconds_max)
    return std::clamp<std::int64_t>(bounds.samples_min - state.samples, 1, left);
  const double seconds_each = std::max(state.seconds / static_cast<double>(state.samples), 1e-9);
  const double affordable = std::min(std::ceil((bounds.seconds_max - state.seconds) / seconds_each), 1e9);
  std::int64_t growth = std::max<std::int64_t>(state.samples, bounds.samples_min);
  if (state.samples < bounds.samples_wanted) growth = std::min(growth, bounds.samples_wanted - state.samples);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(affordable), 1, std::min(left, growth));
}

}  // namespace graphbench::measure
