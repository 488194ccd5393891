// Runs a plugin's op on the host within a step: copies its operands to the host, and its results back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/cuda/handle.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::cuda {

class HostRun {
 public:
  explicit HostRun(const ir::OpCall& call);

  // Waits for the stream before the op runs; only the copies back are enqueued. Throws Error(plugin_failed)
  // if the op fails, Error(capture_unsupported) on a capturing stream, which cannot record the wait.
  void run(void* const* operands, cudaStream_t stream, const char* object);

 private:
  struct Copy {
    std::size_t operand = 0;
    std::size_t bytes = 0;
  };

  std::vector<Copy> to_host_;
  std::vector<Copy> to_device_;
  std::vector<void*> on_host_;  // by operand
  PinnedHandle memory_;
  abi::ForeignKernel kernel_;  // released before its memory is freed
};

}  // namespace graphbench::cuda
