// A walk over the steps of --shape-trace.
#pragma once

#include <functional>
#include <vector>

#include "harness/measure/worker/trace_cache.hpp"

namespace graphbench::worker {

// Runs every step of the task's trace in order, checks each kind against eager, and then compares the cost of
// a hit with that of a plain replay. `begin_step` is called before each; `spans` gets one per step. The rig's
// weights and state must be as they were filled. Throws a step's exception, with the line of the file.
model::ShapeWalk walk_shapes(const model::WorkerTask& task, TaskRig& rig, const TraceProgram& program,
                             const std::function<void()>& begin_step, std::vector<model::TraceSpan>& spans);

}  // namespace graphbench::worker
