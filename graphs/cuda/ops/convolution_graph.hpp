// A convolution with what follows it, as a graph of cuDNN operations.
#pragma once

#include "graphs/cuda/ops/convolution.hpp"
#include "graphs/cuda/ops/cudnn_graph.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

class ConvolutionGraph : public CudnnGraph {
 public:
  // Ids of the tensors, ascending; a shape without bias or residual leaves those out.
  enum Tensor : std::int64_t { x = 1, w, y, bias, residual };

  ConvolutionGraph(const CudnnLibrary& library, const ConvolutionShape& shape, const char* object)
      : CudnnGraph(library, object), shape_(shape) {}

  CudnnDescriptor describe(cudnnHandle_t handle);

 private:
  // Dimensions are given as cuDNN names them (n, c, h, w); the memory is channels-last. Id 0 is an
  // intermediate: fp32, and never in memory.
  const CudnnDescriptor& image(std::int64_t id, std::int64_t n, std::int64_t c, std::int64_t height,
                               std::int64_t width);
  // A tensor in memory, or an intermediate, of the shape that this one has.
  const CudnnDescriptor& like(ConvolutionResult which, std::int64_t id);
  const CudnnDescriptor& result(bool last);
  const CudnnDescriptor& convolve(bool last);

  const ConvolutionShape& shape_;
};

}  // namespace graphbench::cuda

#endif
