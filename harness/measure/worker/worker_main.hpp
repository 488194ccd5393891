// The worker process, `graphbench --worker [PARENT]`. The sweep starts it, users do not.
#pragma once

#include <string_view>

#include "graphs/abi/plugin.hpp"

namespace graphbench::worker {

// Reads the task from stdin, runs it, and sends events on file descriptor 3. Returns the exit code: 0, or 1
// after WorkerEvent::error. `parent`: the parent's process id, or "" (process::die_with_parent). `lent`: a
// plugin of the program that runs this process and provides the step, such as Python; null: no such program.
int worker_main(std::string_view parent, const abi::LentPlugin* lent);

}  // namespace graphbench::worker
