// One task of a worker: the state that its stages share, and the stages. In each placement (new memory, some
// on a newly opened device) every batch is prepared and captured into one shared pool, largest first, and
// then measured in shuffled order. At the end every batch is checked.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/measure/machine/device_state.hpp"
#include "harness/measure/passes.hpp"
#include "harness/measure/sustained.hpp"
#include "harness/measure/worker/memory_ledger.hpp"
#include "harness/measure/worker/placement.hpp"
#include "harness/measure/worker/startup_clock.hpp"
#include "harness/measure/worker/trace_cache.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::worker {

struct BatchRun {
  std::int64_t size = 0;
  model::CellResult result = {};
  std::unique_ptr<execution::Executor> executor = {};
  std::unique_ptr<measure::CellPasses> passes = {};  // while it is being measured
  bool reported = false;
  std::vector<double> cpu_slowdowns = {};  // one per visit
  std::vector<double> device_slowdowns = {};
  std::vector<measure::LoadedPlacement> loads = {};  // of the last placements
};
// The batches of the task, the largest first.
std::vector<BatchRun> batches_of(const model::WorkerTask& task);

struct TaskRun {
  // The arguments of the run; everything that they refer to outlives it.
  const model::WorkerTask& task;
  OpenDevice open;
  MakeRig make_rig;
  machine::SubmitterPin& pin;
  Tell tell;
  StartupClock& startup;
  const ir::Program* program = nullptr;  // null: a foreign step
  const ir::Program* evaluated =
      nullptr;               // the forward program that is evaluated after training steps; null if none is
  TraceProgram traced = {};  // makes the programs of the task's trace of shapes; empty once it was walked

  // The results that one stage leaves to later ones.
  std::int64_t placements = model::at_first_use(task) ? 1 : measure::placements;  // a foreign step has 1 too
  machine::DeviceClock clock = {};
  std::optional<facts::CacheUse> cache_use = {};  // of batches so far
  std::optional<Placement> placement = {};
  std::optional<MemoryLedger> ledger = {};           // while the last device opened has its first placement
  std::optional<model::Memory> memory = {};          // as it closed
  model::Memory peaks = {};                          // of the first placement
  std::vector<BatchRun> batches = batches_of(task);  // their executors are gone before the placement is

  bool is_graph_cell(const BatchRun& batch) const;  // false for a cell that fell back to eager
  bool trains() const;
  TaskRig& program_rig() { return *placement->rig().of_program(); }
  measure::StepUnderTest step_of(const BatchRun& batch);
  void tell_phase(std::int64_t batch, std::string_view phase) const;
};

// The state of one batch.
struct Stage {
  // the phase that is reported as it begins; empty: the stage reports its own, or none
  std::string_view name;
  void (*run)(TaskRun& run, BatchRun& batch);
  bool (*applies)(const TaskRun& run, const BatchRun& batch) = [](const TaskRun&, const BatchRun&) {
    return true;
  };
};
// Runs the stage unless the batch has failed. An exception becomes the batch's reason.
void attempt(TaskRun& run, BatchRun& batch, const Stage& stage);
void report(TaskRun& run, BatchRun& batch);  // once
// The counts of the executor of a graph mode so far. Call it once, behind the first placement's ramp, so that
// the counts do not depend on the number of samples.
void count(TaskRun& run, BatchRun& batch);
// The work of a step for its caller, read before the placement's executor is given up.
void note_caller_io(TaskRun& run, BatchRun& batch);

// Stages of all batches. The first: each placement's setups and visits.
void measure_batches(TaskRun& run);
// The driver's figures and the allocations, in the first placement and between two placements.
void note_peaks(TaskRun& run);
void note_rest(TaskRun& run);
// Measures the memory that sharing the pool saves, and the memory of graphs. If it fails (a second set of
// kernels may not fit) the memory figures are absent; the cells keep their results.
void measure_memory(TaskRun& run);

// Reports the kernels of a foreign step and its eager step, from the device's own records. It comes last, as
// a profile does.
void record_steps(TaskRun& run);

// Reports every batch exactly once through WorkerEvent::cell, or those up to WorkerEvent::stopped. Throws
// where the device does not open.
void run_task(TaskRun& run);

}  // namespace graphbench::worker
