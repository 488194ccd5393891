// The workloads that are linked into the program.
#pragma once

#include "graphs/abi/plugin.hpp"

namespace graphbench::workloads {

// Adds mlp, attention and conv, in this order, with origin "builtin". Throws like WorkloadRegistry::add().
void add_builtin(abi::WorkloadRegistry& registry);

}  // namespace graphbench::workloads
