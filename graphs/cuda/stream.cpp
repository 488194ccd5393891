// Streams and events.
#include "graphs/cuda/stream.hpp"

#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {

CudaStream::CudaStream(DeviceRange workspace) : workspace_(workspace) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create stream");
}

CudaStream::~CudaStream() {
  abandon_capture();
  if (sleeper_ != nullptr) log_failure(cudaEventDestroy(sleeper_), "destroy blocking event");
  log_failure(cudaStreamDestroy(stream_), "destroy stream");
}

void CudaStream::synchronize() {
  check(cudaStreamSynchronize(stream_), "synchronize stream");
}

void CudaStream::begin_capture() {
  // Thread-local: calls that no capture may hold are refused on this thread alone, so that a monitoring
  // thread elsewhere in the process cannot invalidate the recording.
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
}

std::unique_ptr<Graph> CudaStream::end_capture() {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream_, &graph);
  if (status == cudaSuccess) {
    auto captured = std::make_unique<CudaGraph>(graph);
    replace_memset_nodes(graph, workspace_);
    return captured;
  }
  // A forked stream that was not joined leaves this one capturing; a second end returns it to normal.
  abandon_capture();
  raise(status, "end capture", "");
}

void CudaStream::abandon_capture() noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream_, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone) {
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
  (void)cudaGetLastError();
}

bool CudaStream::capturing() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream_, &status), "ask whether the stream captures");
  return status != cudaStreamCaptureStatusNone;
}

void CudaStream::fill_bytes(void* destination, int byte, std::size_t bytes) {
  check(cudaMemsetAsync(destination, byte, bytes, stream_), "fill bytes");
}

void CudaStream::copy_to_host(void* host_destination, const void* source, std::size_t bytes) {
  check(cudaMemcpyAsync(host_destination, source, bytes, cudaMemcpyDeviceToHost, stream_), "copy to host");
}

void CudaStream::copy_to_device(void* destination, const void* host_source, std::size_t bytes) {
  check(cudaMemcpyAsync(destination, host_source, bytes, cudaMemcpyHostToDevice, stream_), "copy to device");
}

void CudaStream::copy_on_device(void* destination, const void* source, std::size_t bytes) {
  check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, stream_), "copy on device");
}

void CudaStream::synchronize_blocking() {
  if (sleeper_ == nullptr) {
    check(cudaEventCreateWithFlags(&sleeper_, cudaEventBlockingSync | cudaEventDisableTiming),
          "create blocking event");
  }
  check(cudaEventRecord(sleeper_, stream_), "record blocking event");
  check(cudaEventSynchronize(sleeper_), "wait asleep for stream");
}

void CudaStream::wait(Event& event) {
  check(cudaStreamWaitEvent(stream_, static_cast<CudaEvent&>(event).handle(), 0), "wait for event");
}

CudaEvent::CudaEvent() {
  check(cudaEventCreate(&event_), "create event");
}

CudaEvent::~CudaEvent() {
  log_failure(cudaEventDestroy(event_), "destroy event");
}

void CudaEvent::record(Stream& stream) {
  check(cudaEventRecord(event_, static_cast<CudaStream&>(stream).handle()), "record event");
}

double CudaEvent::seconds_since(const Event& start) const {
  float elapsed_ms = 0.0f;
  check(cudaEventElapsedTime(&elapsed_ms, static_cast<const CudaEvent&>(start).event_, event_),
        "measure between events");
  return static_cast<double>(elapsed_ms) * 1e-3;
}

}  // namespace graphbench::cuda
