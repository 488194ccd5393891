// Accounts for a worker's device memory. The driver's figure is read between the stages of a placement, never
// inside of one. Its growth, less the known allocations meanwhile, belongs to the stage.
#pragma once

#include <cstdint>
#include <optional>

#include "graphs/device/device.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

class MemoryLedger {
 public:
  // Code comes with handles of libraries, and with the driver's reserves for first launches. `other` is
  // memory that should not grow.
  enum class Account : std::uint8_t { context, code, graphs, other };

  // The placement has just been made: its memory is the context, and the next growth is code. Both outlive
  // the ledger.
  MemoryLedger(Device& device, TaskRig& rig);

  // Growth from here on belongs to `account`. It reads the driver's figure if the account changes.
  void begin(Account account);
  // After the placement's visits, with static buffers: the used memory and its accounts. Figures that only a
  // driver has are absent without one.
  model::Memory close();

 private:
  std::int64_t known_bytes() const;

  Device& device_;
  TaskRig& rig_;
  Account account_ = Account::context;
  std::int64_t hidden_ = 0;  // used memory less known allocations, at the last reading
  model::Memory memory_{};
};

}  // namespace graphbench::worker
