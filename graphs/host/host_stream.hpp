// The host device's stream: an in-order queue with a thread of its own, or a recording of what would
// have been queued.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/host/task_ring.hpp"

namespace graphbench::host {

class HostDevice;

class HostStream final : public Stream {
 public:
  explicit HostStream(HostDevice& device);
  ~HostStream() override;  // runs what is enqueued, then stops the thread

  void synchronize() override;
  void begin_capture() override;
  std::unique_ptr<Graph> end_capture() override;
  void end_capture(Graph& graph) override;
  void abandon_capture() noexcept override;
  bool capturing() const override { return capture_ != CaptureState::none; }
  std::size_t recorded_nodes() const override { return recorded_.size(); }
  std::vector<GraphNode> nodes_so_far() const override;
  void fill_bytes(void* destination, int byte, std::size_t bytes) override;
  // Both wait for the copy, as CUDA does with pageable memory, so the host's memory is free to use on return.
  void copy_to_host(void* host_destination, const void* source, std::size_t bytes) override;
  void copy_to_device(void* destination, const void* host_source, std::size_t bytes) override;
  void copy_on_device(void* destination, const void* source, std::size_t bytes) override;
  void* native_handle() noexcept override { return nullptr; }
  void synchronize_blocking() override;

  // Enqueues a task, or records it where the stream captures. `payload` is copied into its words.
  void submit(Task::Run run, void* object, const void* payload, std::size_t bytes);
  // Enqueues a task that no graph can hold. On a capturing stream it throws Error(capture_unsupported),
  // which names the operation, and the capture becomes invalid.
  void submit_uncaptured(const char* operation, Task::Run run, void* object, const void* payload,
                         std::size_t bytes);
  // Makes the task of a copy on the device; tells a copy from a fill; counts the bytes of either.
  static void make_copy(Task& task, const DeviceCopy& copy);
  static bool is_copy(const Task& task);
  static std::size_t bytes_of(const Task& task);
  // Waits for what is enqueued and leaves its error for the next synchronize.
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
  // The first failure since the last synchronize. The stream's thread writes it before it completes the task;
  // the submitting thread reads it after it has seen the completion.
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace graphbench::host
