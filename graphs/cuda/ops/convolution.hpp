// A conv2d op's shape, and the two ways to compute it: cuDNN, or im2col and cuBLASLt.
#pragma once

#include <optional>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

struct ConvolutionShape {
  std::int64_t batch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  std::int64_t window = 0;  // the filter is window x window
  std::int64_t out_height = 0;
  std::int64_t out_width = 0;
  std::int64_t padding = 0;
  std::int64_t stride = 1;
  bool has_bias = false;
  bool has_residual = false;
  Activation activation = Activation::none;
  ir::DType dtype = ir::DType::fp32;

  std::size_t bias_operand() const { return 2; }
  std::size_t residual_operand() const { return has_bias ? 3 : 2; }
};

// Nothing where cuDNN has no plan for the shape that is deterministic, exact in fp32 and fits the workspace.
std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call);

PreparedOp prepare_im2col_convolution(OpContext& context, const ConvolutionShape& shape,
                                      const ir::OpCall& call);

}  // namespace graphbench::cuda
