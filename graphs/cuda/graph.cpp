// Counts, describes, instantiates, changes, uploads and launches graphs.
#include "graphs/cuda/graph.hpp"

#include <cuda.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "graphs/cuda/dynamic_library.hpp"
#include "graphs/cuda/prepared_kernel.hpp"
#include "graphs/cuda/runtime_names.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

// The runtime has no texts for cudaGraphExecUpdateResult.
constexpr std::pair<cudaGraphExecUpdateResult, const char*> update_texts[] = {
    {cudaGraphExecUpdateErrorTopologyChanged, "the nodes or edges of the graph changed"},
    {cudaGraphExecUpdateErrorNodeTypeChanged, "the node's type changed"},
    {cudaGraphExecUpdateErrorFunctionChanged, "the node's function changed"},
    {cudaGraphExecUpdateErrorParametersChanged,
     "the node's parameters changed in a way that an update does not support"},
    {cudaGraphExecUpdateErrorNotSupported, "an update does not support a part of the node"},
    {cudaGraphExecUpdateErrorUnsupportedFunctionChange,
     "the node's function changed in a way that an update does not support"},
    {cudaGraphExecUpdateErrorAttributesChanged,
     "the node's attributes changed in a way that an update does not support"},
};

constexpr std::pair<cudaGraphNodeType, const char*> type_names[] = {
    {cudaGraphNodeTypeKernel, "kernel"},
    {cudaGraphNodeTypeMemcpy, "memcpy"},
    {cudaGraphNodeTypeMemset, "memset"},
    {cudaGraphNodeTypeHost, "host"},
    {cudaGraphNodeTypeGraph, "graph"},
    {cudaGraphNodeTypeEmpty, "empty"},
    {cudaGraphNodeTypeConditional, "conditional"}};

template <typename Value, std::size_t count>
const char* text_for(const std::pair<Value, const char*> (&texts)[count], Value value, const char* other) {
  const auto found = std::ranges::find(texts, value, &std::pair<Value, const char*>::first);
  return found == std::end(texts) ? other : found->second;
}

// A text such as "kernel node 3", where 3 is the node's index in the graph.
std::string place_of(cudaGraphNode_t node, cudaGraph_t graph) {
  if (node == nullptr) return "";
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(node, &type), "read a node's type");
  const std::vector<cudaGraphNode_t> nodes = nodes_of(graph);
  const auto found = std::find(nodes.begin(), nodes.end(), node);
  const std::string place =
      found == nodes.end() ? "" : " " + std::to_string(std::distance(nodes.begin(), found));
  return std::string(name_of(type)) + " node" + place;
}

}  // namespace

const char* name_of(cudaGraphNodeType type) noexcept {
  return text_for(type_names, type, "other");
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "count graph nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "list graph nodes");
  return nodes;
}

GraphEdges edges_of(cudaGraphNode_t node, ReadEdges read) {
  std::size_t count = 0;
  check(read(node, nullptr, nullptr, &count), "read graph edges");
  GraphEdges edges{std::vector<cudaGraphNode_t>(count), std::vector<cudaGraphEdgeData>(count)};
  if (count > 0) check(read(node, edges.nodes.data(), edges.data.data(), &count), "read graph edges");
  return edges;
}

GraphUpdate CudaGraphExec::update(Graph& graph) {
  const auto native = static_cast<cudaGraph_t>(graph.native_handle());
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cudaGraphExecUpdate(exec_.get(), native, &info);
  if (status == cudaSuccess) [[likely]]
    return {.done = true, .node = "", .reason = ""};
  if (status != cudaErrorGraphExecUpdateFailure) raise(status, "update", "graph");
  (void)cudaGetLastError();
  return {.done = false,
          .node = place_of(info.errorNode, native),
          .reason = text_for(update_texts, info.result, "the driver gives no reason")};
}

void CudaGraphExec::set_operands(const std::vector<GraphNode>& nodes, Kernel& kernel, void* const* operands) {
  static_cast<PreparedKernel&>(kernel).set_nodes(exec_.get(), nodes, operands);
}

void CudaGraphExec::set_copy(GraphNode node, const DeviceCopy& copy) {
  check(cudaGraphExecMemcpyNodeSetParams1D(exec_.get(), static_cast<cudaGraphNode_t>(node), copy.destination,
                                           copy.source, copy.bytes, cudaMemcpyDeviceToDevice),
        "set the parameters of", "a copy node");
}

