// Arithmetic that kernels share: conversions to and from fp32, 16-byte vectors, sums, rmsnorm and rope.
// Except in gelu_tanh_slope(), rounding is explicit, so that the compiler's fusing cannot change the bits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "graphs/ir/types.hpp"

namespace graphbench::cuda {

// Programmatic dependent launch: every kernel first lets the next kernel start, and then, before it touches
// memory that a step writes, waits for all preceding kernels. A kernel without work waits too, so that its
// successors also wait for its predecessors. On GPUs before sm_90 both functions do nothing.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ __forceinline__ void wait_for_kernels_ahead() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Reductions have a fixed order, so that every run gives the same bits.
struct Sum {
  static constexpr float identity = 0.0f;
  __device__ __forceinline__ static float combine(float a, float b) { return __fadd_rn(a, b); }
};
struct Max {
  static constexpr float identity = -3.402823466e38f;
  __device__ __forceinline__ static float combine(float a, float b) { return fmaxf(a, b); }
};

// Combines the values of each group of `Lanes` lanes. Every lane gets the result of its group.
template <class Operation, int Lanes = 32>
__device__ __forceinline__ float warp_reduce(float value) {
#pragma unroll
  for (int offset = Lanes / 2; offset > 0; offset /= 2)
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

// The block has a multiple of 32 threads, at most 1024. Every thread gets the result.
template <class Operation>
__device__ __forceinline__ float block_reduce(float value) {
  __shared__ float partial[32];
  value = warp_reduce<Operation>(value);
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = warp_reduce<Operation>(lane < warps ? partial[lane] : Operation::identity);
  __syncthreads();  // the next call may overwrite `partial` at once
  return value;
}

__device__ __forceinline__ float relu(float x) {
  return fmaxf(x, 0.0f);
}

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
__device__ __forceinline__ float gelu_tanh(float x) {
  const float cubed = __fmul_rn(__fmul_rn(0.044715f, x), x);
  const float t = tanhf(__fmul_rn(0.7978845608028654f, __fmaf_rn(cubed, x, x)));
  return __fmul_rn(__fmul_rn(0.5f, x), __fadd_rn(1.0f, t));
}

__device__ __forceinline__ float add_square(float squares, float x) {
  return __fmaf_rn(x, x, squares);
}
__device__ __forceinline__ float norm_scale(float squares, float columns, float eps) {
  return rsqrtf(__fadd_rn(__fdiv_rn(squares, columns), eps));
}
__device__ __forceinline__ float normed(float x, float scale, float gamma) {
  return __fmul_rn(__fmul_rn(x, scale), gamma);
}

// Rotates elements i and i + half of a head, as rope does. `turn`: cosine and sine of the angle.
struct Pair {
  float low;
  float high;
};
__device__ __forceinline__ Pair rotated(Pair pair, float2 turn) {
  return {__fmaf_rn(pair.low, turn.x, -__fmul_rn(pair.high, turn.y)),
          __fmaf_rn(pair.high, turn.x, __fmul_rn(pair.low, turn.y))};
}
__device__ __forceinline__ double rope_frequency(int i, int head_dim, double log2_theta) {
  return exp2(__dmul_rn(__ddiv_rn(-2.0 * i, head_dim), log2_theta));
}
// The cosine and sine of position * frequency. Reduces this angle modulo 2 pi in fp64, because an fp32 angle
// of thousands of radians would lose four digits.
__device__ __forceinline__ float2 turn_of(int position, double frequency) {
  constexpr double turn = 6.283185307179586476925;
  const double angle = __dmul_rn(position, frequency);
  const float reduced = static_cast<float>(__fma_rn(-turn, floor(__ddiv_rn(angle, turn)), angle));
  return make_float2(cosf(reduced), sinf(reduced));
}

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(__half x) {
  return __half2float(x);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

template <class T>
__device__ __forceinline__ T from_float(float x);
template <>
__device__ __forceinline__ float from_float<float>(float x) {
  return x;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}
template <>
__device__ __forceinline__ std::int32_t from_float<std::int32_t>(float x) {
  return static_cast<std::int32_t>(x);
}

template <class T>
struct alignas(16) Vector16 {
  static constexpr int size = 16 / sizeof(T);
  T lane[size];
};

template <class T>
__device__ __forceinline__ Vector16<T> load16(const T* source) {
  const uint4 raw = *reinterpret_cast<const uint4*>(source);
  return reinterpret_cast<const Vector16<T>&>(raw);
}

template <class T>
__device__ __forceinline__ void store16(T* destination, const Vector16<T>& vector) {
  *reinterpret_cast<uint4*>(destination) = reinterpret_cast<const uint4&>(vector);
}

__device__ __forceinline__ float gelu_tanh_slope(float x) {
  const float t = tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x));
  return 0.5f * (1.0f + t) +
         0.5f * x * (1.0f - t * t) * 0.7978845608028654f * (1.0f + 3.0f * 0.044715f * x * x);
}

}  // namespace graphbench::cuda
