// rmsnorm: one block a row. A row that fits is read once, sixteen bytes a thread, and kept in
// registers between the two passes; a longer one is read twice, the second time from cache.
#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

struct RmsnormParameters {
  const void* x = nullptr;
  const void* gamma = nullptr;
  void* y = nullptr;
  std::int64_t columns;
  float eps;
  bool gamma_constant;
};

template <class T>
__global__ void rmsnorm_vector(const RmsnormParameters p) {
  let_next_kernel_start();
  using Vector = Vector16<T>;
  const std::int64_t column = std::int64_t{threadIdx.x} * Vector::size;
  const bool active = column < p.columns;
  const std::int64_t at = std::int64_t{blockIdx.x} * p.columns + column;
  Vector x{};
  Vector gamma{};
  float squares = 0.0f;
  if (active && p.gamma_constant) gamma = load16(static_cast<const T*>(p.gamma) + column);
  wait_for_kernels_ahead();
  if (active && !p.gamma_constant) gamma = load16(static_cast<const T*>(p.gamma) + column);
  if (active) {
    x = load16(static_cast<const T*>(p.x) + at);
#pragma unroll
    for (int i = 0; i < Vector::size; ++i) squares = add_square(squares, to_float(x.lane[i]));
  }
  const float scale = norm_scale(block_reduce<Sum>(squares), static_cast<float>(p.columns), p.eps);
  if (!active) return;
  Vector y;
#pragma unroll
  for (int i = 0; i < Vector::size; ++i) {
    y.lane[i] = from_float<T>(normed(to_float(x.lane[i]), scale, to_float(gamma.lane[i])));
  }
  store16(static_cast<T*>(p.y) + at, y);
}

template <class T>
__global__ void rmsnorm_scalar(const RmsnormParameters p) {
  take_turn();
  const T* x = static_cast<const T*>(p.x) + std::int64_t{blockIdx.x} * p.columns;
  const T* gamma = static_cast<const T*>(p.gamma);
  T* y = static_cast<T*>(p.y) + std::int64_t{blockIdx.x} * p.columns;
  float squares = 0.0f;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x)
    squares = add_square(squares, to_float(x[c]));
  const float scale = norm_scale(block_reduce<Sum>(squares), static_cast<float>(p.columns), p.eps);
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    y[c] = from_float<T>(normed(to_float(x[c]), scale, to_float(gamma[c])));
  }
}

}  // namespace

PreparedOp prepare_rmsnorm(OpContext&, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const RmsnormParameters parameters{.columns = shape.columns,
                                     .eps = static_cast<float>(ir::real_attribute(*call.op, "eps")),
                                     .gamma_constant = call.is_weight(1)};
  const std::int64_t per_thread = 16 / static_cast<std::int64_t>(ir::size_of(call.input(0).dtype));
  const bool vector = shape.columns % per_thread == 0 && shape.columns / per_thread <= 1024;
  const unsigned threads =
      vector ? threads_for(shape.columns / per_thread, 1024) : threads_for(shape.columns, 512);
  const void* function = kernel_for(call, call.input(0).dtype, [&](auto element) {
    using T = decltype(element);
    return vector ? &rmsnorm_vector<T> : &rmsnorm_scalar<T>;
  });
  return one_launch(kernel_call(function, dim3(static_cast<unsigned>(shape.rows)), dim3(threads), parameters,
                                {operand_source(0), operand_source(1), operand_source(2)}));
}

}  // namespace graphbench::cuda
