// A plugin's op: its own host function behind the record of its call.
#include "graphs/abi/foreign_op.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/ir/error.hpp"

namespace graphbench::host {
namespace {

class ForeignOp final : public DirectOp {
 public:
  ForeignOp(const ir::OpCall& call, ScratchArena& scratch)
      : DirectOp(call.operands.size()), kernel_(call, GB_ON_HOST) {
    kernel_.set_workspace(scratch.reserve(kernel_.workspace_bytes()));
  }

 protected:
  void compute(void* const* operands) override { kernel_.run_host(operands); }

 private:
  abi::ForeignKernel kernel_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_foreign(const ir::OpCall& call, ScratchArena& scratch) {
  if (call.op->definition->foreign->run_host == nullptr) {
    throw Error(ErrorCode::unsupported, "prepare " + call.op->name + ": the plugin's op " + call.op->kind +
                                            " does not run on the host device (run_host is null)");
  }
  return std::make_unique<ForeignOp>(call, scratch);
}

}  // namespace graphbench::host
