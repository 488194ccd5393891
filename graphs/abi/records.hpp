// Checks a plugin's whole record before graphbench uses a part of it: a wrong field then causes an error
// that names the field, and not a crash later.
#pragma once

#include <string>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/abi/plugin.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

struct CheckedPlugin {
  std::vector<CheckedWorkload> workloads;
  std::vector<ir::OpDefinition> ops;
  std::vector<gb_program_pass> passes;
};

// "plugin FILE", which begins every error about that plugin.
std::string plugin_label(const std::string& origin);

// Returns copies of the plugin's records. Throws Error(plugin_failed), which names the plugin, the wrong
// field and its value. Checks one plugin alone; the registry refuses names that another plugin uses.
CheckedPlugin check_plugin(const gb_plugin& plugin, const std::string& origin);

}  // namespace graphbench::abi
