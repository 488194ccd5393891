// sdpa through cuDNN's fused attention.
#include "graphs/cuda/ops/cudnn_handle.hpp"
#include "graphs/cuda/ops/sdpa_graph.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

// Decoding is not: the one kernel of cuDNN's that was ever faster than ours (9.14 and 9.19 on an H200: 235 us
// against 244 for 256 sequences, 16 heads of 64, 1024 slots) gives other bits in 134 of 300 runs.
bool is_for_cudnn(const SdpaShape& shape) {
  const bool narrow = shape.dtype == ir::DType::fp16 || shape.dtype == ir::DType::bf16;
  return narrow && shape.head_dim % 8 == 0 && shape.head_dim <= 128 && shape.tokens > 1;
}

// Version numbers as cudnnGetVersion gives them: 9.14.0 is 91400.
bool cudnn_takes_sdpa(std::size_t version, const SdpaShape& shape) {
  if (!is_for_cudnn(shape)) return false;
  // cudnn-frontend's list of what is known to be broken (node/sdpa_support_surface.h): 9.10.0 and 9.10.1
  // altogether, before 9.6 a mask that is shifted by anything but whole tiles.
  if (version == 91000 || version == 91001) return false;
  const bool shifted = shape.causal && shape.tokens != shape.slots;
  if (shifted && version < 90600) return false;
  // Out of a graph, without a mask, over more than 1024 slots: illegal addresses in 9.13 and 9.14
  // (NVIDIA/TransformerEngine, pull request 2344).
  const bool breaks_in_graphs = version >= 91300 && version < 91500;
  return !breaks_in_graphs || shape.causal || shape.slots <= 1024;
}

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace {

// Of the heuristic's order. Each compiles its kernel, up to half a second; the driver keeps it on disk.
constexpr std::size_t engines_max = 5;

std::string key_of(const SdpaShape& s) {
  std::string key = "sdpa";
  for (const std::int64_t extent : {s.batch, s.heads, s.tokens, s.head_dim, s.slots}) {
    key.append(1, ' ').append(std::to_string(extent));
  }
  key.append(s.causal ? " causal " : " ").append(ir::name_of(s.dtype));
  return key;
}

CudnnCall call_of(CudnnHandle& handle, CudnnPlan& plan) {
  CudnnCall call = cudnn_call(handle, plan);
  for (std::size_t operand = 0; operand < plan.tensor_count(); ++operand) {
    call.pointers[call.pointer_count++] = operand_source(operand);
  }
  return call;
}

// The plan that a package has, or that the tuner chooses; null where cuDNN has none that runs.
std::unique_ptr<CudnnPlan> make_plan(OpContext& context, CudnnHandle& handle, const std::string& key,
                                     const SdpaShape& shape, const ir::OpCall& op) {
  const char* object = op.op->name.c_str();
  SdpaGraph description(*handle.library, shape, object);
  const std::optional<CudnnDescriptor> graph = description.describe(handle.get());
  if (!graph) return nullptr;
  if (auto plan = CudnnPlan::read(context, key, object, description.ids(), description.constants()))
    return plan;
  const CudnnEngines engines(context, *graph, shape.dtype, object);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(engines.size(), engines_max); ++i) names.push_back(engines.name(i));
  if (names.empty()) return nullptr;
  std::vector<std::unique_ptr<CudnnPlan>> plans(names.size());
  const auto build = [&](std::size_t candidate) {
    std::unique_ptr<CudnnPlan>& plan = plans[candidate];
    if (plan == nullptr) plan = engines.build(candidate, description.ids(), description.constants());
    return plan.get();
  };
  bool tried = false, ran = false;
  std::optional<CandidateTimer> timer;  // its memory is wanted only where nothing is known yet
  const auto time = [&](std::size_t candidate) -> std::optional<CandidateCost> {
    tried = true;
    if (build(candidate) == nullptr) return std::nullopt;
    if (!timer) timer.emplace(context, op, std::vector<std::size_t>{1, 2});  // the caches
    const std::optional<CandidateCost> cost = timer->cost({call_of(handle, *plans[candidate])});
    ran |= cost.has_value();
    return cost;
  };
  const std::size_t index = context.tuner->choose(key, names, time);
  if (timer) handle.forget_stream(object);
  if (tried && !ran) return nullptr;
  (void)build(index);
  (void)cudaGetLastError();
  return std::move(plans[index]);
}

}  // namespace

std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext& context, const SdpaShape& shape,
                                             const ir::OpCall& op) {
  if (!cudnn_takes_sdpa(cudnn_library()->GetVersion(), shape)) return std::nullopt;
  const std::string key = key_of(shape);
  CudnnHandle& handle = cudnn_handle(context);
  auto known = handle.plans.find(key);
  if (known == handle.plans.end()) {
    known = handle.plans.emplace(key, make_plan(context, handle, key, shape, op)).first;
  }
  if (known->second == nullptr) return std::nullopt;
  PreparedOp prepared;
  prepared.calls.emplace_back(call_of(handle, *known->second));
  prepared.resources.push_back(context.cudnn);
  prepared.path.name = "sdpa:cudnn";
  return prepared;
}

#else

std::optional<PreparedOp> prepare_sdpa_cudnn(OpContext&, const SdpaShape&, const ir::OpCall&) {
  return std::nullopt;
}

#endif

}  // namespace graphbench::cuda
