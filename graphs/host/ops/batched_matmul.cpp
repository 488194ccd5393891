// batched_matmul is one oneDNN matmul over sequences times heads. With `merge_heads`, a reorder may follow.
#include "graphs/host/ops/library_op.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_batched_matmul(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    using Dim = dnnl::memory::dim;
    using Dims = dnnl::memory::dims;
    const auto& a = call.input(0).dims;
    const Dim batch = a.at(0), heads = a.at(1), rows = a.at(2), depth = a.at(3);
    const bool transposed = ir::integer_attribute(*call.op, "transpose_b") != 0;
    const Dim columns = call.input(1).dims.at(transposed ? 2 : 3);
    // With one row per head, no reorder is needed: the heads of a row are already contiguous.
    const bool merges = ir::integer_attribute(*call.op, "merge_heads") != 0 && rows != 1;
    const auto type = library_type(call.output(0).dtype);
    const Dim n = batch * heads;
    const dnnl::memory::desc left = plain({n, rows, depth}, type);
    const Dims strides = {columns * depth, transposed ? 1 : columns, transposed ? depth : 1};
    const dnnl::memory::desc right({n, depth, columns}, type, strides);
    const dnnl::memory::desc product = plain({n, rows, columns}, type);

    LibraryOpBuilder builder;
    const Place out{2};
    const Place apart = merges ? builder.scratch(product.get_size()) : out;
    dnnl::primitive_attr scaled = library_attributes();
    scaled.set_output_scales(0, {static_cast<float>(ir::real_attribute(*call.op, "scale"))});
    builder.step<dnnl::matmul>(
        dnnl::matmul::desc(left, right, product),
        {{DNNL_ARG_SRC, left, {0}}, {DNNL_ARG_WEIGHTS, right, {1}}, {DNNL_ARG_DST, product, apart}}, scaled);
    if (merges) {
      const dnnl::memory::desc by_head = plain({batch, heads, rows, columns}, type);
      const Dim width = heads * columns;
      const dnnl::memory::desc by_row({batch, heads, rows, columns}, type,
                                      Dims{rows * width, columns, width, 1});
      builder.reorder({by_head, apart}, {by_row, out});
    }
    return builder.finish(scratch);
  });
}

}  // namespace graphbench::host
