// Decides, round by round, when a pass has enough samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphbench::measure {

// A pass ends when one of three conditions is true: it has `samples_wanted` samples and its median is precise
// enough; it has `samples_max` samples; or it has `samples_min` samples and has used `seconds_max`.
struct PassBounds {
  double seconds_max = 0.1;
  double relative_half_width = 0.005;  // half width of the median's 95 % interval
  std::int64_t samples_min = 6;        // fewer samples give no interval of the median
  std::int64_t samples_wanted = 459;   // enough for a p99, if time allows
  std::int64_t samples_max = 2000;
};

// `relative_half_width` is infinite while it is unknown.
struct PassState {
  std::int64_t samples = 0;
  double seconds = 0;
  double relative_half_width = 0;
};

// Why a pass ended, the best reason first.
enum class StoppedBy : std::uint8_t { precision, samples, time };
std::string_view name_of(StoppedBy bound) noexcept;

// Returns a pass's bounds up to the end of visit `visit`, which counts from 1. All visits have equal shares.
PassBounds part_of(const PassBounds& bounds, std::int64_t visit, std::int64_t visits);

// Returns the bound that ends the pass now; absent if the pass continues.
std::optional<StoppedBy> stop_of(const PassBounds& bounds, const PassState& state);

// Returns the number of steps in the next round: first 1, which measures the time of a step; then at least
// `samples_min`, and as many as were taken so far, if the time that is left allows them, so a pass has few
// rounds. A round that begins below `samples_wanted` does not go beyond it, so that stop_of() can check the
// precision there.
std::int64_t next_round(const PassBounds& bounds, const PassState& state);

}  // namespace graphbench::measure
