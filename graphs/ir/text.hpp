// Writes a Program as exact text, for packages, and reads it back. `dump()` is the text for people.
#pragma once

#include <string>
#include <string_view>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Writes one line per value and op, with everything that the program says.
std::string write_program(const Program& program);

// Reads a text that write_program() made, with ops of `catalog`, which outlives the program. Accepts exactly
// what write_program() gives, and checks all that a builder would. Throws Error(invalid_argument), whose text
// begins with the line: "line 12: ...".
Program read_program(std::string_view text, const OpCatalog& catalog);

}  // namespace graphbench::ir
