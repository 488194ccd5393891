// Shape inference of the built-in kinds; OPS.md is what they check against.
#pragma once

#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Every built-in kind with its traits, write set and inference.
std::vector<OpDefinition> builtin_definitions();

}  // namespace graphbench::ir
