// CUDA streams and events. A stream created here does not synchronise with the legacy default stream.
#pragma once

#include <memory>

#include "graphs/cuda/device_kernels.hpp"
#include "graphs/cuda/handle.hpp"
#include "graphs/device/execution.hpp"

namespace graphbench::cuda {

class CudaStream final : public Stream {
 public:
  // `workspace`: memory of the library calls that this stream captures (see CudaGraph).
  explicit CudaStream(DeviceRange workspace = {});
  CudaStream(DeviceRange workspace, cudaStream_t stream) : workspace_(workspace), handle_(stream) {}
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void synchronize() override;
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;
  void end_capture(Graph& graph) override;
  void abandon_capture() noexcept override;
  bool capturing() const override;
  std::size_t recorded_nodes() const override;
  std::vector<GraphNode> nodes_so_far() const override;
  void fill_bytes(void* destination, int byte, std::size_t bytes) override;
  void copy_to_host(void* host_destination, const void* source, std::size_t bytes) override;
  void copy_to_device(void* destination, const void* host_source, std::size_t bytes) override;
  void copy_on_device(void* destination, const void* source, std::size_t bytes) override;
  void copy_strided(const StridedCopy& copy) override;
  void record_branch(const void* selector, const std::vector<Arm>& arms) override;
  void* native_handle() noexcept override { return handle_; }
  void synchronize_blocking() override;
  void wait(Event& event) override;

  cudaStream_t handle() const noexcept { return handle_; }
  // Expires when the stream is destroyed.
  std::weak_ptr<CudaStream*> reference() const noexcept { return self_; }

 private:
  cudaGraph_t graph_so_far() const;  // null unless the stream is capturing
  GraphHandle finish_capture();
  void record_arm(cudaGraph_t graph, const Arm& arm);

  StreamHandle stream_;  // empty for a borrowed stream
  DeviceRange workspace_;
  cudaStream_t handle_ = nullptr;
  std::shared_ptr<CudaStream*> self_ = std::make_shared<CudaStream*>(this);
  std::unique_ptr<CudaStream> arm_stream_;
  EventHandle sleeper_;
};

class CudaEvent final : public Event {
 public:
  CudaEvent();

  void record(Stream& stream) override;
  double seconds_since(const Event& start) const override;
  cudaEvent_t handle() const noexcept { return event_.get(); }

 private:
  EventHandle event_;
};

}  // namespace graphbench::cuda
