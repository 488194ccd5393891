// An owner of one cuDNN backend descriptor, and setting and reading its attributes.
#pragma once

#include "graphs/cuda/handle.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace graphbench::cuda {

// Every member throws Error(library_failed) naming the object it was made for.
class CudnnDescriptor {
 public:
  CudnnDescriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type, const char* object);

  void set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
               const void* values);
  template <class T>
  void set(cudnnBackendAttributeName_t name, const T& value) {
    set_raw(name, type_of(value), 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values);
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
  void set(cudnnBackendAttributeName_t name, const std::vector<const CudnnDescriptor*>& values);
  void finalize();
  bool try_finalize() noexcept;  // false where cuDNN does not support what was described

  // Reads at most `capacity` values; returns how many there were.
  std::int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t capacity,
                   void* values) const;

  cudnnBackendDescriptor_t handle() const noexcept { return owner_.get(); }

 private:
  using Type = cudnnBackendAttributeType_t;
  static Type type_of(std::int64_t) { return CUDNN_TYPE_INT64; }
  static Type type_of(float) { return CUDNN_TYPE_FLOAT; }
  static Type type_of(bool) { return CUDNN_TYPE_BOOLEAN; }
  static Type type_of(cudnnDataType_t) { return CUDNN_TYPE_DATA_TYPE; }
  static Type type_of(cudnnHandle_t) { return CUDNN_TYPE_HANDLE; }
  static Type type_of(cudnnBackendHeurMode_t) { return CUDNN_TYPE_HEUR_MODE; }
  static Type type_of(cudnnConvolutionMode_t) { return CUDNN_TYPE_CONVOLUTION_MODE; }
  static Type type_of(cudnnPointwiseMode_t) { return CUDNN_TYPE_POINTWISE_MODE; }
  static Type type_of(cudnnReduceTensorOp_t) { return CUDNN_TYPE_REDUCTION_OPERATOR_TYPE; }

  const CudnnLibrary* library_;
  const char* object_;  // outlives the preparation it names
  CudnnDescriptorHandle owner_;
};

}  // namespace graphbench::cuda

#endif
