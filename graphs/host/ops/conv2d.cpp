// conv2d: one oneDNN convolution over NHWC with bias, residual and activation as post-operations.
#include "graphs/host/ops/library_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
namespace {

using Tag = dnnl::memory::format_tag;

std::unique_ptr<OpImplementation> build(const ir::OpCall& call, ScratchArena& scratch) {
  const ir::Op& op = *call.op;
  const auto& in = call.input(0).dims;      // B, Y, X, C
  const auto& filter = call.input(1).dims;  // K, R, R, C
  const auto& out = call.output(0).dims;    // B, Y', X', K
  const auto type = library_type(call.output(0).dtype);
  const dnnl::memory::dim padding = ir::integer_attribute(op, "padding");
  const dnnl::memory::dim stride = ir::integer_attribute(op, "stride");
  const bool has_bias = ir::integer_attribute(op, "bias") != 0;
  const bool has_residual = ir::integer_attribute(op, "residual") != 0;

  // oneDNN names dimensions in the order NCHW whatever the layout.
  const dnnl::memory::desc x({in[0], in[3], in[1], in[2]}, type, Tag::nhwc);
  const dnnl::memory::dims w_dims{filter[0], filter[3], filter[1], filter[2]};
  const dnnl::memory::desc bias({filter[0]}, type, Tag::a);
  const dnnl::memory::desc y({out[0], out[3], out[1], out[2]}, type, Tag::nhwc);

  std::vector<LibraryArgument> arguments = {{DNNL_ARG_SRC, x, {0}},
                                            {DNNL_ARG_DST, y, {static_cast<int>(call.input_count)}}};
  int next_input = 2;
  if (has_bias) arguments.push_back({DNNL_ARG_BIAS, bias, {next_input++}});
  dnnl::post_ops post_ops;
  if (has_residual) {
    post_ops.append_binary(dnnl::algorithm::binary_add, y);
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, y, {next_input}});
  }
  append_activation(post_ops, op);
  dnnl::primitive_attr attributes = library_attributes();
  attributes.set_post_ops(post_ops);

  const dnnl::memory::desc any_weights(w_dims, type, Tag::any);
  const dnnl::memory::dims strides{stride, stride};
  const dnnl::memory::dims pads{padding, padding};
  using Conv = dnnl::convolution_forward;
  constexpr auto inference = dnnl::prop_kind::forward_inference;
  constexpr auto direct = dnnl::algorithm::convolution_direct;
  const auto desc = has_bias ? Conv::desc(inference, direct, x, any_weights, bias, y, strides, pads, pads)
                             : Conv::desc(inference, direct, x, any_weights, y, strides, pads, pads);
  const Conv::primitive_desc chosen(desc, attributes, library_engine_handle());

  LibraryOpBuilder builder;
  const Place packed = builder.repacked({{w_dims, type, Tag::ohwi}, {1}}, chosen.weights_desc());
  arguments.push_back({DNNL_ARG_WEIGHTS, chosen.weights_desc(), packed});
  builder.step<Conv>(chosen, std::move(arguments));
  return builder.finish(scratch);
}

}  // namespace

std::unique_ptr<OpImplementation> make_conv2d(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] { return build(call, scratch); });
}

}  // namespace graphbench::host
