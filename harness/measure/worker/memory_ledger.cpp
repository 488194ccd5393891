// Reads the driver's used memory, and adds each difference to the account of the stage.
#include "harness/measure/worker/memory_ledger.hpp"

#include <algorithm>
#include <utility>

namespace graphbench::measure {
namespace {

std::int64_t reserved(const execution::MemoryPool& pool) {
  return static_cast<std::int64_t>(pool.statistics().reserved_bytes);
}

}  // namespace

MemoryLedger::MemoryLedger(Device& device, TaskRig& rig) : device_(device), rig_(rig) {
  begin(Account::code);
}

std::int64_t MemoryLedger::known_bytes() const {
  return static_cast<std::int64_t>(device_.allocated_bytes());
}

void MemoryLedger::begin(Account account) {
  if (account == account_) return;
  const Account grown = std::exchange(account_, account);
  const std::optional<MemoryUse> use = device_.memory_use();
  if (!use) return;
  const std::int64_t before = std::exchange(hidden_, static_cast<std::int64_t>(use->bytes) - known_bytes());
  if (grown == Account::context) memory_.context_bytes = hidden_;
  if (grown == Account::code) memory_.code_bytes = memory_.code_bytes.value_or(0) + hidden_ - before;
  if (grown == Account::graphs) memory_.graphs_bytes = memory_.graphs_bytes.value_or(0) + hidden_ - before;
}

model::Memory MemoryLedger::close() {
  begin(Account::other);
  if (const std::optional<MemoryUse> use = device_.memory_use()) {
    memory_.used_bytes = static_cast<std::int64_t>(use->bytes);
    memory_.witness = use->of_process ? "process" : "device";
  }
  const execution::MemoryPool& pool = rig_.graph_pool() != nullptr ? *rig_.graph_pool() : rig_.eager_pool();
  memory_.pool_bytes = reserved(pool);
  memory_.pool_in_use_bytes_max = static_cast<std::int64_t>(pool.statistics().in_use_bytes_max);
  memory_.weights_bytes = static_cast<std::int64_t>(rig_.buffers().weights_bytes());
  memory_.static_bytes = static_cast<std::int64_t>(rig_.buffers().bytes() + rig_.caller_bytes());
  memory_.workspace_bytes = known_bytes() - *memory_.static_bytes - memory_.pool_bytes;
  // At least 0: the difference is negative if other programs freed memory meanwhile.
  if (memory_.graphs_bytes) memory_.graphs_bytes = std::max(*memory_.graphs_bytes, std::int64_t{0});
  if (memory_.used_bytes && memory_.context_bytes && memory_.code_bytes)
    memory_.unaccounted_bytes = *memory_.used_bytes - *memory_.context_bytes - *memory_.code_bytes -
                                *memory_.static_bytes - *memory_.workspace_bytes - memory_.pool_bytes -
                                memory_.graphs_bytes.value_or(0);
  return memory_;
}

}  // namespace graphbench::measure
