// Attention over the KV cache: its shape, and its implementations: cuDNN, or our own kernel. `vector` gives
// every query a block, and splits the keys over blocks if queries are few. It takes every shape and type, and
// serves if cuDNN has nothing sound: all decoding, which only reads the cache, and fp32.
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

// The arguments of every kernel of sdpa, with pointers first, as KernelCall requires.
struct SdpaParameters {
  const void* q;
  const void* k;
  const void* v;
  void* out;
  float* partial;        // results of split keys: sums, then maxima and weights
  std::int64_t queries;  // batch * heads * tokens
  int heads;
  int tokens;
  int head_dim;
  int slots;
  int keys_per_split;
  int splits;
  bool causal;
  float scale_log2;  // log2(e) / sqrt(head_dim): softmax in base 2
};

// A score below every real one, which subtracted from itself is zero, not NaN.
inline constexpr float sdpa_lowest = -1.0e30f;

PreparedOp prepare_sdpa_vector(OpContext& context, const SdpaShape& shape, const ir::OpCall& call);

// True if some version of cuDNN has kernels for the shape that are worth asking for.
bool is_for_cudnn(const SdpaShape& shape);
// True if no kernel of that version for the shape is known to be wrong.
bool cudnn_takes_sdpa(std::size_t version, const SdpaShape& shape);

// Absent if this cuDNN has no sound fused attention for the shape.
std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext& context, const SdpaShape& shape,
                                             const ir::OpCall& op);

SdpaParameters sdpa_parameters(const SdpaShape& shape);

}  // namespace graphbench::cuda
