// rmsnorm: one block per row. A row of whole 16-byte vectors, at most one for each of 1024 threads, is read
// once; any other row is read twice, the second time from cache. The gradient of x always reads rows twice.
// The gradient of gamma is a sum over rows, after a kernel that computes the rows' scales.
#include "graphs/cuda/ops/column_sum.cuh"
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

float eps_of(const ir::OpCall& call) {
  return static_cast<float>(ir::real_attribute(*call.op, "eps"));
}

}  // namespace

PreparedOp prepare_rmsnorm(OpContext&, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const RmsnormParameters parameters{
      .columns = shape.columns, .eps = eps_of(call), .gamma_constant = call.is_weight(1)};
  const std::int64_t per_thread = 16 / static_cast<std::int64_t>(ir::size_of(call.input(0).dtype));
  const bool vector = shape.columns % per_thread == 0 && shape.columns / per_thread <= 1024;
  const unsigned threads =
      vector ? threads_for(shape.columns / per_thread, 1024) : threads_for(shape.columns, 512);
  const void* function = kernel_for(call, [&](auto element) {
    using T = decltype(element);
    return vector ? &rmsnorm_vector<T> : &rmsnorm_scalar<T>;
  });
  return one_launch(kernel_call(function, dim3(static_cast<unsigned>(shape.rows)), dim3(threads), parameters,
                                {operand_source(0), operand_source(1), operand_source(2)}));
}

namespace {

struct GradInputParameters {
  const void* dy = nullptr;
  const void* x = nullptr;
  const void* gamma = nullptr;
  const void* sum = nullptr;  // added to dx if `accumulate`; else not read
  void* dx = nullptr;
  std::int64_t columns;
  float eps;
  bool accumulate;
};

// With s = 1 / sqrt(mean(x^2) + eps): dx = s (dy gamma - x s^2 mean(dy gamma x)).
template <class T>
__global__ void rmsnorm_grad_input(const GradInputParameters p) {
  take_turn();
  const std::int64_t begin = std::int64_t{blockIdx.x} * p.columns;
  const T* dy = static_cast<const T*>(p.dy) + begin;
  const T* x = static_cast<const T*>(p.x) + begin;
  const T* gamma = static_cast<const T*>(p.gamma);
  float squares = 0.0f;
  float products = 0.0f;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    const float value = to_float(x[c]);
    squares += value * value;
    products += to_float(dy[c]) * to_float(gamma[c]) * value;
  }
  const auto columns = static_cast<float>(p.columns);
  const float scale = rsqrtf(block_reduce<Sum>(squares) / columns + p.eps);
  const float mean = block_reduce<Sum>(products) / columns;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    float dx = scale * (to_float(dy[c]) * to_float(gamma[c]) - to_float(x[c]) * scale * scale * mean);
    if (p.accumulate) dx += to_float(static_cast<const T*>(p.sum)[begin + c]);
    static_cast<T*>(p.dx)[begin + c] = from_float<T>(dx);
  }
}

struct ScaleParameters {
  const void* x;
  float* scales;
  std::int64_t columns;
  float eps;
};

template <class T>
__global__ void row_scales(const ScaleParameters p) {
  take_turn();
  const T* x = static_cast<const T*>(p.x) + std::int64_t{blockIdx.x} * p.columns;
  float squares = 0.0f;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x)
    squares += to_float(x[c]) * to_float(x[c]);
  const float scale = rsqrtf(block_reduce<Sum>(squares) / static_cast<float>(p.columns) + p.eps);
  if (threadIdx.x == 0) p.scales[blockIdx.x] = scale;
}

// A row's part of the gradient of gamma: dy x s.
struct ScaledProduct {
  template <class T>
  __device__ __forceinline__ static float of(const ColumnSumParameters& p, std::int64_t row,
                                             std::int64_t at) {
    return to_float(static_cast<const T*>(p.a)[at]) * to_float(static_cast<const T*>(p.b)[at]) *
           p.scales[row];
  }
};

}  // namespace

// Operands: dy, x, gamma, the sum if there is one, dx.
PreparedOp prepare_rmsnorm_grad_input(OpContext&, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const bool accumulate = ir::integer_attribute(*call.op, "accumulate") != 0;
  const void* function = kernel_for(call, [](auto t) { return &rmsnorm_grad_input<decltype(t)>; });
  constexpr std::size_t sum = 3;
  return one_launch(
      kernel_call(
          function, dim3(static_cast<unsigned>(shape.rows)), dim3(threads_for(shape.columns, 512)),
          GradInputParameters{.columns = shape.columns, .eps = eps_of(call), .accumulate = accumulate},
          {operand_source(0), operand_source(1), operand_source(2), operand_source(accumulate ? sum : 0),
           operand_source(call.input_count)}),
      accumulate ? std::optional(sum) : std::nullopt);
}

// Operands: dy, x, the sum if there is one, the gradient of gamma.
PreparedOp prepare_rmsnorm_grad_weight(OpContext& context, const ir::OpCall& call) {
  const RowsColumns shape = rows_columns(call.input(0));
  const std::size_t scale_bytes = (static_cast<std::size_t>(shape.rows) * sizeof(float) + 255) / 256 * 256;
  if (scale_bytes >= context.workspace_bytes)
    refuse(call, "the scales of the rows are larger than the workspace");
  auto* const scales = static_cast<float*>(context.workspace);
  constexpr std::size_t sum = 2;
  const void* function = kernel_for(call, [](auto t) { return &row_scales<decltype(t)>; });
  PreparedOp prepared;
  prepared.calls.push_back(
      kernel_call(function, dim3(static_cast<unsigned>(shape.rows)), dim3(threads_for(shape.columns, 512)),
                  ScaleParameters{nullptr, scales, shape.columns, eps_of(call)}, {operand_source(1)}));
  append_column_sum<ScaledProduct>(prepared, call, scales,
                                   static_cast<std::byte*>(context.workspace) + scale_bytes,
                                   context.workspace_bytes - scale_bytes, sum);
  if (ir::integer_attribute(*call.op, "accumulate") != 0) prepared.in_place_input = sum;
  return prepared;
}

}  // namespace graphbench::cuda
