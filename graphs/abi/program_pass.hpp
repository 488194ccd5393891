// Runs a plugin's rewriting pass over a program, through the C function table.
#pragma once

#include <string>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

// The program as the pass makes it, with its log among the rewrites, each line after "pass NAME: ". `where`
// begins every error. Throws Error(plugin_failed): rewrite() refused, returned non-zero, threw, or ignored a
// refused call; or what it made is no valid program.
ir::Program run_program_pass(const gb_program_pass& pass, const ir::Program& program,
                             const ir::OpCatalog& catalog, const std::string& where);

}  // namespace graphbench::abi
