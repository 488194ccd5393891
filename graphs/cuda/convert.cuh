// Element types on the device: conversions to and from fp32, 16-byte vectors.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "graphs/cuda/row_math.cuh"
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

// The derivative of gelu_tanh.
__device__ __forceinline__ float gelu_tanh_slope(float x) {
  const float t = tanhf(0.7978845608028654f * (x + 0.044715f * x * x * x));
  return 0.5f * (1.0f + t) +
         0.5f * x * (1.0f - t * t) * 0.7978845608028654f * (1.0f + 3.0f * 0.044715f * x * x);
}

}  // namespace graphbench::cuda
