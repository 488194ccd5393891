// Recording and reading the host device's events.
#include "graphs/host/host_event.hpp"

#include <thread>

#include "graphs/host/host_stream.hpp"

namespace graphbench::host {

HostEvent::~HostEvent() {
  while (pending_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void HostEvent::record(Stream& stream) {
  pending_.fetch_add(1, std::memory_order_relaxed);
  try {
    static_cast<HostStream&>(stream).submit_uncaptured("record event", run, this, nullptr, 0);
  } catch (...) {
    pending_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
  recorded_ = true;
}

void HostEvent::run(Task& task, StreamContext&) {
  auto& event = *static_cast<HostEvent*>(task.object);
  event.reached_at_ = std::chrono::steady_clock::now();
  event.pending_.fetch_sub(1, std::memory_order_release);
}

double HostEvent::seconds_since(const Event& start) const {
  const auto& from = static_cast<const HostEvent&>(start);
  for (const HostEvent* event : {&from, this}) {
    if (!event->recorded_) {
      throw Error(ErrorCode::invalid_argument, "read host event: it was never recorded");
    }
    if (event->pending_.load(std::memory_order_acquire) != 0) {
      throw Error(ErrorCode::invalid_argument,
                  "read host event: not reached yet; synchronise its stream first");
    }
  }
  return std::chrono::duration<double>(reached_at_ - from.reached_at_).count();
}

}  // namespace graphbench::host
