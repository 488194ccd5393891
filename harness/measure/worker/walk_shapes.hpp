// A walk over the steps of --shape-trace.
#pragma once

#include <functional>
#include <vector>

#include "harness/measure/worker/trace_cache.hpp"

namespace graphbench::worker {

// Runs the task's trace in order, checks steps against eager, and compares the cost of a hit with that of a
// plain replay. Calls `begin_step` before each step and adds one span per step. The rig's weights and state
// must have their initial values. Throws a step's exception with the line of the trace file.
model::ShapeWalk walk_shapes(const model::WorkerTask& task, TaskRig& rig, const TraceProgram& program,
                             const std::function<void()>& begin_step, std::vector<model::TraceSpan>& spans);

}  // namespace graphbench::worker
