// Measures the memory of a task's cells. This stage comes after all timing, because captures warm caches and
// the driver keeps memory that graphs have used.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "harness/measure/machine/exec_memory.hpp"
#include "harness/measure/worker/task_run.hpp"

namespace graphbench::measure {
namespace {

using execution::ExecutionMode;

std::size_t own_pool_bytes(TaskRun& run, std::int64_t batch) {
  execution::MemoryPool own(run.placement->device());
  const std::unique_ptr<execution::Executor> executor =
      execution::make_executor(run.program_rig().mode(), run.program_rig().context(&own), batch);
  executor->capture();
  return own.statistics().reserved_bytes;
}

bool has_graphs(const TaskRun& run, const BatchRun& batch) {
  return batch.result.status == model::CellStatus::ok && run.is_graph_cell(batch);
}

using ExecCosts = std::map<std::int64_t, std::optional<ExecCost>>;  // by batch

// Call this last, because the driver keeps the memory of graphs. Only the first launch measures, because the
// later launches make the same graphs.
ExecCosts measure_execs(TaskRun& run) {
  if (run.task.launch > 0) return {};
  std::vector<std::int64_t> sizes;
  std::vector<StepGraphs> steps;
  for (const BatchRun& batch : run.batches) {
    if (!has_graphs(run, batch)) continue;
    sizes.push_back(batch.size);
    steps.push_back(batch.executor->graphs());
  }
  ExecMemory memory(run.placement->device(), run.placement->rig().stream());
  const std::vector<std::optional<ExecCost>> costs = memory.costs_of(steps);
  ExecCosts by_batch;
  for (std::size_t i = 0; i < sizes.size(); ++i) by_batch[sizes[i]] = costs[i];
  return by_batch;
}

}  // namespace

// Peaks come from the first placement, because only there the device times candidate kernels.
void note_peaks(TaskRun& run) {
  const MemoryTally& tally = run.placement->device().tally();
  const auto most = [&](MemoryKind kind) { return static_cast<std::int64_t>(tally.most(kind)); };
  model::PeakBytes& peak = run.peaks.peak_bytes.emplace();
  (run.task.settings.package.file.empty() ? peak.build : peak.load) = most(MemoryKind::program);
  run.peaks.weights_bytes_max = most(MemoryKind::weights);
  run.peaks.tuning_bytes_max = most(MemoryKind::tuning);
}

// Records the most program memory that remains between two placements. A process that runs several methods
// of a package would keep as much after each method, so these amounts would add up.
void note_rest(TaskRun& run) {
  const auto rest = static_cast<std::int64_t>(run.placement->device().tally().now(MemoryKind::program));
  std::optional<std::int64_t>& most = run.peaks.peak_bytes->between_methods;
  most = std::max(most.value_or(0), rest);
}

void measure_memory(TaskRun& run) {
  TaskRig& rig = run.program_rig();
  model::Memory memory = *run.memory;
  std::map<std::int64_t, std::int64_t> own;
  ExecCosts execs;
  try {
    if (rig.mode() != ExecutionMode::eager) rig.eager_pool().trim();
    for (const BatchRun& batch : run.batches) {
      if (!has_graphs(run, batch)) continue;
      run.tell_phase(batch.size, "memory");
      own[batch.size] = static_cast<std::int64_t>(own_pool_bytes(run, batch.size));
      memory.pool_bytes_private += own[batch.size];
    }
    execs = measure_execs(run);
  } catch (const Error& error) {
    std::fprintf(stderr, "memory figures of %s are absent: %s\n", run.task.workload.c_str(), error.what());
    return;
  }
  memory.weights_bytes_max = run.peaks.weights_bytes_max;
  memory.tuning_bytes_max = run.peaks.tuning_bytes_max;
  memory.peak_bytes = run.peaks.peak_bytes;
  for (const BatchRun& batch : run.batches) {
    if (batch.result.status != model::CellStatus::ok) continue;
    memory.pool_bytes_own = own[batch.size];
    const std::optional<ExecCost>& exec = execs[batch.size];
    memory.exec_bytes = exec ? std::optional(std::llround(exec->bytes)) : std::nullopt;
    memory.exec_resolution_bytes = exec ? std::optional(std::llround(exec->resolution_bytes)) : std::nullopt;
    run.tell({.batch = batch.size, .memory = memory});
  }
}

}  // namespace graphbench::measure
