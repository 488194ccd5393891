// linear is one oneDNN matmul with bias, activation and residual as post-operations. Each gradient is one
// matmul, with the accumulated gradient as a post-operation; column_sum makes the gradient of the bias.
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/library_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {
namespace {

// Reads a matrix that is stored as plain(dims) as its transpose: what was a row is a column.
dnnl::memory::desc by_columns(const dnnl::memory::dims& dims, dnnl::memory::data_type type) {
  return {{dims[1], dims[0]}, type, dnnl::memory::dims{1, dims[1]}};
}

// Returns a b, plus the third input if there is one, which is the gradient so far. An argument is given by
// its name, its layout and the index of its operand.
std::unique_ptr<OpImplementation> product(const ir::OpCall& call, ScratchArena& scratch,
                                          const dnnl::memory::desc& a, const dnnl::memory::desc& b) {
  const dnnl::memory::desc out = plain(call.output(0).dims, library_type(call.output(0).dtype));
  std::vector<LibraryArgument> arguments = {{DNNL_ARG_SRC, a, {0}},
                                            {DNNL_ARG_WEIGHTS, b, {1}},
                                            {DNNL_ARG_DST, out, {static_cast<int>(call.input_count)}}};
  dnnl::primitive_attr attributes = library_attributes();
  const bool accumulates = call.input_count == 3;
  if (accumulates) {
    dnnl::post_ops sum;
    sum.append_binary(dnnl::algorithm::binary_add, out);
    attributes.set_post_ops(sum);
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, out, {2}});
  }
  LibraryOpBuilder builder;
  builder.step<dnnl::matmul>(dnnl::matmul::desc(a, b, out), std::move(arguments), attributes);
  return builder.finish(scratch);
}

}  // namespace

std::unique_ptr<OpImplementation> make_linear(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const ir::Op& op = *call.op;
    const bool has_bias = ir::integer_attribute(op, "bias") != 0;
    const bool has_residual = ir::integer_attribute(op, "residual") != 0;
    const dnnl::memory::dim rows = call.input(0).dims.at(0);
    const dnnl::memory::dim inner = call.input(0).dims.at(1);
    const dnnl::memory::dim columns = call.input(1).dims.at(0);
    const auto type = library_type(call.output(0).dtype);

    const dnnl::memory::desc x = plain({rows, inner}, type);
    const dnnl::memory::desc w = by_columns(call.input(1).dims, type);
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
  });
}

std::unique_ptr<OpImplementation> make_linear_grad_input(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto type = library_type(call.output(0).dtype);
    return product(call, scratch, plain(call.input(0).dims, type), plain(call.input(1).dims, type));
  });
}

std::unique_ptr<OpImplementation> make_linear_grad_weight(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto type = library_type(call.output(0).dtype);
    return product(call, scratch, by_columns(call.input(0).dims, type), plain(call.input(1).dims, type));
  });
}

std::unique_ptr<OpImplementation> make_column_sum(const ir::OpCall& call, ScratchArena&) {
  const std::int64_t columns = call.output(0).elements();
  const Matrix shape{call.input(0).elements() / columns, columns};
  const bool accumulates = call.input_count == 2;
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [shape, accumulates](void* const* operands) {
      const T* x = static_cast<const T*>(operands[0]);
      const T* so_far = accumulates ? static_cast<const T*>(operands[1]) : nullptr;
      sum_columns(shape, so_far, static_cast<T*>(operands[accumulates ? 2 : 1]),
                  [&](std::int64_t r, std::int64_t c) { return to_float(x[r * shape.columns + c]); });
    };
    return direct_op(call, compute, accumulates ? std::optional<std::size_t>(1) : std::nullopt);
  });
}

}  // namespace graphbench::host
