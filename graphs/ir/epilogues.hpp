// Splits bias, activation and residual from products (linear, conv2d), as model importers do, or fuses them.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Replaces each `linear` or `conv2d` X by X.product and those of X.bias, X.activation and X.residual that X
// uses, in the order of X's kind. Each op rounds and stores its result. `catalog` must outlive the result.
Program without_epilogues(const Program& program, const OpCatalog& catalog);

// Fuses a bias_add, activation or add into the product right before it, if no other op reads the product and
// the product's kind has these stages in this order. The fused product rounds once and keeps its name. Does
// not fuse an op that a splitting point names, unless the point names the product too. Empty `splits`: the
// program's own points. Returns training programs unchanged. `catalog` must outlive the result.
Program with_epilogues(const Program& program, const OpCatalog& catalog,
                       const std::vector<std::string>& splits = {});

}  // namespace graphbench::ir
