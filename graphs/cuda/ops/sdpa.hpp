// Attention over the KV cache: by cuDNN where it has a good kernel without a known defect, else by our own
// kernel `vector`, as for fp32 and for decoding, whose time is that of reading the cache. `vector` takes
// every shape and type. It gives each query a block, or several, which divide the keys, if there are few
// queries.
#pragma once

#include <optional>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

struct SdpaShape {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t tokens = 0;  // queries per sequence
  std::int64_t head_dim = 0;
  std::int64_t slots = 0;  // keys per sequence: the length of the cache
  bool causal = false;
  ir::DType dtype = ir::DType::fp32;
};

// The score of a masked key. Below all real scores; finite, so its difference to itself is zero, not NaN.
inline constexpr float sdpa_lowest = -1.0e30f;

PreparedOp prepare_sdpa_vector(OpContext& context, const SdpaShape& shape, const ir::OpCall& call);

// Whether the shape is one for which cuDNN, in some version, has a kernel that is worth using.
bool is_worth_cudnn(const SdpaShape& shape);
// Whether this version (9.14.0 is 91400) has one without a known defect.
bool cudnn_takes_sdpa(std::size_t version, const SdpaShape& shape);

// Absent if this cuDNN has no correct fused attention for the shape.
std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext& context, const SdpaShape& shape,
                                             const ir::OpCall& op);

}  // namespace graphbench::cuda
