// A worker's ladder on the real host device: what it reports, in every mode, and what it does with
// batches that do not fit or do not check.
#include "harness/worker/ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "graphs/abi/plugin.hpp"
#include "graphs/device/registry.hpp"
#include "harness/machine/pinning.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/small_programs.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::worker {
namespace {

using model::CellStatus;

class Recorder final : public WorkerEvents {
 public:
  void device(const model::DeviceFacts&) override {}
  void phase(std::int64_t batch, std::string_view phase) override {
    phases.emplace_back(batch, phase);
    if (phase == "check") on_check();
    if (phase == "measure") on_measure();
  }
  void cell(const model::CellResult& result) override {
    ASSERT_FALSE(cells.contains(result.cell.batch)) << "reported twice";
    cells[result.cell.batch] = result;
  }
  void memory(std::int64_t batch, const model::Memory& facts) override { memories[batch] = facts; }
  void machine(std::int64_t batch, const model::LaunchMachine& machine) override {
    machines[batch] = machine;
  }

  std::function<void()> on_check = [] {};
  std::function<void()> on_measure = [] {};
  std::vector<std::pair<std::int64_t, std::string>> phases;
  std::map<std::int64_t, model::CellResult> cells;
  std::map<std::int64_t, model::Memory> memories;
  std::map<std::int64_t, model::LaunchMachine> machines;
};

class LadderTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    workloads::add_builtin(registry_);
    task_.device = "host";
    task_.workload = "mlp";
    task_.preset = "tiny";
    task_.dtype = "fp32";
    task_.pass = "forward";
    task_.mode = "whole";
    task_.warmup = 1;
    task_.batches = {1, 4, 2};
    task_.sampling.seconds_max = 10;  // samples_max is what ends the passes
    task_.sampling.samples_max = 40;
  }
  void run() {
    const ir::Program program =
        registry_.build(task_.workload, {.preset = task_.preset, .dtype = ir::DType::fp32, .options = {}});
    run(program);
  }
  void run(const ir::Program& program) {
    model::InstrumentOptions unpinned;
    unpinned.pin = false;
    machine::SubmitterPin pin(unpinned, machine::allowed_cpus(), false);
    Ladder(task_, open_, program, pin, events_).run();
  }

  OpenDevice open_ = [] { return open_device("host"); };
  abi::WorkloadRegistry registry_;
  model::WorkerTask task_;
  Recorder events_;
};

