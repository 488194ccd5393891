// Prepares ops of plugins. A launch function gets the native stream; a host function runs between a copy to
// the host and a copy back.
#include "graphs/cuda/ops/foreign.hpp"

#include <string>

#include "graphs/base/text.hpp"
#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

HostRun::HostRun(const ir::OpCall& call) : kernel_(call, GB_ON_HOST) {
  const std::vector<std::uint32_t>& mutated = call.op->definition->mutated_inputs;
  constexpr std::size_t alignment = 512;
  std::vector<std::size_t> offsets;
  std::size_t total = 0;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const std::size_t bytes = call.operands[i].bytes();
    const bool is_input = i < call.input_count;
    if (is_input) to_host_.push_back({i, bytes});
    if (!is_input || contains(mutated, i)) to_device_.push_back({i, bytes});
    offsets.push_back(total);
    total += (bytes + alignment - 1) / alignment * alignment;
  }
  const std::size_t workspace_bytes = kernel_.workspace_bytes();
  if (total + workspace_bytes == 0) return;
  check(cudaMallocHost(memory_.put(), total + workspace_bytes), "allocate host memory for",
        call.op->name.c_str());
  auto* const memory = static_cast<std::byte*>(memory_.get());
  for (const std::size_t offset : offsets) on_host_.push_back(memory + offset);
  if (workspace_bytes > 0) kernel_.set_workspace(memory + total);
}

void HostRun::run(void* const* operands, cudaStream_t stream, const char* object) {
  for (const Copy& copy : to_host_) {
    check(cudaMemcpyAsync(on_host_[copy.operand], operands[copy.operand], copy.bytes, cudaMemcpyDeviceToHost,
                          stream),
          "copy operands to the host for", object);
  }
  // Waits even without inputs, because the last step's copies from the same host memory may still run.
  check(cudaStreamSynchronize(stream), "wait for the operands of", object);
  kernel_.run_host(on_host_.data());
  for (const Copy& copy : to_device_) {
    check(cudaMemcpyAsync(operands[copy.operand], on_host_[copy.operand], copy.bytes, cudaMemcpyHostToDevice,
                          stream),
          "copy operands back from the host for", object);
  }
}

PreparedOp prepare_foreign(OpContext& context, const ir::OpCall& call) {
  const ir::OpDefinition& definition = *call.op->definition;
  const bool on_host = definition.traits.host_op;
  if (on_host && definition.foreign->run_host == nullptr)
    refuse(call, "the op is a host op without run_host");
  if (!on_host && definition.foreign->launch_cuda == nullptr)
    refuse(call, "the op's plugin has no launch_cuda");
  if (call.operands.size() > ForeignCall::operands_max) {
    refuse(call, "the op has " + std::to_string(call.operands.size()) + " operands, but may have at most " +
                     std::to_string(ForeignCall::operands_max));
  }
  ForeignCall foreign;
  foreign.operand_count = call.operands.size();
  PreparedOp prepared;
  if (on_host) {
    const auto host = std::make_shared<HostRun>(call);
    foreign.host = host.get();
    prepared.resources.push_back(host);
  } else {
    const auto kernel = std::make_shared<abi::ForeignKernel>(call, GB_ON_CUDA);
    kernel->set_workspace(context.scratch->reserve(kernel->workspace_bytes()));
    foreign.op = &kernel->op();
    foreign.call = &kernel->call();
    prepared.resources.push_back(kernel);
  }
  prepared.calls.emplace_back(foreign);
  return prepared;
}

}  // namespace graphbench::cuda
