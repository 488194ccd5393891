// A sum, and the rmsnorm of it, one block a row: parts of a product or a tensor, with bias, activation and
// residual. Four columns a thread, the rounded sum kept in registers for the norm; a row that is too long
// for that is written and read again, by the same threads.
#include "graphs/cuda/ops/fusion.hpp"
#include "graphs/cuda/ops/kernel_support.cuh"

namespace graphbench::cuda {
namespace {

struct SumRmsnormParameters {
  const void* sums;
  const void* bias;      // null where there is none
  const void* residual;  // null where there is none
  void* y;
  const void* gamma;
  void* normed;
  std::int64_t columns;
  std::int64_t slice;  // elements from one part of the sums to the next
  int slices;
  Activation activation;
  float eps;
  bool weights_constant;
};

constexpr int per_thread = 4;  // columns
constexpr unsigned threads_max = 1024;

// Neighbouring elements, moved in one access.
template <class T>
struct alignas(per_thread * sizeof(T)) Columns {
  T lane[per_thread];
};

template <class T>
__device__ __forceinline__ Columns<T> load(const void* from, std::int64_t at) {
  return *reinterpret_cast<const Columns<T>*>(static_cast<const T*>(from) + at);
}
template <class T>
__device__ __forceinline__ void store(void* to, std::int64_t at, const Columns<T>& columns) {
  *reinterpret_cast<Columns<T>*>(static_cast<T*>(to) + at) = columns;
}

// Bias, activation, residual and the rounding, of one element's sum.
template <class T>
__device__ __forceinline__ T finished(float sum, T bias, T residual, Activation activation) {
  sum += to_float(bias);
  if (activation == Activation::gelu_tanh) sum = gelu_tanh(sum);
  if (activation == Activation::relu) sum = fmaxf(sum, 0.0f);
  return from_float<T>(sum + to_float(residual));
}

// Of this thread's columns, the parts added up in order.
template <class Part>
__device__ __forceinline__ Columns<float> summed(const SumRmsnormParameters& p, std::int64_t at) {
  Columns<float> sums{};
#pragma unroll 4
  for (int s = 0; s < p.slices; ++s) {
    const Columns<Part> part = load<Part>(p.sums, s * p.slice + at);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) sums.lane[i] += to_float(part.lane[i]);
  }
  return sums;
}

template <class T, class Part>
__global__ void sum_rmsnorm_vector(const SumRmsnormParameters p) {
  let_next_kernel_start();
  const std::int64_t column = std::int64_t{threadIdx.x} * per_thread;
  const bool active = column < p.columns;
  const std::int64_t at = std::int64_t{blockIdx.x} * p.columns + column;
  Columns<T> bias{};
  Columns<T> gamma{};
  const auto load_weights = [&] {
    gamma = load<T>(p.gamma, column);
    if (p.bias != nullptr) bias = load<T>(p.bias, column);
  };
  if (active && p.weights_constant) load_weights();
  wait_for_kernels_ahead();
  if (active && !p.weights_constant) load_weights();
  Columns<T> y{};
  float squares = 0.0f;
  if (active) {
    Columns<T> residual{};
    if (p.residual != nullptr) residual = load<T>(p.residual, at);
    const Columns<float> sums = summed<Part>(p, at);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      y.lane[i] = finished(sums.lane[i], bias.lane[i], residual.lane[i], p.activation);
      squares += to_float(y.lane[i]) * to_float(y.lane[i]);
    }
    store(p.y, at, y);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares) / static_cast<float>(p.columns) + p.eps);
  if (!active) return;
  Columns<T> normed;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    normed.lane[i] = from_float<T>(to_float(y.lane[i]) * scale * to_float(gamma.lane[i]));
  }
  store(p.normed, at, normed);
}

template <class T, class Part>
__global__ void sum_rmsnorm_scalar(const SumRmsnormParameters p) {
  take_turn();
  const std::int64_t row = std::int64_t{blockIdx.x} * p.columns;
  T* y = static_cast<T*>(p.y) + row;
  float squares = 0.0f;
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    float sum = 0.0f;
    for (int s = 0; s < p.slices; ++s)
      sum += to_float(static_cast<const Part*>(p.sums)[s * p.slice + row + c]);
    const T none = from_float<T>(0.0f);
    const T bias = p.bias == nullptr ? none : static_cast<const T*>(p.bias)[c];
    const T residual = p.residual == nullptr ? none : static_cast<const T*>(p.residual)[row + c];
    y[c] = finished(sum, bias, residual, p.activation);
    squares += to_float(y[c]) * to_float(y[c]);
  }
  const float scale = rsqrtf(block_reduce<Sum>(squares) / static_cast<float>(p.columns) + p.eps);
  for (std::int64_t c = threadIdx.x; c < p.columns; c += blockDim.x) {
    static_cast<T*>(p.normed)[row + c] =
        from_float<T>(to_float(y[c]) * scale * to_float(static_cast<const T*>(p.gamma)[c]));
  }
}

template <class T, class Part>
const void* function_for(bool vector) {
  return vector ? reinterpret_cast<const void*>(&sum_rmsnorm_vector<T, Part>)
                : reinterpret_cast<const void*>(&sum_rmsnorm_scalar<T, Part>);
}

}  // namespace

KernelCall sum_rmsnorm_call(const OpContext& context, const SumRmsnorm& spec, const ir::OpCall& call) {
  const bool vector = spec.columns % per_thread == 0 && spec.columns / per_thread <= threads_max;
  const unsigned threads =
      vector ? threads_for(spec.columns / per_thread, threads_max) : threads_for(spec.columns, 512);
  const void* function = for_float_type(call, spec.dtype, [&](auto element) {
    using T = decltype(element);
    return spec.slices == 0 ? function_for<T, T>(vector) : function_for<T, float>(vector);
  });
  const SumRmsnormParameters parameters{.columns = spec.columns,
                                        .slice = spec.rows * spec.columns,
                                        .slices = spec.slices == 0 ? 1 : static_cast<int>(spec.slices),
                                        .activation = spec.activation,
                                        .eps = spec.eps,
                                        .weights_constant = spec.weights_constant};
  KernelCall launch = kernel_call(function, dim3(static_cast<unsigned>(spec.rows)), dim3(threads), parameters,
                                  {spec.sums, spec.bias, spec.residual, spec.y, spec.gamma, spec.normed});
  launch.programmatic = context.programmatic;
  return launch;
}

}  // namespace graphbench::cuda
