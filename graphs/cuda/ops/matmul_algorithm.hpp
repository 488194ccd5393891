// The choice among cuBLASLt's algorithms for one product and kernels of our own that compute the same.
// Made once a shape; see tuning/tuner.hpp.
#pragma once

#include <optional>

#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {

// `call` with its algorithm, or one of `others`. `key` says all that the choice depends on. Nothing where
// cuBLASLt has no algorithm for the call and there are no others.
std::optional<NativeCall> choose_matmul(OpContext& context, MatmulCall call, const std::string& key,
                                        std::uint32_t alignment, const std::vector<SkinnyCandidate>& others,
                                        const ir::OpCall& op);

}  // namespace graphbench::cuda
