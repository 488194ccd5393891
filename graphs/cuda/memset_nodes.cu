// Editing a graph between its capture and its instantiation.
#include <algorithm>
#include <optional>
#include <vector>

#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/memset_nodes.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
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

// Nothing where the memset is not one row of whole words inside the workspace.
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

struct Neighbours {
  std::vector<cudaGraphNode_t> before;
  std::vector<cudaGraphNode_t> after;
};

// Nothing where an edge is more than plain order.
std::optional<Neighbours> neighbours_of(cudaGraphNode_t node) {
  Neighbours found;
  std::vector<cudaGraphEdgeData> edges;
  std::size_t count = 0;
  const auto plain = [&edges] {
    return std::all_of(edges.begin(), edges.end(), [](const cudaGraphEdgeData& edge) {
      return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0;
    });
  };
  check(cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count), "read graph edges");
  found.before.resize(count);
  edges.resize(count);
  if (count > 0) {
    check(cudaGraphNodeGetDependencies(node, found.before.data(), edges.data(), &count), "read graph edges");
  }
  if (!plain()) return std::nullopt;
  check(cudaGraphNodeGetDependentNodes(node, nullptr, nullptr, &count), "read graph edges");
  found.after.resize(count);
  edges.assign(count, {});
  if (count > 0) {
    check(cudaGraphNodeGetDependentNodes(node, found.after.data(), edges.data(), &count), "read graph edges");
  }
  if (!plain()) return std::nullopt;
  return found;
}

void replace(cudaGraph_t graph, cudaGraphNode_t node, WordFill fill, const Neighbours& neighbours) {
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
  check(
      cudaGraphAddKernelNode(&added, graph, neighbours.before.data(), neighbours.before.size(), &parameters),
      "add a kernel node");
  check(cudaGraphDestroyNode(node), "remove a memset node");
  for (const cudaGraphNode_t next : neighbours.after) {
    check(cudaGraphAddDependencies(graph, &added, &next, nullptr, 1), "add a graph edge");
  }
}

}  // namespace

std::size_t replace_memset_nodes(cudaGraph_t graph, DeviceRange workspace) {
  std::size_t replaced = 0;
  for (const cudaGraphNode_t node : nodes_of(graph)) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "ask for a node's type");
    if (type != cudaGraphNodeTypeMemset) continue;
    cudaMemsetParams memset{};
    check(cudaGraphMemsetNodeGetParams(node, &memset), "read a memset node");
    const std::optional<WordFill> fill = word_fill_of(memset, workspace);
    if (!fill) continue;
    const std::optional<Neighbours> neighbours = neighbours_of(node);
    if (!neighbours) continue;
    replace(graph, node, *fill, *neighbours);
    ++replaced;
  }
  return replaced;
}

}  // namespace graphbench::cuda
