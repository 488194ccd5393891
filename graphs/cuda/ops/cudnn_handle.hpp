// A device's cuDNN handle and the plans made with it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/ops/cudnn_plan.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

struct CudnnHandle {
  const CudnnLibrary* library = nullptr;
  CudnnOwner owner;
  cudaStream_t stream = nullptr;  // what the handle is set to
  // By key: layers of one shape share a plan. Null: cuDNN has none, or another way is faster.
  std::map<std::string, std::unique_ptr<CudnnPlan>> plans;

  explicit CudnnHandle(const CudnnLibrary* opened);
  cudnnHandle_t get() const noexcept { return owner.get(); }
  // Called before the stream it was set to is destroyed: the next stream may get the same address.
  void forget_stream(const char* object);
};

// The device's, made when first asked for.
CudnnHandle& cudnn_handle(OpContext& context);

// One run of the plan; the sources of its addresses are appended in the order of the tensors' ids.
CudnnCall cudnn_call(CudnnHandle& handle, CudnnPlan& plan);

}  // namespace graphbench::cuda

#endif
