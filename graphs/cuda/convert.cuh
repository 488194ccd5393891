// Element types on the device: conversions to and from fp32, 16-byte vectors, block reductions.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "graphs/ir/types.hpp"

namespace graphbench::cuda {

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

// Sixteen bytes of T, moved in one access.
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

// Both reductions add in a fixed order, so that every run gives the same bits.
struct Sum {
  static constexpr float identity = 0.0f;
  __device__ __forceinline__ static float combine(float a, float b) { return a + b; }
};
struct Max {
  static constexpr float identity = -3.402823466e38f;
  __device__ __forceinline__ static float combine(float a, float b) { return fmaxf(a, b); }
};

// Over the whole block (a multiple of 32 threads, at most 1024); every thread gets the result.
template <class Operation>
__device__ __forceinline__ float block_reduce(float value) {
  __shared__ float partial[32];
  for (int offset = 16; offset > 0; offset /= 2) {
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? partial[lane] : Operation::identity;
  for (int offset = 16; offset > 0; offset /= 2) {
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  __syncthreads();  // `partial` may be used again at once
  return value;
}

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
__device__ __forceinline__ float gelu_tanh(float x) {
  return 0.5f * x * (1.0f + tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x)));
}

// Its derivative.
__device__ __forceinline__ float gelu_tanh_slope(float x) {
  const float t = tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x));
  return 0.5f * (1.0f + t) +
         0.5f * x * (1.0f - t * t) * 0.7978845608028654f * (1.0f + 3.0f * 0.044715f * x * x);
}

}  // namespace graphbench::cuda
