// Graphs: counting, instantiating, changing, uploading, launching.
#include "graphs/cuda/graph.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "graphs/cuda/prepared_kernel.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {
namespace {

// Of cudaGraphExecUpdateResult; the runtime has no texts for them.
constexpr std::pair<cudaGraphExecUpdateResult, const char*> update_texts[] = {
    {cudaGraphExecUpdateErrorTopologyChanged, "the graph has other nodes or edges"},
    {cudaGraphExecUpdateErrorNodeTypeChanged, "the node is of another type"},
    {cudaGraphExecUpdateErrorFunctionChanged, "the node's function cannot become the other one"},
    {cudaGraphExecUpdateErrorParametersChanged,
     "the node's parameters changed in a way that is not supported"},
    {cudaGraphExecUpdateErrorNotSupported, "something of the node is not supported"},
    {cudaGraphExecUpdateErrorUnsupportedFunctionChange,
     "the node's function changed in a way that is not supported"},
    {cudaGraphExecUpdateErrorAttributesChanged,
     "the node's attributes changed in a way that is not supported"},
};

constexpr std::pair<cudaGraphNodeType, const char*> type_names[] = {
    {cudaGraphNodeTypeKernel, "kernel"}, {cudaGraphNodeTypeMemcpy, "memcpy"},
    {cudaGraphNodeTypeMemset, "memset"}, {cudaGraphNodeTypeHost, "host"},
    {cudaGraphNodeTypeGraph, "graph"},   {cudaGraphNodeTypeEmpty, "empty"}};

template <typename Value, std::size_t count>
const char* text_of(const std::pair<Value, const char*> (&texts)[count], Value value, const char* other) {
  const auto found = std::ranges::find(texts, value, &std::pair<Value, const char*>::first);
  return found == std::end(texts) ? other : found->second;
}

// "kernel node 3" by its place in the graph that was to be taken over; empty where there is none.
std::string place_of(cudaGraphNode_t node, cudaGraph_t graph) {
  if (node == nullptr) return "";
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(node, &type), "ask for a node's type");
  const std::vector<cudaGraphNode_t> nodes = nodes_of(graph);
  const auto found = std::find(nodes.begin(), nodes.end(), node);
  const std::string place =
      found == nodes.end() ? "" : " " + std::to_string(std::distance(nodes.begin(), found));
  return std::string(name_of(type)) + " node" + place;
}

}  // namespace

const char* name_of(cudaGraphNodeType type) noexcept {
  return text_of(type_names, type, "other");
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "count graph nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "list graph nodes");
  return nodes;
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
          .reason = text_of(update_texts, info.result, "the driver gives no reason")};
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

std::size_t CudaGraph::node_count() const {
  std::size_t count = 0;
  if (graph_) check(cudaGraphGetNodes(graph_.get(), nullptr, &count), "count graph nodes");
  return count;
}

std::unique_ptr<GraphExec> CudaGraph::instantiate() {
  GraphExecHandle exec;
  // Without this flag the priorities that captured streams had are lost at replay.
  check(cudaGraphInstantiateWithFlags(exec.put(), graph_.get(), cudaGraphInstantiateFlagUseNodePriority),
        "instantiate graph");
  return std::make_unique<CudaGraphExec>(std::move(exec));
}

}  // namespace graphbench::cuda
