// Checks a plugin's whole record before anything of it is used: a wrong field is refused by its name, instead
// of a crash later.
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
};

// What a plugin offers, copied out of its record.
struct CheckedPlugin {
  std::vector<CheckedWorkload> workloads;
  std::vector<ir::OpDefinition> ops;
  std::vector<gb_program_pass> passes;  // copies, as our header has them
};

// "plugin FILE", the beginning of every error about that plugin.
std::string plugin_label(const std::string& origin);

// Throws Error(plugin_failed) that names the plugin, the field and its value. Looks at one plugin
// alone: names taken by another are the registry's matter.
CheckedPlugin check_plugin(const gb_plugin& plugin, const std::string& origin);

}  // namespace graphbench::abi
