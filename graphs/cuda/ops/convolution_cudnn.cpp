// conv2d through cuDNN: bias, residual and ReLU in the one call.
#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/convolution_plan.hpp"
#include "graphs/cuda/status.hpp"

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

std::optional<PreparedOp> prepare_cudnn_convolution(OpContext& context, const ConvolutionShape& shape,
                                                    const ir::OpCall& call) {
  if (context.convolution == nullptr)
    context.convolution = std::make_shared<ConvolutionHandle>(cudnn_library());
  ConvolutionHandle& handle = *context.convolution;
  auto known = handle.plans.find(shape);
  if (known == handle.plans.end()) {
    auto plan = ConvolutionPlan::make(*handle.library, handle.handle, shape, context.workspace,
                                      context.workspace_bytes, call.op->name.c_str());
    known = handle.plans.emplace(shape, std::move(plan)).first;
  }
  ConvolutionPlan* plan = known->second.get();
  if (plan == nullptr) return std::nullopt;

  ConvolutionCall convolution;
  convolution.library = handle.library;
  convolution.handle = handle.handle;
  convolution.handle_stream = &handle.stream;
  convolution.plan = plan;
  convolution.execution_plan = plan->handle();
  const auto add = [&convolution](std::size_t operand) {
    convolution.pointers[convolution.pointer_count++] = operand_source(operand);
  };
  add(0);
  add(1);
  add(call.input_count);
  if (shape.has_bias) add(shape.bias_operand());
  if (shape.has_residual) add(shape.residual_operand());
  GRAPHBENCH_ASSERT(convolution.pointer_count == plan->tensor_count());
  PreparedOp prepared;
  prepared.calls.emplace_back(convolution);
  prepared.resources.push_back(context.convolution);
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
