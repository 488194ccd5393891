// The host device's function of each kind.
#include "graphs/host/ops/make_op.hpp"

#include <map>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/ir/kind_names.hpp"

namespace graphbench::host {

// `make_<kind>` is defined in a file of this folder.
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

}  // namespace graphbench::host
