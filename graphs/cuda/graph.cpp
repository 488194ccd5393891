// Graphs: counting, instantiating, uploading, launching.
#include "graphs/cuda/graph.hpp"

#include "graphs/cuda/status.hpp"
#include "graphs/cuda/stream.hpp"

namespace graphbench::cuda {

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
  check(cudaGraphGetNodes(graph_.get(), nullptr, &count), "count graph nodes");
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
