// y = activation(x wT + bias) + residual, or with the activation last, by cuBLASLt. `linear`, its gradients
// and convolution through im2col use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

struct MatmulSpec {
  std::int64_t rows = 0;  // of x and y
  std::int64_t n = 0;     // columns of y, rows of w
  std::int64_t k = 0;     // columns of x and of w
  // The operands are stored transposed, as gradients have them: x as k rows, w as k rows.
  bool x_transposed = false;
  bool w_transposed = false;
  std::int64_t products = 1;  // how many pairs x and w there are, one behind the other in memory
  float scale = 1.0f;         // multiplies the products first
  ir::DType dtype = ir::DType::fp32;
  Source x;
  Source w;
  Source y;
  Source bias;
  Source residual;
  bool has_bias = false;
  bool has_residual = false;
  Activation activation = Activation::none;
  bool activation_last = false;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  std::uint32_t alignment = 256;  // every operand's, in bytes
};

// Returns `call` with its algorithm of cuBLASLt, which is chosen once per key (tuning/tuner.hpp). `key` says
// all that the choice depends on. Absent if cuBLASLt has no algorithm for the call.
std::optional<NativeCall> choose_matmul(OpContext& context, MatmulCall call, const std::string& key,
                                        std::uint32_t alignment, const ir::OpCall& op);

// Appends one matrix product with everything in its epilogue where cuBLASLt has that, else a product into
// fp32 and a kernel that does the rest, so that rounding happens once.
void append_matmul(PreparedOp& prepared, OpContext& context, const MatmulSpec& spec, const ir::OpCall& call);

// Only the products, scaled and rounded to the spec's dtype. Absent if cuBLASLt has no algorithm for them.
std::optional<NativeCall> plain_products(OpContext& context, const MatmulSpec& spec, const ir::OpCall& call);

// The kernel that finishes fp32 sums (rows x n, in `sums`) into y.
KernelCall epilogue_call(const MatmulSpec& spec, void* sums, const ir::OpCall& call);

}  // namespace graphbench::cuda
