// Describes conv -> (+ residual) -> (+ bias) -> (ReLU) to cuDNN.
#include "graphs/cuda/ops/convolution_graph.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <algorithm>

namespace graphbench::cuda {
namespace {

cudnnDataType_t data_type(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp16:
      return CUDNN_DATA_HALF;
    case ir::DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

}  // namespace

const CudnnDescriptor& ConvolutionGraph::tensor(std::int64_t id, std::int64_t n, std::int64_t c,
                                                std::int64_t h, std::int64_t w) {
  CudnnDescriptor& descriptor = add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const bool is_virtual = id == 0;
  if (!is_virtual) ids_.push_back(id);
  descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, is_virtual ? CUDNN_DATA_FLOAT : data_type(shape_.dtype));
  descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {n, c, h, w});
  descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, {h * w * c, 1, w * c, c});
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, is_virtual ? next_virtual_id_++ : id);
  descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
  descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual);
  descriptor.finalize();
  return descriptor;
}

const CudnnDescriptor& ConvolutionGraph::result(bool last) {
  return tensor(last ? std::int64_t{ConvolutionTensor::y} : 0, shape_.batch, shape_.filters,
                shape_.out_height, shape_.out_width);
}

const CudnnDescriptor& ConvolutionGraph::convolve(bool last) {
  const CudnnDescriptor& in =
      tensor(ConvolutionTensor::x, shape_.batch, shape_.channels, shape_.height, shape_.width);
  const CudnnDescriptor& filter =
      tensor(ConvolutionTensor::w, shape_.filters, shape_.channels, shape_.window, shape_.window);
  const CudnnDescriptor& out = result(last);
  CudnnDescriptor& convolution = add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set_raw(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {shape_.padding, shape_.padding});
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {shape_.stride, shape_.stride});
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  convolution.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, in);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, filter);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, out);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f);
  operation.finalize();
  operations_.push_back(&operation);
  return out;
}

const CudnnDescriptor& ConvolutionGraph::pointwise(cudnnPointwiseMode_t mode, const CudnnDescriptor& in,
                                                   const CudnnDescriptor* other, bool last) {
  const CudnnDescriptor& out = result(last);
  CudnnDescriptor& description = add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  description.set_raw(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  description.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  description.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, description);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, in);
  if (other != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *other);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out);
  operation.finalize();
  operations_.push_back(&operation);
  return out;
}

CudnnDescriptor ConvolutionGraph::describe(cudnnHandle_t handle) {
  const bool relu = shape_.activation == Activation::relu;
  const CudnnDescriptor* value = &convolve(!shape_.has_residual && !shape_.has_bias && !relu);
  if (shape_.has_residual) {
    const CudnnDescriptor& other = tensor(ConvolutionTensor::residual, shape_.batch, shape_.filters,
                                          shape_.out_height, shape_.out_width);
    value = &pointwise(CUDNN_POINTWISE_ADD, *value, &other, !shape_.has_bias && !relu);
  }
  if (shape_.has_bias) {
    const CudnnDescriptor& other = tensor(ConvolutionTensor::bias, 1, shape_.filters, 1, 1);
    value = &pointwise(CUDNN_POINTWISE_ADD, *value, &other, !relu);
  }
  if (relu) value = &pointwise(CUDNN_POINTWISE_RELU_FWD, *value, nullptr, true);
  std::sort(ids_.begin(), ids_.end());
  CudnnDescriptor graph(library_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, object_);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph.finalize();
  return graph;
}

}  // namespace graphbench::cuda

#endif
