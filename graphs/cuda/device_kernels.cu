// Kernels that are not ops: fill and digest (graphs/ir/random_fill.hpp), the clock probe, the empty kernel,
// and kernel nodes that replace memset nodes.
#include <algorithm>
#include <optional>

#include "graphs/cuda/convert.cuh"
#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/runtime_names.hpp"
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
  // Integer sums do not depend on their order, so atomics always give the same bits.
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

// Runs as one thread, so that the GPU is almost idle during repeated probes.
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

void EmptyKernel::launch(Stream& stream, void* const*) {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(&empty_kernel), dim3(1), dim3(1), nullptr, 0,
                         static_cast<CudaStream&>(stream).handle()),
        "launch empty kernel");
}

namespace {

struct WordFill {
  unsigned* words;
  unsigned word;
  std::size_t count;
};

__global__ void fill_words(const WordFill fill) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < fill.count; i += stride) {
    fill.words[i] = fill.word;
  }
}

// The fill that equals the memset. Absent if the memset is not one row of whole words in the workspace.
std::optional<WordFill> word_fill_of(const cudaMemsetParams& memset, DeviceRange workspace) {
  const std::size_t bytes = memset.width * memset.elementSize;
  const bool one_row = memset.height <= 1 || memset.pitch == bytes;
  const std::size_t total = bytes * std::max<std::size_t>(memset.height, 1);
  const bool aligned = reinterpret_cast<std::uintptr_t>(memset.dst) % 4 == 0 && total % 4 == 0;
  if (!workspace.holds(memset.dst) || !one_row || !aligned || total == 0) return std::nullopt;
  unsigned word = memset.value;
  if (memset.elementSize == 1) word = (word & 0xffu) * 0x01010101u;
  if (memset.elementSize == 2) word = (word & 0xffffu) * 0x00010001u;
  return WordFill{static_cast<unsigned*>(memset.dst), word, total / 4};
}

// False if an edge has ports or a type, because replace() adds only plain edges.
bool plain(const GraphEdges& edges) {
  return std::all_of(edges.data.begin(), edges.data.end(), [](const cudaGraphEdgeData& edge) {
    return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0;
  });
}

void replace(cudaGraph_t graph, cudaGraphNode_t node, WordFill fill, const GraphEdges& before,
             const GraphEdges& after) {
  constexpr unsigned threads = 256;
  constexpr std::size_t blocks_max = 1024;
  void* arguments[] = {&fill};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(&fill_words);
  parameters.gridDim =
      dim3(static_cast<unsigned>(std::min((fill.count + threads - 1) / threads, blocks_max)));
  parameters.blockDim = dim3(threads);
  parameters.kernelParams = arguments;
  cudaGraphNode_t added = nullptr;
  check(cudaGraphAddKernelNode(&added, graph, before.nodes.data(), before.nodes.size(), &parameters),
        "add a kernel node");
  check(cudaGraphDestroyNode(node), "remove a memset node");
  for (const cudaGraphNode_t next : after.nodes) {
    check(add_plain_edge(graph, added, next), "add a graph edge");
  }
}

}  // namespace

std::size_t replace_memset_nodes(cudaGraph_t graph, DeviceRange workspace) {
  std::size_t replaced = 0;
  for (const cudaGraphNode_t node : nodes_of(graph)) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "read a node's type");
    if (type != cudaGraphNodeTypeMemset) continue;
    cudaMemsetParams memset{};
    check(cudaGraphMemsetNodeGetParams(node, &memset), "read a memset node");
    const std::optional<WordFill> fill = word_fill_of(memset, workspace);
    if (!fill) continue;
    const GraphEdges before = edges_of(node, read_dependencies);
    const GraphEdges after = edges_of(node, read_dependent_nodes);
    if (!plain(before) || !plain(after)) continue;
    replace(graph, node, *fill, before, after);
    ++replaced;
  }
  return replaced;
}

}  // namespace graphbench::cuda
