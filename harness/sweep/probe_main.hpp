// The probe process, `graphbench --probe [PARENT]`, which graphbench starts for itself.
#pragma once

#include <string_view>

#include "graphs/abi/plugin.hpp"

namespace graphbench::sweep {

// Reads a ProbeRequest from stdin, and sends ProbeEvents on file descriptor 3. `parent`: the parent's process
// id, or "" (process::die_with_parent). `lent`: with --torch, the user's step, which this Python process
// passes in memory; null otherwise.
int probe_main(std::string_view parent, const abi::LentPlugin* lent = nullptr);

}  // namespace graphbench::sweep
