// The measuring passes of one cell.
#pragma once

#include <cstdint>
#include <string>

#include "harness/measure/rounds.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// Runs and times the first steps after the setup, one by one: sample 0 is the first step ever, and all
// of them lead the samples of the launch.
void measure_ramp(const std::string& cell_id, const StepUnderTest& step, const model::SamplingBounds& bounds,
                  model::Launch& launch);

// Adds to `launch` what the passes measure: latency with submit, device, throughput, each in a pass of
// its own, in an order shuffled by `order_seed`. Samples are appended behind those of the ramp.
// Throws what a step throws.
void measure_cell(const std::string& cell_id, const StepUnderTest& step, Device& device,
                  const model::SamplingBounds& bounds, std::uint64_t order_seed, model::Launch& launch);

}  // namespace graphbench::measure
