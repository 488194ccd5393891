// Runs a workload's build() against an ir::ProgramBuilder through the C function table.
#pragma once

#include <string>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

// Builds the program `program_name`. `where` begins every error ("workload mlp"). Throws
// Error(plugin_failed): build() refused, returned non-zero, threw, or ignored a refused call; or the
// finished program is no valid one.
ir::Program build_program(const gb_workload& workload, const gb_build_request& request,
                          const ir::OpCatalog& catalog, const std::string& program_name,
                          const std::string& where);

}  // namespace graphbench::abi
