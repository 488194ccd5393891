// Maps failed statuses to error codes and texts, outside the launch path.
#include "graphs/cuda/status.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "graphs/cuda/cublas_library.hpp"

namespace graphbench::cuda {
namespace {

// After any of these errors the process's CUDA context is unusable, so every later call fails.
constexpr cudaError_t sticky[] = {
    cudaErrorECCUncorrectable,    cudaErrorNvlinkUncorrectable, cudaErrorIllegalAddress,
    cudaErrorLaunchTimeout,       cudaErrorContextIsDestroyed,  cudaErrorAssert,
    cudaErrorHardwareStackError,  cudaErrorIllegalInstruction,  cudaErrorMisalignedAddress,
    cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,           cudaErrorLaunchFailure,
    cudaErrorExternalDevice,      cudaErrorDevicesUnavailable};

constexpr std::pair<cudaError_t, ErrorCode> codes[] = {
    {cudaErrorStreamCaptureUnsupported, ErrorCode::capture_unsupported},
    {cudaErrorStreamCaptureInvalidated, ErrorCode::capture_invalidated},
    {cudaErrorStreamCaptureMerge, ErrorCode::capture_merge},
    {cudaErrorStreamCaptureUnmatched, ErrorCode::capture_unmatched},
    {cudaErrorStreamCaptureUnjoined, ErrorCode::capture_unjoined},
    {cudaErrorStreamCaptureIsolation, ErrorCode::capture_isolation},
    {cudaErrorStreamCaptureImplicit, ErrorCode::capture_implicit},
    {cudaErrorCapturedEvent, ErrorCode::captured_event},
    {cudaErrorStreamCaptureWrongThread, ErrorCode::capture_wrong_thread},
    {cudaErrorTimeout, ErrorCode::graph_timeout},
    {cudaErrorGraphExecUpdateFailure, ErrorCode::graph_update_failed},
    {cudaErrorMemoryAllocation, ErrorCode::out_of_memory},
    {cudaErrorNotSupported, ErrorCode::unsupported},
};

std::string headline(const char* operation, const char* object) {
  std::string text = operation;
  if (object != nullptr && object[0] != '\0') text.append(" ").append(object);
  return text + ": ";
}

// Throws `text`, and the CUDA error behind it unless that is cudaErrorInvalidValue, which says too little.
[[noreturn]] void raise_for_library(const std::string& text) {
  const cudaError_t hidden = cudaGetLastError();
  if (hidden == cudaSuccess || hidden == cudaErrorInvalidValue) throw Error(ErrorCode::library_failed, text);
  throw Error(code_of(hidden), text + "; behind it " + describe(hidden));
}

}  // namespace

ErrorCode code_of(cudaError_t status) noexcept {
  const auto found = std::ranges::find(codes, status, &std::pair<cudaError_t, ErrorCode>::first);
  if (found != std::end(codes)) return found->second;
  return contains(sticky, status) ? ErrorCode::device_lost : ErrorCode::device_failed;
}

std::string describe(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + " (" + std::to_string(static_cast<int>(status)) +
         "): " + cudaGetErrorString(status);
}

void raise(cudaError_t status, const char* operation, const char* object) {
  (void)cudaGetLastError();
  throw Error(code_of(status), headline(operation, object) + describe(status));
}

void raise_cublas(cublasStatus_t status, const char* operation, const char* object) {
  raise_for_library(headline(operation, object) + cublas_lt.GetStatusName(status) + " (" +
                    std::to_string(static_cast<int>(status)) + "): " + cublas_lt.GetStatusString(status));
}

#if defined(GRAPHBENCH_HAVE_CUDNN)
void raise_cudnn(cudnnStatus_t status, const char* operation, const char* object) {
  raise_for_library(headline(operation, object) + cudnn_library()->GetErrorString(status) + " (" +
                    std::to_string(status) + ")");
}
#endif

void log_failure(cudaError_t status, const char* operation) noexcept {
  static std::atomic<bool> logged{false};
  (void)cudaGetLastError();
  if (status == cudaSuccess || status == cudaErrorCudartUnloading || logged.exchange(true)) return;
  complain("cuda: %s: %s (%d); later failures to release something are not printed", operation,
           cudaGetErrorName(status), static_cast<int>(status));
}

}  // namespace graphbench::cuda
