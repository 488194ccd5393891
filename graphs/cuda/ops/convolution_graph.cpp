// Describes conv -> (+ residual) -> (+ bias) -> (ReLU), or a convolution's gradient, to cuDNN.
#include "graphs/cuda/ops/convolution_graph.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <algorithm>

namespace graphbench::cuda {
namespace {

// cuDNN names the same six attributes once an operation.
struct Attributes {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
};

const Attributes& attributes_of(ConvolutionResult result) {
  static constexpr Attributes rows[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
  };
  return rows[static_cast<int>(result)];
}

}  // namespace

const CudnnDescriptor& ConvolutionGraph::image(std::int64_t id, std::int64_t n, std::int64_t c,
                                               std::int64_t height, std::int64_t width) {
  if (id != 0) ids_.push_back(id);
  return tensor({id, {n, c, height, width}, {height * width * c, 1, width * c, c}},
                id == 0 ? CUDNN_DATA_FLOAT : cudnn_type(shape_.dtype));
}

const CudnnDescriptor& ConvolutionGraph::like(ConvolutionResult which, std::int64_t id) {
  const ConvolutionShape& s = shape_;
  if (which == ConvolutionResult::dx) return image(id, s.batch, s.channels, s.height, s.width);
  if (which == ConvolutionResult::dw) return image(id, s.filters, s.channels, s.window, s.window);
  return image(id, s.batch, s.filters, s.out_height, s.out_width);
}

const CudnnDescriptor& ConvolutionGraph::result(bool last) {
  constexpr std::int64_t ids[] = {y, x, w};
  return like(shape_.result, last ? ids[static_cast<int>(shape_.result)] : 0);
}

const CudnnDescriptor& ConvolutionGraph::convolve(bool last) {
  const auto operand = [&](ConvolutionResult which, Tensor id) {
    return &(which == shape_.result ? result(last) : like(which, id));
  };
  const CudnnDescriptor* const in = operand(ConvolutionResult::dx, x);
  const CudnnDescriptor* const filter = operand(ConvolutionResult::dw, w);
  const CudnnDescriptor* const out = operand(ConvolutionResult::y, y);
  CudnnDescriptor& convolution = add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {shape_.stride, shape_.stride});
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  convolution.finalize();
  const Attributes& names = attributes_of(shape_.result);
  CudnnDescriptor& operation = add(names.operation);
  operation.set(names.x, *in);
  operation.set(names.w, *filter);
  operation.set(names.y, *out);
  operation.set(names.convolution, convolution);
  operation.set(names.alpha, 1.0f);
  operation.set(names.beta, 0.0f);
  finish(operation);
  if (shape_.result == ConvolutionResult::y) return *out;
  return shape_.result == ConvolutionResult::dx ? *in : *filter;
}

CudnnDescriptor ConvolutionGraph::describe(cudnnHandle_t handle) {
  const bool relu = shape_.activation == Activation::relu;
  const CudnnDescriptor* value = &convolve(!shape_.has_residual && !shape_.has_bias && !relu);
  if (shape_.has_residual) {
    const CudnnDescriptor& other = like(shape_.result, residual);
    value = &pointwise(CUDNN_POINTWISE_ADD, {value, &other}, result(!shape_.has_bias && !relu));
  }
  if (shape_.has_bias) {
    const CudnnDescriptor& other = image(bias, 1, shape_.filters, 1, 1);
    value = &pointwise(CUDNN_POINTWISE_ADD, {value, &other}, result(!relu));
  }
  if (relu) value = &pointwise(CUDNN_POINTWISE_RELU_FWD, {value}, result(true));
  std::sort(ids_.begin(), ids_.end());
  CudnnDescriptor described = graph(handle);
  described.finalize();
  return described;
}

}  // namespace graphbench::cuda

#endif
