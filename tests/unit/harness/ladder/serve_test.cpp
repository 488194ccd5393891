// Tests ladders that serve on the host device: their counts, what padding must not change, and refusals.
#include "harness/ladder/serve.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "harness/ladder/caller.hpp"
#include "harness/ladder/ladder_fields.hpp"
#include "harness/ladder/route.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "tests/conformance/plugin_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/unit/harness/ladder/serve_fixture.hpp"

namespace graphbench::ladder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void expect_counts(const ServeTask& task, const LadderLaunch& launch) {
  const Tally expected = tally(task.rows, task.sizes, task.policy, "");
  EXPECT_EQ(launch.steps, expected.steps);
  EXPECT_EQ(launch.padding.rows, expected.padding_rows);
  EXPECT_EQ(launch.padding.graph_rows, expected.graph_rows);
  EXPECT_EQ(launch.padding.waste, expected.padding().waste);
  EXPECT_EQ(launch.hit_rate, expected.hit_rate());
  EXPECT_EQ(launch.split_steps, expected.split_steps);
  for (const LadderSize& size : launch.sizes) {
    std::vector<RowCount> rows;
    const auto used = expected.used.find(size.size);
    if (used != expected.used.end())
      for (const auto& [each, count] : used->second) rows.push_back({each, count});
    EXPECT_EQ(size.rows, rows) << size.size;
  }
}

TEST_F(Serve, CountsAreTheTrafficsArithmeticInEveryPolicyAndMode) {
  for (const std::string mode : {"whole", "piecewise"}) {
    for (const LadderPad pad : {LadderPad::up, LadderPad::none}) {
      for (const LadderBeyond beyond : {LadderBeyond::eager, LadderBeyond::split}) {
        for (const CaptureWhen when : {CaptureWhen::startup, CaptureWhen::lazy}) {
          ServeTask task = task_of("mlp", mode, {1, 4, 6}, "uniform:1:9", 60);
          task.policy = {.pad = pad, .beyond = beyond, .order = CaptureOrder::smallest, .when = when};
          const ServeAnswer answer = serve_task(task);
          expect_counts(task, answer.launch);
          EXPECT_EQ(answer.launch.latency_seconds.value().count, 60);
          EXPECT_EQ(answer.launch.stalls.count, answer.launch.steps.captured_now);
          EXPECT_EQ(answer.check.has_value(), pad == LadderPad::up);
          EXPECT_GT(answer.launch.predicted_seconds.value(), 0);
        }
      }
    }
  }
}

TEST_F(Serve, EverySizeHasItsCostItsUsersAndItsTimes) {
  const ServeTask task = task_of("conv", "whole", {2, 4}, "uniform:1:4", 40);
  const ServeAnswer answer = serve_task(task);
  ASSERT_EQ(answer.launch.sizes.size(), 2u);
  for (const LadderSize& size : answer.launch.sizes) {
    EXPECT_EQ(size.uses, 20);
    EXPECT_GT(size.setup.capture_seconds, 0);
    EXPECT_GT(size.step_seconds.value(), 0);
    EXPECT_GT(size.eager_seconds.value(), 0);
    const double saved = *size.eager_seconds - *size.step_seconds;
    ASSERT_EQ(size.breakeven_steps.has_value(), saved > 0);
    if (saved > 0) {
      EXPECT_EQ(*size.breakeven_steps, std::ceil(model::cost_seconds(size.setup) / saved));
    }
  }
  EXPECT_THAT(answer.launch.sizes[1].rows, ElementsAre(RowCount{3, 10}, RowCount{4, 10}));
  EXPECT_GT(answer.launch.memory.pool_bytes, 0);
  EXPECT_EQ(answer.launch.memory.line_bytes.has_value(), true);
  EXPECT_GT(answer.launch.startup.capture_seconds, 0);
  EXPECT_TRUE(answer.check.value().identical);
}

TEST_F(Serve, EverySizeRunsInItsOwnModeWhereTheyAreMixed) {
  ServeTask task = task_of("attention", "whole", {2, 4, 6, 8}, "uniform:1:9", 90);
  task.modes = {"piecewise", "eager", "whole", "eager"};
  task.placements = 2;
  const LadderLaunch launch = serve_task(task).launch;
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  for (const LadderSize& each : launch.sizes) sizes.emplace_back(each.mode, each.uses);
  EXPECT_THAT(sizes, ElementsAre(std::pair("piecewise", 20), std::pair("eager", 0), std::pair("whole", 20),
                                 std::pair("eager", 0)));
  EXPECT_EQ(launch.steps, (LadderSteps{.exact = 20, .padded = 20, .eager_below = 40, .eager_beyond = 10}));
  std::vector<std::int64_t> eager;
  for (const LadderEager& each : launch.eager) eager.push_back(each.rows);
  EXPECT_THAT(eager, ElementsAre(3, 4, 7, 8, 9));
  EXPECT_GT(launch.sizes[0].step_seconds.value(), 0);
  EXPECT_GT(launch.predicted_seconds.value(), 0);
  double captures = 0;  // setups and start-up are both those of the first placement
  for (const LadderSize& each : launch.sizes) captures += each.setup.capture_seconds;
  EXPECT_NEAR(captures, launch.startup.capture_seconds, 1e-12);
}

