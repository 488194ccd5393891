// Computes batched_matmul as one strided cuBLASLt product over all heads of all sequences. If heads are
// merged and have several rows, a second kernel swaps the dimensions of heads and rows.
#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

struct MergeParameters {
  const void* x = nullptr;  // [batch, heads, rows, columns]
  void* y = nullptr;        // [batch, rows, heads, columns]
  std::int64_t elements;
  int heads;
  int rows;
  int columns;
};

template <class T>
__global__ void merge_heads_kernel(const MergeParameters p) {
  take_turn();
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.elements) return;
  const std::int64_t column = at % p.columns, head = at / p.columns % p.heads;
  const std::int64_t row = at / p.columns / p.heads % p.rows, sequence = at / p.columns / p.heads / p.rows;
  static_cast<T*>(p.y)[at] =
      static_cast<const T*>(p.x)[((sequence * p.heads + head) * p.rows + row) * p.columns + column];
}

KernelCall merge_call(const ir::OpCall& call, const MatmulSpec& spec, Source product) {
  const void* function = kernel_for(call, [](auto t) { return &merge_heads_kernel<decltype(t)>; });
  constexpr unsigned threads = 256;
  const std::int64_t elements = spec.products * spec.rows * spec.n;
  const MergeParameters parameters{.elements = elements,
                                   .heads = static_cast<int>(call.input(0).dims.at(1)),
                                   .rows = static_cast<int>(spec.rows),
                                   .columns = static_cast<int>(spec.n)};
  return kernel_call(function, dim3(blocks_for(elements, threads)), dim3(threads), parameters,
                     {product, operand_source(2)});
}

}  // namespace

PreparedOp prepare_batched_matmul(OpContext& context, const ir::OpCall& call) {
  const auto& a = call.input(0).dims;
  const bool transposed = ir::integer_attribute(*call.op, "transpose_b") != 0;
  MatmulSpec spec = matmul_spec(context, call);
  spec.products = a.at(0) * a.at(1);
  spec.rows = a.at(2);
  spec.k = a.at(3);
  spec.n = call.input(1).dims.at(transposed ? 2 : 3);
  spec.w_transposed = !transposed;
  spec.scale = static_cast<float>(ir::real_attribute(*call.op, "scale"));
  PreparedOp prepared;
  const bool merges = ir::integer_attribute(*call.op, "merge_heads") != 0 && spec.rows > 1;
  if (merges) {
    prepared.buffers.emplace_back(*context.memory, call.output(0).bytes(), MemoryKind::workspace);
    spec.y = fixed_source(prepared.buffers.back().data());
  }
  std::optional<NativeCall> products = plain_products(context, spec, call);
  if (!products) refuse(call, "cuBLASLt has no algorithm for the op's shape");
  prepared.calls.push_back(std::move(*products));
  if (merges) prepared.calls.emplace_back(merge_call(call, spec, spec.y));
  return prepared;
}

}  // namespace graphbench::cuda
