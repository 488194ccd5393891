// Tests a task's placements and visits: what each begins with, in which order, and on which device.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/support/fake_device.hpp"
#include "tests/unit/harness/measure/worker/task_run_fixture.hpp"

namespace graphbench::measure {
namespace {

constexpr std::int64_t visits_to_each_cell = placements * visits_in_a_placement;
constexpr std::int64_t devices = placements / placements_on_a_device;

TEST_F(TaskRunTest, CapturesLargestFirstInEveryPlacement) {
  run();
  std::vector<std::vector<std::int64_t>> captured;
  for (const auto& [batch, phase] : events_.phases) {
    if (phase != "capture") continue;
    if (captured.empty() || captured.back().size() == 3) captured.emplace_back();
    captured.back().push_back(batch);
  }
  EXPECT_EQ(captured.size(), static_cast<std::size_t>(placements));
  EXPECT_THAT(captured, ::testing::Each(::testing::ElementsAre(4, 2, 1)));
}

struct DeviceLife {
  std::int64_t first_use = 0;  // calls of load_at_first_use()
  std::int64_t opened = 0;
  std::int64_t discarded = 0;
  std::int64_t alive = 0;
  std::int64_t streams = 0;
  std::int64_t probed = 0;               // probes of its clock
  const test::CallLog* log = nullptr;    // of the device that is alive
  std::int64_t lost_at = 0;              // the batch whose launches lose the device
  std::optional<facts::CacheUse> cache;  // of the process; absent without a cache
  std::set<std::int64_t> chosen = {};    // batches whose kernels were chosen
};

class WatchedDevice final : public test::FakeDevice {
 public:
  explicit WatchedDevice(DeviceLife& life) : life_(life) {
    memory_limit = std::size_t{1} << 40;
    EXPECT_EQ(life_.alive++, 0) << "two placements at a time";
    EXPECT_EQ(life_.opened++, life_.discarded);
    life_.log = &log;
  }
  ~WatchedDevice() override { --life_.alive; }
  void discard() override {
    EXPECT_EQ(log.live_allocations + log.live_graphs, 0) << "something of the device is left";
    ++life_.discarded;
  }
  std::optional<MemoryUse> memory_use() override {
    return MemoryUse{context_bytes + allocated_bytes() + kernels_ * kernel_bytes, true};
  }
  static constexpr std::size_t context_bytes = std::size_t{500} << 20;
  static constexpr std::size_t kernel_bytes = std::size_t{1} << 20;
  std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) override {
    if (call.batch == life_.lost_at) return std::make_unique<LosingKernel>();
    ++kernels_;
    if (life_.cache && life_.chosen.insert(call.batch).second) {
      ++life_.cache->misses;
      life_.cache->bytes += 100 * call.batch;
    }
    return std::make_unique<ZeroKernel>(call);
  }
  void load_at_first_use() override { ++life_.first_use; }
  std::optional<facts::CacheUse> cache_use() const override { return life_.cache; }
  std::unique_ptr<Stream> make_stream() override {
    ++life_.streams;
    return FakeDevice::make_stream();
  }
  std::optional<double> clock_probe_seconds(Stream&) override {
    return ++life_.probed > 2 && life_.probed % 2 != 0 ? 2.02e-4 : 2e-4;  // 1 % slower is not lowered
  }

 private:
  // Writes zeros, so that eager steps pass a check. (A replay of the fake device runs no kernel.)
  class ZeroKernel final : public Kernel {
   public:
    explicit ZeroKernel(const ir::OpCall& call) : inputs_(call.input_count) {
      for (const auto& operand : call.operands) bytes_.push_back(operand.bytes());
    }
    void launch(Stream&, void* const* operands) override {
      for (std::size_t i = inputs_; i < bytes_.size(); ++i) std::memset(operands[i], 0, bytes_[i]);
    }