TEST_F(Serve, StepsInPartsRunEagerlyWhereTheLargestSizeDoes) {
  ServeTask task = task_of("mlp", "whole", {2, 4}, "uniform:1:9", 9);
  task.modes = {"whole", "eager"};
  task.policy.beyond = LadderBeyond::split;
  const LadderLaunch launch = serve_task(task).launch;
  EXPECT_EQ(launch.steps, (LadderSteps{.exact = 1, .padded = 1, .eager_below = 2, .eager_beyond = 5}));
  EXPECT_EQ(launch.split_steps, 0);
}

TEST_F(Serve, EagerLaddersServeEveryStepWithoutGraphs) {
  ServeTask task = task_of("attention", "eager", {}, "uniform:1:4", 12);
  const ServeAnswer answer = serve_task(task);
  EXPECT_EQ(answer.launch.steps.eager_beyond, 12);
  EXPECT_EQ(answer.launch.eager.size(), 4u);
  EXPECT_EQ(answer.launch.padding.graph_rows, 0);
  EXPECT_FALSE(answer.check.has_value());
}

TEST_F(Serve, PlacementsServeAllStepsAgainAndALaunchIsTheirMean) {
  ServeTask task = task_of("attention", "piecewise", {2, 4}, "uniform:1:6", 30);
  task.policy.when = CaptureWhen::lazy;
  task.placements = 3;
  const LadderLaunch launch = serve_task(task).launch;
  expect_counts(task, launch);  // the counts are those of one placement
  EXPECT_EQ(launch.latency_seconds.value().count, 90);
  EXPECT_EQ(launch.stalls.count, 2);
  // The first request of a size waits for the size's capture, so its latency includes the capture.
  const FirstRequests first = launch.first_requests.value();
  EXPECT_EQ(first.count, 2);
  double longer = 0;
  for (const LadderSize& each : launch.sizes) {
    EXPECT_GE(each.first_request_seconds.value(),
              each.setup.capture_seconds + each.setup.instantiate_seconds);
    longer += *each.first_request_seconds - each.step_seconds.value();
  }
  EXPECT_NEAR(first.seconds, longer, 1e-12);
  EXPECT_NEAR(first.p50_seconds, longer / 2, 1e-12);
  EXPECT_GE(first.max_seconds, first.p50_seconds);
  ASSERT_EQ(launch.placements.size(), 3u);
  double latency = 1, submit = 1, busy = 1;
  for (const LadderPlacement& each : launch.placements) {
    latency *= each.latency_seconds;
    submit *= each.submit_seconds;
    busy *= each.busy_seconds;
  }
  EXPECT_NEAR(launch.latency_seconds.value().p50, std::cbrt(latency), 1e-12);
  EXPECT_NEAR(launch.submit_seconds.value().p50, std::cbrt(submit), 1e-12);
  EXPECT_NEAR(launch.busy_seconds, std::cbrt(busy), 1e-12);
}

TEST_F(Serve, ASizeThatFitsNoMoreFailsALaterPlacement) {
  ServeTask task = task_of();
  task.placements = 2;
  room_ = 16 << 10;
  ::setenv("GRAPHBENCH_HOST_MEMORY_BYTES", "100000000", 1);
  const ir::Program program = measure::build_program(registry_, task.task);
  EXPECT_EQ(failure(task, program, "placement 2: a size that fitted in the first placement does not fit now"),
            ErrorCode::out_of_memory);
  ::unsetenv("GRAPHBENCH_HOST_MEMORY_BYTES");
}

TEST_F(Serve, WaitingCountsFromTheIntendedArrival) {
  ServeTask task = task_of("mlp", "whole", {4}, "uniform:4:4");
  task.arrivals.assign(8, 0.0);  // all arrive at once: each step waits for all earlier steps
  const LadderLaunch launch = serve_task(task).launch;
  EXPECT_GE(launch.wait_seconds.value().max, launch.latency_seconds.value().min * 7);
  EXPECT_GE(launch.response_seconds.value().max, launch.wait_seconds.value().max);
}

