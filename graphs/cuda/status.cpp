// Maps statuses to error codes and texts; all of it off the launch path.
#include "graphs/cuda/status.hpp"

#include <atomic>
#include <cstdio>

#include "graphs/cuda/cudnn_library.hpp"

namespace graphbench::cuda {
namespace {

std::string headline(const char* operation, const char* object) {
  std::string text = operation;
  if (object != nullptr && object[0] != '\0') text.append(" ").append(object);
  return text + ": ";
}

// A library's own status often hides the CUDA error that caused it; that error is the better reason.
cudaError_t take_hidden_error() noexcept {
  const cudaError_t hidden = cudaGetLastError();
  return hidden == cudaErrorInvalidValue ? cudaSuccess : hidden;
}

ErrorCode library_code(cudaError_t hidden) noexcept {
  return hidden == cudaSuccess ? ErrorCode::library_failed : code_of(hidden);
}

std::string cause(cudaError_t hidden) {
  return hidden == cudaSuccess ? std::string() : "; behind it " + describe(hidden);
}

}  // namespace

bool is_sticky(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
    case cudaErrorDevicesUnavailable:
      return true;
    default:
      return false;
  }
}

ErrorCode code_of(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorStreamCaptureUnsupported:
      return ErrorCode::capture_unsupported;
    case cudaErrorStreamCaptureInvalidated:
      return ErrorCode::capture_invalidated;
    case cudaErrorStreamCaptureMerge:
      return ErrorCode::capture_merge;
    case cudaErrorStreamCaptureUnmatched:
      return ErrorCode::capture_unmatched;
    case cudaErrorStreamCaptureUnjoined:
      return ErrorCode::capture_unjoined;
    case cudaErrorStreamCaptureIsolation:
      return ErrorCode::capture_isolation;
    case cudaErrorStreamCaptureImplicit:
      return ErrorCode::capture_implicit;
    case cudaErrorCapturedEvent:
      return ErrorCode::captured_event;
    case cudaErrorStreamCaptureWrongThread:
      return ErrorCode::capture_wrong_thread;
    case cudaErrorTimeout:
      return ErrorCode::graph_timeout;
    case cudaErrorGraphExecUpdateFailure:
      return ErrorCode::graph_update_failed;
    case cudaErrorMemoryAllocation:
      return ErrorCode::out_of_memory;
    case cudaErrorNotSupported:
      return ErrorCode::unsupported;
    default:
      return is_sticky(status) ? ErrorCode::device_lost : ErrorCode::device_failed;
  }
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
  const cudaError_t hidden = take_hidden_error();
  throw Error(library_code(hidden), headline(operation, object) + cublasLtGetStatusName(status) + " (" +
                                        std::to_string(static_cast<int>(status)) +
                                        "): " + cublasLtGetStatusString(status) + cause(hidden));
}

void raise_cudnn(int status, const char* operation, const char* object) {
  const cudaError_t hidden = take_hidden_error();
  throw Error(library_code(hidden), headline(operation, object) + cudnn_status_text(status) + " (" +
                                        std::to_string(status) + ")" + cause(hidden));
}

void log_failure(cudaError_t status, const char* operation) noexcept {
  static std::atomic<bool> logged{false};
  (void)cudaGetLastError();
  if (status == cudaSuccess || status == cudaErrorCudartUnloading || logged.exchange(true)) return;
  std::fprintf(stderr, "graphbench: cuda: %s while releasing: %s (%d)\n", operation, cudaGetErrorName(status),
               static_cast<int>(status));
}

}  // namespace graphbench::cuda
