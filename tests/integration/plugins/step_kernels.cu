// Has the kernels of foreign_step.cpp, and makes the calls of the CUDA runtime that it needs.
#include <cuda_runtime_api.h>

#include "tests/integration/plugins/step_kernels.hpp"

namespace {

__global__ void double_and_add_kernel(const float* x, float* h, std::size_t count) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) h[i] = 2.0f * x[i] + 1.0f;
}

__global__ void square_kernel(const float* h, float* k, std::size_t count) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) k[i] = h[i] * h[i];
}

// Runs in one block, so that all threads read the count of steps before one of them increases it.
__global__ void subtract_kernel(const float* k, const float* x, float* steps, float* y, std::size_t count) {
  const float step = *steps;
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) y[i] = k[i] - x[i] + step;
  __syncthreads();
  if (threadIdx.x == 0) *steps = step + 1.0f;
}

constexpr unsigned threads = 256;

unsigned blocks_of(std::size_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

cudaStream_t stream_of(void* stream) {
  return static_cast<cudaStream_t>(stream);
}

}  // namespace

namespace step_kernels {

int allocate(float** data, std::size_t count) {
  return cudaMalloc(data, count * sizeof(float));
}

void release(float* data) {
  (void)cudaFree(data);
}

int copy_in(float* device, const float* host, std::size_t count, void* stream) {
  (void)cudaMemcpyAsync(device, host, count * sizeof(float), cudaMemcpyHostToDevice, stream_of(stream));
  return cudaStreamSynchronize(stream_of(stream));
}

int double_and_add(const float* x, float* h, std::size_t count, void* stream) {
  double_and_add_kernel<<<blocks_of(count), threads, 0, stream_of(stream)>>>(x, h, count);
  return cudaGetLastError();
}

int square(const float* h, float* k, std::size_t count, void* stream) {
  square_kernel<<<blocks_of(count), threads, 0, stream_of(stream)>>>(h, k, count);
  return cudaGetLastError();
}

int subtract(const float* k, const float* x, float* steps, float* y, std::size_t count, void* stream) {
  subtract_kernel<<<1, threads, 0, stream_of(stream)>>>(k, x, steps, y, count);
  return cudaGetLastError();
}

int capture(void* stream, int (*part)(void* argument), void* argument, void** graph) {
  if (const int error = cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal))
    return error;
  const int failed = part(argument);
  cudaGraph_t captured = nullptr;
  const int error = cudaStreamEndCapture(stream_of(stream), &captured);
  *graph = captured;
  return failed != 0 ? failed : error;
}

int instantiate(void* graph, void** exec) {
  cudaGraphExec_t made = nullptr;
  const int error = cudaGraphInstantiateWithFlags(&made, static_cast<cudaGraph_t>(graph), 0);
  *exec = made;
  return error;
}

int launch(void* exec, void* stream) {
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(exec), stream_of(stream));
}

void destroy(void* graph, void* exec) {
  if (exec != nullptr) (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(exec));
  if (graph != nullptr) (void)cudaGraphDestroy(static_cast<cudaGraph_t>(graph));
}

}  // namespace step_kernels
