// What a task's cells take in memory. It comes after all else that is measured: captures warm caches, and
// the driver keeps what graphs have used.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/measure/machine/exec_memory.hpp"
#include "harness/measure/worker/task_run.hpp"

namespace graphbench::worker {
namespace {

using execution::ExecutionMode;

// A few milliseconds a batch, and some times the memory that a driver takes at once.
constexpr std::int64_t exec_nodes_wanted = 512;

std::size_t own_pool_bytes(TaskRun& run, std::int64_t batch) {
  pool::MemoryPool own(run.placement->device());
  const std::unique_ptr<execution::Executor> executor =
      execution::make_executor(run.program_rig().mode(), run.program_rig().context(&own), batch);
  executor->capture();
  return own.statistics().reserved_bytes;
}

// The last of the memory figures, because the driver keeps what graphs have used.
ExecBytes measure_execs(TaskRun& run) {
  machine::ExecMemory memory(run.placement->device(), run.placement->rig().stream(), exec_nodes_wanted);
  ExecBytes execs;
  for (const BatchRun& batch : run.batches) {
    if (batch.result.status != model::CellStatus::ok || !run.is_graph_cell(batch)) continue;
    const std::optional<double> bytes = memory.bytes_of(batch.executor->graphs());
    execs[batch.size] = bytes ? std::optional(std::llround(*bytes)) : std::nullopt;
  }
  return execs;
}

}  // namespace

// Peaks are of the first placement: candidates are timed in it, and in no other.
void note_peaks(TaskRun& run) {
  const MemoryTally& tally = run.placement->device().tally();
  const auto most = [&](MemoryKind kind) { return static_cast<std::int64_t>(tally.most(kind)); };
  model::PeakBytes& peak = run.peaks.peak_bytes.emplace();
  (run.task.package.file.empty() ? peak.build : peak.load) = most(MemoryKind::program);
  run.peaks.weights_bytes_max = most(MemoryKind::weights);
  run.peaks.tuning_bytes_max = most(MemoryKind::tuning);
}

// A placement gives a program up as a process of several methods does between two of them.
void note_rest(TaskRun& run) {
  const auto rest = static_cast<std::int64_t>(run.placement->device().tally().now(MemoryKind::program));
  std::optional<std::int64_t>& most = run.peaks.peak_bytes->between_methods;
  most = std::max(most.value_or(0), rest);
}

// Makes the same captures once more, each into a pool of its own.
void measure_memory(TaskRun& run) {
  TaskRig& rig = run.program_rig();
  model::Memory memory = *run.memory;
  std::map<std::int64_t, std::int64_t> own;
  ExecBytes execs;
  try {
    if (rig.mode() != ExecutionMode::eager) rig.eager_pool().trim();
    for (const BatchRun& batch : run.batches) {
      if (batch.result.status != model::CellStatus::ok || !run.is_graph_cell(batch)) continue;
      run.tell_phase(batch.size, "memory");
      own[batch.size] = static_cast<std::int64_t>(own_pool_bytes(run, batch.size));
      memory.pool_bytes_private += own[batch.size];
    }
    execs = measure_execs(run);
  } catch (const Error& error) {
    std::fprintf(stderr, "memory figures of %s are absent: %s\n", run.task.workload.c_str(), error.what());
    return;
  }
  MemoryLedger::settle(memory, execs);
  memory.weights_bytes_max = run.peaks.weights_bytes_max;
  memory.tuning_bytes_max = run.peaks.tuning_bytes_max;
  memory.peak_bytes = run.peaks.peak_bytes;
  for (const BatchRun& batch : run.batches) {
    if (batch.result.status != model::CellStatus::ok) continue;
    memory.pool_bytes_own = own[batch.size];
    memory.exec_bytes = execs[batch.size];
    run.tell({.batch = batch.size, .memory = memory});
  }
}

}  // namespace graphbench::worker
