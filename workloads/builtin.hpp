// The workloads that are linked in.
#pragma once

#include "graphs/abi/plugin.hpp"

namespace graphbench::workloads {

// Adds mlp, attention and conv, in this order, with origin "builtin". Throws what
// WorkloadRegistry::add throws.
void add_builtin(abi::WorkloadRegistry& registry);

}  // namespace graphbench::workloads
