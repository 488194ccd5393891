// Serves a trace of steps from a ladder of captured sizes: starts up, serves each step as its route says,
// and measures what it reports. One launch, in several placements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graphs/ir/program.hpp"
#include "harness/ladder/ladder.hpp"
#include "harness/measure/worker/startup_clock.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ladder {

// Each placement starts up and serves every step again, so a launch takes that many times as long, and so
// does every rival. Two is the least number that shows how much addresses change a launch's times.
inline constexpr std::int64_t placements_of_a_launch = 2;

struct ServeTask {
  model::WorkerTask task;  // without batches; its mode is eager if nothing is captured
  std::vector<std::int64_t> sizes;
  std::vector<std::string> modes;  // the mode of each size; empty: all have the task's
  model::LadderPolicy policy;
  std::vector<std::int64_t> rows;  // of each step
  std::vector<double> arrivals;    // seconds; empty: each step follows the one before it
  std::int64_t placements = placements_of_a_launch;
};

struct ServeAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason;
  std::optional<model::Check> check;
  std::optional<model::DeviceFacts> device;
  std::vector<model::LibraryChoice> choices;
  model::LadderLaunch launch;
};

struct ServeHooks {
  std::function<void()> alive;  // called between steps, now and then
  // Gives up the rig's memory, and makes the next memory lie elsewhere (worker::Placement::move).
  std::function<void(std::uint64_t seed)> move;
};

// Fills in all of the answer but the device and the choices. Throws Error: not_batch_major,
// state_not_splittable, check_failed (isolation), and what steps throw. Sizes that do not fit in memory are
// dropped in the first placement, and fail a later one. Throws out_of_memory if the remaining ladder refuses
// one of the steps.
void serve(const ServeTask& task, worker::TaskRig& rig, const ir::Program& program,
           worker::StartupClock& clock, const ServeHooks& hooks, ServeAnswer& answer);

}  // namespace graphbench::ladder
