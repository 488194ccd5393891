// The table of kinds that the host device implements.
#include "graphs/host/ops/make_op.hpp"

#include <map>
#include <string_view>

#include "graphs/ir/error.hpp"

namespace graphbench::host {

// `make_<kind>` is defined in a file of this folder.
#define GRAPHBENCH_HOST_KINDS(KIND) \
  KIND(adamw)                       \
  KIND(adamw_scaled)                \
  KIND(add)                         \
  KIND(advance)                     \
  KIND(batched_matmul)              \
  KIND(bias_add)                    \
  KIND(clip_norm)                   \
  KIND(clip_norm_scaled)            \
  KIND(column_sum)                  \
  KIND(conv2d)                      \
  KIND(conv2d_grad_input)           \
  KIND(conv2d_grad_weight)          \
  KIND(cross_entropy_loss)          \
  KIND(dropout)                     \
  KIND(find_overflow)               \
  KIND(gelu_tanh)                   \
  KIND(gelu_tanh_grad)              \
  KIND(linear)                      \
  KIND(linear_grad_input)           \
  KIND(linear_grad_weight)          \
  KIND(mse_loss)                    \
  KIND(relu)                        \
  KIND(relu_grad)                   \
  KIND(rmsnorm)                     \
  KIND(rmsnorm_grad_input)          \
  KIND(rmsnorm_grad_weight)         \
  KIND(rope)                        \
  KIND(rope_grad)                   \
  KIND(rope_kv_append)              \
  KIND(sdpa)                        \
  KIND(sdpa_grad)                   \
  KIND(sgd)                         \
  KIND(sgd_scaled)                  \
  KIND(softmax)                     \
  KIND(softmax_grad)

#define GRAPHBENCH_DECLARE(kind) \
  std::unique_ptr<OpImplementation> make_##kind(const ir::OpCall& call, ScratchArena& scratch);
GRAPHBENCH_HOST_KINDS(GRAPHBENCH_DECLARE)
GRAPHBENCH_DECLARE(foreign)

std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch) {
#define GRAPHBENCH_ROW(kind) {#kind, make_##kind},
  static const std::map<std::string_view, decltype(&make_foreign)> makers = {
      GRAPHBENCH_HOST_KINDS(GRAPHBENCH_ROW)};
  if (call.op->definition->foreign != nullptr) return make_foreign(call, scratch);
  const auto maker = makers.find(call.op->kind);
  if (maker != makers.end()) return maker->second(call, scratch);
  throw Error(ErrorCode::unsupported,
              "prepare " + call.op->name + ": the host device has no op of kind " + call.op->kind);
}

}  // namespace graphbench::host
