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
    : device_(device),
      batch_(batch),
      program_(registry.build(
          workload, {.preset = "base", .dtype = ir::DType::bf16, .pass = "forward", .options = {}})),
      stream_(device.make_stream()),
      buffers_(device, program_, batch),
      eager_pool_(device),
      graph_pool_(device) {
  buffers_.fill_weights(*stream_, 1);
  buffers_.fill_inputs(*stream_, 2);
  buffers_.fill_state(*stream_, 3);
  stream_->synchronize();
}

std::unique_ptr<execution::Executor> GpuProgram::executor(execution::ExecutionMode mode) {
  execution::ExecutionContext context{.device = device_,
                                      .stream = *stream_,
                                      .program = program_,
                                      .buffers = buffers_,
                                      .eager_pool = eager_pool_,
                                      .graph_pool = &graph_pool_,
                                      .splits = {}};
  return execution::make_executor(mode, context, batch_);
}

std::unique_ptr<execution::Executor> GpuProgram::ready_executor(execution::ExecutionMode mode) {
  std::unique_ptr<execution::Executor> executor = this->executor(mode);
  for (int i = 0; i < 3; ++i) executor->warm_up();
  stream_->synchronize();
  executor->capture();
  executor->instantiate();
  executor->upload();
  executor->submit();
  stream_->synchronize();
  return executor;
}

}  // namespace graphbench::gpu
