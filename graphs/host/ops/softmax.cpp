// softmax over the last dimension and its gradient use oneDNN. oneDNN has no causal softmax, so a causal op
// first adds a mask, which makes the scores of masked slots very small.
#include "graphs/host/ops/library_op.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_softmax(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto& dims = call.input(0).dims;
    const bool causal = ir::integer_attribute(*call.op, "causal") != 0;
    const dnnl::memory::dim columns = dims.back(), tokens = causal ? dims.at(2) : 1;
    const dnnl::memory::dim rows = static_cast<dnnl::memory::dim>(call.input(0).elements()) / columns;
    const auto type = library_type(call.output(0).dtype);
    const dnnl::memory::desc x = plain({rows / tokens, tokens, columns}, type);
    LibraryOpBuilder builder;
    if (causal) {
      const dnnl::memory::desc mask = plain({1, tokens, columns}, dnnl::memory::data_type::f32);
      builder.step<dnnl::binary>(dnnl::binary::desc(dnnl::algorithm::binary_add, x, mask, x),
                                 {{DNNL_ARG_SRC_0, x, {0}},
                                  {DNNL_ARG_SRC_1, mask, builder.constant(causal_mask(tokens, columns))},
                                  {DNNL_ARG_DST, x, {1}}});
    }
    const dnnl::softmax_forward::desc desc(dnnl::prop_kind::forward_inference, x, 2);
    builder.step<dnnl::softmax_forward>(desc, {{DNNL_ARG_SRC, x, {causal ? 1 : 0}}, {DNNL_ARG_DST, x, {1}}});
    return builder.finish(scratch);
  });
}

std::unique_ptr<OpImplementation> make_softmax_grad(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto& dims = call.input(0).dims;
    const dnnl::memory::desc x = plain({dims.at(0), dims.at(1)}, library_type(call.output(0).dtype));
    const dnnl::softmax_forward::primitive_desc forward(
        dnnl::softmax_forward::desc(dnnl::prop_kind::forward_training, x, 1), library_attributes(),
        library_engine_handle());
    LibraryOpBuilder builder;
    builder.step<dnnl::softmax_backward>(
        dnnl::softmax_backward::primitive_desc(dnnl::softmax_backward::desc(x, x, 1), library_attributes(),
                                               library_engine_handle(), forward),
        {{DNNL_ARG_DIFF_DST, x, {0}}, {DNNL_ARG_DST, x, {1}}, {DNNL_ARG_DIFF_SRC, x, {2}}});
    return builder.finish(scratch);
  });
}

}  // namespace graphbench::host
