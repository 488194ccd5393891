// conv2d: reads the op, then chooses between cuDNN and im2col.
#include "graphs/cuda/ops/convolution.hpp"

#include <cstdio>

#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

ConvolutionShape shape_of(const ir::OpCall& call) {
  const ir::Op& op = *call.op;
  const std::vector<std::int64_t>& x = call.input(0).dims;
  const std::vector<std::int64_t>& w = call.input(1).dims;
  const std::vector<std::int64_t>& y = call.output(0).dims;
  ConvolutionShape shape;
  shape.batch = x.at(0);
  shape.height = x.at(1);
  shape.width = x.at(2);
  shape.channels = x.at(3);
  shape.filters = w.at(0);
  shape.window = w.at(1);
  shape.out_height = y.at(1);
  shape.out_width = y.at(2);
  shape.padding = ir::integer_attribute(op, "padding", 0);
  shape.stride = ir::integer_attribute(op, "stride", 1);
  shape.has_bias = ir::integer_attribute(op, "bias", 0) != 0;
  shape.has_residual = ir::integer_attribute(op, "residual", 0) != 0;
  shape.activation = activation_of(op);
  shape.dtype = call.input(0).dtype;
  return shape;
}

}  // namespace

PreparedOp prepare_conv2d(OpContext& context, const ir::OpCall& call) {
  const ConvolutionShape shape = shape_of(call);
  if (shape.dtype == ir::DType::i32) refuse(call, "element type i32");
  if (shape.activation == Activation::gelu_tanh) refuse(call, "activation gelu_tanh");
  if (context.use_cudnn) {
    if (std::optional<PreparedOp> prepared = prepare_cudnn_convolution(context, shape, call)) {
      return std::move(*prepared);
    }
    static bool said = false;
    if (!said) {
      std::fprintf(
          stderr,
          "graphbench: cuda: cuDNN has no deterministic fp32-exact plan for %s; using im2col and cuBLASLt\n",
          call.op->name.c_str());
      said = true;
    }
  }
  context.tuner->say(call.op->name + ": convolution through im2col and cuBLASLt");
  return prepare_im2col_convolution(context, shape, call);
}

}  // namespace graphbench::cuda
