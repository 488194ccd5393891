// conv2d and its gradients: reads the op, then takes cuDNN where it can.
#include "graphs/cuda/ops/convolution.hpp"

#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

// Of a conv2d, a conv2d_grad_input or a conv2d_grad_weight.
ConvolutionShape shape_of(const ir::OpCall& call) {
  const ir::Op& op = *call.op;
  ConvolutionShape shape;
  if (op.kind == "conv2d_grad_input") shape.result = ConvolutionResult::dx;
  if (op.kind == "conv2d_grad_weight") shape.result = ConvolutionResult::dw;
  const ConvolutionShape::Operands at = shape.operands(call.input_count);
  const std::vector<std::int64_t>& x = call.operands.at(at.x).dims;
  const std::vector<std::int64_t>& w = call.operands.at(at.w).dims;
  const std::vector<std::int64_t>& y = call.operands.at(at.y).dims;
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
  shape.dtype = call.input(0).dtype;
  if (shape.result == ConvolutionResult::y) {
    shape.has_bias = ir::integer_attribute(op, "bias") != 0;
    shape.has_residual = ir::integer_attribute(op, "residual") != 0;
    shape.activation = activation_of(op);
  } else {
    shape.has_residual = ir::integer_attribute(op, "accumulate") != 0;
  }
  return shape;
}

}  // namespace

PreparedOp prepare_conv2d(OpContext& context, const ir::OpCall& call) {
  const ConvolutionShape shape = shape_of(call);
  const bool gradient = shape.result != ConvolutionResult::y;
  if (shape.dtype == ir::DType::i32) refuse(call, "element type i32");
  if (shape.activation == Activation::gelu_tanh) refuse(call, "activation gelu_tanh");
  std::string why_not_cudnn = "cuDNN is not installed, or switched off";
  if (context.use_cudnn) {
    if (std::optional<PreparedOp> prepared = prepare_cudnn_convolution(context, shape, call)) {
      prepared->path.name = call.op->kind + ":cudnn";
      return std::move(*prepared);
    }
    why_not_cudnn = "cuDNN has no deterministic fp32-exact plan for it";
  }
  const char* const other = gradient ? ":direct" : ":im2col";
  context.tuner->say(call.op->name + ": " + call.op->kind + other + ", as " + why_not_cudnn);
  PreparedOp prepared = gradient ? prepare_direct_gradient(context, shape, call)
                                 : prepare_im2col_convolution(context, shape, call);
  prepared.path = KernelPath{.name = call.op->kind + other, .fallback = std::move(why_not_cudnn)};
  return prepared;
}

PreparedOp prepare_conv2d_grad_input(OpContext& context, const ir::OpCall& call) {
  return prepare_conv2d(context, call);
}

PreparedOp prepare_conv2d_grad_weight(OpContext& context, const ir::OpCall& call) {
  return prepare_conv2d(context, call);
}

}  // namespace graphbench::cuda
