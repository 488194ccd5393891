// One worker's batch ladder. In each placement (new memory, some on a newly opened device) every batch is
// prepared and captured into one shared pool, largest first, and then measured in shuffled order. At the end
// every batch is checked.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/measure/machine/device_state.hpp"
#include "harness/measure/passes.hpp"
#include "harness/measure/worker/memory_ledger.hpp"
#include "harness/measure/worker/placement.hpp"
#include "harness/measure/worker/startup_clock.hpp"
#include "harness/measure/worker/trace_cache.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::worker {

class Ladder {
 public:
  // All outlive the ladder. `evaluated`: the forward program of one that trains, to be evaluated once a batch
  // is checked; null: not. `traced` makes the programs of the task's trace of shapes; empty: it has none.
  Ladder(const model::WorkerTask& task, OpenDevice open, const ir::Program& program,
         machine::SubmitterPin& pin, const Tell& tell, StartupClock& clock,
         const ir::Program* evaluated = nullptr, TraceProgram traced = {});
  ~Ladder();

  // Reports every batch exactly once through WorkerEvent::cell, or those up to WorkerEvent::stopped.
  // Throws where the device does not open.
  void run();

 private:
  struct Rung {
    std::int64_t batch = 0;
    model::CellResult result;
    std::unique_ptr<execution::Executor> executor;
    std::unique_ptr<measure::CellPasses> passes;  // while it is being measured
    bool reported = false;
    std::vector<double> cpu_slowdowns;  // one a visit
    std::vector<double> device_slowdowns;
  };

  void set_up_placement(std::int64_t index);
  void allocate_buffers();
  void set_up(Rung& rung);
  void add_package(Rung& rung, const model::Setup& setup);
  void set_up_first(Rung& rung);
  std::unique_ptr<execution::Executor> prepare(Rung& rung, model::Setup& setup);
  bool is_graph_cell(const Rung& rung) const;  // not one that fell back to eager
  void count(Rung& rung);
  void dump(Rung& rung);
  ExecBytes measure_execs();
  void measure();
  void visit(Rung& rung);
  bool report_failed();  // true where a batch is left that has not failed
  void sustain(Rung& rung);
  void check(Rung& rung);
  void evaluate(Rung& rung);
  void walk(Rung& rung);
  measure::StepUnderTest step_of(Rung& rung);
  void measure_pools();
  void note_peaks();
  void note_rest();
  void profile();
  std::size_t own_pool_bytes(std::int64_t batch);
  void report(Rung& rung);
  void take_cache_use(Rung& rung);
  void tell_phase(std::int64_t batch, std::string_view phase);
  void stop_where_spoilt(Rung& rung, ErrorCode code);
  void run_stages();
  // Runs one stage of one rung; what it throws becomes the rung's reason.
  template <typename Stage>
  void attempt(Rung& rung, Stage&& stage);

  const model::WorkerTask& task_;
  const OpenDevice open_;
  const ir::Program& program_;
  machine::SubmitterPin& pin_;
  const Tell tell_;
  StartupClock& startup_;
  const ir::Program* evaluated_;
  TraceProgram traced_;  // empty once the trace was walked
  const std::int64_t placements_;
  machine::DeviceClock clock_;
  std::optional<facts::CacheUse> cache_use_;  // of rungs so far
  std::optional<Placement> placement_;
  std::optional<MemoryLedger> ledger_;   // while the last device opened has its first placement
  std::optional<model::Memory> memory_;  // as it closed
  model::Memory peaks_;                  // of the first placement
  std::vector<Rung> rungs_;  // largest batch first; their executors are gone before the placement is
};

}  // namespace graphbench::worker
