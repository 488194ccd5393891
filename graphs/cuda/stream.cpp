// Implements events and streams, which capture and replay graphs.
#include "graphs/cuda/stream.hpp"

#include "graphs/cuda/graph.hpp"
#include "graphs/cuda/runtime_names.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {

CudaStream::CudaStream(DeviceRange workspace) : workspace_(workspace) {
  check(cudaStreamCreateWithFlags(stream_.put(), cudaStreamNonBlocking), "create stream");
  handle_ = stream_.get();
}

CudaStream::~CudaStream() {
  abandon_capture();
}

void CudaStream::synchronize() {
  check(cudaStreamSynchronize(handle()), "synchronize stream");
}

void CudaStream::begin_capture() {
  // Thread-local mode refuses forbidden calls only on this thread, so that a monitoring thread cannot
  // invalidate the capture.
  check(cudaStreamBeginCapture(handle(), cudaStreamCaptureModeThreadLocal), "begin capture");
}

GraphHandle CudaStream::finish_capture() {
  GraphHandle graph;
  const cudaError_t status = cudaStreamEndCapture(handle(), graph.put());
  if (status == cudaSuccess) return graph;
  // If a forked stream was not joined, this stream is still capturing. Ending it again resets the stream.
  abandon_capture();
  raise(status, "end capture", "");
}

std::unique_ptr<Graph> CudaStream::end_capture() {
  return std::make_unique<CudaGraph>(finish_capture(), workspace_);
}

void CudaStream::end_capture(Graph& graph) {
  static_cast<CudaGraph&>(graph).hold(finish_capture());
}

void CudaStream::abandon_capture() noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(handle(), &status) == cudaSuccess && status != cudaStreamCaptureStatusNone) {
    GraphHandle graph;
    (void)cudaStreamEndCapture(handle(), graph.put());
  }
  (void)cudaGetLastError();
}

bool CudaStream::capturing() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(handle(), &status), "read the stream's capture state");
  return status != cudaStreamCaptureStatusNone;
}

cudaGraph_t CudaStream::graph_so_far() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  check(read_capture(handle(), &status, &graph), "read capture");
  if (status == cudaStreamCaptureStatusInvalidated) raise(cudaErrorStreamCaptureInvalidated, "capture", "");
  return graph;
}

std::size_t CudaStream::recorded_nodes() const {
  const cudaGraph_t graph = graph_so_far();
  std::size_t count = 0;
  if (graph != nullptr) check(cudaGraphGetNodes(graph, nullptr, &count), "count the nodes of a capture");
  return count;
}

std::vector<GraphNode> CudaStream::nodes_so_far() const {
  const cudaGraph_t graph = graph_so_far();
  if (graph == nullptr) return {};
  const std::vector<cudaGraphNode_t> nodes = nodes_of(graph);
  return {nodes.begin(), nodes.end()};
}

void CudaStream::record_arm(cudaGraph_t graph, const Arm& arm) {
  check(cudaStreamBeginCaptureToGraph(arm_stream_->handle(), graph, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal),
        "begin the capture of a branch");
  cudaGraph_t ended = nullptr;  // the conditional node owns it
  try {
    arm(*arm_stream_);
  } catch (...) {
    (void)cudaStreamEndCapture(arm_stream_->handle(), &ended);
    (void)cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(arm_stream_->handle(), &ended), "end the capture of a branch");
}

void CudaStream::record_branch(const void* selector, const std::vector<Arm>& arms) {
  const bool is_if = arms.size() == 2;
  const bool has_else = is_if && arms[0];
  require_cuda(is_if && !has_else ? edge_data_since : several_branches_since,
               is_if ? "record a branch: a conditional node" : "record a branch: a SWITCH node");
  const cudaGraph_t graph = graph_so_far();
  GRAPHBENCH_ASSERT(graph != nullptr);
  if (!arm_stream_) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // permits creating a stream during a capture
    check(cudaThreadExchangeStreamCaptureMode(&mode), "relax capture");
    arm_stream_ = std::make_unique<CudaStream>(workspace_);
    check(cudaThreadExchangeStreamCaptureMode(&mode), "restore capture");
  }
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.type = is_if ? cudaGraphCondTypeIf : switch_node;
  node.conditional.size = is_if && !has_else ? 1 : static_cast<unsigned>(arms.size());
  check(cudaGraphConditionalHandleCreate(&node.conditional.handle, graph, 0, cudaGraphCondAssignDefault),
        "create a conditional handle");
  launch_selector(handle(), node.conditional.handle, static_cast<const std::int32_t*>(selector), is_if);
  check(add_captured_node(handle(), graph, &node), "add a conditional node");
  // An IF node runs graph 0 if the value is not 0, so arm 1 is graph 0.
  for (std::size_t i = 0; i < arms.size(); ++i)
    if (arms[i]) record_arm(node.conditional.phGraph_out[is_if ? 1 - i : i], arms[i]);
}

void CudaStream::fill_bytes(void* destination, int byte, std::size_t bytes) {
  check(cudaMemsetAsync(destination, byte, bytes, handle()), "fill bytes");
}

void CudaStream::copy_to_host(void* host_destination, const void* source, std::size_t bytes) {
  check(cudaMemcpyAsync(host_destination, source, bytes, cudaMemcpyDeviceToHost, handle()), "copy to host");
}

void CudaStream::copy_to_device(void* destination, const void* host_source, std::size_t bytes) {
  check(cudaMemcpyAsync(destination, host_source, bytes, cudaMemcpyHostToDevice, handle()), "copy to device");
}

void CudaStream::copy_on_device(void* destination, const void* source, std::size_t bytes) {
  check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, handle()), "copy on device");
}

void CudaStream::copy_strided(const StridedCopy& copy) {
  if (copy.blocks == 1) return copy_on_device(copy.to, copy.from, copy.bytes);
  check(cudaMemcpy2DAsync(copy.to, copy.to_stride, copy.from, copy.from_stride, copy.bytes, copy.blocks,
                          cudaMemcpyDeviceToDevice, handle()),
        "copy blocks on device");
}

void CudaStream::synchronize_blocking() {
  if (!sleeper_) {
    check(cudaEventCreateWithFlags(sleeper_.put(), cudaEventBlockingSync | cudaEventDisableTiming),
          "create blocking event");
  }
  check(cudaEventRecord(sleeper_.get(), handle()), "record blocking event");
  check(cudaEventSynchronize(sleeper_.get()), "wait for stream, blocking");
}

void CudaStream::wait(Event& event) {
  check(cudaStreamWaitEvent(handle(), static_cast<CudaEvent&>(event).handle(), 0), "wait for event");
}

CudaEvent::CudaEvent() {
  check(cudaEventCreate(event_.put()), "create event");
}

void CudaEvent::record(Stream& stream) {
  check(cudaEventRecord(handle(), static_cast<CudaStream&>(stream).handle()), "record event");
}

double CudaEvent::seconds_since(const Event& start) const {
  float elapsed_ms = 0.0f;
  check(cudaEventElapsedTime(&elapsed_ms, static_cast<const CudaEvent&>(start).handle(), handle()),
        "measure the time between events");
  return static_cast<double>(elapsed_ms) * 1e-3;
}

}  // namespace graphbench::cuda