TEST_P(LadderTest, ReportsEveryBatchMeasuredAndChecked) {
  task_.mode = GetParam();
  for (const char* workload : {"mlp", "attention", "conv"}) {
    task_.workload = workload;
    events_ = Recorder{};
    run();
    ASSERT_EQ(events_.cells.size(), 3u);
    for (const auto& [batch, cell] : events_.cells) {
      ASSERT_EQ(cell.status, CellStatus::ok)
          << id_of(cell.cell) << ": " << (cell.reason ? cell.reason->message : "");
      EXPECT_TRUE(cell.check->identical);
      const model::Launch& launch = cell.launches.at(0);
      EXPECT_EQ(launch.latency_seconds->count, 40);  // the ramp is among them
      // With the last sample the median may also be known precisely enough; which it is, real times decide.
      EXPECT_THAT(launch.latency_stopped_by, ::testing::AnyOf("samples", "precision"));
      EXPECT_EQ(launch.latency_started_ns.size(), launch.latency_samples.size());
      EXPECT_EQ(launch.device_started_ns.size(), launch.device_samples.size());
      EXPECT_EQ(launch.latency_samples.front(), launch.setup.first_step_seconds);
      EXPECT_GT(launch.device_seconds->count, 0);
      EXPECT_GT(*launch.throughput_steps_per_second, 0);
      for (std::size_t i = 0; i < launch.submit_samples.size(); ++i) {
        EXPECT_LE(launch.submit_samples[i], launch.latency_samples[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, LadderTest, ::testing::Values("eager", "whole", "piecewise"),
                         [](const auto& instance) { return instance.param; });

using LadderMemoryTest = LadderTest;

TEST_F(LadderMemoryTest, SharedPoolIsNoLargerThanTheLargestBatchesOwn) {
  task_.batches = {64, 16, 4, 1};
  for (const char* mode : {"whole", "piecewise"}) {
    for (const char* workload : {"mlp", "attention", "conv"}) {
      task_.mode = mode;
      task_.workload = workload;
      events_ = Recorder{};
      run();
      ASSERT_EQ(events_.memories.size(), 4u);
      const model::Memory& largest = events_.memories.at(64);
      EXPECT_GT(largest.pool_bytes, 0);
      EXPECT_LE(static_cast<double>(largest.pool_bytes), 1.05 * static_cast<double>(largest.pool_bytes_own));
      EXPECT_GE(largest.pool_bytes_private, largest.pool_bytes_own + 3);
    }
  }
}

TEST_F(LadderMemoryTest, CapturesLargestFirstInEveryPlacement) {
  run();
  std::vector<std::vector<std::int64_t>> captured;
  for (const auto& [batch, phase] : events_.phases) {
    if (phase != "capture") continue;
    if (captured.empty() || captured.back().size() == 3) captured.emplace_back();
    captured.back().push_back(batch);
  }
  EXPECT_EQ(captured.size(), static_cast<std::size_t>(measure::placements));
  EXPECT_THAT(captured, ::testing::Each(::testing::ElementsAre(4, 2, 1)));
}

struct DeviceLife {
  std::int64_t opened = 0;
  std::int64_t discarded = 0;
  std::int64_t alive = 0;
  std::int64_t probed = 0;             // its clock
  const test::CallLog* log = nullptr;  // of the device alive
};

class WatchedDevice final : public test::FakeDevice {
 public:
  explicit WatchedDevice(DeviceLife& life) : life_(life) {
    EXPECT_EQ(life_.alive++, 0) << "two placements at a time";
    EXPECT_EQ(life_.opened++, life_.discarded);
    life_.log = &log;
  }
  ~WatchedDevice() override { --life_.alive; }
  void discard() override {
    EXPECT_EQ(log.live_allocations + log.live_graphs, 0) << "something of the device is left";
    ++life_.discarded;
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<StillEvent>(); }
  std::unique_ptr<Kernel> make_kernel(const ir::OpCall& call) override {
    return std::make_unique<ZeroKernel>(call);
  }
  std::optional<double> clock_probe_seconds(Stream&) override {
    return ++life_.probed % 2 == 0 ? 2.02e-4 : 2e-4;  // 1 % is no lowered clock
  }

 private:
  struct StillEvent final : Event {
    void record(Stream&) override {}
    double seconds_since(const Event&) const override { return 1e-6; }
  };
  // Results that pass a check, where they are not a graph's.
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
  DeviceLife& life_;
};

TEST_F(LadderMemoryTest, EveryPlacementHasADeviceOfItsOwnWhichIsDiscarded) {
  DeviceLife life;
  open_ = [&life] { return std::make_unique<WatchedDevice>(life); };
  run();
  EXPECT_EQ(life.opened, measure::placements);
  EXPECT_EQ(life.discarded, measure::placements);
  EXPECT_EQ(life.alive, 0);
}

TEST_F(LadderMemoryTest, EveryBatchHasMadeAStepBeforeTheFirstVisitOfAPlacement) {
  DeviceLife life;
  open_ = [&life] { return std::make_unique<WatchedDevice>(life); };
  std::vector<std::int64_t> launched;  // graphs, when each placement's first visit begins
  events_.on_measure = [&] {
    if (static_cast<std::int64_t>(launched.size()) < life.opened)
      launched.push_back(life.log->graph_launches);
  };
  run();
  ASSERT_EQ(launched.size(), static_cast<std::size_t>(measure::placements));
  EXPECT_EQ(launched[0], 3 * 32) << "the first has the ramp";
  for (std::size_t i = 1; i < launched.size(); ++i) EXPECT_EQ(launched[i], 3);
}

TEST_F(LadderMemoryTest, TheDevicesClockIsProbedBeforeEveryVisit) {
  DeviceLife life;
  open_ = [&life] { return std::make_unique<WatchedDevice>(life); };
  std::int64_t visits = 0;
  task_.mode = "eager";
  events_.on_measure = [&] { EXPECT_EQ(life.probed, visits++); };
  run();
  EXPECT_EQ(life.probed, 3 * measure::visits_to_a_cell);
  for (const std::int64_t batch : task_.batches) {
    ASSERT_EQ(events_.cells.at(batch).status, CellStatus::ok);
    EXPECT_THAT(events_.machines.at(batch).device_slowdown.value(), ::testing::AnyOf(1.0, 2.02e-4 / 2e-4));
  }
  open_ = [] { return open_device("host"); };
  events_ = Recorder{};
  run();
  EXPECT_FALSE(events_.machines.at(1).device_slowdown) << "a CPU has no clock of its own to probe";
}

TEST_F(LadderMemoryTest, ADeviceThatDoesNotOpenAgainEndsTheWorker) {
  DeviceLife life;
  open_ = [&life]() -> std::unique_ptr<Device> {
    if (life.opened == 1) throw Error(ErrorCode::device_failed, "open device: injected");
    return std::make_unique<WatchedDevice>(life);
  };
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(life.discarded, 1);
}

TEST_F(LadderMemoryTest, VisitsEveryBatchInEveryRoundAndChecksThemAfterTheLast) {
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
  ASSERT_EQ(rounds.size(), static_cast<std::size_t>(measure::visits_to_a_cell));
  for (const std::vector<std::int64_t>& round : rounds)
    EXPECT_THAT(round, ::testing::UnorderedElementsAre(1, 2, 4, 8));
  std::ranges::sort(rounds);
  EXPECT_NE(rounds.front(), rounds.back()) << "the orders are the rounds' own";
}

TEST_F(LadderMemoryTest, ABatchThatDoesNotFitCostsItsOwnCellOnly) {
  task_.batches = {std::int64_t{1} << 40, 2};
  run();
  EXPECT_EQ(events_.cells.at(std::int64_t{1} << 40).status, CellStatus::failed);
  EXPECT_EQ(events_.cells.at(std::int64_t{1} << 40).reason->code, "out_of_memory");
  EXPECT_EQ(events_.cells.at(2).status, CellStatus::ok);
}

// An op that gives another result at every call: eager itself cannot be repeated, and the check says so.
int run_fickle(const gb_op_call*, void* const* operands, void*) {
  static float value = 0;
  *static_cast<float*>(operands[1]) = value += 1;
  return 0;
}

int run_nan(const gb_op_call*, void* const* operands, void*) {
  *static_cast<float*>(operands[1]) = __builtin_nanf("");
  return 0;
}

std::int32_t infer_one(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t, gb_inferred* outputs,
                       char*, std::size_t, void*) {
  outputs[0] = gb_inferred{GB_FP32, 1, {{1, 0}}};
  return 1;
}

// An op that stops writing its output once the check's reference run is over. What it left there
// before is right, so only poisoned memory shows it.
bool check_begun = false;
int calls_in_check = 0;

int run_lazy(const gb_op_call*, void* const* operands, void*) {
  if (check_begun && ++calls_in_check > 1) return 0;
  *static_cast<float*>(operands[1]) = 7;
  return 0;
}

// An op that fails at batch 2 once the ladder is set up.
bool measure_begun = false;

int run_frail(const gb_op_call* call, void* const* operands, void*) {
  if (measure_begun && call->batch == 2) return 1;
  *static_cast<float*>(operands[1]) = 7;
  return 0;
}

// Right at batches 8 and 1, never finite at 4, and another result at every call at 2.
int run_as_its_batch_says(const gb_op_call* call, void* const* operands, void*) {
  static float calls = 0;
  const float result = call->batch == 4 ? __builtin_nanf("") : call->batch == 2 ? calls += 1 : 7;
  std::fill_n(static_cast<float*>(operands[1]), call->batch, result);
  return 0;
}

class LadderCheckTest : public LadderTest {
 protected:
  void run_with(decltype(gb_op::run_host) run_host, std::uint32_t flags,
                const std::vector<std::int64_t>& batches = {1}) {
    op_ = gb_op{sizeof(gb_op), flags, "mine", 0, infer_one, nullptr, run_host, nullptr};
    ir::OpDefinition definition;
    definition.kind = "mine";
    definition.foreign = &op_;
    catalog_.add(definition);
    ir::ProgramBuilder builder("p", catalog_);
    const ir::ValueId x = builder.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch()}, {});
    builder.mark_output(builder.op("mine", "m", {x}, {})[0]);
    task_.batches = batches;
    run(builder.finish());
  }
  const model::CellResult& cell() { return events_.cells.at(1); }

  gb_op op_{};
  ir::OpCatalog catalog_;
};

using LadderStaleOutputTest = LadderCheckTest;

TEST_F(LadderCheckTest, ADifferentOutputFailsTheCell) {
  run_with(run_fickle, 0);
  EXPECT_EQ(cell().status, CellStatus::failed);
  EXPECT_EQ(cell().reason->code, "check_failed");
  EXPECT_FALSE(cell().check->identical);
  EXPECT_GT(cell().check->max_abs_error, 0);
  EXPECT_TRUE(cell().launches.empty());
}

TEST_F(LadderCheckTest, AnOutputThatIsNotFiniteFailsTheCell) {
  run_with(run_nan, 0);
  EXPECT_EQ(cell().reason->code, "check_failed");
  EXPECT_THAT(cell().reason->message, ::testing::HasSubstr("not finite"));
}

TEST_F(LadderCheckTest, WhatEarlierChecksLeftInTheirMemoryDecidesNothing) {
  run_with(run_as_its_batch_says, 0, {8, 4, 2, 1});
  EXPECT_EQ(events_.cells.at(8).status, CellStatus::ok);
  ASSERT_EQ(events_.cells.at(4).status, CellStatus::failed);
  EXPECT_THAT(events_.cells.at(4).reason->message, ::testing::HasSubstr("not finite"));
  ASSERT_EQ(events_.cells.at(2).status, CellStatus::failed);
  EXPECT_THAT(events_.cells.at(2).reason->message, ::testing::HasSubstr("differs"));
  EXPECT_EQ(events_.cells.at(1).status, CellStatus::ok);
}

TEST_P(LadderStaleOutputTest, AnOutputThatIsNotWrittenFailsTheCell) {
  task_.mode = GetParam();
  check_begun = false;
  calls_in_check = 0;
  events_.on_check = [] { check_begun = true; };
  run_with(run_lazy, 0);
  EXPECT_EQ(cell().status, CellStatus::failed);
  EXPECT_EQ(cell().reason->code, "check_failed");
}

class LadderFailureTest : public LadderCheckTest {
 protected:
  void SetUp() override {
    LadderCheckTest::SetUp();
    measure_begun = false;
    events_.on_measure = [] { measure_begun = true; };
  }
};

TEST_F(LadderFailureTest, IsToldWithItsOwnReasonBeforeTheDeviceIsGivenUp) {
  bool opened = false;
  open_ = [&opened] {
    if (opened) throw Error(ErrorCode::device_failed, "open device: injected");
    opened = true;
    return open_device("host");
  };
  EXPECT_THROW(run_with(run_frail, 0, {1, 2}), Error);
  ASSERT_TRUE(events_.cells.contains(2));
  EXPECT_EQ(events_.cells.at(2).reason->code, "plugin_failed");
  EXPECT_FALSE(events_.cells.contains(1));
}

TEST_F(LadderFailureTest, OfEveryBatchEndsTheLadder) {
  int opened = 0;
  open_ = [&opened] {
    ++opened;
    return open_device("host");
  };
  run_with(run_frail, 0, {2});
  EXPECT_EQ(events_.cells.at(2).reason->code, "plugin_failed");
  EXPECT_EQ(opened, 1);
}

TEST_F(LadderFailureTest, InALaterPlacementIsAFailureOfItsCellOnly) {
  int opened = 0;
  open_ = [&] {
    measure_begun = ++opened == 2;
    return open_device("host");
  };
  events_.on_measure = [] {};
  run_with(run_frail, 0, {1, 2});
  EXPECT_EQ(events_.cells.at(2).reason->code, "plugin_failed");
  EXPECT_EQ(events_.cells.at(1).status, CellStatus::ok);
}

TEST_F(LadderFailureTest, InOpeningAnewIsNotLaidAtABatchsDoor) {
  std::vector<std::pair<std::int64_t, std::string>> at_opening;
  open_ = [&] {
    at_opening.push_back(events_.phases.empty() ? std::pair<std::int64_t, std::string>{}
                                                : events_.phases.back());
    return open_device("host");
  };
  run_with(run_frail, 0);
  EXPECT_THAT(at_opening, ::testing::ElementsAre(::testing::Pair(0, ""), ::testing::Pair(0, "open"),
                                                 ::testing::Pair(0, "open")));
}

INSTANTIATE_TEST_SUITE_P(Modes, LadderStaleOutputTest, ::testing::Values("eager", "whole", "piecewise"),
                         [](const auto& instance) { return instance.param; });

TEST_F(LadderCheckTest, WhatNoGraphCanHoldIsSkippedWithTheOpsName) {
  run_with(run_fickle, GB_OP_NOT_CAPTURABLE);
  EXPECT_EQ(cell().status, CellStatus::skipped);
  EXPECT_EQ(cell().reason->code, "not_capturable_op");
  EXPECT_THAT(cell().reason->message, ::testing::HasSubstr("m (mine)"));
}

}  // namespace
}  // namespace graphbench::worker
