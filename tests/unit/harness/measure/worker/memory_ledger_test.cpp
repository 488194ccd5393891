// Accounts of a driver that is made up: what grows in which stage, and graphs that it serves in chunks.
#include "harness/measure/worker/memory_ledger.hpp"

#include <gtest/gtest.h>

#include "graphs/abi/plugin.hpp"
#include "harness/measure/machine/exec_memory.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/sample_plan.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::worker {
namespace {

constexpr std::int64_t mebi = 1 << 20;
constexpr std::int64_t exec_bytes = 100'000;

class WeighedDevice final : public test::FakeDevice {
 public:
  std::int64_t hidden = 500 * mebi;
  bool speaks = true;
  std::optional<MemoryUse> memory_use() override {
    if (!speaks) return std::nullopt;
    const std::int64_t chunks = (log.instantiations * exec_bytes + 2 * mebi - 1) / (2 * mebi);
    return MemoryUse{allocated_bytes() + static_cast<std::size_t>(hidden + chunks * 2 * mebi), false};
  }
};

class MemoryLedgerTest : public ::testing::Test {
 protected:
  using Account = MemoryLedger::Account;
  MemoryLedgerTest() {
    workloads::add_builtin(registry_);
    task_ = test::sample_task("whole", {8});
    program_.emplace(build_program(registry_, task_));
    rig_.emplace(task_, device_, *program_);
  }
  // One batch's setup and a visit, each with some growth.
  model::Memory weigh() {
    MemoryLedger ledger(device_, *rig_);
    device_.hidden += 3 * mebi;
    rig_->allocate(8);
    const Buffer scratch(device_, 5 * mebi);
    rig_->graph_pool()->release(rig_->graph_pool()->allocate(6 * mebi));
    ledger.begin(Account::other);
    device_.hidden += 7 * mebi;  // graphs
    ledger.begin(Account::code);
    device_.hidden += 11 * mebi;  // what their first launch takes
    ledger.begin(Account::other);
    device_.hidden += 13 * mebi;
    return ledger.close();
  }

  abi::WorkloadRegistry registry_;
  model::WorkerTask task_;
  WeighedDevice device_;
  std::optional<ir::Program> program_;
  std::optional<TaskRig> rig_;
};

TEST_F(MemoryLedgerTest, BooksEachGrowthToItsStage) {
  model::Memory memory = weigh();
  EXPECT_EQ(memory.context_bytes, 500 * mebi);
  EXPECT_EQ(memory.code_bytes, 14 * mebi);
  EXPECT_EQ(memory.static_bytes, static_cast<std::int64_t>(rig_->buffers().bytes()));
  EXPECT_EQ(memory.workspace_bytes, 5 * mebi);
  EXPECT_EQ(memory.pool_bytes, 6 * mebi);
  EXPECT_EQ(memory.pool_in_use_bytes_max, 6 * mebi);
  EXPECT_EQ(memory.used_bytes, 545 * mebi + *memory.static_bytes);
  EXPECT_EQ(memory.witness, "device");
  EXPECT_FALSE(memory.unaccounted_bytes.has_value());
  MemoryLedger::settle(memory, {{8, 6 * mebi}, {4, mebi}});
  EXPECT_EQ(memory.unaccounted_bytes, 13 * mebi);
}

TEST_F(MemoryLedgerTest, DoesNotSettleWhereGraphsCouldNotBeMeasuredOrNoDriverSpeaks) {
  model::Memory memory = weigh();
  MemoryLedger::settle(memory, {{8, 6 * mebi}, {4, std::nullopt}});
  EXPECT_FALSE(memory.unaccounted_bytes.has_value());
  device_.speaks = false;
  rig_.emplace(task_, device_, *program_);
  memory = weigh();
  MemoryLedger::settle(memory, {});
  EXPECT_FALSE(memory.used_bytes || memory.context_bytes || memory.code_bytes || memory.unaccounted_bytes);
  EXPECT_EQ(memory.workspace_bytes, 5 * mebi);
}

TEST(ExecMemory, DividesWhatManyGraphsTookByTheirNumber) {
  WeighedDevice device;
  const std::unique_ptr<Stream> stream = device.make_stream();
  test::FakeGraph first(device.log, 8);
  test::FakeGraph second(device.log, 8);
  machine::ExecMemory memory(device, *stream, 4096);
  EXPECT_NEAR(memory.bytes_of({&first, &second}).value(), 2 * exec_bytes, 2.0 * mebi / 256);
  EXPECT_EQ(device.log.instantiations, 512);
  EXPECT_GE(device.log.live_graphs, 512) << "what is given back would be served again";
  EXPECT_FALSE(memory.bytes_of({}).has_value());
  device.speaks = false;
  EXPECT_FALSE(memory.bytes_of({&first}).has_value());
}

}  // namespace
}  // namespace graphbench::worker
