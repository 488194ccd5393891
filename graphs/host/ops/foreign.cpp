// A plugin's op: its own host function behind the record of its call.
#include <exception>
#include <string>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/ir/error.hpp"

namespace graphbench::host {
namespace {

class ForeignOp final : public DirectOp {
 public:
  explicit ForeignOp(const ir::OpCall& call)
      : DirectOp(call.operands.size()),
        foreign_(*call.op->definition->foreign),
        kind_(call.op->kind),
        call_(abi::make_foreign_call(call)) {}

 protected:
  void compute(void* const* operands) override {
    int status = 0;
    try {
      status = foreign_.run_host(&call_, operands, foreign_.user);
    } catch (const std::exception& error) {
      fail(std::string("it threw a C++ exception across the plugin ABI: ") + error.what());
    } catch (...) {
      fail("it threw across the plugin ABI");
    }
    if (status != 0) fail("its run_host returned " + std::to_string(status));
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::plugin_failed, std::string("run ") + call_.name + " (" + kind_ + "): " + reason);
  }

  const gb_op& foreign_;
  std::string kind_;
  const gb_op_call& call_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_foreign(const ir::OpCall& call, ScratchArena&) {
  if (call.op->definition->foreign->run_host == nullptr) {
    throw Error(ErrorCode::unsupported, "prepare " + call.op->name + ": the plugin's op " + call.op->kind +
                                            " does not run on the host device (run_host is null)");
  }
  return std::make_unique<ForeignOp>(call);
}

}  // namespace graphbench::host
