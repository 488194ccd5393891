// What the runtime knows of a graph's nodes, for people.
#include <cuda.h>

#include <algorithm>
#include <string>

#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

std::string text_of(unsigned int x, unsigned int y, unsigned int z) {
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

// A function of the driver, as CUDA 12.3 has it: the driver is not linked. Null where it has none.
template <typename Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  const bool asked =
      cudaGetDriverEntryPointByVersion(name, &found, 12030, cudaEnableDefault, &status) == cudaSuccess;
  (void)cudaGetLastError();
  return asked && status == cudaDriverEntryPointSuccess ? reinterpret_cast<Function*>(found) : nullptr;
}

// By the driver: the runtime refuses to describe kernels that a library launched through the driver.
void describe_kernel(cudaGraphNode_t node, facts::DescribedNode& described) {
  static const auto read =
      driver_function<decltype(cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams");
  static const auto name_of_function = driver_function<decltype(cuFuncGetName)>("cuFuncGetName");
  static const auto name_of_kernel = driver_function<decltype(cuKernelGetName)>("cuKernelGetName");
  CUDA_KERNEL_NODE_PARAMS kernel{};
  if (read == nullptr || read(node, &kernel) != CUDA_SUCCESS) return;
  described.facts["grid"] = text_of(kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ);
  described.facts["block"] = text_of(kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ);
  described.facts["shared_bytes"] = std::to_string(kernel.sharedMemBytes);
  const char* name = nullptr;
  if (kernel.func != nullptr) {
    if (name_of_function != nullptr) (void)name_of_function(&name, kernel.func);
  } else if (name_of_kernel != nullptr) {
    (void)name_of_kernel(&name, kernel.kern);
  }
  if (name != nullptr) described.function = name;
}

void describe_memory(cudaGraphNode_t node, facts::DescribedNode& described) {
  if (described.type == "memset") {
    cudaMemsetParams memset{};
    check(cudaGraphMemsetNodeGetParams(node, &memset), "read a memset node");
    described.facts["bytes"] =
        std::to_string(memset.width * memset.elementSize * std::max<std::size_t>(memset.height, 1));
    described.facts["value"] = std::to_string(memset.value);
  } else if (described.type == "memcpy") {
    cudaMemcpy3DParms copy{};
    check(cudaGraphMemcpyNodeGetParams(node, &copy), "read a memcpy node");
    described.facts["bytes"] = std::to_string(copy.extent.width * copy.extent.height * copy.extent.depth);
  }
}

// Says of the node which of its edges let it begin before the other node has ended.
std::vector<cudaGraphNode_t> dependencies_of(cudaGraphNode_t node, facts::DescribedNode& described) {
  std::size_t count = 0;
  check(cudaGraphNodeGetDependencies(node, nullptr, nullptr, &count), "read graph edges");
  std::vector<cudaGraphNode_t> nodes(count);
  std::vector<cudaGraphEdgeData> edges(count);
  if (count > 0)
    check(cudaGraphNodeGetDependencies(node, nodes.data(), edges.data(), &count), "read graph edges");
  const auto early = std::count_if(edges.begin(), edges.end(), [](const cudaGraphEdgeData& edge) {
    return edge.type == cudaGraphDependencyTypeProgrammatic;
  });
  if (early > 0) described.facts["programmatic_edges"] = std::to_string(early);
  return nodes;
}

}  // namespace

std::vector<GraphNode> CudaGraph::nodes() const {
  if (!graph_) return {};
  const std::vector<cudaGraphNode_t> nodes = nodes_of(graph_.get());
  return {nodes.begin(), nodes.end()};
}

std::vector<facts::DescribedNode> CudaGraph::describe() const {
  const std::vector<cudaGraphNode_t> nodes = graph_ ? nodes_of(graph_.get()) : std::vector<cudaGraphNode_t>();
  std::vector<facts::DescribedNode> all;
  for (const cudaGraphNode_t node : nodes) {
    facts::DescribedNode& described = all.emplace_back();
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "ask for a node's type");
    described.type = name_of(type);
    if (type == cudaGraphNodeTypeKernel) {
      describe_kernel(node, described);
    } else {
      describe_memory(node, described);
    }
    for (const cudaGraphNode_t before : dependencies_of(node, described))
      described.after.push_back(std::find(nodes.begin(), nodes.end(), before) - nodes.begin());
    std::sort(described.after.begin(), described.after.end());
  }
  return all;
}

}  // namespace graphbench::cuda
