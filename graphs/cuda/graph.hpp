// A captured graph and its instantiated form. An exec does not need the graph it came from.
#pragma once

#include <memory>
#include <utility>

#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/memset_nodes.hpp"
#include "graphs/device/execution.hpp"

namespace graphbench::cuda {

class CudaGraphExec final : public GraphExec {
 public:
  explicit CudaGraphExec(GraphExecHandle exec) noexcept : exec_(std::move(exec)) {}

  void upload(Stream& stream) override;
  void launch(Stream& stream) override;
  PreparedReplay prepare_replay(Stream& stream) override;
  void* native_handle() noexcept override { return exec_.get(); }

 private:
  GraphExecHandle exec_;
};

class CudaGraph final : public Graph {
 public:
  // `workspace`: memory that only our library calls use (memset_nodes.hpp).
  CudaGraph(GraphHandle graph, DeviceRange workspace) noexcept
      : graph_(std::move(graph)), workspace_(workspace) {}

  std::size_t node_count() const override;
  std::size_t replace_memset_nodes() override { return cuda::replace_memset_nodes(graph_.get(), workspace_); }
  std::unique_ptr<GraphExec> instantiate() override;
  void* native_handle() noexcept override { return graph_.get(); }

 private:
  GraphHandle graph_;
  DeviceRange workspace_;
};

}  // namespace graphbench::cuda
