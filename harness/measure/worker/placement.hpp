// One placement of a task: either a newly opened device with new memory, streams and library handles, as in a
// new process, or other memory on an open device. A launch has several placements, one after the other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/device/device.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/measure/worker/rig.hpp"

namespace graphbench::measure {

using OpenDevice = std::function<std::unique_ptr<Device>()>;

class Placement {
 public:
  // Arguments outlive the placement. Only one placement may exist at a time. Throws what opening the device
  // and making the rig throw.
  Placement(const model::WorkerTask& task, const OpenDevice& open, const MakeRig& make_rig,
            SubmitterPin& pin);
  // Discards a device that the rig owns. Reports a failed reset on stderr; the device then cannot be opened
  // again.
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  // Makes the next placement on the open device. Releases the rig's memory, then allocates unused blocks
  // (`seed` decides how many), so that the rig's new memory has other addresses. No executor may exist.
  void move(std::uint64_t seed);

  Device& device() noexcept { return *device_; }
  Rig& rig() noexcept { return *rig_; }
  const MonitorResult& monitor() const noexcept { return monitor_; }
  std::optional<facts::DeviceReading> read_monitor() const {
    if (monitor_.monitor == nullptr) return std::nullopt;
    return monitor_.monitor->read();
  }
  CacheFlush* cache() noexcept { return cache_.get(); }  // null if the cache is not emptied

 private:
  // Members in order of construction. All but the device are destroyed before the device is discarded.
  std::unique_ptr<Device> device_;
  std::unique_ptr<Rig> rig_;
  MonitorResult monitor_;
  std::unique_ptr<CacheFlush> cache_;
  std::vector<Buffer> unused_;
};

}  // namespace graphbench::measure
