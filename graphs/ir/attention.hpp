// Replaces fused attention by separate ops, for devices without a fused kernel and for comparisons.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Replaces each `sdpa` X by X.scores, X.weights (softmax) and X.mixed, each of which rounds and stores its
// result. A splitting point that names `sdpa` applies to all three. `catalog` must outlive the result.
Program decompose_attention(const Program& program, const OpCatalog& catalog);

}  // namespace graphbench::ir
