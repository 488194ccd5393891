// Builds tensors and pointwise operations of cuDNN graphs. Checks the status of every descriptor call.
#include "graphs/cuda/ops/cudnn_graph.hpp"

#include "graphs/cuda/status.hpp"

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

CudnnDescriptor::CudnnDescriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type,
                                 const char* object)
    : library_(&library), object_(object) {
  check(library.BackendCreateDescriptor(type, owner_.put()), "create a cuDNN descriptor for", object);
}

void CudnnDescriptor::set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                              std::int64_t count, const void* values) {
  check(library_->BackendSetAttribute(handle(), name, type, count, values),
        "set an attribute of a cuDNN descriptor for", object_);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values) {
  set_raw(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
  const cudnnBackendDescriptor_t handle = value.handle();
  set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &handle);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                          const std::vector<const CudnnDescriptor*>& values) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const CudnnDescriptor* value : values) handles.push_back(value->handle());
  set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(handles.size()), handles.data());
}

void CudnnDescriptor::finalize() {
  check(library_->BackendFinalize(handle()), "finalize a cuDNN descriptor for", object_);
}

bool CudnnDescriptor::try_finalize() noexcept {
  return library_->BackendFinalize(handle()) == CUDNN_STATUS_SUCCESS;
}

std::int64_t CudnnDescriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                  std::int64_t capacity, void* values) const {
  std::int64_t count = 0;
  check(library_->BackendGetAttribute(handle(), name, type, capacity, &count, values),
        "read an attribute of a cuDNN descriptor for", object_);
  return count;
}

}  // namespace graphbench::cuda

#endif
