// Chooses the implementation of a kind.
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch) {
  const std::string& kind = call.op->kind;
  if (call.op->definition->foreign != nullptr) return make_foreign(call);
  if (kind == "linear") return make_linear(call, scratch);
  if (kind == "conv2d") return make_conv2d(call, scratch);
  if (kind == "softmax") return make_softmax(call, scratch);
  if (kind == "sdpa") return make_sdpa(call, scratch);
  if (kind == "rmsnorm") return make_rmsnorm(call);
  if (kind == "rope_kv_append") return make_rope_kv_append(call, scratch);
  if (kind == "add" || kind == "relu" || kind == "gelu_tanh") return make_elementwise(call);
  throw Error(ErrorCode::unsupported,
              "prepare " + call.op->name + ": the host device has no op of kind " + kind);
}

}  // namespace graphbench::host
