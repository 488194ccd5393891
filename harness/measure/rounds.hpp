// How a pass goes on, round by round, until it has enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphbench::measure {

// When a pass is done: when its median is known precisely enough and there are `samples_wanted`; at
// `samples_max`; or once `seconds_max` is used up and there are `samples_min`.
struct PassBounds {
  double seconds_max = 0.1;
  double relative_half_width = 0.005;  // half width of the median's 95 % interval
  std::int64_t samples_min = 6;        // a median has no interval with fewer samples
  std::int64_t samples_wanted = 459;   // enough for a p99, if the time allows it
  std::int64_t samples_max = 2000;
};

// The state of a pass so far; `relative_half_width` is infinite while it is unknown.
struct PassState {
  std::int64_t samples = 0;
  double seconds = 0;
  double relative_half_width = 0;
};

// Better first.
enum class StoppedBy : std::uint8_t { precision, samples, time };
std::string_view name_of(StoppedBy bound) noexcept;

// The bounds until the end of visit `visit` (from 1) of `visits`: each is divided evenly among the visits.
PassBounds part_of(const PassBounds& bounds, std::int64_t visit, std::int64_t visits);

// The bound that ends the pass now, or absent.
std::optional<StoppedBy> stop_of(const PassBounds& bounds, const PassState& state);

// Steps for the next round of a pass that continues: at least one. Rounds grow with the number of samples
// taken, so that the first ones find out how long a step is and later ones are few. A round ends when the
// wanted samples are there, so that the precision is checked then.
std::int64_t next_round(const PassBounds& bounds, const PassState& state);

}  // namespace graphbench::measure
