// Ops that a plugin brings: its launch function is called with the native stream.
#include <string>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/cuda/ops/op_builders.hpp"

namespace graphbench::cuda {

PreparedOp prepare_foreign(OpContext&, const ir::OpCall& call) {
  const gb_op* op = call.op->definition->foreign;
  if (op->launch_cuda == nullptr) refuse(call, "its plugin has no launch_cuda");
  if (call.operands.size() > ForeignCall::operands_max) {
    refuse(call, std::to_string(call.operands.size()) + " operands, more than " +
                     std::to_string(ForeignCall::operands_max));
  }
  ForeignCall foreign;
  foreign.op = op;
  foreign.call = &abi::make_foreign_call(call);
  foreign.operand_count = call.operands.size();
  PreparedOp prepared;
  prepared.calls.emplace_back(foreign);
  return prepared;
}

}  // namespace graphbench::cuda
