// Which call on a device a process is in. A thread that watches the process reads it, and names a call that
// does not return.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace graphbench::measure {

enum class DeviceCall : std::uint8_t {
  open,
  launch_kernel,
  launch_graph,
  synchronize,
  capture,
  instantiate,
  update,
  upload,
  copy,
  exec_memory
};

// The name of the CUDA call on a CUDA device, else in words.
std::string_view name_of(DeviceCall call, bool on_cuda);

class CallMark {
 public:
  struct Reading {
    DeviceCall call;
    std::uint64_t count;  // the number of marks so far: an equal number means that the call has not returned
    friend bool operator==(const Reading&, const Reading&) = default;
  };

  // Costs a nanosecond. Only one thread may call it.
  void enter(DeviceCall call) noexcept {
    state_.store((state_.load(std::memory_order_relaxed) & ~std::uint64_t{255}) + 256 +
                     static_cast<std::uint64_t>(call),
                 std::memory_order_relaxed);
  }
  Reading read() const noexcept {
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    return {static_cast<DeviceCall>(state & 255), state >> 8};
  }

 private:
  std::atomic<std::uint64_t> state_{0};
};

}  // namespace graphbench::measure
