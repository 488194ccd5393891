// The sweep's part in a group of ranks: starts the ranks' workers, watches them and reports why they ended.
#pragma once

#include <string>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::measure {

// Runs a worker for each rank of the task, and ends all of them when a rank fails alone, crashes or hangs.
// `worker`: the command of a worker without ranks. `on_line` gets the lines of rank 0. If the group has a
// reason to end, `on_line` gets it last, as WorkerEvent::error. Returns the exit of the first rank that ended
// badly, else the exit of rank 0.
process::ChildExit run_group(process::ProcessSupervisor& supervisor, const process::ChildCommand& worker,
                             const model::WorkerTask& task, const process::LineHandler& on_line,
                             const process::TickHandler& on_tick);

// Returns the device of `rank` if rank 0 has `first`: "cuda:3" for rank 2 if `first` is "cuda:1". All ranks
// share the host device.
std::string device_after(const std::string& first, std::size_t rank);
// Returns the step's innermost calls, as in "all_reduce at step.py:31 < step at step.py:40". Empty if no
// thread is in the step. `stacks`: the text that Python's faulthandler writes of all threads.
std::string call_of(const std::string& stacks);

}  // namespace graphbench::measure
