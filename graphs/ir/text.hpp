// Writes a Program as text for packages, and reads it back. dump() writes text for people instead.
#pragma once

#include <string>
#include <string_view>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

std::string write_program(const Program& program);

// Accepts only the output of write_program(), and makes ProgramBuilder's checks. `catalog` must outlive the
// program. Throws Error(invalid_argument), whose text starts with the line: "line 12: ...".
Program read_program(std::string_view text, const OpCatalog& catalog);

}  // namespace graphbench::ir
