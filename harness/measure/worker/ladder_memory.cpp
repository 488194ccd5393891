// What a ladder's cells take in memory. It comes after all else that is measured: captures warm caches, and
// the driver keeps what graphs have used.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/measure/machine/exec_memory.hpp"
#include "harness/measure/worker/ladder.hpp"

namespace graphbench::worker {
namespace {

using execution::ExecutionMode;

// A few milliseconds a batch, and some times the memory that a driver takes at once.
constexpr std::int64_t exec_nodes_wanted = 512;

}  // namespace

// Of the first placement: candidates are timed in it, and in no other.
void Ladder::note_peaks() {
  const MemoryTally& tally = placement_->device().tally();
  const auto most = [&](MemoryKind kind) { return static_cast<std::int64_t>(tally.most(kind)); };
  model::PeakBytes& peak = peaks_.peak_bytes.emplace();
  (task_.package.file.empty() ? peak.build : peak.load) = most(MemoryKind::program);
  peaks_.weights_bytes_max = most(MemoryKind::weights);
  peaks_.tuning_bytes_max = most(MemoryKind::tuning);
}

// A placement gives a program up as a process of several methods does between two of them.
void Ladder::note_rest() {
  const auto rest = static_cast<std::int64_t>(placement_->device().tally().now(MemoryKind::program));
  std::optional<std::int64_t>& most = peaks_.peak_bytes->between_methods;
  most = std::max(most.value_or(0), rest);
}

std::size_t Ladder::own_pool_bytes(std::int64_t batch) {
  pool::MemoryPool own(placement_->device());
  const std::unique_ptr<execution::Executor> executor =
      execution::make_executor(placement_->rig().mode(), placement_->rig().context(&own), batch);
  executor->capture();
  return own.statistics().reserved_bytes;
}

// The last of the memory figures, because the driver keeps what graphs have used.
ExecBytes Ladder::measure_execs() {
  machine::ExecMemory memory(placement_->device(), placement_->rig().stream(), exec_nodes_wanted);
  ExecBytes execs;
  for (const Rung& rung : rungs_) {
    if (rung.result.status != model::CellStatus::ok || !is_graph_cell(rung)) continue;
    const std::optional<double> bytes = memory.bytes_of(rung.executor->graphs());
    execs[rung.batch] = bytes ? std::optional(std::llround(*bytes)) : std::nullopt;
  }
  return execs;
}

// Measures what sharing the pool saves: the same captures once more, each into a pool of its own. This comes
// last, because captures warm caches. Where it fails (a second set of kernels may not fit) the memory figures
// are absent; the cells keep their results.
void Ladder::measure_pools() {
  TaskRig& rig = placement_->rig();
  model::Memory memory = *memory_;
  std::map<std::int64_t, std::int64_t> own;
  ExecBytes execs;
  try {
    if (rig.mode() != ExecutionMode::eager) rig.eager_pool().trim();
    for (const Rung& rung : rungs_) {
      if (rung.result.status != model::CellStatus::ok || !is_graph_cell(rung)) continue;
      tell_phase(rung.batch, "memory");
      own[rung.batch] = static_cast<std::int64_t>(own_pool_bytes(rung.batch));
      memory.pool_bytes_private += own[rung.batch];
    }
    execs = measure_execs();
  } catch (const Error& error) {
    std::fprintf(stderr, "memory figures of %s are absent: %s\n", task_.workload.c_str(), error.what());
    return;
  }
  MemoryLedger::settle(memory, execs);
  memory.weights_bytes_max = peaks_.weights_bytes_max;
  memory.tuning_bytes_max = peaks_.tuning_bytes_max;
  memory.peak_bytes = peaks_.peak_bytes;
  for (const Rung& rung : rungs_) {
    if (rung.result.status != model::CellStatus::ok) continue;
    memory.pool_bytes_own = own[rung.batch];
    memory.exec_bytes = execs[rung.batch];
    tell_({.batch = rung.batch, .memory = memory});
  }
}

}  // namespace graphbench::worker
