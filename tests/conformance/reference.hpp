// Every built-in op in fp64, written from graphs/ir/OPS.md as plainly as it goes.
#pragma once

#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::conformance {

using Tensor = std::vector<double>;

// The op's outputs; `inputs` that it mutates are changed in place.
std::vector<Tensor> reference(const ir::OpCall& call, std::vector<Tensor>& inputs);

}  // namespace graphbench::conformance
