// A convolution with what follows it, as a graph of cuDNN operations.
// Describing is separate from choosing an engine, which cudnn_plan.cpp and the tuner do.
#pragma once

#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/cudnn_descriptor.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

// Ids of the tensors, ascending; a shape without bias or residual leaves those out.
struct ConvolutionTensor {
  enum Id : std::int64_t { x = 1, w, y, bias, residual };
};

// Collects the descriptors of one graph of operations; they are needed until the graph is finalized.
class ConvolutionGraph {
 public:
  ConvolutionGraph(const CudnnLibrary& library, const ConvolutionShape& shape, const char* object)
      : library_(library), shape_(shape), object_(object) {
    descriptors_.reserve(32);  // references to elements stay valid
  }

  CudnnDescriptor describe(cudnnHandle_t handle);
  const std::vector<std::int64_t>& ids() const { return ids_; }

 private:
  CudnnDescriptor& add(cudnnBackendDescriptorType_t type) {
    GRAPHBENCH_ASSERT(descriptors_.size() < descriptors_.capacity());
    return descriptors_.emplace_back(library_, type, object_);
  }
  // Dimensions are given as cuDNN names them (n, c, h, w); the memory is channels-last. Id 0 is an
  // intermediate: fp32, and never in memory.
  const CudnnDescriptor& tensor(std::int64_t id, std::int64_t n, std::int64_t c, std::int64_t h,
                                std::int64_t w);
  const CudnnDescriptor& result(bool last);
  const CudnnDescriptor& convolve(bool last);
  const CudnnDescriptor& pointwise(cudnnPointwiseMode_t mode, const CudnnDescriptor& in,
                                   const CudnnDescriptor* other, bool last);

  const CudnnLibrary& library_;
  const ConvolutionShape& shape_;
  const char* object_;
  std::vector<CudnnDescriptor> descriptors_;
  std::vector<const CudnnDescriptor*> operations_;
  std::vector<std::int64_t> ids_;
  std::int64_t next_virtual_id_ = 100;
};

}  // namespace graphbench::cuda

#endif
