// A graph of cuDNN operations while it is described. Describing is separate from choosing an engine, which
// cudnn_plan.cpp and the tuner do.
#pragma once

#include "graphs/cuda/ops/cudnn_descriptor.hpp"
#include "graphs/ir/types.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

// Collects the descriptors of one graph; they are needed until the graph is finalized.
class CudnnGraph {
 public:
  // Of the tensors in memory, in the order in which they were described.
  const std::vector<std::int64_t>& ids() const { return ids_; }

 protected:
  CudnnGraph(const CudnnLibrary& library, const char* object) : library_(library), object_(object) {
    descriptors_.reserve(64);  // references to elements stay valid
  }

  using Dims = std::vector<std::int64_t>;
  struct Place {
    std::int64_t id = 0;  // 0: an intermediate, never in memory
    Dims dims;
    Dims strides;
    bool by_value = false;
  };
  struct PointwiseInputs {
    const CudnnDescriptor* x;
    const CudnnDescriptor* b = nullptr;
    const CudnnDescriptor* t = nullptr;
  };

  CudnnDescriptor& add(cudnnBackendDescriptorType_t type) {
    GRAPHBENCH_ASSERT(descriptors_.size() < descriptors_.capacity());
    return descriptors_.emplace_back(library_, type, object_);
  }
  void finish(CudnnDescriptor& operation);
  const CudnnDescriptor& tensor(const Place& place, cudnnDataType_t type);
  const CudnnDescriptor& pointwise(cudnnPointwiseMode_t mode, const PointwiseInputs& in,
                                   const CudnnDescriptor& out, cudnnDataType_t arithmetic = CUDNN_DATA_FLOAT,
                                   std::int64_t axis = -1);
  // All operations so far; not finalized yet.
  CudnnDescriptor graph(cudnnHandle_t handle) const;

  const CudnnLibrary& library_;
  const char* object_;
  std::vector<std::int64_t> ids_;
  std::int64_t next_id_ = 100;  // of intermediates and constants

 private:
  std::vector<CudnnDescriptor> descriptors_;
  std::vector<const CudnnDescriptor*> operations_;
};

cudnnDataType_t cudnn_type(ir::DType dtype);

}  // namespace graphbench::cuda

#endif