// A request with a capture, or a step in parts, has no single size, so it is in no mean.
TEST_F(Serve, MeansOfServedStepsAddUpToTheTimeOfAll) {
  ServeTask task = task_of("mlp", "whole", {2, 4}, "uniform:1:8", 64);
  task.placements = 2;
  const LadderLaunch launch = serve_task(task).launch;
  double served = 0;
  for (const LadderSize& each : launch.sizes)
    served += 2 * static_cast<double>(each.uses) * each.served_seconds.value();
  for (const LadderEager& each : launch.eager)
    served += 2 * static_cast<double>(each.uses) * each.served_seconds.value();
  double busy = 0;
  for (const LadderPlacement& each : launch.placements) busy += each.busy_seconds;
  EXPECT_NEAR(served / busy, 1, 1e-9);

  task.policy.beyond = LadderBeyond::split;
  task.rows = {5, 6, 7};
  for (const LadderSize& each : serve_task(task).launch.sizes) EXPECT_EQ(each.served_seconds, std::nullopt);
  task.policy.when = CaptureWhen::lazy;
  task.rows = {2};
  for (const LadderSize& each : serve_task(task).launch.sizes) EXPECT_EQ(each.served_seconds, std::nullopt);
}

// If all steps arrive at once, the last response comes when the sum of all latencies is over.
TEST_F(Serve, TheHarnesssCopiesDelayNoStep) {
  for (const std::string mode : {"eager", "whole"}) {
    ServeTask task = task_of("mlp", mode, {}, "uniform:1:8", 64);
    if (mode == "whole") task.sizes = {2, 4};  // larger steps run eagerly
    task.arrivals.assign(64, 0.0);
    const LadderLaunch launch = serve_task(task).launch;
    EXPECT_GT(launch.steps.eager_beyond, 0);
    EXPECT_NEAR(launch.response_seconds.value().max / launch.busy_seconds, 1, 1e-9) << mode;
  }
}

TEST_F(Serve, AttentionsPaddingWritesNoOthersState) {
  for (const std::string mode : {"whole", "piecewise"}) {
    ServeTask task = task_of("attention", mode, {2, 5, 8}, "uniform:1:8", 24);
    EXPECT_TRUE(serve_task(task).check.value().identical);
    task.task.preset = "tiny-prefill";
    EXPECT_TRUE(serve_task(task).check.value().identical);
  }
}

// Like attention, but its positions pad with 0, so a padding row writes slot 0 of another sequence's cache.
TEST_F(Serve, APaddedRowThatWritesStateIsCaught) {
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const auto at =
      b.value(ir::ValueKind::input, "at", ir::DType::i32, {ir::of_batch()}, {ir::Init::Kind::constant, 3, 3});
  const auto k = b.state("k", test::batched({1, 4, 2})), v = b.state("v", test::batched({1, 4, 2}));
  const ir::Program program =
      b.ending_in(b.one("rope_kv_append", "rope", {b.input("qkv", test::batched({6})), at, k, v},
                        {{"heads", std::int64_t{1}}, {"head_dim", std::int64_t{2}}}));
  EXPECT_EQ(failure(task_of(), program, "state k of other sequences was overwritten"),
            ErrorCode::check_failed);
}

int sum_rows(const gb_op_call* call, void* const* operands, void*) {
  const auto* const from = static_cast<const float*>(operands[0]);
  auto* const to = static_cast<float*>(operands[1]);
  const std::int64_t count = call->operands[0].dims[0] * call->operands[0].dims[1];
  std::fill_n(to, count, std::accumulate(from, from + count, 0.0f));
  return 0;
}

TEST_F(Serve, APaddedRowThatReachesTheCallersRowsIsCaught) {
  test::SmallBuilder b(conformance::catalog_with(test::foreign_op("sum_rows", test::infer_same, sum_rows)));
  const ir::Program program = b.ending_in(b.one("sum_rows", "mix", {b.input("x", test::batched({2}))}));
  EXPECT_EQ(failure(task_of(), program, "row 0 of output mix differs"), ErrorCode::check_failed);
}

// tallies[i] is the first and the last row of the tally that call i of count_steps() read.
std::vector<std::pair<float, float>> tallies;

int count_steps(const gb_op_call* call, void* const* operands, void*) {
  auto* const tally = static_cast<float*>(operands[1]);
  const std::int64_t rows = call->operands[1].dims[0];
  tallies.emplace_back(tally[0], tally[rows - 1]);
  for (std::int64_t row = 0; row < rows; ++row)
    static_cast<float*>(operands[2])[row] = static_cast<const float*>(operands[0])[row] + tally[row]++;
  return 0;
}

