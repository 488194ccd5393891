// Serves a trace of steps from a ladder of captured sizes: starts up, serves each step by its route, and
// measures it. Each call is one launch with several placements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/ladder/ladder.hpp"
#include "harness/measure/worker/startup_clock.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ladder {

// Each placement starts up and serves all steps again, so it adds its whole time to each launch of a ladder
// or rival. Two placements are the minimum to see how addresses change a launch's times.
inline constexpr std::int64_t placements_of_a_launch = 2;

struct ServeTask {
  model::WorkerTask task;  // without batches; its mode is eager if there are no sizes
  std::vector<std::int64_t> sizes;
  std::vector<std::string> modes;  // the mode of each size; empty: all sizes have the task's mode
  LadderPolicy policy;
  std::vector<std::int64_t> rows;
  std::vector<double> arrivals;  // in seconds; empty: each step follows the previous one
  std::int64_t placements = placements_of_a_launch;
};

struct ServeAnswer {
  model::CellStatus status = model::CellStatus::ok;
  std::optional<model::Reason> reason;
  std::optional<model::Check> check;
  std::optional<model::DeviceFacts> device;
  std::vector<model::LibraryChoice> choices;
  LadderLaunch launch;
};

struct ServeHooks {
  std::function<void()> alive;  // called between steps, to report that the process is working
  // Releases the rig's memory, and changes the addresses of later allocations (measure::Placement::move).
  std::function<void(std::uint64_t seed)> move;
};

// Fills in `answer`, without device and choices. Throws Error: not_batch_major, state_not_splittable,
// check_failed (isolation), out_of_memory if the sizes that fit cannot serve a step, and the exceptions of
// steps. Drops sizes that do not fit in the first placement; in later ones they are errors.
void serve(const ServeTask& task, measure::Rig& rig, measure::StartupClock& clock, const ServeHooks& hooks,
           ServeAnswer& answer);

}  // namespace graphbench::ladder
