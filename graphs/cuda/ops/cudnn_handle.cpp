// Making the handle, and keeping track of the stream that it is set to.
#include "graphs/cuda/ops/cudnn_handle.hpp"

#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {

#if defined(GRAPHBENCH_HAVE_CUDNN)

CudnnHandle::CudnnHandle(const CudnnLibrary* opened) : library(opened) {
  const cudnnStatus_t status = library->Create(owner.put());
  if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "create cuDNN handle", "");
}

void CudnnHandle::forget_stream(const char* object) {
  const cudnnStatus_t status = library->SetStream(get(), nullptr);
  if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "set the stream of", object);
  stream = nullptr;
}

CudnnHandle& cudnn_handle(OpContext& context) {
  if (context.cudnn == nullptr) context.cudnn = std::make_shared<CudnnHandle>(cudnn_library());
  return *context.cudnn;
}

CudnnCall cudnn_call(CudnnHandle& handle, CudnnPlan& plan) {
  CudnnCall call;
  call.library = handle.library;
  call.handle = handle.get();
  call.handle_stream = &handle.stream;
  call.plan = &plan;
  call.execution_plan = plan.handle();
  return call;
}

std::map<std::string, std::string> serialised_plans(const OpContext& context) {
  std::map<std::string, std::string> texts;
  if (context.cudnn == nullptr) return texts;
  for (const auto& [key, plan] : context.cudnn->plans) {
    if (plan != nullptr) texts[key] = plan->serialised();
  }
  return texts;
}

void forget_cudnn_stream(OpContext& context, const char* object) {
  if (context.cudnn != nullptr) context.cudnn->forget_stream(object);
}

#else

std::map<std::string, std::string> serialised_plans(const OpContext&) {
  return {};
}

void forget_cudnn_stream(OpContext&, const char*) {}

#endif

}  // namespace graphbench::cuda
