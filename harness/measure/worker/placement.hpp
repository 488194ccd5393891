// One placement of a task: the device opened as if by a new process, with new memory, streams and library
// handles; or memory elsewhere on a device that is open. A launch sets its batches up in several placements,
// one after the other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "graphs/device/device.hpp"
#include "harness/measure/cache_flush.hpp"
#include "harness/measure/machine/device_state.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/worker/rig.hpp"

namespace graphbench::worker {

using OpenDevice = std::function<std::unique_ptr<Device>()>;

class Placement {
 public:
  // All outlive the placement, and no other placement exists beside it. Throws the exceptions of opening the
  // device and making the rig.
  Placement(const model::WorkerTask& task, const OpenDevice& open, const MakeRig& make_rig,
            machine::SubmitterPin& pin);
  // Discards the device, unless the rig's step shares it. One that cannot be reset is reported on stderr, and
  // will not open again.
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  // Makes the next placement on the open device: gives up the rig's memory, then takes some that is not used
  // (`seed` decides how much), so that the rig's memory lies elsewhere. No executor may be left.
  void move(std::uint64_t seed);

  Device& device() noexcept { return *device_; }
  Rig& rig() noexcept { return *rig_; }
  machine::DeviceStateReader& state_reader() noexcept { return *state_reader_; }
  measure::CacheFlush* cache() noexcept { return cache_.get(); }  // null if the cache is not emptied

 private:
  // Made in this order. All but the device are destroyed before it is discarded.
  std::unique_ptr<Device> device_;
  std::unique_ptr<Rig> rig_;
  std::unique_ptr<machine::DeviceStateReader> state_reader_;
  std::unique_ptr<measure::CacheFlush> cache_;
  std::vector<Buffer> unused_;
};

}  // namespace graphbench::worker
