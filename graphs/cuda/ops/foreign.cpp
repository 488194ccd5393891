// Ops that a plugin brings: its launch function is called with the native stream, or its host function
// between two copies.
#include <string>

#include "graphs/cuda/ops/host_run.hpp"
#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

PreparedOp prepare_foreign(OpContext& context, const ir::OpCall& call) {
  const ir::OpDefinition& definition = *call.op->definition;
  const bool on_host = definition.traits.host_op;
  if (on_host && definition.foreign->run_host == nullptr) refuse(call, "it is a host op without run_host");
  if (!on_host && definition.foreign->launch_cuda == nullptr) refuse(call, "its plugin has no launch_cuda");
  if (call.operands.size() > ForeignCall::operands_max) {
    refuse(call, std::to_string(call.operands.size()) + " operands, more than " +
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
