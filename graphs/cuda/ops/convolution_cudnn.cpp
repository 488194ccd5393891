// conv2d through cuDNN: bias, residual and ReLU in the one call.
#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/convolution_plan.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/cuda/tuning/candidate_timer.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <map>

namespace graphbench::cuda {

struct ConvolutionHandle {
  const CudnnLibrary* library = nullptr;
  cudnnHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;  // what the handle is set to
  // Layers of one shape share a plan. Null: cuDNN has none.
  std::map<ConvolutionShape, std::unique_ptr<ConvolutionPlan>> plans;

  explicit ConvolutionHandle(const CudnnLibrary* opened) : library(opened) {
    const cudnnStatus_t status = library->Create(&handle);
    if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "create cuDNN handle", "");
  }
  ~ConvolutionHandle() {
    plans.clear();
    (void)library->Destroy(handle);
  }
  ConvolutionHandle(const ConvolutionHandle&) = delete;
  ConvolutionHandle& operator=(const ConvolutionHandle&) = delete;
};

namespace {

ConvolutionCall call_of(ConvolutionHandle& handle, ConvolutionPlan& plan, const ConvolutionShape& shape,
                        const ir::OpCall& op) {
  ConvolutionCall call;
  call.library = handle.library;
  call.handle = handle.handle;
  call.handle_stream = &handle.stream;
  call.plan = &plan;
  call.execution_plan = plan.handle();
  const auto add = [&call](std::size_t operand) {
    call.pointers[call.pointer_count++] = operand_source(operand);
  };
  add(0);
  add(1);
  add(op.input_count);
  if (shape.has_bias) add(shape.bias_operand());
  if (shape.has_residual) add(shape.residual_operand());
  GRAPHBENCH_ASSERT(call.pointer_count == plan.tensor_count());
  return call;
}

std::unique_ptr<ConvolutionPlan> make_plan(OpContext& context, ConvolutionHandle& handle,
                                           const ConvolutionShape& shape, const ir::OpCall& op) {
  std::optional<CandidateTimer> timer;  // its memory is wanted only where nothing is known yet
  const auto time = [&](ConvolutionPlan& plan) {
    if (!timer) timer.emplace(context, op);
    return timer->cost({call_of(handle, plan, shape, op)});
  };
  auto plan =
      ConvolutionPlan::make(*handle.library, handle.handle, shape, context, time, op.op->name.c_str());
  if (!timer) return plan;
  // The timer's stream goes with it, and the next may get its address.
  const cudnnStatus_t status = handle.library->SetStream(handle.handle, nullptr);
  if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "set the stream of", op.op->name.c_str());
  handle.stream = nullptr;
  return plan;
}

}  // namespace

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call) {
  if (context.convolution == nullptr)
    context.convolution = std::make_shared<ConvolutionHandle>(cudnn_library());
  ConvolutionHandle& handle = *context.convolution;
  auto known = handle.plans.find(shape);
  if (known == handle.plans.end()) {
    known = handle.plans.emplace(shape, make_plan(context, handle, shape, call)).first;
  }
  ConvolutionPlan* plan = known->second.get();
  if (plan == nullptr) return std::nullopt;
  PreparedOp prepared;
  prepared.calls.emplace_back(call_of(handle, *plan, shape, call));
  prepared.resources.push_back(context.convolution);
  // A pointwise operation reads its inputs where it writes; tests/conformance holds this to the bit.
  if (shape.has_residual) prepared.in_place_input = shape.residual_operand();
  return prepared;
}

void release_convolution_handle(OpContext& context) noexcept {
  context.convolution.reset();
}

}  // namespace graphbench::cuda

#else

namespace graphbench::cuda {

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext&, const ConvolutionShape&, const ir::OpCall&) {
  return std::nullopt;
}

void release_convolution_handle(OpContext&) noexcept {}

}  // namespace graphbench::cuda

#endif
