// The profiling pass: runs each cell of a task again while the device records its activity. It comes after
// all measurements, and gives no latency.
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
  // Makes a context with the task's buffers and the given pool.
  std::function<execution::ExecutionContext(pool::MemoryPool*)> context;
  // The batches whose cells are ok, each with its unprofiled device time, if known.
  std::vector<std::pair<std::int64_t, std::optional<double>>> batches;
};

// Reports a profile of each batch, the spans of a timeline if the task wants one, and once whether a profiler
// is available. Errors of the profiler are reported, not thrown: the cells keep their results.
void run_profile_pass(const ProfilePass& pass, const Tell& tell);

}  // namespace graphbench::worker
