// Attention as a graph of cuDNN operations: the pattern that its fused engines recognise.
#pragma once

#include <optional>

#include "graphs/cuda/ops/cudnn_plan.hpp"
#include "graphs/cuda/ops/sdpa.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

// Collects the descriptors of one graph of operations; they are needed until the graph is finalized.
class SdpaGraph {
 public:
  enum Tensor : std::int64_t { q = 1, k, v, o };

  SdpaGraph(const CudnnLibrary& library, const SdpaShape& shape, const char* object)
      : library_(library), shape_(shape), object_(object) {
    descriptors_.reserve(64);  // references to elements stay valid
  }

  // Nothing where cuDNN does not take the graph.
  std::optional<CudnnDescriptor> describe(cudnnHandle_t handle);
  const std::vector<std::int64_t>& ids() const { return ids_; }
  const std::vector<CudnnConstant>& constants() const { return constants_; }

 private:
  using Dims = std::vector<std::int64_t>;  // of [B, H, rows, columns]
  struct Place {
    std::int64_t id = 0;  // 0: an intermediate, never in memory
    Dims dims;
    Dims strides;
    bool by_value = false;
  };

  CudnnDescriptor& add(cudnnBackendDescriptorType_t type) {
    GRAPHBENCH_ASSERT(descriptors_.size() < descriptors_.capacity());
    return descriptors_.emplace_back(library_, type, object_);
  }
  const CudnnDescriptor& tensor(const Place& place, cudnnDataType_t type);
  const CudnnDescriptor& operand(std::int64_t id, Dims dims, Dims strides);
  template <class Value>
  const CudnnDescriptor& constant(Value value, cudnnDataType_t type);
  const CudnnDescriptor& scores(cudnnDataType_t type);  // an intermediate of [B, H, T, S]
  const CudnnDescriptor& row_values();                  // an intermediate of [B, H, T, 1]

  struct Inputs {
    const CudnnDescriptor* x;
    const CudnnDescriptor* b = nullptr;
    const CudnnDescriptor* t = nullptr;
  };
  void finish(CudnnDescriptor& operation);
  const CudnnDescriptor& multiply(const CudnnDescriptor& a, const CudnnDescriptor& b,
                                  const CudnnDescriptor& out);
  const CudnnDescriptor& pointwise(cudnnPointwiseMode_t mode, const Inputs& in, const CudnnDescriptor& out,
                                   cudnnDataType_t arithmetic, std::int64_t axis = -1);
  const CudnnDescriptor& reduce(cudnnReduceTensorOp_t mode, const CudnnDescriptor& in);
  const CudnnDescriptor& mask(const CudnnDescriptor& in);
  const CudnnDescriptor& softmax(const CudnnDescriptor& in);

  const CudnnLibrary& library_;
  const SdpaShape& shape_;
  const char* object_;
  std::vector<CudnnDescriptor> descriptors_;
  std::vector<const CudnnDescriptor*> operations_;
  std::vector<std::int64_t> ids_;
  std::vector<CudnnConstant> constants_;
  std::int64_t next_id_ = 100;  // of intermediates and constants
};

}  // namespace graphbench::cuda

#endif
