// Tests a worker's task on the host device: its report in every mode, and batches that do not fit or fail.
#include "harness/measure/worker/task_run.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/unit/harness/measure/worker/task_run_fixture.hpp"

namespace graphbench::measure {
namespace {

using model::CellStatus;

TEST_P(TaskRunTest, ReportsEveryBatchMeasuredAndChecked) {
  task_.mode = GetParam();
  for (const char* workload : {"mlp", "attention", "conv"}) {
    task_.workload = workload;
    run_again();
    ASSERT_EQ(events_.cells.size(), 3u);
    for (const auto& [batch, cell] : events_.cells) {
      ASSERT_EQ(cell.status, CellStatus::ok)
          << id_of(cell.cell) << ": " << (cell.reason ? cell.reason->message : "");
      EXPECT_TRUE(cell.check->identical);
      const model::Launch& launch = cell.launches.at(0);
      EXPECT_EQ(launch.latency_seconds->count, task_.settings.sampling.samples_max);
      EXPECT_TRUE(launch.latency_seconds->p50_ci95_low);
      // The last sample may also make the median precise enough; which bound ends the pass varies with time.
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

INSTANTIATE_TEST_SUITE_P(Modes, TaskRunTest, ::testing::Values("eager", "whole", "piecewise"),
                         [](const auto& instance) { return instance.param; });

using TaskRunStartupTest = TaskRunTest;

TEST_F(TaskRunStartupTest, IsTheWorkersAndHasTheSetupsOfTheFirstPlacement) {
  task_.spawned_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  run();
  const model::Startup startup = events_.cells.at(1).launches.at(0).startup.value();
  double captures = 0;
  double first_steps = 0;
  for (const auto& [batch, cell] : events_.cells) {
    const model::Launch& launch = cell.launches.at(0);
    EXPECT_EQ(launch.startup->context_seconds, startup.context_seconds);
    ASSERT_EQ(launch.setups.size(), static_cast<std::size_t>(placements));
    EXPECT_EQ(launch.setups[0].first_step_seconds, launch.setup.first_step_seconds);
    for (const model::Setup& setup : launch.setups) {
      EXPECT_GT(*setup.prepare_seconds, 0);
      EXPECT_GT(setup.capture_seconds, 0);
      EXPECT_GT(setup.first_step_seconds, 0);
    }
    captures += launch.setup.capture_seconds;
    first_steps += launch.setup.first_step_seconds;
  }
  EXPECT_NEAR(startup.capture_seconds, captures, 1e-12);
  EXPECT_NEAR(startup.first_step_seconds, first_steps, 1e-12);
  EXPECT_GT(*startup.process_seconds, 0);
  EXPECT_GT(startup.context_seconds, 0);
  EXPECT_GT(startup.weights_seconds, 0);
}

TEST_F(TaskRunStartupTest, WithoutAParentDoesNotSayHowLongTheProcessTook) {
  run();
  EXPECT_FALSE(events_.cells.at(1).launches.at(0).startup->process_seconds.has_value());
}

using TaskRunGraphTest = TaskRunTest;

// Samples end when the median is precise enough, so two runs take different numbers of samples.
TEST_F(TaskRunGraphTest, CountsDoNotDependOnHowManySamplesAreTaken) {
  task_.more_axes["io"] = "recapture";
  run();
  const model::Counters few = events_.cells.at(4).counters.value();
  events_ = Recorder{};
  task_.settings.sampling.samples_max *= 2;
  run();
  const model::Counters many = events_.cells.at(4).counters.value();
  EXPECT_EQ(few.programs, 1);
  EXPECT_GT(few.captured, 1);
  EXPECT_EQ(few.captured, many.captured);
  EXPECT_EQ(few.instantiated, many.instantiated);
  EXPECT_EQ(few.compilations, many.compilations);
}

TEST_F(TaskRunGraphTest, ARefusedCaptureFailsItsCellOrRunsEagerWhereThatIsAskedFor) {
  open_ = [] {
    auto device = std::make_unique<test::FakeDevice>();
    device->log.not_in_captures = "layer0.up";
    return device;
  };
  run();
  EXPECT_EQ(events_.cells.at(4).status, CellStatus::failed);
  EXPECT_THAT(events_.cells.at(4).reason->message, ::testing::HasSubstr("op layer0.up (linear)"));
  task_.settings.caller.on_skip = "eager";
  run_again();
  const model::CellResult& cell = events_.cells.at(4);
  EXPECT_EQ(cell.fallback, "eager");
  EXPECT_EQ(cell.fallback_reason->code, "capture_unsupported");
  EXPECT_EQ(cell.graph->pieces, 0);
}

TEST_F(TaskRunGraphTest, SaysWhichSizesHaveChoicesOfTheirOwn) {
  std::vector<bool> of_its_own;
  struct Choosing final : test::FakeDevice {
    explicit Choosing(std::vector<bool>& asked) : asked_(asked) {}
    void choose_for_size(bool own) override { asked_.push_back(own); }
    std::vector<bool>& asked_;
  };
  open_ = [&] { return std::make_unique<Choosing>(of_its_own); };
  run();
  EXPECT_EQ(events_.cells.at(4).tuned, std::nullopt);
  EXPECT_EQ(std::ranges::count(of_its_own, false), 0);
  of_its_own.clear();
  task_.settings.caller.tune_sizes = {2};
  run_again();
  EXPECT_EQ(events_.cells.at(4).tuned, false);
  EXPECT_EQ(events_.cells.at(2).tuned, true);
  ASSERT_GE(of_its_own.size(), 3u);
  EXPECT_FALSE(of_its_own[0]) << "4";
  EXPECT_TRUE(of_its_own[1]) << "2";
  EXPECT_FALSE(of_its_own[2]) << "1";
}

TEST_F(TaskRunGraphTest, CountsTheNodesThatARewriteReplaced) {
  open_ = [] {
    auto device = std::make_unique<test::FakeDevice>();
    device->log.memset_nodes = 5;  // in each graph
    return device;
  };
  run();
  EXPECT_EQ(events_.cells.at(4).graph->rewritten_nodes, 0);
  task_.more_axes["graph-rewrite"] = "memset";
  run_again();
  EXPECT_EQ(events_.cells.at(4).graph->rewritten_nodes, 5);
}

using TaskRunMemoryTest = TaskRunTest;

TEST_F(TaskRunMemoryTest, OnTheHostHasWhatTheDeviceAllocatedAndNothingThatOnlyADriverKnows) {
  run();
  const model::Memory& memory = events_.memories.at(4);
  EXPECT_GE(*memory.static_bytes, memory.weights_bytes);
  EXPECT_GT(memory.weights_bytes, 0);
  EXPECT_GT(*memory.pool_in_use_bytes_max, 0);
  EXPECT_LE(*memory.pool_in_use_bytes_max, memory.pool_bytes);
  EXPECT_GE(*memory.workspace_bytes, 0);
  for (const auto& absent : {memory.used_bytes, memory.context_bytes, memory.code_bytes, memory.exec_bytes,
                             memory.unaccounted_bytes}) {
    EXPECT_FALSE(absent.has_value());
  }
  EXPECT_EQ(memory.witness, "");
}

TEST_F(TaskRunMemoryTest, SaysWhatProgramsTookAtTheirHighestAndWhatTheyLeft) {
  for (const char* mode : {"eager", "whole", "piecewise"}) {
    task_.mode = mode;
    run_again();
    const model::Memory& memory = events_.memories.at(4);
    const model::PeakBytes& peak = memory.peak_bytes.value();
    EXPECT_EQ(memory.weights_bytes_max, memory.weights_bytes) << mode << ": one copy";
    EXPECT_EQ(memory.tuning_bytes_max, 0) << mode;
    EXPECT_GE(*peak.build, *memory.static_bytes + memory.pool_bytes) << mode;
    EXPECT_LE(*peak.build, *memory.static_bytes + 3 * memory.pool_bytes) << mode << ": eager's pool besides";
    EXPECT_EQ(peak.between_methods, 0) << mode;
    EXPECT_FALSE(peak.load.has_value()) << mode;
  }
}

TEST_F(TaskRunMemoryTest, SharedPoolIsNoLargerThanTheLargestBatchesOwn) {
  task_.batches = {64, 16, 4, 1};
  for (const char* mode : {"whole", "piecewise"}) {
    for (const char* workload : {"mlp", "attention", "conv"}) {
      task_.mode = mode;
      task_.workload = workload;
      run_again();
      ASSERT_EQ(events_.memories.size(), 4u);
      const model::Memory& largest = events_.memories.at(64);
      EXPECT_GT(largest.pool_bytes, 0);
      EXPECT_LE(static_cast<double>(largest.pool_bytes), 1.05 * static_cast<double>(largest.pool_bytes_own));
      EXPECT_GE(largest.pool_bytes_private, largest.pool_bytes_own + 3);
    }
  }
}

TEST_F(TaskRunMemoryTest, ABatchThatDoesNotFitCostsItsOwnCellOnly) {
  task_.batches = {std::int64_t{1} << 40, 2};
  run();
  EXPECT_EQ(events_.cells.at(std::int64_t{1} << 40).status, CellStatus::failed);
  EXPECT_EQ(events_.cells.at(std::int64_t{1} << 40).reason->code, "out_of_memory");
  EXPECT_EQ(events_.cells.at(2).status, CellStatus::ok);
}

int run_fickle(const gb_op_call*, void* const* operands, void*) {
  static float value = 0;
  *static_cast<float*>(operands[1]) = value += 1;
  return 0;
}

int run_nan(const gb_op_call*, void* const* operands, void*) {
  *static_cast<float*>(operands[1]) = __builtin_nanf("");
  return 0;
}

// Stops writing after the check's reference run. Earlier runs left the right output: only poison shows it.
bool check_begun = false;
int calls_in_check = 0;

int run_lazy(const gb_op_call*, void* const* operands, void*) {
  if (check_begun && ++calls_in_check > 1) return 0;
  *static_cast<float*>(operands[1]) = 7;
  return 0;
}

bool measure_begun = false;

int run_frail(const gb_op_call* call, void* const* operands, void*) {
  if (measure_begun && call->batch == 2) return 1;
  *static_cast<float*>(operands[1]) = 7;
  return 0;
}

int run_as_its_batch_says(const gb_op_call* call, void* const* operands, void*) {
  static float calls = 0;
  const float result = call->batch == 4 ? __builtin_nanf("") : call->batch == 2 ? calls += 1 : 7;
  std::fill_n(static_cast<float*>(operands[1]), call->batch, result);
  return 0;
}

class TaskRunCheckTest : public TaskRunTest {
 protected:
  void run_with(decltype(gb_op::run_host) run_host, std::uint32_t flags,
                const std::vector<std::int64_t>& batches = {1}) {
    op_ = test::foreign_op("mine", test::infer_same, run_host, flags);
    catalog_.add(abi::foreign_definition(op_));
    test::SmallBuilder b(catalog_);
    task_.batches = batches;
    run(b.ending_in(b.one("mine", "m", {b.input("x", test::batched({}))})));
  }
  const model::CellResult& cell() { return events_.cells.at(1); }

  gb_op op_{};
  ir::OpCatalog catalog_;
};

using TaskRunStaleOutputTest = TaskRunCheckTest;

TEST_F(TaskRunCheckTest, ADifferentOutputFailsTheCell) {
  run_with(run_fickle, 0);
  EXPECT_EQ(cell().status, CellStatus::failed);
  EXPECT_EQ(cell().reason->code, "check_failed");
  EXPECT_FALSE(cell().check->identical);
  EXPECT_GT(cell().check->max_abs_error, 0);
  EXPECT_TRUE(cell().launches.empty());
}

TEST_F(TaskRunCheckTest, AnOutputThatIsNotFiniteFailsTheCell) {
  run_with(run_nan, 0);
  EXPECT_EQ(cell().reason->code, "check_failed");
  EXPECT_THAT(cell().reason->message, ::testing::HasSubstr("not finite"));
}

TEST_F(TaskRunCheckTest, WhatEarlierChecksLeftInTheirMemoryDecidesNothing) {
  run_with(run_as_its_batch_says, 0, {8, 4, 2, 1});
  EXPECT_EQ(events_.cells.at(8).status, CellStatus::ok);
  ASSERT_EQ(events_.cells.at(4).status, CellStatus::failed);
  EXPECT_THAT(events_.cells.at(4).reason->message, ::testing::HasSubstr("not finite"));
  ASSERT_EQ(events_.cells.at(2).status, CellStatus::failed);
  EXPECT_THAT(events_.cells.at(2).reason->message, ::testing::HasSubstr("differs"));
  EXPECT_EQ(events_.cells.at(1).status, CellStatus::ok);
}

int run_over_its_input(const gb_op_call*, void* const* operands, void*) {
  *static_cast<float*>(operands[1]) = 7;
  *static_cast<float*>(operands[0]) = 7;
  return 0;
}

TEST_F(TaskRunCheckTest, AnInputThatIsWrittenFailsTheCell) {
  run_with(run_over_its_input, 0, {2, 1});
  for (const std::int64_t batch : {2, 1}) {
    EXPECT_EQ(events_.cells.at(batch).reason->code, "undeclared_mutation");
    EXPECT_EQ(events_.cells.at(batch).reason->message,
              "check: op m (mine) wrote input x, but does not declare that write");
  }
}

TEST_P(TaskRunStaleOutputTest, AnOutputThatIsNotWrittenFailsTheCell) {
  task_.mode = GetParam();
  check_begun = false;
  calls_in_check = 0;
  events_.on_check = [] { check_begun = true; };
  run_with(run_lazy, 0);
  EXPECT_EQ(cell().status, CellStatus::failed);
  EXPECT_EQ(cell().reason->code, "check_failed");
}

class TaskRunFailureTest : public TaskRunCheckTest {
 protected:
  void SetUp() override {
    TaskRunCheckTest::SetUp();
    measure_begun = false;
    events_.on_measure = [] { measure_begun = true; };
    open_ = [this] {
      ++opened_;
      return open_device("host");
    };
  }
  int opened_ = 0;
};

// The plugin may remember its failure and fail another batch because of it.
TEST_F(TaskRunFailureTest, OfAPluginIsToldAndLeavesTheOtherBatchesToAnotherProcess) {
  run_with(run_frail, 0, {1, 2});
  ASSERT_TRUE(events_.cells.contains(2));
  EXPECT_EQ(events_.cells.at(2).reason->code, "plugin_failed");
  EXPECT_FALSE(events_.cells.contains(1));
  EXPECT_THAT(events_.stops, ::testing::ElementsAre(2));
  EXPECT_EQ(opened_, 1);
}

TEST_F(TaskRunFailureTest, OfEveryBatchEndsTheTask) {
  run_with(run_frail, 0, {2});
  EXPECT_EQ(events_.cells.at(2).reason->code, "plugin_failed");
  EXPECT_EQ(opened_, 1);
  EXPECT_TRUE(events_.stops.empty()) << "no batch is left";
}

TEST_F(TaskRunFailureTest, InALaterPlacementEndsTheTaskToo) {
  open_ = [&] {
    measure_begun = ++opened_ == 2;
    return open_device("host");
  };
  events_.on_measure = [] {};
  run_with(run_frail, 0, {1, 2});
  EXPECT_EQ(events_.cells.at(2).reason->code, "plugin_failed");
  EXPECT_FALSE(events_.cells.contains(1));
  EXPECT_EQ(opened_, 2);
}

TEST_F(TaskRunFailureTest, InOpeningAnewIsNotLaidAtABatchsDoor) {
  std::vector<std::pair<std::int64_t, std::string>> at_opening;
  open_ = [&] {
    at_opening.push_back(events_.phases.empty() ? std::pair<std::int64_t, std::string>{}
                                                : events_.phases.back());
    return open_device("host");
  };
  run_with(run_frail, 0);
  EXPECT_THAT(at_opening, ::testing::ElementsAre(::testing::Pair(0, ""), ::testing::Pair(0, "open")));
}

INSTANTIATE_TEST_SUITE_P(Modes, TaskRunStaleOutputTest, ::testing::Values("eager", "whole", "piecewise"),
                         [](const auto& instance) { return instance.param; });

TEST_F(TaskRunCheckTest, WhatNoGraphCanHoldIsSkippedWithTheOpsName) {
  run_with(run_fickle, GB_OP_NOT_CAPTURABLE);
  EXPECT_EQ(cell().status, CellStatus::skipped);
  EXPECT_EQ(cell().reason->code, "not_capturable_op");
  EXPECT_THAT(cell().reason->message, ::testing::HasSubstr("m (mine)"));
}

}  // namespace
}  // namespace graphbench::measure
