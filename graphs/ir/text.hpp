// A Program as exact text, and back: what a package keeps of it. `dump()` is the text for people.
#pragma once

#include <string>
#include <string_view>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Everything that the program says, a line for each value and op.
std::string write_program(const Program& program);

// The program of a text that write_program() made, with ops of `catalog`, which outlives it. Accepts exactly
// what write_program() gives, and checks all that a builder would. Throws Error(invalid_argument), whose text
// begins with the line: "line 12: ...".
Program read_program(std::string_view text, const OpCatalog& catalog);

}  // namespace graphbench::ir
