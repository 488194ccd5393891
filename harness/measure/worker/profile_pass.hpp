// The profiling pass: each cell of a task once more, with the device's activity records switched on.
// It runs when everything else has been measured, and no latency comes from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::worker {

struct ProfilePass {
  const model::WorkerTask& task;
  Device& device;
  Stream& stream;
  execution::ExecutionMode mode;
  const ir::Program& program;
  // The task's own buffers, with the pool that it is given.
  std::function<execution::ExecutionContext(pool::MemoryPool*)> context;
  // The batches whose cells are ok, each with its device time of the pass without records, where known.
  std::vector<std::pair<std::int64_t, std::optional<double>>> batches;
};

// Reports a profile of each batch, the spans of a timeline where the task asks for one, and once whether
// there was a profiler. A profiler that is missing or fails never throws: the cells keep their results.
void run_profile_pass(const ProfilePass& pass, const Tell& tell);

}  // namespace graphbench::worker
