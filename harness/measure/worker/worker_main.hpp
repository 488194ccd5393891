// The worker process: `graphbench --worker [PARENT]`, started by the sweep, never by a person.
#pragma once

#include <string_view>

#include "graphs/abi/plugin.hpp"

namespace graphbench::worker {

// Reads the task from stdin, runs it, sends events on descriptor 3. Returns the exit code: 0, or 1
// after a WorkerEvent::error. `parent` as in die_with_parent.
int worker_main(std::string_view parent);
// Runs the worker in another program's process, which lends its step.
int worker_main(std::string_view parent, const abi::LentPlugin& lent);

}  // namespace graphbench::worker
