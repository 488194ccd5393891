// Graphs: counting, instantiating, uploading, launching.
#include "graphs/cuda/graph.hpp"

#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {

CudaGraphExec::~CudaGraphExec() {
  log_failure(cudaGraphExecDestroy(exec_), "destroy graph exec");
}

void CudaGraphExec::upload(Stream& stream) {
  check(cudaGraphUpload(exec_, static_cast<CudaStream&>(stream).handle()), "upload graph");
}

void CudaGraphExec::launch(Stream& stream) {
  check(cudaGraphLaunch(exec_, static_cast<CudaStream&>(stream).handle()), "launch graph");
}

PreparedReplay CudaGraphExec::prepare_replay(Stream& stream) {
  const auto enqueue = [](void* exec, void* native_stream) {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(exec), static_cast<cudaStream_t>(native_stream)),
          "launch graph");
  };
  return {enqueue, exec_, static_cast<CudaStream&>(stream).handle()};
}

CudaGraph::~CudaGraph() {
  log_failure(cudaGraphDestroy(graph_), "destroy graph");
}

std::size_t CudaGraph::node_count() const {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph_, nullptr, &count), "count graph nodes");
  return count;
}

std::unique_ptr<GraphExec> CudaGraph::instantiate() {
  cudaGraphExec_t exec = nullptr;
  // Without this flag the priorities that captured streams had are lost at replay.
  check(cudaGraphInstantiateWithFlags(&exec, graph_, cudaGraphInstantiateFlagUseNodePriority),
        "instantiate graph");
  return std::make_unique<CudaGraphExec>(exec);
}

}  // namespace graphbench::cuda
