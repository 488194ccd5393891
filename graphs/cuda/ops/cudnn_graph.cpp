// What graphs of cuDNN operations have in common: tensors and pointwise operations.
#include "graphs/cuda/ops/cudnn_graph.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

cudnnDataType_t cudnn_type(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp16:
      return CUDNN_DATA_HALF;
    case ir::DType::bf16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

void CudnnGraph::finish(CudnnDescriptor& operation) {
  operation.finalize();
  operations_.push_back(&operation);
}

const CudnnDescriptor& CudnnGraph::tensor(const Place& place, cudnnDataType_t type) {
  CudnnDescriptor& descriptor = add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, place.dims);
  descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, place.strides);
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, place.id == 0 ? next_id_++ : place.id);
  descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
  descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, place.id == 0);
  if (place.by_value) descriptor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, true);
  descriptor.finalize();
  return descriptor;
}

const CudnnDescriptor& CudnnGraph::pointwise(cudnnPointwiseMode_t mode, const PointwiseInputs& in,
                                             const CudnnDescriptor& out, cudnnDataType_t arithmetic,
                                             std::int64_t axis) {
  CudnnDescriptor& description = add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  description.set(CUDNN_ATTR_POINTWISE_MODE, mode);
  description.set(CUDNN_ATTR_POINTWISE_MATH_PREC, arithmetic);
  if (axis >= 0) description.set(CUDNN_ATTR_POINTWISE_AXIS, axis);
  description.finalize();
  CudnnDescriptor& operation = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, description);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *in.x);
  if (in.b != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *in.b);
  if (in.t != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *in.t);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out);
  finish(operation);
  return out;
}

CudnnDescriptor CudnnGraph::graph(cudnnHandle_t handle) const {
  CudnnDescriptor graph(library_, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, object_);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations_);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  return graph;
}

}  // namespace graphbench::cuda

#endif
