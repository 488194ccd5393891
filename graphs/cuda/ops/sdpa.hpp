// Attention over the KV cache, by cuDNN or by our own kernel `vector`. `vector` uses one block per query, or
// several blocks that split the keys if there are few queries. `vector` supports every type, and runs if
// cuDNN has no correct kernel: for all decoding, whose time is that of reading the cache, and for fp32.
#pragma once

#include <optional>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

struct SdpaShape {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t tokens = 0;  // queries per sequence
  std::int64_t head_dim = 0;
  std::int64_t slots = 0;
  bool causal = false;
  ir::DType dtype = ir::DType::fp32;
};

// The score of a masked key. Below all real scores; finite, so its difference to itself is zero, not NaN.
inline constexpr float sdpa_lowest = -1.0e30f;

PreparedOp prepare_sdpa_vector(OpContext& context, const SdpaShape& shape, const ir::OpCall& call);

// True if some cuDNN version has a kernel for the shape that is worth using.
bool is_for_cudnn(const SdpaShape& shape);
// True if is_for_cudnn() is, and the kernel of this version (9.14.0 is 91400) has no known defect.
bool cudnn_takes_sdpa(std::size_t version, const SdpaShape& shape);

// Absent if this cuDNN has no correct fused attention for the shape.
std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext& context, const SdpaShape& shape,
                                             const ir::OpCall& op);

}  // namespace graphbench::cuda
