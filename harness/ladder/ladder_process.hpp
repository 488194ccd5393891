// The ladder process, `graphbench --ladder-process [PARENT]`, and the function by which its parent runs it.
// Each process runs one launch of one ladder, so that a failing device costs only that launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "harness/ladder/serve.hpp"

namespace graphbench::ladder {

// Reads a ServeTask from stdin, sends a ServeAnswer on descriptor 3. `parent` and `lent`: see worker_main().
int ladder_main(std::string_view parent, const abi::LentPlugin* lent);

// `command`: of sweep::child_command(). A process that dies gives a failed answer. Throws Interrupted.
ServeAnswer ask_ladder(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const ServeTask& task, double silent_seconds_max, const process::TickHandler& on_tick);

}  // namespace graphbench::ladder
