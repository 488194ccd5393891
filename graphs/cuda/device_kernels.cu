// Fill and digest kernels over graphs/ir/random_fill.hpp; the clock probe and the empty kernel.
#include <algorithm>

#include "graphs/cuda/convert.cuh"
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"
#include "graphs/ir/random_fill.hpp"

namespace graphbench::cuda {
namespace {

constexpr unsigned block_threads = 256;
constexpr std::size_t grid_max = 1 << 20;

template <class T>
__global__ void fill_kernel(T* destination, std::size_t elements, bool uniform, float low, float high,
                            std::uint64_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; 2 * i < elements; i += stride) {
    const std::uint64_t bits = uniform ? ir::bits_of_pair(seed, i) : 0;
    const auto value = [&](std::uint64_t half) {
      return from_float<T>(uniform ? ir::uniform_of(static_cast<std::uint32_t>(half), low, high) : low);
    };
    destination[2 * i] = value(bits >> 32);
    if (2 * i + 1 < elements) destination[2 * i + 1] = value(bits);
  }
}

__global__ void digest_kernel(const std::uint32_t* source, std::size_t words, unsigned long long* sum) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long partial = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    partial += ir::digest_word(i, source[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) partial += __shfl_down_sync(0xffffffffu, partial, offset);
  // Integer sums do not depend on their order, so atomics give the same bits as a tree.
  if (threadIdx.x % 32 == 0) atomicAdd(sum, partial);
}

template <class T>
void fill_typed(cudaStream_t stream, void* destination, std::size_t elements, const ir::Init& init,
                std::uint64_t seed) {
  const std::size_t pairs = (elements + 1) / 2;
  const std::size_t blocks = std::min((pairs + block_threads - 1) / block_threads, grid_max);
  fill_kernel<T><<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(
      static_cast<T*>(destination), elements, init.kind == ir::Init::Kind::uniform,
      static_cast<float>(init.low), static_cast<float>(init.high), seed);
  check(cudaGetLastError(), "fill");
}

__device__ unsigned long long timer_nanoseconds() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// One thread: it leaves the GPU all but idle, so that probing again and again is a way to let it rest.
__global__ void count_cycles(unsigned long long* nanoseconds) {
  const unsigned long long begun = timer_nanoseconds();
  const long long first = clock64();
  while (clock64() - first < clock_probe_cycles) {
  }
  *nanoseconds = timer_nanoseconds() - begun;
}

__global__ void empty_kernel() {}

}  // namespace

void launch_fill(cudaStream_t stream, void* destination, ir::DType dtype, std::size_t elements,
                 const ir::Init& init, std::uint64_t seed) {
  if (elements == 0) return;
  switch (dtype) {
    case ir::DType::fp32:
      return fill_typed<float>(stream, destination, elements, init, seed);
    case ir::DType::fp16:
      return fill_typed<__half>(stream, destination, elements, init, seed);
    case ir::DType::bf16:
      return fill_typed<__nv_bfloat16>(stream, destination, elements, init, seed);
    case ir::DType::i32:
      return fill_typed<std::int32_t>(stream, destination, elements, init, seed);
  }
}

void launch_digest(cudaStream_t stream, const void* source, std::size_t words, unsigned long long* sum,
                   int multiprocessors) {
  if (words == 0) return;
  const std::size_t wanted = (words + block_threads - 1) / block_threads;
  const auto blocks = static_cast<unsigned>(std::min(wanted, static_cast<std::size_t>(multiprocessors) * 8));
  digest_kernel<<<blocks, block_threads, 0, stream>>>(static_cast<const std::uint32_t*>(source), words, sum);
  check(cudaGetLastError(), "digest");
}

void launch_clock_probe(cudaStream_t stream, unsigned long long* nanoseconds) {
  count_cycles<<<1, 1, 0, stream>>>(nanoseconds);
  check(cudaGetLastError(), "probe clock");
}

// Through the same call that a compiler makes of <<<>>>.
void EmptyKernel::launch(Stream& stream, void* const*) {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(&empty_kernel), dim3(1), dim3(1), nullptr, 0,
                         static_cast<CudaStream&>(stream).handle()),
        "launch empty kernel");
}

}  // namespace graphbench::cuda
