// A captured graph, and the exec that is instantiated from it. The exec does not need the graph afterwards.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/handle.hpp"
#include "graphs/device/execution.hpp"

namespace graphbench::cuda {

// In order of creation.
std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph);
const char* name_of(cudaGraphNodeType type) noexcept;  // "kernel", "memcpy", ...

struct GraphEdges {
  std::vector<cudaGraphNode_t> nodes;   // the node at the other end of each edge
  std::vector<cudaGraphEdgeData> data;  // [i] belongs to nodes[i]
};
using ReadEdges = cudaError_t (*)(cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*, std::size_t*);
// `read` is read_dependencies or read_dependent_nodes (runtime_names.hpp).
GraphEdges edges_of(cudaGraphNode_t node, ReadEdges read);

class CudaGraphExec final : public GraphExec {
 public:
  explicit CudaGraphExec(GraphExecHandle exec) noexcept : exec_(std::move(exec)) {}

  GraphUpdate update(Graph& graph) override;
  void set_operands(const std::vector<GraphNode>& nodes, Kernel& kernel, void* const* operands) override;
  void set_copy(GraphNode node, const DeviceCopy& copy) override;
  void upload(Stream& stream) override;
  void launch(Stream& stream) override;
  PreparedReplay prepare_replay(Stream& stream) override;
  void* native_handle() noexcept override { return exec_.get(); }

 private:
  GraphExecHandle exec_;
};

class CudaGraph final : public Graph {
 public:
  // `workspace`: memory that only our library calls use (see replace_memset_nodes).
  CudaGraph(GraphHandle graph, DeviceRange workspace) noexcept
      : graph_(std::move(graph)), workspace_(workspace) {}
  // Borrows a graph that PyTorch or another library captured and still owns.
  explicit CudaGraph(cudaGraph_t lent) noexcept : graph_(lent), lent_(true) {}
  ~CudaGraph() override { reset(); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  facts::GraphContents contents() const override;
  std::size_t replace_memset_nodes() override { return cuda::replace_memset_nodes(graph_.get(), workspace_); }
  std::unique_ptr<GraphExec> instantiate() override;
  std::vector<GraphNode> nodes() const override;
  std::vector<facts::DescribedNode> describe() const override;
  void reset() override { lent_ ? graph_.release() : graph_.reset(); }
  void* native_handle() noexcept override { return graph_.get(); }
  void hold(GraphHandle graph) noexcept { graph_ = std::move(graph); }

 private:
  GraphHandle graph_;  // empty after reset()
  DeviceRange workspace_;
  bool lent_ = false;
};

}  // namespace graphbench::cuda
