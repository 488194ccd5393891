// Serves a trace of steps from a ladder of captured sizes: starts up, serves each step as its route says,
// and measures what it reports. One launch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graphs/ir/program.hpp"
#include "harness/model/ladder.hpp"
#include "harness/model/plan.hpp"
#include "harness/worker/startup_clock.hpp"
#include "harness/worker/task_rig.hpp"

namespace graphbench::ladder {

struct ServeTask {
  model::WorkerTask task;  // without batches; of mode eager where nothing is captured
  std::vector<std::int64_t> sizes;
  model::LadderPolicy policy;
  std::vector<std::int64_t> rows;  // of each step
  std::vector<double> arrivals;    // seconds; empty: each step follows the one before it
};

struct ServeAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason;
  std::optional<model::Check> check;
  std::optional<model::DeviceFacts> device;
  std::vector<model::LibraryChoice> choices;
  model::LadderLaunch launch;
};

// `alive` is called between steps, now and then. Fills in all of the answer but the device and the choices.
// Throws Error: not_batch_major, state_not_splittable, check_failed (isolation), and what steps throw. Sizes
// that do not fit in memory are dropped; where steps are then beyond a ladder that refuses them:
// out_of_memory.
void serve(const ServeTask& task, worker::TaskRig& rig, const ir::Program& program,
           worker::StartupClock& clock, const std::function<void()>& alive, ServeAnswer& answer);

}  // namespace graphbench::ladder
