// Owners of CUDA and library handles. No other code destroys handles.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "graphs/cuda/cublas_library.hpp"
#include "graphs/cuda/cudnn_library.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {

// `Destroy` must not throw.
template <class T, class Destroy>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T handle) noexcept : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.handle_, T{}));
    return *this;
  }
  ~Handle() { reset(); }

  T get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != T{}; }
  void reset(T handle = T{}) noexcept {
    if (const T old = std::exchange(handle_, handle); old != T{}) Destroy()(old);
  }
  // Gives up the handle without destroying it.
  void release() noexcept { handle_ = T{}; }
  T* put() noexcept {
    reset();
    return &handle_;
  }

 private:
  T handle_{};
};

struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept {
    log_failure(cudaStreamDestroy(stream), "destroy stream");
  }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const noexcept { log_failure(cudaEventDestroy(event), "destroy event"); }
};
struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { log_failure(cudaGraphDestroy(graph), "destroy graph"); }
};
struct DestroyGraphExec {
  void operator()(cudaGraphExec_t exec) const noexcept {
    log_failure(cudaGraphExecDestroy(exec), "destroy graph exec");
  }
};
struct FreeMemory {
  void operator()(void* memory) const noexcept { log_failure(cudaFree(memory), "free device memory"); }
};
struct FreeHostMemory {
  void operator()(void* memory) const noexcept { log_failure(cudaFreeHost(memory), "free pinned memory"); }
};
struct DestroyCublas {
  void operator()(cublasLtHandle_t handle) const noexcept { (void)cublas_lt.Destroy(handle); }
};

using StreamHandle = Handle<cudaStream_t, DestroyStream>;
using EventHandle = Handle<cudaEvent_t, DestroyEvent>;
using GraphHandle = Handle<cudaGraph_t, DestroyGraph>;
using GraphExecHandle = Handle<cudaGraphExec_t, DestroyGraphExec>;
using MemoryHandle = Handle<void*, FreeMemory>;
using PinnedHandle = Handle<void*, FreeHostMemory>;
using CublasHandle = Handle<cublasLtHandle_t, DestroyCublas>;

#if defined(GRAPHBENCH_HAVE_CUDNN)
// cudnn_library() is not null here: only an open library creates handles, and it is never closed.
struct DestroyCudnn {
  void operator()(cudnnHandle_t handle) const noexcept { (void)cudnn_library()->Destroy(handle); }
};
struct DestroyCudnnDescriptor {
  void operator()(cudnnBackendDescriptor_t descriptor) const noexcept {
    (void)cudnn_library()->BackendDestroyDescriptor(descriptor);
  }
};
using CudnnOwner = Handle<cudnnHandle_t, DestroyCudnn>;
using CudnnDescriptorHandle = Handle<cudnnBackendDescriptor_t, DestroyCudnnDescriptor>;
#endif

}  // namespace graphbench::cuda
