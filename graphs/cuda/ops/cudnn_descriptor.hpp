// An owner of one cuDNN backend descriptor, and setting and reading its attributes.
#pragma once

#include "graphs/cuda/cudnn_library.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace graphbench::cuda {

// Every member throws Error(library_failed) naming the object it was made for.
class CudnnDescriptor {
 public:
  CudnnDescriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type, const char* object);
  CudnnDescriptor(CudnnDescriptor&& other) noexcept;
  CudnnDescriptor& operator=(CudnnDescriptor&&) = delete;
  ~CudnnDescriptor();

  void set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
               const void* values);
  void set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values);
  void set(cudnnBackendAttributeName_t name, std::int64_t value);
  void set(cudnnBackendAttributeName_t name, float value);
  void set(cudnnBackendAttributeName_t name, bool value);
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
  void set(cudnnBackendAttributeName_t name, const std::vector<const CudnnDescriptor*>& values);
  void set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  void finalize();
  bool try_finalize() noexcept;  // false where cuDNN does not support what was described

  // Reads at most `capacity` values; returns how many there were.
  std::int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t capacity,
                   void* values) const;

  cudnnBackendDescriptor_t handle() const noexcept { return handle_; }

 private:
  const CudnnLibrary* library_;
  const char* object_;  // outlives the preparation it names
  cudnnBackendDescriptor_t handle_ = nullptr;
};

}  // namespace graphbench::cuda

#endif
