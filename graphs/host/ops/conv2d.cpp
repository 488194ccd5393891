// conv2d is one oneDNN convolution over NHWC, with bias, residual and activation as post-operations. Its
// gradients are oneDNN's backward convolutions. An accumulated gradient is rounded once, after the sum.
#include "graphs/host/ops/library_op.hpp"

namespace graphbench::host {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// An image, or a filter whose first dimension counts the filters. Channels come last in memory, but oneDNN
// always lists dimensions in the order NCHW.
dnnl::memory::desc described(const std::vector<std::int64_t>& dims, Type type, Tag tag) {
  return {{dims[0], dims[3], dims[1], dims[2]}, type, tag};
}

}  // namespace

std::unique_ptr<OpImplementation> make_conv2d(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const ir::Op& op = *call.op;
    const auto& filter = call.input(1).dims;  // K, R, R, C
    const auto type = library_type(call.output(0).dtype);
    const dnnl::memory::dim padding = ir::integer_attribute(op, "padding");
    const dnnl::memory::dim stride = ir::integer_attribute(op, "stride");
    const bool has_bias = ir::integer_attribute(op, "bias") != 0;
    const bool has_residual = ir::integer_attribute(op, "residual") != 0;

    const dnnl::memory::desc x = described(call.input(0).dims, type, Tag::nhwc);
    const dnnl::memory::desc bias({filter[0]}, type, Tag::a);
    const dnnl::memory::desc y = described(call.output(0).dims, type, Tag::nhwc);

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

    const dnnl::memory::desc any_weights = described(filter, type, Tag::any);
    const dnnl::memory::dims strides{stride, stride};
    const dnnl::memory::dims pads{padding, padding};
    using Conv = dnnl::convolution_forward;
    constexpr auto inference = dnnl::prop_kind::forward_inference;
    const auto desc = has_bias ? Conv::desc(inference, kDirect, x, any_weights, bias, y, strides, pads, pads)
                               : Conv::desc(inference, kDirect, x, any_weights, y, strides, pads, pads);
    const Conv::primitive_desc chosen(desc, attributes, library_engine_handle());

    LibraryOpBuilder builder;
    const Place packed = builder.repacked({described(filter, type, Tag::ohwi), {1}}, chosen.weights_desc());
    arguments.push_back({DNNL_ARG_WEIGHTS, chosen.weights_desc(), packed});
    builder.step<Conv>(chosen, std::move(arguments));
    return builder.finish(scratch);
  });
}

namespace {

class GradientBuilder {
 public:
  explicit GradientBuilder(const ir::OpCall& call)
      : call_(call),
        type_(library_type(call.output(0).dtype)),
        sum_(call.input_count == 3),
        strides_(2, ir::integer_attribute(*call.op, "stride")),
        pads_(2, ir::integer_attribute(*call.op, "padding")) {}

  std::unique_ptr<OpImplementation> input(ScratchArena& scratch) {
    const auto dy = described(call_.input(0).dims, type_, Tag::nhwc);
    const auto w = described(call_.input(1).dims, type_, Tag::ohwi);
    const auto any_w = described(call_.input(1).dims, type_, Tag::any);
    const auto dx = described(call_.output(0).dims, result_type(), Tag::nhwc);
    using Conv = dnnl::convolution_backward_data;
    const Conv::primitive_desc chosen(Conv::desc(kDirect, dx, any_w, dy, strides_, pads_, pads_),
                                      library_attributes(), engine_, forward(dx, any_w, dy));
    const Place packed = builder_.repacked({w, {1}}, chosen.weights_desc());
    const Place result = sum_ ? builder_.scratch(dx.get_size()) : output();
    builder_.step<Conv>(chosen, {{DNNL_ARG_DIFF_DST, dy, {0}},
                                 {DNNL_ARG_WEIGHTS, chosen.weights_desc(), packed},
                                 {DNNL_ARG_DIFF_SRC, dx, result}});
    add_sum(dx, result);
    return builder_.finish(scratch);
  }

  std::unique_ptr<OpImplementation> weight(ScratchArena& scratch) {
    const auto dy = described(call_.input(0).dims, type_, Tag::nhwc);
    const auto x = described(call_.input(1).dims, type_, Tag::nhwc);
    const auto any_dw = described(call_.output(0).dims, result_type(), Tag::any);
    const auto dw = described(call_.output(0).dims, result_type(), Tag::ohwi);
    using Conv = dnnl::convolution_backward_weights;
    const Conv::primitive_desc chosen(Conv::desc(kDirect, x, any_dw, dy, strides_, pads_, pads_),
                                      library_attributes(), engine_, forward(x, any_dw, dy));
    const dnnl::memory::desc made = chosen.diff_weights_desc();
    const Place result = sum_ ? builder_.scratch(dw.get_size()) : output();
    const Place place = made == dw ? result : builder_.scratch(made.get_size());
    builder_.step<Conv>(
        chosen, {{DNNL_ARG_DIFF_DST, dy, {0}}, {DNNL_ARG_SRC, x, {1}}, {DNNL_ARG_DIFF_WEIGHTS, made, place}});
    if (made != dw) builder_.reorder({made, place}, {dw, result});
    add_sum(dw, result);
    return builder_.finish(scratch);
  }

 private:
  Type result_type() const { return sum_ ? Type::f32 : type_; }
  Place output() const { return {static_cast<int>(call_.input_count)}; }

  // oneDNN's backward primitives require the forward primitive as a hint.
  dnnl::convolution_forward::primitive_desc forward(const dnnl::memory::desc& x, const dnnl::memory::desc& w,
                                                    const dnnl::memory::desc& y) const {
    const auto typed = [&](dnnl::memory::desc desc) {
      desc.data.data_type = dnnl_data_type_t(type_);
      return desc;
    };
    const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_training, kDirect, typed(x), typed(w),
                                               y, strides_, pads_, pads_);
    return {desc, library_attributes(), engine_};
  }

  void add_sum(const dnnl::memory::desc& result, Place place) {
    if (!sum_) return;
    dnnl::memory::desc out = result;
    out.data.data_type = dnnl_data_type_t(type_);
    builder_.step<dnnl::binary>(
        dnnl::binary::desc(dnnl::algorithm::binary_add, result, out, out),
        {{DNNL_ARG_SRC_0, result, place}, {DNNL_ARG_SRC_1, out, {2}}, {DNNL_ARG_DST, out, output()}});
  }

  const ir::OpCall& call_;
  Type type_;
  bool sum_;
  dnnl::memory::dims strides_;
  dnnl::memory::dims pads_;
  dnnl::engine engine_ = library_engine_handle();
  LibraryOpBuilder builder_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_conv2d_grad_input(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] { return GradientBuilder(call).input(scratch); });
}

std::unique_ptr<OpImplementation> make_conv2d_grad_weight(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] { return GradientBuilder(call).weight(scratch); });
}

}  // namespace graphbench::host
