// A cuDNN execution plan for one convolution shape: the convolution and what follows it in one call,
// chosen and built once, run with any addresses.
#pragma once

#include <functional>

#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/cudnn_descriptor.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

class ConvolutionPlan {
 public:
  // The tensors of a plan, in the order in which pack_for takes their addresses; a shape without bias
  // or residual leaves those out.
  enum Tensor : std::int64_t { x = 1, w, y, bias, residual };

  // What one run costs, or nothing where the plan does not run.
  using TimePlan = std::function<std::optional<CandidateCost>(ConvolutionPlan&)>;

  // The plan that context.tuner chooses. Null where cuDNN has no plan that is deterministic, does its
  // arithmetic in fp32 and fits the workspace.
  static std::unique_ptr<ConvolutionPlan> make(const CudnnLibrary& library, cudnnHandle_t handle,
                                               const ConvolutionShape& shape, OpContext& context,
                                               const TimePlan& time, const char* object);

  cudnnBackendDescriptor_t handle() const noexcept { return plan_.handle(); }
  std::size_t tensor_count() const noexcept { return ids_.size(); }

  // The descriptor that holds these addresses; made on first sight and kept, since steps repeat theirs.
  cudnnBackendDescriptor_t pack_for(void* const* addresses);

 private:
  struct Pack {
    std::vector<void*> addresses;
    CudnnDescriptor descriptor;
  };

  ConvolutionPlan(const CudnnLibrary& library, CudnnDescriptor plan, std::vector<std::int64_t> ids,
                  void* workspace);

  const CudnnLibrary& library_;
  CudnnDescriptor plan_;
  std::vector<std::int64_t> ids_;
  void* workspace_;
  std::vector<Pack> packs_;
};

}  // namespace graphbench::cuda

#endif
