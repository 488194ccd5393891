// Runs a workload's build() against an ir::ProgramBuilder through the C function table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/ir/program.hpp"

namespace graphbench::abi {

// Returns the program that the workload's build() makes. Every error begins with `where` ("workload mlp").
// Throws Error(plugin_failed) if build() fails or throws, a call was refused, or the program is invalid.
ir::Program build_program(const gb_workload& workload, const gb_build_request& request,
                          const ir::OpCatalog& catalog, const std::string& program_name,
                          const std::string& where);

// Returns the program that the pass's rewrite() makes. Each line that the pass logs becomes "pass NAME: LINE"
// in Program::rewrites(). Errors begin with `where`. Throws Error(plugin_failed) if rewrite() fails or
// throws, a call was refused, or the new program is invalid.
ir::Program run_program_pass(const gb_program_pass& pass, const ir::Program& program,
                             const ir::OpCatalog& catalog, const std::string& where);

// Helpers for gb_builder_api and gb_rewriter_api. Error(invalid_argument) begins with `where` or `what`.
std::string checked_line(const std::string& what, const char* text);
ir::Attributes attributes_of(const std::string& where, const gb_attr* attrs, std::int32_t count);
std::vector<ir::ValueId> input_ids(const std::string& where, const std::int32_t* inputs, std::int32_t count);
// Writes the ids to the plugin's array and returns their number.
std::int32_t hand_over(const std::string& where, const std::vector<ir::ValueId>& ids, std::int32_t* outputs,
                       std::int32_t capacity);

}  // namespace graphbench::abi
