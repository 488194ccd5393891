// Accounts for a worker's device memory. Reads the driver's used memory between the stages of a placement.
// The growth of used memory in a stage, minus the known allocations, belongs to the stage's account.
#pragma once

#include <cstdint>
#include <optional>

#include "graphs/device/device.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

class MemoryLedger {
 public:
  // `code` includes library handles and the driver's reserves for first launches. `other` should not grow.
  enum class Account : std::uint8_t { context, code, graphs, other };

  // Call this right after a placement is made. The memory used so far counts as context, and later growth as
  // code. Both arguments outlive the ledger.
  MemoryLedger(Device& device, TaskRig& rig);

  // Assigns later growth to `account`. If that is a new account, reads the driver's used memory first.
  void begin(Account account);
  // Call this after the visits, while static buffers exist. Figures that come from the driver are absent if
  // the device does not report its used memory.
  model::Memory close();

 private:
  std::int64_t known_bytes() const;

  Device& device_;
  TaskRig& rig_;
  Account account_ = Account::context;
  std::int64_t hidden_ = 0;  // used memory less known allocations, at the last reading
  model::Memory memory_{};
};

}  // namespace graphbench::measure
