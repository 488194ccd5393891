// conv2d through cuDNN: bias, residual and ReLU in the one call; and its gradients.
#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/convolution_graph.hpp"
#include "graphs/cuda/ops/cudnn_handle.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {

#if defined(GRAPHBENCH_HAVE_CUDNN)
namespace {

CudnnCall call_of(CudnnHandle& handle, CudnnPlan& plan, const ConvolutionShape& shape, const ir::OpCall& op) {
  CudnnCall call = cudnn_call(handle, plan);
  const auto add = [&call](std::size_t operand) {
    call.pointers[call.pointer_count++] = operand_source(operand);
  };
  const ConvolutionShape::Operands operands = shape.operands(op.input_count);
  add(operands.x);
  add(operands.w);
  add(operands.y);
  if (shape.has_bias) add(shape.bias_operand());
  if (shape.has_residual) add(shape.residual_operand());
  GRAPHBENCH_ASSERT(call.pointer_count == plan.tensor_count());
  return call;
}

std::string key_of(const ConvolutionShape& s) {
  const auto text = [](auto value) { return std::to_string(value); };
  constexpr const char* results[] = {"convolution ", "convolution dx ", "convolution dw "};
  return results[static_cast<int>(s.result)] + text(s.batch) + "x" + text(s.height) + "x" + text(s.width) +
         "x" + text(s.channels) + " filters " + text(s.filters) + " window " + text(s.window) + " padding " +
         text(s.padding) + " stride " + text(s.stride) + (s.has_bias ? " bias" : "") +
         (s.has_residual ? " residual" : "") + " activation " + text(static_cast<int>(s.activation)) + " " +
         std::string(ir::name_of(s.dtype));
}

// The plan that a package has, the one that the tuner chooses among cuDNN's engines, or with `wanted` that
// one. One with a residual is timed in turns with the convolution that a block has ahead of it, where that is
// known: of two that took the same time alone on an H200, one made whole steps slower. Null where cuDNN has
// no plan that is deterministic, does its arithmetic in fp32 and fits the workspace.
std::unique_ptr<CudnnPlan> make_plan(OpContext& context, CudnnHandle& handle, const ConvolutionShape& shape,
                                     const ir::OpCall& op, const std::optional<std::string>& wanted) {
  const char* object = op.op->name.c_str();
  ConvolutionGraph description(*handle.library, shape, object);
  const CudnnDescriptor graph = description.describe(handle.get());
  if (auto plan = CudnnPlan::read(context, key_of(shape), object, description.ids(), {})) return plan;
  const CudnnEngines engines(context, graph, shape.dtype, object, wanted);
  ConvolutionShape plain = shape;
  plain.has_residual = false;
  const auto beside = shape.has_residual ? handle.plans.find(key_of(plain)) : handle.plans.end();
  std::optional<CandidateTimer> timer;  // its memory is wanted only where nothing is known yet
  const auto time = [&](std::size_t candidate) -> std::optional<CandidateCost> {
    const std::unique_ptr<CudnnPlan> plan = engines.build(candidate, description.ids(), {});
    if (plan == nullptr) return std::nullopt;
    if (!timer) timer.emplace(context, op);
    std::vector<NativeCall> calls;
    if (beside != handle.plans.end() && beside->second != nullptr)
      calls.emplace_back(call_of(handle, *beside->second, plain, op));
    calls.emplace_back(call_of(handle, *plan, shape, op));
    return timer->cost(std::move(calls));
  };
  std::vector<std::string> names;  // of those worth timing; compiling would take longer than it gives back
  for (std::size_t i = 0; i < engines.size() && !engines.compiles(i); ++i) names.push_back(engines.name(i));
  if (!names.empty()) {
    const std::size_t index = context.tuner->choose(key_of(shape), names, time);
    if (timer) handle.forget_stream(object);
    if (auto plan = engines.build(index, description.ids(), {})) return plan;
  }
  for (std::size_t i = 0; i < engines.size(); ++i) {
    auto plan = engines.build(i, description.ids(), {});
    if (plan == nullptr) continue;
    context.tuner->took(key_of(shape), engines.name(i));
    return plan;
  }
  (void)cudaGetLastError();
  return nullptr;
}

}  // namespace

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call) {
  CudnnHandle& handle = cudnn_handle(context);
  const std::string key = key_of(shape);
  auto known = handle.plans.find(key);
  if (known == handle.plans.end()) {
    const std::optional<std::string> chosen = context.tuner->known(key);
    std::unique_ptr<CudnnPlan> plan = make_plan(context, handle, shape, call, chosen);
    if (plan == nullptr && chosen) plan = make_plan(context, handle, shape, call, std::nullopt);
    known = handle.plans.emplace(key, std::move(plan)).first;
  }
  CudnnPlan* plan = known->second.get();
  if (plan == nullptr) return std::nullopt;
  PreparedOp prepared;
  prepared.calls.emplace_back(call_of(handle, *plan, shape, call));
  prepared.resources.push_back(context.cudnn);
  // A pointwise operation reads its inputs where it writes; tests/conformance holds this to the bit.
  if (shape.has_residual) prepared.in_place_input = shape.residual_operand();
  return prepared;
}

#else

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext&, const ConvolutionShape&, const ir::OpCall&) {
  return std::nullopt;
}

#endif

}  // namespace graphbench::cuda
