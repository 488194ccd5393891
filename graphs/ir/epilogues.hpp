// Separates bias, activation and residual from products, as importers of models do, and joins them again.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Replaces a `linear` or `conv2d` X by its product and one op for each thing that X does behind it, in the
// order of the kind, rounded and stored in between: X.product, then X.bias (bias_add), X.activation (relu,
// gelu_tanh) and X.residual (add). Other ops stay. `catalog` outlives the result.
Program without_epilogues(const Program& program, const OpCatalog& catalog);

// Makes a bias_add, activation or add that comes right behind a product, and is the only op to read it, part
// of the product, where its kind does that in this order. One rounding is left of several. The product keeps
// its name. Training programs stay as they are, and so do ops at which `splits` (empty: the program's own)
// split and the product does not.
// `catalog` outlives the result.
Program with_epilogues(const Program& program, const OpCatalog& catalog,
                       const std::vector<std::string>& splits = {});

}  // namespace graphbench::ir
