// Asks a floor process, from the command line's own process.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/process/process_supervisor.hpp"
#include "harness/measure/floor/floor_process.hpp"

namespace graphbench::floors {

// `command`: own_command("--floor-process"). A process that dies is an answer with a failure. Throws
// process::Interrupted.
FloorAnswer ask_floors(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                       const FloorRequest& request, double silent_seconds_max);

}  // namespace graphbench::floors
