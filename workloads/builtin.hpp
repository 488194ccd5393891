// The workloads that are linked into the program.
#pragma once

#include "graphs/abi/plugin.hpp"

namespace graphbench::workloads {

extern const gb_workload mlp_workload;
extern const gb_workload attention_workload;
extern const gb_workload conv_workload;

// Adds mlp, attention and conv, in this order, with origin "builtin". Throws like WorkloadRegistry::add().
void add_builtin(abi::WorkloadRegistry& registry);

}  // namespace graphbench::workloads
