// One task of a worker: its stages and their common state. Each placement has new memory, and some have a
// newly opened device. In each placement, every batch is prepared and captured into one shared pool, the
// largest first, and then measured in random order. At the end every batch is checked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/device/stage_range.hpp"
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

namespace graphbench::measure {

struct BatchRun {
  std::int64_t size = 0;
  model::CellResult result = {};
  std::unique_ptr<execution::Executor> executor = {};
  std::unique_ptr<CellPasses> passes = {};  // until the batch is checked
  bool reported = false;
  std::vector<double> cpu_slowdowns = {};  // one per visit
  std::vector<double> device_slowdowns = {};
  std::vector<LoadedPlacement> loads = {};  // of the placements under load
};
// The batches of the task, the largest first.
std::vector<BatchRun> batches_of(const model::WorkerTask& task);

struct TaskRun {
  // All objects that these members refer to outlive the run.
  const model::WorkerTask& task;
  OpenDevice open;
  MakeRig make_rig;
  SubmitterPin& pin;
  Tell tell;
  StartupClock& startup;
  const ir::Program* program = nullptr;    // null: a foreign step
  const ir::Program* evaluated = nullptr;  // forward program to evaluate after training steps; null if none
  TraceProgram traced = {};                // makes the programs of --shape-trace; empty after the walk
  Rank rank = {};

  // For a foreign step, run_step() in worker.cpp sets 1.
  std::int64_t placements = model::at_first_use(task) ? 1 : measure::placements;
  DeviceClock clock = {};
  std::optional<facts::CacheUse> cache_use = {};  // at the last take_cache_use()
  std::optional<Placement> placement = {};
  std::optional<MemoryLedger> ledger = {};           // during the first placement on the last device
  std::optional<model::Memory> memory = {};          // result of the closed ledger
  model::Memory peaks = {};                          // from note_peaks() and note_rest()
  std::vector<BatchRun> batches = batches_of(task);  // destroyed before `placement`, which executors use

  mutable std::optional<StageRange> range =
      {};  // of the stage that was told last; a batch's ends with its stage

  bool is_graph_cell(const BatchRun& batch) const;  // false for a cell that fell back to eager
  bool trains() const;
  TaskRig& program_rig() { return *placement->rig().of_program(); }
  StepUnderTest step_of(const BatchRun& batch);
  // Also begins the stage's range for profilers, and ends that of the stage before.
  void tell_phase(std::int64_t batch, std::string_view phase) const;
};

struct Stage {
  // the phase to report when the stage begins; empty: the stage reports its own phases or none
  std::string_view name;
  void (*run)(TaskRun& run, BatchRun& batch);
  bool (*applies)(const TaskRun& run, const BatchRun& batch) = [](const TaskRun&, const BatchRun&) {
    return true;
  };
};
// Runs the stage unless the batch has failed. An exception becomes the batch's reason.
void attempt(TaskRun& run, BatchRun& batch, const Stage& stage);
void report(TaskRun& run, BatchRun& batch);
// In a graph mode, stores how many pieces, captures and updates the batch has needed. Call this once, after
// the first placement's ramp, so that the counts do not depend on the number of samples.
void count(TaskRun& run, BatchRun& batch);
// Stores how much a step copies and updates for the caller's memory. Call this while the executor exists.
void note_caller_io(TaskRun& run, BatchRun& batch);

void measure_batches(TaskRun& run);
// note_peaks() stores the first placement's memory peaks, note_rest() what remains between two placements.
void note_peaks(TaskRun& run);
void note_rest(TaskRun& run);
// Measures the memory of graphs, and how much the shared pool saves. If this fails, for example because a
// second set of kernels does not fit, the memory figures are absent, and the cells keep their results.
void measure_memory(TaskRun& run);

// Records a foreign step and its eager step. Call it when all is timed: it makes later timings unreliable.
void record_steps(TaskRun& run);
// Reports a profile of each batch of a program, and a timeline's spans if the task wants it. Call it last.
void record_profiles(TaskRun& run);
// Writes the files of --dump-graph for a cell: its graphs as JSON and DOT, with nodes named after ops, and
// the program before and after it is split. Captures the step again into new memory. The files are
// FOLDER/ID.json, .dot, .before.txt and .after.txt, where ID has "_" instead of "/". Throws the exceptions of
// capturing, and Error(io).
void dump_graphs(const std::string& folder, const std::string& cell_id, execution::ExecutionMode mode,
                 execution::ExecutionContext context, std::int64_t batch);
// Calls `record`, which sets `batch` before it records that batch, and reports whether a profiler is
// available. Errors are reported, not thrown: the cells keep their results.
void tell_profiler(TaskRun& run, const std::function<model::InstrumentState(std::int64_t& batch)>& record);

// Reports every batch once through WorkerEvent::cell, unless the run ends early with WorkerEvent::stopped.
// Throws if the device cannot be opened.
void run_task(TaskRun& run);

}  // namespace graphbench::measure
