// The probe process, `graphbench --probe [PARENT]`, which graphbench starts for itself.
#pragma once

#include <string_view>

#include "graphs/abi/plugin.hpp"

namespace graphbench::sweep {

// Reads a ProbeRequest from stdin, and sends ProbeEvents on file descriptor 3. `parent`: see die_with_parent.
int probe_main(std::string_view parent);
// Runs the probe in another program's process (--torch), with that program's step as a plugin.
int probe_main(std::string_view parent, const abi::LentPlugin& lent);

}  // namespace graphbench::sweep
