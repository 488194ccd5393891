// One placement of a task: the device opened as if by a new process, and all memory, streams and library
// handles made anew on it. A ladder is placed several times in a launch, one placement after the other.
#pragma once

#include <functional>
#include <memory>

#include "graphs/device/device.hpp"
#include "harness/machine/device_mood.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/measure/cache_flush.hpp"
#include "harness/worker/task_rig.hpp"

namespace graphbench::worker {

using OpenDevice = std::function<std::unique_ptr<Device>()>;

class Placement {
 public:
  // All outlive the placement, and no other placement lives beside it. Throws what opening the device throws.
  Placement(const model::WorkerTask& task, const OpenDevice& open, const ir::Program& program,
            machine::SubmitterPin& pin);
  // Discards the device; one that cannot be reset is told on stderr, and cannot be opened again either.
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  Device& device() noexcept { return *device_; }
  TaskRig& rig() noexcept { return *rig_; }
  machine::DeviceMood& mood() noexcept { return *mood_; }
  measure::CacheFlush* cache() noexcept { return cache_.get(); }  // null where nothing empties it

 private:
  // In this order they are made, and all but the device are gone when it is discarded.
  std::unique_ptr<Device> device_;
  std::unique_ptr<TaskRig> rig_;
  std::unique_ptr<machine::DeviceMood> mood_;
  std::unique_ptr<measure::CacheFlush> cache_;
};

}  // namespace graphbench::worker
