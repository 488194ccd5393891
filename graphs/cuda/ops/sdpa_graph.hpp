// Attention as a graph of cuDNN operations: the pattern that its fused engines recognise.
#pragma once

#include <optional>

#include "graphs/cuda/ops/cudnn_graph.hpp"
#include "graphs/cuda/ops/cudnn_plan.hpp"
#include "graphs/cuda/ops/sdpa.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

class SdpaGraph : public CudnnGraph {
 public:
  enum Tensor : std::int64_t { q = 1, k, v, o };

  SdpaGraph(const CudnnLibrary& library, const SdpaShape& shape, const char* object)
      : CudnnGraph(library, object), shape_(shape) {}

  // Nothing where cuDNN does not take the graph.
  std::optional<CudnnDescriptor> describe(cudnnHandle_t handle);
  const std::vector<CudnnConstant>& constants() const { return constants_; }

 private:
  const CudnnDescriptor& operand(std::int64_t id, Dims dims, Dims strides);
  template <class Value>
  const CudnnDescriptor& constant(Value value, cudnnDataType_t type);
  const CudnnDescriptor& scores(cudnnDataType_t type = CUDNN_DATA_FLOAT);  // an intermediate of [B, H, T, S]
  const CudnnDescriptor& row_values();                                     // an intermediate of [B, H, T, 1]

  const CudnnDescriptor& multiply(const CudnnDescriptor& a, const CudnnDescriptor& b,
                                  const CudnnDescriptor& out);
  const CudnnDescriptor& reduce(cudnnReduceTensorOp_t mode, const CudnnDescriptor& in);
  const CudnnDescriptor& mask(const CudnnDescriptor& in);
  const CudnnDescriptor& softmax(const CudnnDescriptor& in);

  const SdpaShape& shape_;
  std::vector<CudnnConstant> constants_;
};

}  // namespace graphbench::cuda

#endif
