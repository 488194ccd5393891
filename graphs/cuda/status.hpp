// Turns statuses of CUDA, cuBLASLt and cuDNN into graphbench::Error; no other code does. The checks are
// inline and branch once, so they add no cost to the launch path.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <string>

#include "graphs/base/error.hpp"
#include "graphs/cuda/cudnn_library.hpp"

namespace graphbench::cuda {

// Each capture error has its own code; a sticky error is device_lost.
ErrorCode code_of(cudaError_t status) noexcept;

// "cudaErrorNoDevice (100): no CUDA-capable device is detected".
std::string describe(cudaError_t status);

// Throws an Error, and clears the thread's last CUDA error, so that the next call does not report it again.
[[noreturn]] void raise(cudaError_t status, const char* operation, const char* object);
[[noreturn]] void raise_cublas(cublasStatus_t status, const char* operation, const char* object);

inline void check(cudaError_t status, const char* operation, const char* object = "") {
  if (status != cudaSuccess) [[unlikely]]
    raise(status, operation, object);
}

inline void check(cublasStatus_t status, const char* operation, const char* object = "") {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    raise_cublas(status, operation, object);
}

#if defined(GRAPHBENCH_HAVE_CUDNN)
[[noreturn]] void raise_cudnn(cudnnStatus_t status, const char* operation, const char* object);

inline void check(cudnnStatus_t status, const char* operation, const char* object = "") {
  if (status != CUDNN_STATUS_SUCCESS) [[unlikely]]
    raise_cudnn(status, operation, object);
}
#endif

// For destructors: logs the process's first failure only.
void log_failure(cudaError_t status, const char* operation) noexcept;

}  // namespace graphbench::cuda
