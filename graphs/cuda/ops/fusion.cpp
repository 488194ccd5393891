// The table of pairs, and timing one kernel for two ops against two kernels.
#include "graphs/cuda/ops/fusion.hpp"

#include <string_view>

#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

constexpr const char* two_kernels = "a kernel each";

void shift(Source& source, std::size_t operands) {
  if (source.operand >= 0) source.operand += static_cast<int>(operands);
}

// For operands that stand behind those of another op.
void shift(NativeCall& call, std::size_t operands) {
  if (auto* kernel = std::get_if<KernelCall>(&call)) {
    for (Source& source : kernel->pointers) shift(source, operands);
  } else if (auto* product = std::get_if<MatmulCall>(&call)) {
    for (Source* source : {&product->a_source, &product->b_source, &product->c_source, &product->d_source,
                           &product->bias_source})
      shift(*source, operands);
  } else {
    GRAPHBENCH_ASSERT(!"an op that is fused makes no other calls");
  }
}

bool is_product(const ir::OpCall* call) {
  return call != nullptr && call->op->kind == "linear";
}

// The ops of a step around a pair, in the order in which they run. The op ahead or behind is among them where
// it is a product and the pair has none on that side. `operands` are those of the pair, then those of its
// neighbours.
class Window {
 public:
  explicit Window(const FusionCall& call) : pair_(call), operands_(call.first) {
    operands_.op = call.second.op;
    append(call.second);
    if (call.first.op->kind == "linear") weights_.push_back(1);
    if (call.second.op->kind == "linear") weights_.push_back(call.first.operands.size() + 1);
    ahead_ = take(call.ahead, call.first);
    behind_ = take(call.behind, call.second);
  }

  const ir::OpCall& operands() const { return operands_; }
  const std::vector<std::size_t>& weights() const { return weights_; }
  // What a choice depends on beside the pair.
  std::string key() const { return key_; }

  // The calls of all ops, the pair's being `fused`, or its own where that is empty.
  std::vector<NativeCall> calls(OpContext& context, const std::vector<NativeCall>& fused) {
    std::vector<NativeCall> all;
    if (ahead_) add(all, context, *pair_.ahead, *ahead_);
    if (fused.empty()) {
      add(all, context, pair_.first, 0);
      add(all, context, pair_.second, pair_.first.operands.size());
    }
    all.insert(all.end(), fused.begin(), fused.end());
    if (behind_) add(all, context, *pair_.behind, *behind_);
    return all;
  }

 private:
  void append(const ir::OpCall& call) {
    operands_.operands.insert(operands_.operands.end(), call.operands.begin(), call.operands.end());
  }

  // Where the operands of a neighbour begin; nothing where it is left out.
  std::optional<std::size_t> take(const ir::OpCall* neighbour, const ir::OpCall& beside) {
    if (!is_product(neighbour) || is_product(&beside)) return std::nullopt;
    const std::size_t base = operands_.operands.size();
    append(*neighbour);
    weights_.push_back(base + 1);
    key_ += " beside " + ir::to_string(neighbour->input(1)) + " " +
            std::to_string(static_cast<int>(activation_of(*neighbour->op)));
    return base;
  }

  void add(std::vector<NativeCall>& calls, OpContext& context, const ir::OpCall& op, std::size_t base) {
    prepared_.push_back(prepare_op(context, op));
    for (NativeCall call : prepared_.back().calls) {
      shift(call, base);
      calls.push_back(call);
    }
  }

  const FusionCall& pair_;
  ir::OpCall operands_;
  std::vector<std::size_t> weights_;
  std::string key_;
  std::optional<std::size_t> ahead_;
  std::optional<std::size_t> behind_;
  std::vector<PreparedOp> prepared_;  // what the calls need
};

}  // namespace

std::optional<PreparedOp> prepare_fused(OpContext& context, const FusionCall& call) {
  if (context.tuner->settings().fusion == Fusion::never || call.position != 0) return std::nullopt;
  const std::string_view first = call.first.op->kind;
  const std::string_view second = call.second.op->kind;
  std::optional<PreparedOp> prepared;
  if (first == "linear" && second == "rmsnorm") prepared = fuse_product_norm(context, call);
  if (first == "add" && second == "rmsnorm") prepared = fuse_add_norm(context, call);
  if (prepared) load_code(context, *prepared, call.first);  // a library's calls read the first op's operands
  return prepared;
}

std::optional<std::vector<NativeCall>> choose_fusion(OpContext& context, const FusionCall& call,
                                                     const FusionCandidates& candidates) {
  const bool always = context.tuner->settings().fusion == Fusion::always;
  // Without timing the heuristic's first is used, which is what the libraries were made for.
  std::vector<std::string> names;
  if (!always) names.emplace_back(two_kernels);
  const std::size_t first_fused = names.size();
  names.insert(names.end(), candidates.names.begin(), candidates.names.end());
  if (candidates.names.empty()) return std::nullopt;
  Window window(call);
  std::optional<CandidateTimer> timer;
  const auto cost = [&](std::size_t i) -> std::optional<CandidateCost> {
    std::vector<NativeCall> fused;
    if (i >= first_fused) {
      fused = candidates.calls(i - first_fused);
      if (fused.empty()) return std::nullopt;
    }
    // What they consist of is chosen and timed first, before this timer takes its memory.
    std::vector<NativeCall> calls = window.calls(context, fused);
    if (!timer) timer.emplace(context, window.operands(), window.weights());
    return timer->cost(std::move(calls));
  };
  const std::string key = candidates.key + window.key() + (always ? " in one" : "");
  const std::size_t index = context.tuner->choose(key, names, cost);
  if (index < first_fused) return std::nullopt;
  std::vector<NativeCall> calls = candidates.calls(index - first_fused);
  if (calls.empty()) return std::nullopt;
  return calls;
}

}  // namespace graphbench::cuda
