// Making and giving back the handle.
#include "graphs/cuda/ops/cudnn_handle.hpp"

#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {

#if defined(GRAPHBENCH_HAVE_CUDNN)

CudnnHandle::CudnnHandle(const CudnnLibrary* opened) : library(opened) {
  const cudnnStatus_t status = library->Create(&handle);
  if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, "create cuDNN handle", "");
}

CudnnHandle::~CudnnHandle() {
  plans.clear();
  (void)library->Destroy(handle);
}

void CudnnHandle::forget_stream(const char* object) {
  const cudnnStatus_t status = library->SetStream(handle, nullptr);
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
  call.handle = handle.handle;
  call.handle_stream = &handle.stream;
  call.plan = &plan;
  call.execution_plan = plan.handle();
  return call;
}

void forget_cudnn_stream(OpContext& context, const char* object) {
  if (context.cudnn != nullptr) context.cudnn->forget_stream(object);
}

void release_cudnn_handle(OpContext& context) noexcept {
  context.cudnn.reset();
}

#else

void forget_cudnn_stream(OpContext&, const char*) {}
void release_cudnn_handle(OpContext&) noexcept {}

#endif

}  // namespace graphbench::cuda