   private:
    std::size_t inputs_;
    std::vector<std::size_t> bytes_;
  };
  class LosingKernel final : public Kernel {
   public:
    void launch(Stream&, void* const*) override { throw Error(ErrorCode::device_lost, "launch: injected"); }
  };
  DeviceLife& life_;
  std::size_t kernels_ = 0;
};

class TaskRunPlacementTest : public TaskRunTest {
 protected:
  TaskRunPlacementTest() {
    open_ = [this] { return std::make_unique<WatchedDevice>(life_); };
  }
  DeviceLife life_;
};

TEST_F(TaskRunPlacementTest, TheLastDevicesMemoryIsAllInAccounts) {
  task_.mode = "eager";
  run();
  const model::Memory& memory = events_.memories.at(1);
  EXPECT_EQ(memory.context_bytes, static_cast<std::int64_t>(WatchedDevice::context_bytes));
  EXPECT_GT(*memory.code_bytes, 0);
  EXPECT_EQ(*memory.code_bytes % static_cast<std::int64_t>(WatchedDevice::kernel_bytes), 0);
  EXPECT_EQ(memory.used_bytes, *memory.context_bytes + *memory.code_bytes + *memory.static_bytes +
                                   *memory.workspace_bytes + memory.pool_bytes);
  EXPECT_EQ(memory.unaccounted_bytes, 0);
  EXPECT_FALSE(memory.exec_bytes.has_value()) << "eager has no graphs";
  EXPECT_EQ(memory.witness, "process");
}

TEST_F(TaskRunPlacementTest, ABatchHasWhatItsOwnPreparationHadOfTheCache) {
  life_.cache.emplace().hits = 7;  // before the first batch of the ladder
  task_.mode = "eager";
  run();
  for (const std::int64_t batch : {1, 2, 4}) {
    ASSERT_TRUE(events_.cells.at(batch).cache) << batch;
    EXPECT_EQ(events_.cells.at(batch).cache->misses, 1) << batch;
    EXPECT_EQ(events_.cells.at(batch).cache->bytes, 100 * batch);
    EXPECT_EQ(events_.cells.at(batch).cache->hits, 0) << batch;
  }
  life_ = {};
  run_again();
  EXPECT_FALSE(events_.cells.at(1).cache);
}

TEST_F(TaskRunPlacementTest, SomePlacementsShareADeviceAndEachDeviceIsDiscarded) {
  run();
  EXPECT_EQ(life_.opened, devices);
  EXPECT_EQ(life_.streams, devices) << "graphs are slower in a later stream of the same context";
  EXPECT_EQ(life_.first_use, 0);
  EXPECT_EQ(life_.discarded, devices);
  EXPECT_EQ(life_.alive, 0);
}

TEST_F(TaskRunPlacementTest, PlacementsOnADeviceTakeMemoryElsewhere) {
  std::vector<std::int64_t> allocations;
  events_.on_measure = [&] { allocations.push_back(life_.log->live_allocations); };
  run();
  ASSERT_EQ(allocations.size(), static_cast<std::size_t>(3 * visits_to_each_cell));
  EXPECT_EQ(allocations.front(), allocations.at(allocations.size() / 2)) << "the first of each device";
  const std::set<std::int64_t> numbers(allocations.begin(), allocations.end());
  EXPECT_GE(numbers.size(), static_cast<std::size_t>(placements - devices))
      << "of unused blocks: none where a device opens, else random ones, of which two may be equal";
}

TEST_F(TaskRunPlacementTest, WhatLoadsAtItsFirstUseHasOnePlacement) {
  task_.mode = "eager";
  task_.more_axes["prepare"] = "first-use";
  task_.batches = {2};
  run();
  EXPECT_EQ(life_.first_use, 1);
  EXPECT_EQ(life_.opened, 1);
  const model::CellResult& cell = events_.cells.at(2);
  ASSERT_EQ(cell.status, model::CellStatus::ok);
  EXPECT_EQ(cell.launches.at(0).placements.size(), 1u);
}

TEST_F(TaskRunPlacementTest, ALostDeviceEndsTheTaskAtItsBatchAndLeavesTheRest) {
  life_.lost_at = 2;
  run();
  EXPECT_EQ(events_.cells.at(2).reason->code, "device_lost");
  EXPECT_EQ(events_.cells.size(), 1u);
  EXPECT_THAT(events_.stops, ::testing::ElementsAre(2));
}

TEST_F(TaskRunPlacementTest, EveryBatchHasMadeAStepBeforeTheFirstVisitOfAPlacement) {
  std::vector<std::int64_t> launched;  // graph launches before the first visit on each device
  events_.on_measure = [&] {
    if (static_cast<std::int64_t>(launched.size()) < life_.opened)
      launched.push_back(life_.log->graph_launches);
  };
  run();
  ASSERT_EQ(launched.size(), static_cast<std::size_t>(devices));
  EXPECT_EQ(launched[0], 3 * 32) << "the first has the ramp";
  for (std::size_t i = 1; i < launched.size(); ++i) EXPECT_EQ(launched[i], 3);
}

TEST_F(TaskRunPlacementTest, TheDevicesClockIsProbedBeforeAndAfterEveryVisit) {
  std::int64_t visits = 0;
  task_.mode = "eager";
  // The first visit has two probes before it: the second confirms what later probes are compared with.
  events_.on_measure = [&] {
    EXPECT_EQ(life_.probed, 2 * visits + (visits > 0 ? 1 : 0));
    ++visits;
  };
  run();
  EXPECT_EQ(life_.probed, 2 * 3 * visits_to_each_cell + 1);
  for (const std::int64_t batch : task_.batches) {
    ASSERT_EQ(events_.cells.at(batch).status, model::CellStatus::ok);
    EXPECT_EQ(events_.cells.at(batch).launches.at(0).machine->device_slowdown.value(), 2.02e-4 / 2e-4)
        << "of the second";
  }
  open_ = [] { return open_device("host"); };
  run_again();
  EXPECT_FALSE(events_.cells.at(1).launches.at(0).machine->device_slowdown)
      << "a CPU has no clock of its own to probe";
}

TEST_F(TaskRunPlacementTest, ADeviceThatDoesNotOpenAgainEndsTheWorker) {
  open_ = [this]() -> std::unique_ptr<Device> {
    if (life_.opened == 1) throw Error(ErrorCode::device_failed, "open device: injected");
    return std::make_unique<WatchedDevice>(life_);
  };
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(life_.discarded, 1);
}

TEST_F(TaskRunTest, VisitsEveryBatchInEveryRoundAndChecksThemAfterTheLast) {
  task_.batches = {1, 2, 4, 8};
  run();
  std::vector<std::vector<std::int64_t>> rounds;
  std::size_t checks = 0;
  for (const auto& [batch, phase] : events_.phases) {
    if (phase == "check") ++checks;
    if (phase != "measure") continue;
    EXPECT_EQ(checks, 0u);
    if (rounds.empty() || rounds.back().size() == 4) rounds.emplace_back();
    rounds.back().push_back(batch);
  }
  EXPECT_EQ(checks, 4u);
  ASSERT_EQ(rounds.size(), static_cast<std::size_t>(visits_to_each_cell));
  for (const std::vector<std::int64_t>& round : rounds)
    EXPECT_THAT(round, ::testing::UnorderedElementsAre(1, 2, 4, 8));
  std::ranges::sort(rounds);
  EXPECT_NE(rounds.front(), rounds.back()) << "the orders are the rounds' own";
}

}  // namespace
}  // namespace graphbench::measure
