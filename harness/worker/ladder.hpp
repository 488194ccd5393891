// One worker's batch ladder: every batch prepared and captured, largest first, into one shared pool;
// then measured in shuffled order; then checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/machine/device_mood.hpp"
#include "harness/measure/cache_flush.hpp"
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
    bool reported = false;
    std::optional<model::LaunchMachine> machine;
  };

  void allocate_buffers();
  void set_up(Rung& rung);
  void measure(Rung& rung);
  void check(Rung& rung);
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
  std::unique_ptr<measure::CacheFlush> flush_;  // null unless steps are to start with a cold cache
  std::optional<int> cpu_;
  std::vector<Rung> rungs_;  // largest batch first
};

}  // namespace graphbench::worker
