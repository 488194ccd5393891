// A program of this folder on a GPU, and a base workload at one batch with its memory there, ready for
// executors.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "graphs/abi/plugin.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::gpu {

// What `run` returns on the first GPU; 77 where there is none, 1 where it throws. Says which `program` it is.
int run_on_gpu(const char* program, const std::function<int(Device&)>& run);

class GpuProgram {
 public:
  GpuProgram(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload,
             std::int64_t batch);

  // Prepared, warmed up, captured, instantiated and uploaded, with one step run.
  std::unique_ptr<execution::Executor> ready_executor(execution::ExecutionMode mode);
  // Captured, instantiated and uploaded alone.
  std::unique_ptr<execution::Executor> captured(execution::ExecutionMode mode) {
    return test::Rig::prepare(mode, rig_.context(), batch_);
  }
  Stream& stream() { return *stream_; }

 private:
  std::int64_t batch_;
  std::unique_ptr<Stream> stream_;
  test::Rig rig_;
};

}  // namespace graphbench::gpu
