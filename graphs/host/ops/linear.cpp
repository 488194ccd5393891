// linear: one oneDNN matmul with the bias, activation and residual as its post-operations.
#include "graphs/host/ops/library_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
namespace {

std::unique_ptr<OpImplementation> build(const ir::OpCall& call, ScratchArena& scratch) {
  const ir::Op& op = *call.op;
  const bool has_bias = ir::integer_attribute(op, "bias") != 0;
  const bool has_residual = ir::integer_attribute(op, "residual") != 0;
  const dnnl::memory::dim rows = call.input(0).dims.at(0);
  const dnnl::memory::dim inner = call.input(0).dims.at(1);
  const dnnl::memory::dim columns = call.input(1).dims.at(0);
  const auto type = library_type(call.output(0).dtype);

  const dnnl::memory::desc x = plain({rows, inner}, type);
  // The weight lies as [N, K]; the product wants [K, N]: the same memory read transposed.
  const dnnl::memory::desc w({inner, columns}, type, dnnl::memory::dims{1, inner});
  const dnnl::memory::desc bias = plain({1, columns}, type);
  const dnnl::memory::desc y = plain({rows, columns}, type);

  std::vector<LibraryArgument> arguments = {{DNNL_ARG_SRC, x, {0}},
                                            {DNNL_ARG_WEIGHTS, w, {1}},
                                            {DNNL_ARG_DST, y, {static_cast<int>(call.input_count)}}};
  int next_input = 2;
  if (has_bias) arguments.push_back({DNNL_ARG_BIAS, bias, {next_input++}});
  dnnl::post_ops post_ops;
  append_activation(post_ops, op);
  if (has_residual) {
    const int position = post_ops.len();
    post_ops.append_binary(dnnl::algorithm::binary_add, y);
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(position) | DNNL_ARG_SRC_1, y, {next_input}});
  }
  dnnl::primitive_attr attributes = library_attributes();
  attributes.set_post_ops(post_ops);

  const auto desc = has_bias ? dnnl::matmul::desc(x, w, bias, y) : dnnl::matmul::desc(x, w, y);
  LibraryOpBuilder builder;
  builder.step<dnnl::matmul>(desc, std::move(arguments), attributes);
  return builder.finish(scratch);
}

}  // namespace

std::unique_ptr<OpImplementation> make_linear(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] { return build(call, scratch); });
}

}  // namespace graphbench::host
