// Applies bias, activation and residual of a matrix product if cuBLASLt's epilogue cannot.
#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/matmul.hpp"

namespace graphbench::cuda {
namespace {

struct EpilogueParameters {
  const float* sums;
  const void* bias;      // or null
  const void* residual;  // or null
  void* y;
  std::int64_t elements;
  std::int64_t columns;
  Activation activation;
  bool activation_last;
};

__device__ __forceinline__ float activate(float x, Activation activation) {
  if (activation == Activation::gelu_tanh) return gelu_tanh(x);
  return activation == Activation::relu ? fmaxf(x, 0.0f) : x;
}

template <class T>
__global__ void epilogue_kernel(const EpilogueParameters p) {
  take_turn();
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.elements) return;
  float value = p.sums[at];
  if (p.bias != nullptr) value += to_float(static_cast<const T*>(p.bias)[at % p.columns]);
  const float residual = p.residual == nullptr ? 0.0f : to_float(static_cast<const T*>(p.residual)[at]);
  value =
      p.activation_last ? activate(value + residual, p.activation) : activate(value, p.activation) + residual;
  static_cast<T*>(p.y)[at] = from_float<T>(value);
}

}  // namespace

KernelCall epilogue_call(const MatmulSpec& spec, void* sums, const ir::OpCall& call) {
  constexpr unsigned threads = 256;
  const void* function = kernel_for(call, [](auto t) { return &epilogue_kernel<decltype(t)>; });
  const std::int64_t elements = spec.rows * spec.n;
  const EpilogueParameters parameters{nullptr,  nullptr, nullptr,         nullptr,
                                      elements, spec.n,  spec.activation, spec.activation_last};
  return kernel_call(function, dim3(blocks_for(elements, threads)), dim3(threads), parameters,
                     {fixed_source(sums), spec.bias, spec.residual, spec.y});
}

}  // namespace graphbench::cuda
