// The measuring passes of one cell.
#pragma once

#include <string>

#include "harness/measure/rounds.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// Adds to `launch` what the passes measure, in their own order: latency with submit, device, throughput.
// Samples are appended behind those that `launch` holds already (the first step, timed during setup).
// Throws what a step throws.
void measure_cell(const std::string& cell_id, const StepUnderTest& step, Device& device,
                  const model::SamplingBounds& bounds, model::Launch& launch);

// Runs and times the very first step, as sample 0.
void measure_first_step(const StepUnderTest& step, model::Launch& launch);

}  // namespace graphbench::measure