void CudaGraphExec::upload(Stream& stream) {
  check(cudaGraphUpload(exec_.get(), static_cast<CudaStream&>(stream).handle()), "upload graph");
}

void CudaGraphExec::launch(Stream& stream) {
  check(cudaGraphLaunch(exec_.get(), static_cast<CudaStream&>(stream).handle()), "launch graph");
}

PreparedReplay CudaGraphExec::prepare_replay(Stream& stream) {
  const auto enqueue = [](void* exec, void* native_stream) {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(exec), static_cast<cudaStream_t>(native_stream)),
          "launch graph");
  };
  return {enqueue, exec_.get(), static_cast<CudaStream&>(stream).handle()};
}

facts::GraphContents CudaGraph::contents() const {
  std::size_t nodes = 0;
  if (graph_) check(cudaGraphGetNodes(graph_.get(), nullptr, &nodes), "count graph nodes");
  return {.nodes = static_cast<std::int64_t>(nodes)};
}

std::unique_ptr<GraphExec> CudaGraph::instantiate() {
  GraphExecHandle exec;
  // The first flag keeps the priorities of captured streams. The second flag, for a borrowed graph, frees at
  // the next launch any memory that the graph allocated and did not free. PyTorch sets it too.
  const unsigned long long flags =
      cudaGraphInstantiateFlagUseNodePriority | (lent_ ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0);
  check(cudaGraphInstantiateWithFlags(exec.put(), graph_.get(), flags), "instantiate graph");
  return std::make_unique<CudaGraphExec>(std::move(exec));
}

namespace {

std::string text_for(unsigned int x, unsigned int y, unsigned int z) {
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

// A function of the driver's library; null if the driver lacks it. Looked up at run time, because the library
// is not linked, and by its exported name, because the runtime's own look-up changed with CUDA 12.5 and 13.
template <typename Function>
Function* driver_function(const char* name) {
  static DynamicLibrary library("the driver", {"libcuda.so.1"});
  Function* found = nullptr;
  library.look_up(name, found);
  return found;
}

// Describes the kernel's cluster size and priority, which an exec update does not change. Omits defaults.
void describe_attributes(cudaGraphNode_t node, facts::DescribedNode& described) {
  static const auto read =
      driver_function<decltype(cuGraphKernelNodeGetAttribute)>("cuGraphKernelNodeGetAttribute");
  if (read == nullptr) return;
  CUlaunchAttributeValue value{};
  if (read(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) == CUDA_SUCCESS && value.clusterDim.x > 1)
    described.facts["cluster"] = text_for(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
  if (read(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) == CUDA_SUCCESS && value.priority != 0)
    described.facts["priority"] = std::to_string(value.priority);
}

// Asks the driver, because the runtime refuses to describe kernels that a library launched by the driver API.
void describe_kernel(cudaGraphNode_t node, facts::DescribedNode& described) {
  static const auto read =
      driver_function<decltype(cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams_v2");
  static const auto name_of_function = driver_function<decltype(cuFuncGetName)>("cuFuncGetName");
  static const auto name_of_kernel = driver_function<decltype(cuKernelGetName)>("cuKernelGetName");
  CUDA_KERNEL_NODE_PARAMS kernel{};
  if (read == nullptr || read(node, &kernel) != CUDA_SUCCESS) return;
  described.facts["grid"] = text_for(kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ);
  described.facts["block"] = text_for(kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ);
  described.facts["shared_bytes"] = std::to_string(kernel.sharedMemBytes);
  describe_attributes(node, described);
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

// Returns the nodes before `node`. Adds to `described` how many programmatic edges let `node` start early.
std::vector<cudaGraphNode_t> dependencies_of(cudaGraphNode_t node, facts::DescribedNode& described) {
  const GraphEdges edges = edges_of(node, read_dependencies);
  const auto early = std::ranges::count_if(edges.data, [](const cudaGraphEdgeData& edge) {
    return edge.type == cudaGraphDependencyTypeProgrammatic;
  });
  if (early > 0) described.facts["programmatic_edges"] = std::to_string(early);
  return edges.nodes;
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
    check(cudaGraphNodeGetType(node, &type), "read a node's type");
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
