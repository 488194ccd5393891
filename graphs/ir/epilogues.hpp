// Products with nothing behind them, as importers of models give programs.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// What a `linear` or `conv2d` X does behind its product becomes ops of their own, rounded and stored in
// between, in the order of the kind: X.product, then X.bias (bias_add), X.activation (relu, gelu_tanh) and
// X.residual (add). Other ops stay. `catalog` outlives the result.
Program without_epilogues(const Program& program, const OpCatalog& catalog);

}  // namespace graphbench::ir