ir::Program counting_program(ir::Dim rows) {
  test::SmallBuilder b(
      conformance::catalog_with(test::foreign_op("count_steps", test::infer_same, count_steps, 0, 2)));
  const auto x = b.input("x", test::batched({}));
  const auto tally =
      b.value(ir::ValueKind::input, "tally", ir::DType::fp32, {rows}, {ir::Init::Kind::constant, 0, 0});
  return b.ending_in(b.one("count_steps", "bump", {x, tally}));
}

TEST_F(Serve, AProgramThatWritesAnInputIsRefusedWithItsOp) {
  const ServeTask task = task_of();
  for (const ir::Dim rows : {ir::of_batch(), ir::fixed_dim(1)})
    EXPECT_EQ(failure(task, counting_program(rows), "op bump (count_steps) writes to the input tally"),
              ErrorCode::mutated_input);
  EXPECT_EQ(failure(task, counting_program(ir::of_batch()), "give --mutated-inputs copy_back"),
            ErrorCode::mutated_input);
}

TEST_F(Serve, AWrittenInputThatHasNoRowsIsRefused) {
  ServeTask task = task_of();
  task.policy.mutated_inputs = MutatedInputs::copy_back;
  EXPECT_EQ(failure(task, counting_program(ir::fixed_dim(1)), "input tally [1]"), ErrorCode::not_batch_major);
}

// Each step reads the tally that earlier steps wrote, not warmups. Padding rows have pad values again.
TEST_F(Serve, WhatAStepWritesToItsInputsIsCopiedBack) {
  for (const CaptureWhen when : {CaptureWhen::startup, CaptureWhen::lazy}) {
    for (const std::int64_t warmups : {0, 1, 3}) {
      ServeTask task = task_of("mlp", "whole", {4}, "uniform:3:3", 5);
      task.task.warmup = warmups;
      task.policy.when = when;
      task.policy.mutated_inputs = MutatedInputs::copy_back;
      tallies.clear();
      const ServeAnswer answer = serve_program(task, counting_program(ir::of_batch()));
      ASSERT_GE(tallies.size(), static_cast<std::size_t>(warmups) + 5);
      tallies.erase(tallies.begin(), tallies.begin() + warmups);
      for (std::size_t step = 0; step < 5; ++step)
        EXPECT_EQ(tallies[step], std::pair(static_cast<float>(step), 0.0f)) << warmups << " warmups";
      EXPECT_TRUE(answer.check.value().identical);
    }
  }
}

TEST_F(Serve, EagerStepsWriteToTheCallersInputs) {
  tallies.clear();
  serve_program(task_of("mlp", "eager", {}, "uniform:3:3", 5), counting_program(ir::of_batch()));
  ASSERT_GE(tallies.size(), 6u);  // one call before the steps, which grows the pool
  for (std::size_t step = 0; step < 5; ++step) EXPECT_EQ(tallies[step + 1].first, static_cast<float>(step));
}

TEST_F(Serve, APaddedRowThatReachesAWrittenInputIsCaught) {
  const auto leak = [](const gb_op_call* call, void* const* operands, void*) {
    auto* const x = static_cast<float*>(operands[0]);
    const std::int64_t count = call->operands[0].dims[0];
    std::copy_n(x, count, static_cast<float*>(operands[1]));
    x[0] += x[count - 1];
    return 0;
  };
  test::SmallBuilder b(
      conformance::catalog_with(test::foreign_op("leak_into_input", test::infer_same, leak, 0, 1)));
  const ir::Program program =
      b.ending_in(b.one("leak_into_input", "leak", {b.input("x", test::batched({}))}));
  ServeTask task = task_of();
  task.policy.mutated_inputs = MutatedInputs::copy_back;
  EXPECT_EQ(failure(task, program, "row 0 of input x differs"), ErrorCode::check_failed);
}

TEST_F(Serve, ValuesWhoseOutermostExtentIsNotTheBatchAreRefused) {
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::Program program =
      b.ending_in(b.one("softmax", "shares", {b.input("x", {ir::fixed_dim(3), ir::of_batch()})}));
  EXPECT_EQ(failure(task_of(), program, "input x [3, batch]"), ErrorCode::not_batch_major);
}

TEST_F(Serve, StepsWithStateDoNotRunInParts) {
  ServeTask task = task_of("attention", "whole", {2});
  task.policy.beyond = LadderBeyond::split;
  EXPECT_EQ(failure(task, measure::build_program(registry_, task.task), "give --beyond eager or refuse"),
            ErrorCode::state_not_splittable);
}

