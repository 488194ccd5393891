// The host device's stream: an in-order queue with its own thread. During a capture, it only records tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/host/task_ring.hpp"

namespace graphbench::host {

class HostDevice;

// Runs arms[*selector], or, if it has two arms, arms[*selector != 0].
struct HostBranch {
  const std::int32_t* selector = nullptr;
  std::vector<std::vector<Task>> arms;
};

class HostStream final : public Stream {
 public:
  explicit HostStream(HostDevice& device);
  ~HostStream() override;  // runs the enqueued work, then stops the thread

  void synchronize() override;
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;
  void end_capture(Graph& graph) override;
  void abandon_capture() noexcept override;
  bool capturing() const override { return capture_ != CaptureState::none; }
  std::size_t recorded_nodes() const override { return recorded_.size(); }
  std::vector<GraphNode> nodes_so_far() const override;
  void fill_bytes(void* destination, int byte, std::size_t bytes) override;
  // The next two functions wait for the copy, so the caller may reuse the host memory at once.
  void copy_to_host(void* host_destination, const void* source, std::size_t bytes) override;
  void copy_to_device(void* destination, const void* host_source, std::size_t bytes) override;
  void copy_on_device(void* destination, const void* source, std::size_t bytes) override;
  void record_branch(const void* selector, const std::vector<Arm>& arms) override;
  void* native_handle() noexcept override { return nullptr; }
  void synchronize_blocking() override;

  // Enqueues a task, or records it during a capture.
  void submit(Task::Run run, void* object, const void* payload, std::size_t bytes);
  // During a capture, invalidates the capture and throws Error(capture_unsupported).
  void submit_uncaptured(const char* operation, Task::Run run, void* object, const void* payload,
                         std::size_t bytes);
  // Waits for all enqueued work. If the work failed, the next synchronize() throws its error.
  void drain() noexcept;

 private:
  enum class CaptureState : unsigned char { none, active, invalidated };

  void enqueue(Task::Run run, void* object, const void* payload, std::size_t bytes);
  void refuse_while_capturing(const char* operation);
  void rethrow_error();
  void finish_capture();
  void work();

  HostDevice& device_;
  TaskRing ring_;
  CaptureState capture_ = CaptureState::none;
  std::thread::id capture_thread_;
  std::vector<Task> recorded_;
  std::vector<std::shared_ptr<HostBranch>> branches_;
  // The first failure since the last synchronize. The stream's thread writes it before it completes the
  // task; the submitting thread reads it after it has seen the completion.
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace graphbench::host
