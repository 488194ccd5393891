// The CUDA side of the op. It enqueues on the stream it is given and returns: no synchronisation, no
// allocation and no other stream, so the same function serves eager submission and capture.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "swiglu.hpp"

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kBlocksMax = 4096;  // a grid-stride loop does the rest

__device__ float load(const float* x, std::int64_t i) {
  return x[i];
}
__device__ float load(const __nv_bfloat16* x, std::int64_t i) {
  return __bfloat162float(x[i]);
}
__device__ void store(float* y, std::int64_t i, float value) {
  y[i] = value;
}
__device__ void store(__nv_bfloat16* y, std::int64_t i, float value) {
  y[i] = __float2bfloat16(value);
}

template <typename Element>
__global__ void swiglu(const Element* x, Element* y, std::int64_t rows, std::int64_t columns) {
  const std::int64_t count = rows * columns;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const std::int64_t start = i / columns * 2 * columns + i % columns;
    const float gate = load(x, start);
    const float up = load(x, start + columns);
    store(y, i, gate / (1.0f + expf(-gate)) * up);
  }
}

template <typename Element>
__global__ void swiglu_gradient(const Element* x, const Element* dy, Element* dx, std::int64_t rows,
                                std::int64_t columns) {
  const std::int64_t count = rows * columns;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const std::int64_t at = i / columns * 2 * columns + i % columns;
    const float gate = load(x, at);
    const float up = load(x, at + columns);
    const float s = 1.0f / (1.0f + expf(-gate));
    const float slope = load(dy, i);
    store(dx, at, slope * up * s * (1.0f + gate * (1.0f - s)));
    store(dx, at + columns, slope * gate * s);
  }
}

unsigned blocks_of(std::int64_t rows, std::int64_t columns) {
  return static_cast<unsigned>(std::min(kBlocksMax, (rows * columns + kThreads - 1) / kThreads));
}

template <typename Element>
cudaError_t launch_gradient(void* const* operands, std::int64_t rows, std::int64_t columns,
                            cudaStream_t stream) {
  swiglu_gradient<<<blocks_of(rows, columns), kThreads, 0, stream>>>(
      static_cast<const Element*>(operands[0]), static_cast<const Element*>(operands[2]),
      static_cast<Element*>(operands[3]), rows, columns);
  return cudaGetLastError();
}

template <typename Element>
cudaError_t launch(void* const* operands, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  swiglu<<<blocks_of(rows, columns), kThreads, 0, stream>>>(
      static_cast<const Element*>(operands[0]), static_cast<Element*>(operands[1]), rows, columns);
  return cudaGetLastError();
}

}  // namespace

// Loads a kernel's code before its first use, which would otherwise load it in a warmup or in the capture.
// Serves both ops: the gradient is the op with three inputs.
extern "C" int swiglu_prepare(const gb_op_call* call, void**, char* error, size_t error_size, void*) {
  if (call->place != GB_ON_CUDA) return 0;
  cudaFuncAttributes attributes;
  const bool single = call->operands[1].dtype == GB_FP32;
  const void* const kernel = call->input_count == 3
                                 ? (single ? reinterpret_cast<const void*>(swiglu_gradient<float>)
                                           : reinterpret_cast<const void*>(swiglu_gradient<__nv_bfloat16>))
                                 : (single ? reinterpret_cast<const void*>(swiglu<float>)
                                           : reinterpret_cast<const void*>(swiglu<__nv_bfloat16>));
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  if (status != cudaSuccess) std::snprintf(error, error_size, "%s", cudaGetErrorString(status));
  return status;
}

extern "C" int swiglu_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream, void*) {
  const gb_tensor& y = call->operands[1];
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  return y.dtype == GB_FP32 ? launch<float>(operands, y.dims[0], y.dims[1], stream)
                            : launch<__nv_bfloat16>(operands, y.dims[0], y.dims[1], stream);
}

extern "C" int swiglu_gradient_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream,
                                           void*) {
  const gb_tensor& dy = call->operands[2];
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  return dy.dtype == GB_FP32 ? launch_gradient<float>(operands, dy.dims[0], dy.dims[1], stream)
                             : launch_gradient<__nv_bfloat16>(operands, dy.dims[0], dy.dims[1], stream);
}
