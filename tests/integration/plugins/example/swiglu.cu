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
cudaError_t launch(void* const* operands, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  const std::int64_t blocks = std::min(kBlocksMax, (rows * columns + kThreads - 1) / kThreads);
  swiglu<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      static_cast<const Element*>(operands[0]), static_cast<Element*>(operands[1]), rows, columns);
  return cudaGetLastError();
}

}  // namespace

// A kernel's code is loaded at its first use. Without this, that would be a warmup, or the capture itself.
extern "C" int swiglu_prepare(const gb_op_call* call, void**, char* error, size_t error_size, void*) {
  if (call->place != GB_ON_CUDA) return 0;
  cudaFuncAttributes attributes;
  const cudaError_t status = call->operands[1].dtype == GB_FP32
                                 ? cudaFuncGetAttributes(&attributes, swiglu<float>)
                                 : cudaFuncGetAttributes(&attributes, swiglu<__nv_bfloat16>);
  if (status != cudaSuccess) std::snprintf(error, error_size, "%s", cudaGetErrorString(status));
  return status;
}

extern "C" int swiglu_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream, void*) {
  const gb_tensor& y = call->operands[1];
  const auto stream = static_cast<cudaStream_t>(cuda_stream);
  return y.dtype == GB_FP32 ? launch<float>(operands, y.dims[0], y.dims[1], stream)
                            : launch<__nv_bfloat16>(operands, y.dims[0], y.dims[1], stream);
}
