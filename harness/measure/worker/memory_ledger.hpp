// What a worker's device memory is used for. The driver's figure is read between the stages of a placement,
// never inside of one; what it grew by, less what was allocated knowingly meanwhile, belongs to the stage.
#pragma once

#include <cstdint>
#include <optional>

#include "graphs/device/device.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

class MemoryLedger {
 public:
  // Code comes with handles of libraries, and with what first launches make the driver reserve. Other: what
  // should not grow.
  enum class Account : std::uint8_t { context, code, graphs, other };

  // The placement has just been made: what it holds is its context, what comes next is code. Both
  // outlive the ledger.
  MemoryLedger(Device& device, TaskRig& rig);

  // What grows from here on belongs to `account`; reads the driver's figure where it is another than before.
  void begin(Account account);
  // After the placement's visits, with static buffers: what is used, and what the accounts hold of it. What
  // only a driver can say is absent where none does.
  model::Memory close();

 private:
  std::int64_t known_bytes() const;

  Device& device_;
  TaskRig& rig_;
  Account account_ = Account::context;
  std::int64_t hidden_ = 0;  // used, less what was allocated knowingly, at the last reading
  model::Memory memory_{};
};

}  // namespace graphbench::worker
