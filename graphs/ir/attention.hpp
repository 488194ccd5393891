// Replaces fused attention by separate ops, for devices without a fused kernel and for comparisons.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Replaces each `sdpa` X by X.scores (batched_matmul of q and the transposed k, scaled), X.weights (softmax,
// causal if X is) and X.mixed (batched_matmul with v). Each op rounds and stores its result. A splitting
// point that names `sdpa` applies to the three ops together. `catalog` must outlive the result.
Program decompose_attention(const Program& program, const OpCatalog& catalog);

}  // namespace graphbench::ir
