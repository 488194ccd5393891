// One worker's batch ladder: every batch prepared and captured, largest first, into one shared pool;
// then measured, visit after visit, each in an order of its own; then checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/machine/device_mood.hpp"
#include "harness/measure/cache_flush.hpp"
#include "harness/measure/passes.hpp"
#include "harness/model/plan.hpp"
#include "harness/worker/task_rig.hpp"
#include "harness/worker/worker.hpp"

namespace graphbench::worker {

class Ladder {
 public:
  // All outlive the ladder.
  Ladder(const model::WorkerTask& task, Device& device, const ir::Program& program, WorkerEvents& events);
  ~Ladder();

  // Reports every batch exactly once through WorkerEvents::cell. `cpu`: where the calling thread is
  // pinned, for the record.
  void run(std::optional<int> cpu = {});

 private:
  struct Rung {
    std::int64_t batch = 0;
    model::CellResult result;
    std::unique_ptr<execution::Executor> executor;
    std::unique_ptr<measure::CellPasses> passes;  // while it is being measured
    bool reported = false;
    std::optional<model::LaunchMachine> machine;
  };

  void allocate_buffers();
  void set_up(Rung& rung);
  void measure();
  void visit(Rung& rung);
  void check(Rung& rung);
  measure::StepUnderTest step_of(Rung& rung);
  void measure_pools();
  void profile();
  std::size_t own_pool_bytes(std::int64_t batch);
  void report(Rung& rung);
  // Runs one stage of one rung; what it throws becomes the rung's reason.
  template <typename Stage>
  void attempt(Rung& rung, Stage&& stage);

  const model::WorkerTask& task_;
  Device& device_;
  WorkerEvents& events_;
  TaskRig rig_;
  machine::DeviceMood mood_;
  std::unique_ptr<measure::CacheFlush> cache_;  // null where nothing empties the device's cache
  std::optional<int> cpu_;
  std::vector<Rung> rungs_;  // largest batch first
};

}  // namespace graphbench::worker
