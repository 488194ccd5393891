// Adds the records of the built-in plugins to a registry, as for any other plugin.
#include "workloads/builtin.hpp"

#include "workloads/builtin_plugins.h"

namespace graphbench::workloads {

void add_builtin(abi::WorkloadRegistry& registry) {
  for (const gb_plugin* plugin : {gb_builtin_mlp(), gb_builtin_attention(), gb_builtin_conv()}) {
    registry.add(*plugin, "builtin");
  }
}

}  // namespace graphbench::workloads
