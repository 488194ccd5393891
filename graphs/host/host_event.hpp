// An event of the host device: the time at which its stream's thread passed it.
#pragma once

#include <atomic>
#include <chrono>

#include "graphs/device/device.hpp"
#include "graphs/host/task_ring.hpp"

namespace graphbench::host {

class HostEvent final : public Event {
 public:
  ~HostEvent() override;  // waits for recordings that are still enqueued
  void record(Stream& stream) override;
  double seconds_since(const Event& start) const override;

 private:
  static void run(Task& task, StreamContext& context);

  std::chrono::steady_clock::time_point reached_at_;
  std::atomic<int> pending_{0};
  bool recorded_ = false;
};

}  // namespace graphbench::host
