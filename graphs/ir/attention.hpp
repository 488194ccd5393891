// Replaces fused attention by the ops that it consists of, for devices or comparisons without a fused kernel.
#pragma once

#include "graphs/ir/program.hpp"

namespace graphbench::ir {

// Each `sdpa` X becomes X.scores (batched_matmul, q by the transpose of k, scaled), X.weights (softmax,
// causal where X is) and X.mixed (batched_matmul, by v): three ops, whose results are rounded and stored in
// between. Together they split where `sdpa` does. `catalog` outlives the result.
Program decompose_attention(const Program& program, const OpCatalog& catalog);

}  // namespace graphbench::ir
