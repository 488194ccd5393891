// The measuring passes of one cell: latency with submit, device, throughput, each on its own.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/measure/rounds.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// Runs and times the first steps after the setup, one by one: sample 0 is the first step ever. They are the
// ramp, which leads the launch's samples and counts in none of its summaries.
void measure_ramp(const StepUnderTest& step, const model::SamplingBounds& bounds, model::Launch& launch);

// A launch sets its batches up in several placements, each in new memory, and visits every cell several times
// in each. A step's time depends on its memory addresses for as long as it keeps them, and on the work before
// it: on the contents of the device's last cache, which steps larger than the cache preserve for seconds, and
// on the device's power. One visit samples one such state. Changing the memory layout during a run, so that
// results are not those of one layout, is from Curtsinger and Berger, "Stabilizer: Statistically Sound
// Performance Evaluation", ASPLOS 2013. Several placements share an opened device, because opening one takes
// longer than they do. A task that loads code at its first use has one placement, because a second would find
// it loaded. A placement has two visits: during a longer one a power limit lowers the clock more often, and
// no other visit outweighs that.
inline constexpr std::int64_t placements = 8;
inline constexpr std::int64_t placements_on_a_device = 4;
inline constexpr std::int64_t visits_in_a_placement = 2;

// Steps that begin a visit and are not timed: in new memory, or after the cache was emptied, it takes a few
// steps until the cache holds what it keeps. They hide no warmup: the ramp was timed before the first visit,
// from the first step on.
inline constexpr std::int64_t settling_steps = 8;
inline constexpr double settling_seconds_max = 0.002;  // at least one step is made

// A cell's passes, spread over visits. Throws what a step throws.
class CellPasses {
 public:
  // Objects that are passed by reference outlive this. `launch` holds the ramp's samples, behind which
  // finish() appends those of the passes; `order_seed` shuffles the passes of each visit. There will be
  // `placement_count` placements.
  CellPasses(const model::SamplingBounds& bounds, std::uint64_t order_seed, model::Launch& launch,
             std::int64_t placement_count = placements);
  ~CellPasses();
  CellPasses(const CellPasses&) = delete;
  CellPasses& operator=(const CellPasses&) = delete;

  // Each placement has the same share of the bounds, and at least six samples if `samples_max` allows them.
  // Continues latency and device until their share is used up: k/n of it after visit k of n. Throughput is
  // measured in the last visit of each placement. Call it `visits_in_a_placement` times per placement, with
  // the current step. With `cache`, the visit begins by emptying the cache, so that all visits begin alike.
  void visit(const StepUnderTest& step, Device& device, CacheFlush* cache);

  // After the last visit: samples, placements, summaries and why each pass stopped go to the launch.
  void finish();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace graphbench::measure
