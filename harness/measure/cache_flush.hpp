// Empties the device's last-level cache: writes as many bytes as the cache holds.
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphs/device/device.hpp"

namespace graphbench::measure {

class CacheFlush {
 public:
  // The most bytes to write on the host device. A CPU may share a cache of hundreds of megabytes with other
  // virtual machines, and writing that much between steps would take longer than the steps.
  static constexpr std::size_t host_bytes_max = std::size_t{64} << 20;

  static std::size_t bytes_for(const Device& device) {
    const std::size_t bytes = device.cache_bytes();
    if (bytes == 0) {
      throw Error(ErrorCode::unsupported,
                  "flush the last-level cache: this device does not report the size of that cache");
    }
    return device.info().kind == "host" ? std::min(bytes, host_bytes_max) : bytes;
  }

  CacheFlush(Device& device, Stream& stream)
      : stream_(stream), memory_(device, bytes_for(device), MemoryKind::harness) {}

  // Call this outside of timed regions. The stream must be idle before the call, and is idle afterwards.
  void run() {
    stream_.fill_bytes(memory_.data(), ++byte_ & 0x7f, memory_.bytes());
    stream_.synchronize();
  }

 private:
  Stream& stream_;
  Buffer memory_;
  int byte_ = 0;
};

}  // namespace graphbench::measure
