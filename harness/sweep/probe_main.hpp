// The probe process: `graphbench --probe [PARENT]`, started by the command line, never by a person.
#pragma once

#include <string_view>

#include "graphs/abi/plugin.hpp"

namespace graphbench::sweep {

// Reads a ProbeRequest from stdin, sends ProbeEvents on descriptor 3. `parent` as in die_with_parent.
int probe_main(std::string_view parent);
// Runs the probe in another program's process, which lends its step.
int probe_main(std::string_view parent, const abi::LentPlugin& lent);

}  // namespace graphbench::sweep