TEST_F(Serve, ASizeThatDoesNotFitIsDroppedAndTheLadderGoesOn) {
  ServeTask task = task_of("mlp", "whole", {2, 4, std::int64_t{1} << 40});
  const LadderLaunch launch = serve_task(task).launch;
  ASSERT_EQ(launch.sizes.size(), 3u);
  EXPECT_EQ(launch.sizes[2].dropped.value().code, "out_of_memory");
  EXPECT_FALSE(launch.sizes[1].dropped.has_value());
  EXPECT_EQ(launch.steps.exact + launch.steps.padded, 8);
}

TEST_F(Serve, PaddingRowsHoldPadValuesAfterEveryStep) {
  ServeTask task = task_of("attention", "whole", {}, "uniform:1:1", 1);
  const ir::Program program = measure::build_program(registry_, task.task);
  const std::unique_ptr<Device> device = open_device("host");
  measure::TaskRig rig(task.task, *device, program);
  rig.allocate(8);
  Caller caller(rig.context(rig.graph_pool()), 8, 1);
  const ir::ValueId positions = program.values_of(ir::ValueKind::input).at(1);
  const auto* const at = static_cast<const std::int32_t*>(rig.buffers().address(positions));
  const std::int32_t own = static_cast<std::int32_t>(program.value(positions).init.low);
  for (const auto& [rows, size] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{8, 8}, {3, 5}, {2, 8}, {7, 8}, {1, 4}, {1, 8}}) {
    caller.copy_in({0, rows}, size);
    rig.stream().synchronize();
    for (std::int64_t row = 0; row < size; ++row)
      EXPECT_EQ(at[row], row < rows ? own : -1) << rows << " in " << size;
  }
}

TEST(LadderProcess, TaskAndAnswerCrossThePipeAsTheyAre) {
  ServeTask task = task_of("mlp", "whole", {1, 4}, "uniform:1:4", 6);
  task.policy = {LadderPad::none,          LadderBeyond::split, CaptureOrder::smallest, CaptureWhen::lazy,
                 MutatedInputs::copy_back, WarmupBy::requests,  ExecOf::shared};
  task.arrivals = {0, 0.5};
  task.modes = {"whole", "eager"};
  task.placements = 5;
  const ServeTask back = model::read_data<ServeTask>(model::write_data(task), "");
  EXPECT_EQ(back.sizes, task.sizes);
  EXPECT_EQ(back.rows, task.rows);
  EXPECT_EQ(back.arrivals, task.arrivals);
  EXPECT_EQ(back.policy, task.policy);
  EXPECT_EQ(back.modes, task.modes);
  EXPECT_EQ(back.placements, 5);
  EXPECT_EQ(back.task.workload, "mlp");

  ServeAnswer answer;
  answer.status = model::CellStatus::failed;
  answer.reason = model::Reason{"check_failed", "why"};
  answer.launch.steps.padded = 4;
  answer.launch.sizes.push_back({.size = 4, .uses = 2, .rows = {{3, 2}}, .setup = {}, .step_seconds = 0.5});
  answer.check = model::Check{.reference = "eager_padded",
                              .identical = true,
                              .max_abs_error = 0,
                              .tolerated = {},
                              .state = {},
                              .inputs = {},
                              .remarks = {}};
  answer.choices.emplace_back();
  answer.launch.placements = {{0.25, 0.125, 2.0}};
  answer.launch.first_requests = FirstRequests{3, 0.5, 1.0, 1.5};
  answer.launch.memory.line_bytes = 9;
  const ServeAnswer same = model::read_data<ServeAnswer>(model::write_data(answer), "");
  EXPECT_EQ(same.status, answer.status);
  EXPECT_EQ(same.reason.value().message, "why");
  EXPECT_EQ(same.reason->code, "check_failed");
  EXPECT_TRUE(same.check.value().identical);
  EXPECT_EQ(same.choices.size(), 1u);
  EXPECT_EQ(same.launch.placements, answer.launch.placements);
  EXPECT_EQ(same.launch.first_requests.value().max_seconds, 1.0);
  EXPECT_EQ(same.launch.memory.line_bytes, 9);
  EXPECT_EQ(same.launch.steps, answer.launch.steps);
  EXPECT_EQ(same.launch.sizes.at(0).rows, answer.launch.sizes[0].rows);
  EXPECT_EQ(same.launch.sizes.at(0).step_seconds, 0.5);
  EXPECT_THROW(model::read_data<ServeAnswer>("{}", ""), Error);
}

}  // namespace
}  // namespace graphbench::ladder
