// Building a workload in preset base and bf16, and the executors over it.
#include "gpu_program.hpp"

#include <cstdio>

#include "graphs/cuda/cuda_device.hpp"

namespace graphbench::gpu {

int run_on_gpu(const char* program, const std::function<int(Device&)>& run) {
  try {
    cuda::CudaBackend backend;
    const DeviceStatus status = backend.devices().front();
    if (status.available) return run(*backend.open(0));
    std::fprintf(stderr, "%s: skipped, needs a GPU: %s; %s\n", program, status.detail.c_str(),
                 status.advice.c_str());
    return 77;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

GpuProgram::GpuProgram(Device& device, const abi::WorkloadRegistry& registry, const std::string& workload,
                       std::int64_t batch)
    : batch_(batch),
      stream_(device.make_stream()),
      rig_(device, *stream_,
           registry.build(workload,
                          {.preset = "base", .dtype = ir::DType::bf16, .pass = "forward", .options = {}}),
           batch, test::Rig::Layout::together) {}

std::unique_ptr<execution::Executor> GpuProgram::ready_executor(execution::ExecutionMode mode) {
  std::unique_ptr<execution::Executor> executor = rig_.prepare(mode, batch_);
  executor->submit();
  stream_->synchronize();
  return executor;
}

}  // namespace graphbench::gpu
