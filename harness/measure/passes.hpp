// The timing passes of one cell: one for latency and submit time, one for device time, one for throughput.
// Decides, round by round, when a pass has enough samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "harness/measure/timing_loops.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

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

// Times the first steps after the setup: the ramp, which precedes the launch's samples and is in no summary.
void measure_ramp(const StepUnderTest& step, const model::SamplingBounds& bounds, model::Launch& launch);

// A step's time depends on its memory addresses, on the device's power and on the contents of the last-level
// cache. The addresses are constant in a placement. If a step's data is larger than the cache, the same
// contents may recur in every step for seconds. One visit samples one such state. Curtsinger and Berger,
// "Stabilizer: Statistically Sound Performance Evaluation", ASPLOS 2013, also change the memory layout during
// a run. Several placements share an opened device, because opening takes longer than a placement. A task
// that loads code at its first use has one placement: in a second one the code is already loaded. A placement
// has two short visits, because in one long visit a power limit lowers the clock more often.
inline constexpr std::int64_t placements = 8;
inline constexpr std::int64_t placements_on_a_device = 4;
inline constexpr std::int64_t visits_in_a_placement = 2;

// The number of untimed steps that fill the cache at the start of a visit. The ramp has timed the steps that
// came first after the setup.
inline constexpr std::int64_t settling_steps = 8;
inline constexpr double settling_seconds_max = 0.002;  // ends the untimed steps early; at least one runs

// All functions throw a step's exceptions.
class CellPasses {
 public:
  virtual ~CellPasses() = default;

  // Call this `visits_in_a_placement` times per placement with the current step. Runs `cache` first, unless
  // it is null, so that each visit starts with an empty cache. All placements have equal shares of the
  // sampling bounds. A placement takes at least six samples per pass, if `samples_max` allows that many.
  // From its first visit to the end of visit k of n, a placement uses up to k/n of its share for latency and
  // device times. The throughput pass runs in the placement's last visit.
  virtual void visit(const StepUnderTest& step, Device& device, CacheFlush* cache) = 0;

  // Call this after the last visit.
  virtual void finish() = 0;
};

// Arguments passed by reference outlive the passes. `launch` already has the ramp's samples, and finish()
// appends the samples of the passes. `order_seed` shuffles the passes of each visit.
std::unique_ptr<CellPasses> make_cell_passes(const model::SamplingBounds& bounds, std::uint64_t order_seed,
                                             model::Launch& launch,
                                             std::int64_t placement_count = placements);

}  // namespace graphbench::measure
