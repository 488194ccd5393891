// Prepares an op with the host device's function for the op's kind, or wraps a plugin's op.
#include <map>
#include <string_view>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/base/error.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/ir/kind_names.hpp"

namespace graphbench::host {

// Each `make_<kind>` is defined in a file of this folder.
#define GRAPHBENCH_DECLARE(kind) \
  std::unique_ptr<OpImplementation> make_##kind(const ir::OpCall& call, ScratchArena& scratch);
GRAPHBENCH_KINDS(GRAPHBENCH_DECLARE)
GRAPHBENCH_DECLARE(foreign)

std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch) {
#define GRAPHBENCH_ROW(kind) {#kind, make_##kind},
  static const std::map<std::string_view, decltype(&make_foreign)> makers = {
      GRAPHBENCH_KINDS(GRAPHBENCH_ROW)};
  if (call.op->definition->foreign != nullptr) return make_foreign(call, scratch);
  const auto maker = makers.find(call.op->kind);
  if (maker != makers.end()) return maker->second(call, scratch);
  throw Error(ErrorCode::unsupported,
              "prepare " + call.op->name + ": the host device has no op of kind " + call.op->kind);
}

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
