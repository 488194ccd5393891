// Makes one plugin of the built-in workloads, and adds its record to a registry, as for any other plugin.
#include "workloads/builtin.hpp"

#include "workloads/common/build.hpp"

namespace graphbench::workloads {
namespace {

constexpr const gb_workload* kWorkloads[] = {&mlp_workload, &attention_workload, &conv_workload};
constexpr gb_plugin kPlugin = describe_plugin("builtin", kWorkloads);

}  // namespace

void add_builtin(abi::WorkloadRegistry& registry) {
  registry.add(kPlugin, "builtin");
}

}  // namespace graphbench::workloads
