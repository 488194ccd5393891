// A plugin's op: its own host function behind the record of its call.
#include "graphs/abi/foreign_op.hpp"
#include "graphs/base/error.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_foreign(const ir::OpCall& call, ScratchArena& scratch) {
  if (call.op->definition->foreign->run_host == nullptr) {
    throw Error(ErrorCode::unsupported, "prepare " + call.op->name + ": the plugin's op " + call.op->kind +
                                            " does not run on the host device (run_host is null)");
  }
  auto kernel = std::make_unique<abi::ForeignKernel>(call, GB_ON_HOST);
  kernel->set_workspace(scratch.reserve(kernel->workspace_bytes()));
  return direct_op(call, [kernel = std::move(kernel)](void* const* operands) { kernel->run_host(operands); });
}

}  // namespace graphbench::host
