// Attribute by attribute, each status checked.
#include "graphs/cuda/ops/cudnn_descriptor.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

void check_cudnn(cudnnStatus_t status, const char* operation, const char* object) {
  if (status != CUDNN_STATUS_SUCCESS) raise_cudnn(status, operation, object);
}

}  // namespace

CudnnDescriptor::CudnnDescriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type,
                                 const char* object)
    : library_(&library), object_(object) {
  check_cudnn(library.BackendCreateDescriptor(type, owner_.put()), "create a cuDNN descriptor for", object);
}

void CudnnDescriptor::set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                              std::int64_t count, const void* values) {
  check_cudnn(library_->BackendSetAttribute(handle(), name, type, count, values), "describe to cuDNN",
              object_);
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
  check_cudnn(library_->BackendFinalize(handle()), "finalize a cuDNN descriptor for", object_);
}

bool CudnnDescriptor::try_finalize() noexcept {
  return library_->BackendFinalize(handle()) == CUDNN_STATUS_SUCCESS;
}

std::int64_t CudnnDescriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                  std::int64_t capacity, void* values) const {
  std::int64_t count = 0;
  check_cudnn(library_->BackendGetAttribute(handle(), name, type, capacity, &count, values),
              "ask cuDNN about", object_);
  return count;
}

}  // namespace graphbench::cuda

#endif
