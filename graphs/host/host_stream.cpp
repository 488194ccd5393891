// Submitting, capturing and running on the host device.
#include "graphs/host/host_stream.hpp"

#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "graphs/host/host_device.hpp"
#include "graphs/host/host_graph.hpp"
#include "graphs/host/library_stream.hpp"
#include "graphs/host/op_implementation.hpp"

namespace graphbench::host {
namespace {

struct FillBytes {
  void* destination;
  std::size_t bytes;
  int byte;
};

struct CopyBytes {
  void* destination;
  const void* source;
  std::size_t bytes;
};

// A sleeping thread takes some 5 us to wake, in a virtual machine 100 us: as much as a short step. So both
// sides stay awake over the pauses that occur while steps are measured; Parking yields their core to a thread
// that needs it. An idle stream stays awake between two samples. A thread that waits for the stream stays
// awake until a wake-up is a hundredth of what it waited for. With a single core, spinning would keep the
// other thread from running at all.
TaskRing::SpinTimes spin_times(int cores) {
  if (cores == 1) return {};
  return {.consumer = std::chrono::microseconds(2'000), .producer = std::chrono::microseconds(10'000)};
}

void run_fill(Task& task, StreamContext&) {
  const auto fill = task.payload<FillBytes>();
  std::memset(fill.destination, fill.byte, fill.bytes);
}

void run_copy(Task& task, StreamContext&) {
  const auto copy = task.payload<CopyBytes>();
  std::memmove(copy.destination, copy.source, copy.bytes);
}

}  // namespace

HostStream::HostStream(HostDevice& device)
    : device_(device), ring_(spin_times(device.cores())), thread_([this] { work(); }) {
  device_.add_stream(*this);
}

HostStream::~HostStream() {
  device_.remove_stream(*this);
  ring_.close();
  thread_.join();
}

void HostStream::work() {
  LibraryStream library(device_.compute_threads());
  StreamContext context;
  context.library_stream = library.get();
  while (Task* task = ring_.next()) {
    try {
      // The ops of one device run one at a time: they share its cores and its scratch memory.
      const std::lock_guard lock(device_.execution_mutex());
      context.recorder = device_.recorder();
      task->run(*task, context);
    } catch (...) {
      if (error_ == nullptr) error_ = std::current_exception();
    }
    ring_.complete();
  }
}

void HostStream::enqueue(Task::Run run, void* object, const void* payload, std::size_t bytes) {
  Task& task = ring_.claim();
  task.run = run;
  task.object = object;
  if (bytes != 0) std::memcpy(task.words.data(), payload, bytes);
  ring_.publish();
}

void HostStream::submit(Task::Run run, void* object, const void* payload, std::size_t bytes) {
  GRAPHBENCH_ASSERT(bytes <= sizeof(Task::words));
  if (capture_ == CaptureState::none) {
    enqueue(run, object, payload, bytes);
    return;
  }
  if (capture_ == CaptureState::invalidated) {
    throw Error(ErrorCode::capture_invalidated, "record on host stream: an earlier error ended this capture");
  }
  Task& task = recorded_.emplace_back();
  task.run = run;
  task.object = object;
  if (bytes != 0) std::memcpy(task.words.data(), payload, bytes);
}

void HostStream::submit_uncaptured(const char* operation, Task::Run run, void* object, const void* payload,
                                   std::size_t bytes) {
  GRAPHBENCH_ASSERT(bytes <= sizeof(Task::words));
  refuse_while_capturing(operation);
  enqueue(run, object, payload, bytes);
}

void HostStream::refuse_while_capturing(const char* operation) {
  if (capture_ == CaptureState::none) return;
  const bool was_active = std::exchange(capture_, CaptureState::invalidated) == CaptureState::active;
  throw Error(was_active ? ErrorCode::capture_unsupported : ErrorCode::capture_invalidated,
              std::string(operation) + " on host stream: not permitted while the stream captures");
}

void HostStream::drain() noexcept {
  ring_.wait_idle();
}

void HostStream::synchronize() {
  refuse_while_capturing("synchronize");
  ring_.wait_idle();
  rethrow_error();
}

void HostStream::synchronize_blocking() {
  refuse_while_capturing("synchronize");
  ring_.wait_idle_asleep();
  rethrow_error();
}

void HostStream::rethrow_error() {
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void HostStream::begin_capture() {
  if (capture_ != CaptureState::none) {
    throw Error(ErrorCode::capture_unsupported, "begin capture on host stream: it captures already");
  }
  recorded_.clear();
  capture_thread_ = std::this_thread::get_id();
  capture_ = CaptureState::active;
}

// Afterwards `recorded_` is the recording.
void HostStream::finish_capture() {
  if (capture_ == CaptureState::none) {
    throw Error(ErrorCode::capture_unmatched, "end capture on host stream: it does not capture");
  }
  if (capture_thread_ != std::this_thread::get_id()) {
    capture_ = CaptureState::invalidated;
    throw Error(ErrorCode::capture_wrong_thread, "end capture on host stream: another thread began it");
  }
  if (std::exchange(capture_, CaptureState::none) == CaptureState::invalidated) {
    recorded_.clear();
    throw Error(ErrorCode::capture_invalidated, "end capture on host stream: an earlier error ended it");
  }
}

std::unique_ptr<Graph> HostStream::end_capture() {
  finish_capture();
  return std::make_unique<HostGraph>(std::exchange(recorded_, {}));
}

void HostStream::end_capture(Graph& graph) {
  finish_capture();
  std::swap(static_cast<HostGraph&>(graph).tasks(), recorded_);  // its memory serves the next capture
  recorded_.clear();
}

std::vector<GraphNode> HostStream::nodes_so_far() const {
  std::vector<GraphNode> nodes;
  for (std::size_t i = 1; i <= recorded_.size(); ++i) nodes.push_back(reinterpret_cast<GraphNode>(i));
  return nodes;
}

void HostStream::abandon_capture() noexcept {
  capture_ = CaptureState::none;
  recorded_.clear();
}

void HostStream::fill_bytes(void* destination, int byte, std::size_t bytes) {
  const FillBytes fill{destination, bytes, byte};
  submit(run_fill, nullptr, &fill, sizeof(fill));
}

void HostStream::make_copy(Task& task, const DeviceCopy& copy) {
  const CopyBytes payload{copy.destination, copy.source, copy.bytes};
  task.run = run_copy;
  task.object = nullptr;
  std::memcpy(task.words.data(), &payload, sizeof(payload));
}

bool HostStream::is_copy(const Task& task) {
  return task.run == run_copy;
}

std::size_t HostStream::bytes_of(const Task& task) {
  if (task.run == run_copy) return task.payload<CopyBytes>().bytes;
  return task.run == run_fill ? task.payload<FillBytes>().bytes : 0;
}

void HostStream::copy_on_device(void* destination, const void* source, std::size_t bytes) {
  const CopyBytes copy{destination, source, bytes};
  submit(run_copy, nullptr, &copy, sizeof(copy));
}

void HostStream::copy_to_host(void* host_destination, const void* source, std::size_t bytes) {
  const CopyBytes copy{host_destination, source, bytes};
  submit_uncaptured("copy to host", run_copy, nullptr, &copy, sizeof(copy));
  synchronize();
}

void HostStream::copy_to_device(void* destination, const void* host_source, std::size_t bytes) {
  const CopyBytes copy{destination, host_source, bytes};
  submit_uncaptured("copy to device", run_copy, nullptr, &copy, sizeof(copy));
  synchronize();
}

}  // namespace graphbench::host
