// conv2d: reads the op, then chooses between cuDNN and im2col.
#include "graphs/cuda/ops/convolution.hpp"

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
  shape.padding = ir::integer_attribute(op, "padding");
  shape.stride = ir::integer_attribute(op, "stride");
  shape.has_bias = ir::integer_attribute(op, "bias") != 0;
  shape.has_residual = ir::integer_attribute(op, "residual") != 0;
  shape.activation = activation_of(op);
  shape.dtype = call.input(0).dtype;
  return shape;
}

}  // namespace

PreparedOp prepare_conv2d(OpContext& context, const ir::OpCall& call) {
  const ConvolutionShape shape = shape_of(call);
  if (shape.dtype == ir::DType::i32) refuse(call, "element type i32");
  if (shape.activation == Activation::gelu_tanh) refuse(call, "activation gelu_tanh");
  std::string why_not_cudnn = "cuDNN is not installed, or switched off";
  if (context.use_cudnn) {
    if (std::optional<PreparedOp> prepared = prepare_cudnn_convolution(context, shape, call)) {
      prepared->path.name = "conv2d:cudnn";
      return std::move(*prepared);
    }
    why_not_cudnn = "cuDNN has no deterministic fp32-exact plan for it";
  }
  context.tuner->say(call.op->name + ": convolution through im2col and cuBLASLt");
  PreparedOp prepared = prepare_im2col_convolution(context, shape, call);
  prepared.path = KernelPath{.name = "conv2d:im2col", .fallback = std::move(why_not_cudnn)};
  return prepared;
}

}  // namespace graphbench::cuda
