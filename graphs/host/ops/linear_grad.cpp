// linear's gradients: one oneDNN matmul each, which reads one operand transposed; the sum so far is a
// post-operation.
#include "graphs/host/ops/library_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
namespace {

using Dims = dnnl::memory::dims;

std::unique_ptr<OpImplementation> product(const ir::OpCall& call, ScratchArena& scratch,
                                          const dnnl::memory::desc& a, const dnnl::memory::desc& b) {
  const dnnl::memory::desc out = plain(call.output(0).dims, library_type(call.output(0).dtype));
  std::vector<LibraryArgument> arguments = {{DNNL_ARG_SRC, a, {0}},
                                            {DNNL_ARG_WEIGHTS, b, {1}},
                                            {DNNL_ARG_DST, out, {static_cast<int>(call.input_count)}}};
  dnnl::primitive_attr attributes = library_attributes();
  if (call.input_count == 3) {
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

std::unique_ptr<OpImplementation> make_linear_grad_input(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto type = library_type(call.output(0).dtype);
    return product(call, scratch, plain(call.input(0).dims, type), plain(call.input(1).dims, type));
  });
}

std::unique_ptr<OpImplementation> make_linear_grad_weight(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto type = library_type(call.output(0).dtype);
    const Dims& dy = call.input(0).dims;
    const dnnl::memory::desc transposed({dy[1], dy[0]}, type, Dims{1, dy[1]});
    return product(call, scratch, transposed, plain(call.input(1).dims, type));
  });
}

}  // namespace graphbench::host
