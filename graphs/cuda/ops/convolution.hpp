// The shape of a conv2d op or of one of its gradients, and three ways to compute it: cuDNN, im2col with
// cuBLASLt, or (for gradients) our own kernels.
#pragma once

#include <optional>

#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

// Which of the convolution's tensors an op computes from the other two: y, or the gradient of x or w.
enum class ConvolutionResult : int { y, dx, dw };

struct ConvolutionShape {
  ConvolutionResult result = ConvolutionResult::y;
  std::int64_t batch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  std::int64_t window = 0;
  std::int64_t out_height = 0;
  std::int64_t out_width = 0;
  std::int64_t padding = 0;
  std::int64_t stride = 1;
  bool has_bias = false;
  bool has_residual = false;  // for a gradient: it adds the accumulated gradient, which is input 2
  Activation activation = Activation::none;
  ir::DType dtype = ir::DType::fp32;

  // The indices of x, w and y among the op's operands, which are the inputs and then the result. In a
  // gradient op, the gradient of a tensor stands for the tensor.
  struct Operands {
    std::size_t x, w, y;
  };
  Operands operands(std::size_t input_count) const {
    if (result == ConvolutionResult::dx) return {input_count, 1, 0};
    if (result == ConvolutionResult::dw) return {1, input_count, 0};
    return {0, 1, input_count};
  }
  std::size_t bias_operand() const { return 2; }
  std::size_t residual_operand() const { return has_bias ? 3 : 2; }
};

struct ConvolutionGeometry {
  explicit ConvolutionGeometry(const ConvolutionShape& s)
      : images(s.batch), height(static_cast<int>(s.height)), width(static_cast<int>(s.width)) {
    channels = static_cast<int>(s.channels);
    out_height = static_cast<int>(s.out_height);
    out_width = static_cast<int>(s.out_width);
    filters = static_cast<int>(s.filters);
    window = static_cast<int>(s.window);
    padding = static_cast<int>(s.padding);
    stride = static_cast<int>(s.stride);
  }

  std::int64_t images;
  int height, width, channels;
  int out_height, out_width, filters;
  int window, padding, stride;
};

// Absent if cuDNN has no plan that is deterministic, exact in fp32 and fits the workspace.
std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call);

PreparedOp prepare_direct_gradient(OpContext& context, const ConvolutionShape& shape, const ir::OpCall& call);

PreparedOp prepare_im2col_convolution(OpContext& context, const ConvolutionShape& shape,
                                      const ir::OpCall& call);

}  // namespace graphbench::cuda
