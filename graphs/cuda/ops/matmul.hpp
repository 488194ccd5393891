// Computes y = activation(x wT + bias) + residual, or applies the activation last, by cuBLASLt. Used by
// `linear`, its gradients and im2col convolution.
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
  // For gradients: the operand is stored transposed, with k rows.
  bool x_transposed = false;
  bool w_transposed = false;
  std::int64_t products = 1;  // pairs of x and w, contiguous in memory
  float scale = 1.0f;         // multiplies the product, before bias and activation
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
  std::uint32_t alignment = 256;  // of every operand, in bytes
};

// The product of the op's inputs 0 and 1 into its first output. The caller sets the sizes. Refuses integers.
MatmulSpec matmul_spec(const OpContext& context, const ir::OpCall& call);

// Sets the algorithm of `call`, which is chosen once per key (tuning/tuner.hpp). `key` must name everything
// that the choice depends on. Absent if cuBLASLt has no algorithm for the call.
std::optional<NativeCall> choose_matmul(OpContext& context, MatmulCall call, const std::string& key,
                                        std::uint32_t alignment, const ir::OpCall& op);

// Appends the calls for y. If cuBLASLt cannot do the epilogue, these are a product into fp32 and a kernel for
// the epilogue, so that the result is rounded once.
void append_matmul(PreparedOp& prepared, OpContext& context, const MatmulSpec& spec, const ir::OpCall& call);

// The products without their epilogue, rounded to the spec's dtype. Absent if cuBLASLt has no algorithm.
std::optional<NativeCall> plain_products(OpContext& context, const MatmulSpec& spec, const ir::OpCall& call);

// Applies the epilogue to `sums`, fp32 [rows, n], and writes y.
KernelCall epilogue_call(const MatmulSpec& spec, void* sums, const ir::OpCall& call);

}  // namespace graphbench::cuda
