// What the runtime knows of a graph's nodes, for people.
#include <algorithm>
#include <string>

#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

std::string text_of(dim3 size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

// Kernels that a library launched through the driver have no function of the runtime's.
void describe_kernel(cudaGraphNode_t node, GraphNodeFacts& facts) {
  cudaKernelNodeParams kernel{};
  const char* name = nullptr;
  if (cudaGraphKernelNodeGetParams(node, &kernel) == cudaSuccess) {
    facts.facts["grid"] = text_of(kernel.gridDim);
    facts.facts["block"] = text_of(kernel.blockDim);
    facts.facts["shared_bytes"] = std::to_string(kernel.sharedMemBytes);
    if (cudaFuncGetName(&name, kernel.func) == cudaSuccess && name != nullptr) facts.function = name;
  }
  (void)cudaGetLastError();
}

void describe_memory(cudaGraphNode_t node, GraphNodeFacts& facts) {
  if (facts.type == "memset") {
    cudaMemsetParams memset{};
    check(cudaGraphMemsetNodeGetParams(node, &memset), "read a memset node");
    facts.facts["bytes"] =
        std::to_string(memset.width * memset.elementSize * std::max<std::size_t>(memset.height, 1));
    facts.facts["value"] = std::to_string(memset.value);
  } else if (facts.type == "memcpy") {
    cudaMemcpy3DParms copy{};
    check(cudaGraphMemcpyNodeGetParams(node, &copy), "read a memcpy node");
    facts.facts["bytes"] = std::to_string(copy.extent.width * copy.extent.height * copy.extent.depth);
  }
}

// Says of the node which of its edges let it begin before the other node has ended.
std::vector<cudaGraphNode_t> dependencies_of(cudaGraphNode_t node, GraphNodeFacts& facts) {
  std::size_t count = 0;
  check(cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count), "read graph edges");
  std::vector<cudaGraphNode_t> nodes(count);
  std::vector<cudaGraphEdgeData> edges(count);
  if (count > 0)
    check(cudaGraphNodeGetDependencies(node, nodes.data(), edges.data(), &count), "read graph edges");
  const auto early = std::count_if(edges.begin(), edges.end(), [](const cudaGraphEdgeData& edge) {
    return edge.type == cudaGraphDependencyTypeProgrammatic;
  });
  if (early > 0) facts.facts["programmatic_edges"] = std::to_string(early);
  return nodes;
}

}  // namespace

std::vector<GraphNodeFacts> CudaGraph::describe() const {
  const std::vector<cudaGraphNode_t> nodes = graph_ ? nodes_of(graph_.get()) : std::vector<cudaGraphNode_t>();
  std::vector<GraphNodeFacts> all;
  for (const cudaGraphNode_t node : nodes) {
    GraphNodeFacts& facts = all.emplace_back();
    facts.node = node;
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "ask for a node's type");
    facts.type = name_of(type);
    if (type == cudaGraphNodeTypeKernel) {
      describe_kernel(node, facts);
    } else {
      describe_memory(node, facts);
    }
    for (const cudaGraphNode_t before : dependencies_of(node, facts))
      facts.after.push_back(
          static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), before) - nodes.begin()));
  }
  return all;
}

}  // namespace graphbench::cuda
