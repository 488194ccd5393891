// Writes a Program as text for packages, and reads it back. dump() writes text for people instead.
#pragma once

#include <string>
#include <string_view>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Writes the complete program, one line per value and op.
std::string write_program(const Program& program);

// Reads the output of write_program() and accepts no other text. Makes the same checks as ProgramBuilder.
// `catalog` must know the kinds of all ops, and outlive the program. Throws Error(invalid_argument), whose
// text starts with the line: "line 12: ...".
Program read_program(std::string_view text, const OpCatalog& catalog);

}  // namespace graphbench::ir
