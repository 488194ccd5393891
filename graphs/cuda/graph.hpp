// Owners of cudaGraph_t and cudaGraphExec_t. An exec does not need the graph it came from.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "graphs/device/device.hpp"

namespace graphbench::cuda {

class CudaGraphExec final : public GraphExec {
 public:
  explicit CudaGraphExec(cudaGraphExec_t exec) noexcept : exec_(exec) {}  // takes ownership
  ~CudaGraphExec() override;
  CudaGraphExec(const CudaGraphExec&) = delete;
  CudaGraphExec& operator=(const CudaGraphExec&) = delete;

  void upload(Stream& stream) override;
  void launch(Stream& stream) override;
  PreparedReplay prepare_replay(Stream& stream) override;
  void* native_handle() noexcept override { return exec_; }

 private:
  cudaGraphExec_t exec_;
};

class CudaGraph final : public Graph {
 public:
  explicit CudaGraph(cudaGraph_t graph) noexcept : graph_(graph) {}  // takes ownership
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  std::size_t node_count() const override;
  std::unique_ptr<GraphExec> instantiate() override;
  void* native_handle() noexcept override { return graph_; }

 private:
  cudaGraph_t graph_;
};

}  // namespace graphbench::cuda
