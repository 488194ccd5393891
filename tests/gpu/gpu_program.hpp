// A program of this folder on a GPU, and a base workload at one batch with its memory there, ready for
// executors.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "graphs/abi/plugin.hpp"
#include "graphs/execution/executor.hpp"

namespace graphbench::gpu {

// What `run` returns on the first GPU; 77 where there is none, 1 where it throws. Says which `program` it is.
int run_on_gpu(const char* program, const std::function<int(Device&)>& run);

class GpuProgram {
 public:
  GpuProgram(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload,
             std::int64_t batch);

  // Prepared, warmed up, captured, instantiated and uploaded, with one step run.
  std::unique_ptr<execution::Executor> ready_executor(execution::ExecutionMode mode);
  // Only constructed.
  std::unique_ptr<execution::Executor> executor(execution::ExecutionMode mode);
  Stream& stream() { return *stream_; }

 private:
  Device& device_;
  std::int64_t batch_;
  ir::Program program_;
  std::unique_ptr<Stream> stream_;
  execution::ProgramBuffers buffers_;
  pool::MemoryPool eager_pool_;
  pool::MemoryPool graph_pool_;
};

}  // namespace graphbench::gpu
