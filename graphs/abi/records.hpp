// Checks a plugin's whole record before any of it is used, so that a wrong field is refused by its name
// instead of causing a crash later.
#pragma once

#include <string>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/abi/plugin.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

struct CheckedWorkload {
  WorkloadInfo info;
  gb_workload workload{};  // a copy, as our header has it
  gb_step step{};          // the same, for a foreign step
};

// The parts of a plugin's record, copied.
struct CheckedPlugin {
  std::vector<CheckedWorkload> workloads;
  std::vector<ir::OpDefinition> ops;
  std::vector<gb_program_pass> passes;  // copies, as our header has them
};

// "plugin FILE", the beginning of every error about that plugin.
std::string plugin_label(const std::string& origin);

// Throws Error(plugin_failed), which names the plugin, the field and its value. It checks one plugin alone;
// the registry refuses names that another plugin has.
CheckedPlugin check_plugin(const gb_plugin& plugin, const std::string& origin);

}  // namespace graphbench::abi
