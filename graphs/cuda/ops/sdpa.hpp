// Attention over the KV cache: the shape, and what serves it: two kernels of our own, or cuDNN.
//
// `vector` gives every query a block of its own and splits the keys over blocks where queries are few:
// decoding, where the cache's bytes are all there is to it, and every shape the other does not take.
// `tensor` gives 64 queries a block and multiplies on the tensor cores: prefill in fp16 and bf16.
#pragma once

#include <optional>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

struct SdpaShape {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t tokens = 0;  // queries a sequence
  std::int64_t head_dim = 0;
  std::int64_t slots = 0;
  bool causal = false;
  ir::DType dtype = ir::DType::fp32;
};

// What every kernel of sdpa reads; pointers first, as KernelCall wants them.
struct SdpaParameters {
  const void* q;
  const void* k;
  const void* v;
  void* out;
  float* partial;        // of split keys: sums, then maxima and weights
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

// A score that loses against every real one, yet subtracts from itself to zero instead of NaN.
inline constexpr float sdpa_lowest = -1.0e30f;

PreparedOp prepare_sdpa_vector(OpContext& context, const SdpaShape& shape, const ir::OpCall& call);

// Nothing where the shape is not one it takes.
std::optional<PreparedOp> prepare_sdpa_tensor(OpContext& context, const SdpaShape& shape,
                                              const ir::OpCall& call);

// Whether cuDNN of that version may be asked for the shape: it has kernels for it, and none is known to be
// wrong.
bool cudnn_takes_sdpa(std::size_t version, const SdpaShape& shape);

// Nothing where cuDNN has no fused attention for the shape, or `own` is as fast.
std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext& context, const SdpaShape& shape,
                                             const PreparedOp& own, const ir::OpCall& op);

SdpaParameters sdpa_parameters(const SdpaShape& shape);

}  // namespace graphbench::cuda
