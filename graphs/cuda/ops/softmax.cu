// Computes softmax over the last dimension, and its gradient, with one block per row.
#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

struct SoftmaxParameters {
  const void* x;
  void* y;
  std::int64_t columns;
  std::int64_t tokens;  // causal: rows per head; each row sees one slot more than the previous row. Else 0.
};

template <class T>
__global__ void softmax_kernel(const SoftmaxParameters p) {
  take_turn();
  const std::int64_t seen =
      p.tokens == 0 ? p.columns : p.columns - p.tokens + std::int64_t{blockIdx.x} % p.tokens + 1;
  const T* x = static_cast<const T*>(p.x) + std::int64_t{blockIdx.x} * p.columns;
  T* y = static_cast<T*>(p.y) + std::int64_t{blockIdx.x} * p.columns;
  float largest = Max::identity;
  for (std::int64_t c = threadIdx.x; c < seen; c += blockDim.x) largest = fmaxf(largest, to_float(x[c]));
  largest = block_reduce<Max>(largest);
  float total = 0.0f;
  for (std::int64_t c = threadIdx.x; c < seen; c += blockDim.x) total += expf(to_float(x[c]) - largest);
  const float scale = 1.0f / block_reduce<Sum>(total);
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    y[c] = from_float<T>(c < seen ? expf(to_float(x[c]) - largest) * scale : 0.0f);
  }
}

struct SoftmaxGradParameters {
  const void* dy;
  const void* y;
  void* dx;
  std::int64_t columns;
};

template <class T>
__global__ void softmax_grad_kernel(const SoftmaxGradParameters p) {
  take_turn();
  const std::int64_t begin = std::int64_t{blockIdx.x} * p.columns;
  const T* dy = static_cast<const T*>(p.dy) + begin;
  const T* y = static_cast<const T*>(p.y) + begin;
  float products = 0.0f;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x)
    products += to_float(dy[c]) * to_float(y[c]);
  products = block_reduce<Sum>(products);
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x)
    static_cast<T*>(p.dx)[begin + c] = from_float<T>(to_float(y[c]) * (to_float(dy[c]) - products));
}

}  // namespace

PreparedOp prepare_softmax(OpContext&, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const bool causal = ir::integer_attribute(*call.op, "causal") != 0;
  const void* function = kernel_for(call, [](auto t) { return &softmax_kernel<decltype(t)>; });
  return one_launch(
      kernel_call(function, dim3(static_cast<unsigned>(shape.rows)), dim3(threads_for(shape.columns, 512)),
                  SoftmaxParameters{nullptr, nullptr, shape.columns, causal ? call.input(0).dims.at(2) : 0},
                  {operand_source(0), operand_source(1)}));
}

PreparedOp prepare_softmax_grad(OpContext&, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const void* function = kernel_for(call, [](auto t) { return &softmax_grad_kernel<decltype(t)>; });
  return one_launch(kernel_call(function, dim3(static_cast<unsigned>(shape.rows)),
                                dim3(threads_for(shape.columns, 512)),
                                SoftmaxGradParameters{nullptr, nullptr, nullptr, shape.columns},
                                {operand_source(0), operand_source(1), operand_source(2)}));
}

}  // namespace graphbench::cuda
