// Tests which size serves a step, a trace's counts in every policy, and waiting by the server's own clock.
// Adds a leak between rows after every op of the base workloads: the check of padding must find it.
#include "harness/ladder/route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/ir/passes.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/ladder/traffic.hpp"
#include "tests/conformance/plugin_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::ladder {
namespace {

using Sizes = std::vector<std::int64_t>;

LadderPolicy policy(LadderPad pad, LadderBeyond beyond, CaptureWhen when = CaptureWhen::startup) {
  return {.pad = pad, .beyond = beyond, .order = {}, .when = when};
}

TEST(Route, IsTheSmallestCapturedSizeThatFits) {
  const auto eager = policy(LadderPad::up, LadderBeyond::eager);
  EXPECT_EQ(route({2, 4, 8}, 4, eager), (Route{How::exact, 0, 4, 4}));
  EXPECT_EQ(route({2, 4, 8}, 5, eager), (Route{How::padded, 0, 5, 8}));
  EXPECT_EQ(route({2, 4, 8}, 1, eager), (Route{How::padded, 0, 1, 2}));
  EXPECT_EQ(route({2, 4, 8}, 9, eager), (Route{How::eager_beyond, 0, 9, 0}));
  EXPECT_EQ(route({2, 4, 8}, 5, policy(LadderPad::none, LadderBeyond::eager)),
            (Route{How::eager_below, 0, 5, 0}));
  EXPECT_EQ(route({}, 5, eager), (Route{How::eager_beyond, 0, 5, 0}));
}

TEST(Route, SplitsWhatIsBeyondIntoFullPartsAndARest) {
  const auto split = policy(LadderPad::up, LadderBeyond::split);
  EXPECT_EQ(route({2, 8}, 16, split), (Route{How::exact, 1, 8, 8}));
  EXPECT_EQ(route({2, 8}, 17, split), (Route{How::padded, 2, 1, 2}));
  EXPECT_EQ(route({2, 8}, 11, policy(LadderPad::none, LadderBeyond::split)),
            (Route{How::eager_below, 1, 3, 0}));
}

TEST(Route, BeyondARefusingLadderThereIsNone) {
  EXPECT_EQ(route({2, 4}, 5, policy(LadderPad::up, LadderBeyond::refuse)), std::nullopt);
  EXPECT_THAT(test::refusal([] {
                return tally({1, 5}, {2, 4}, policy(LadderPad::up, LadderBeyond::refuse), "--traffic");
              }),
              testing::AllOf(testing::StartsWith("--traffic: a step of 5 rows is beyond"),
                             testing::HasSubstr("eager or split")));
}

TEST(Tally, ALazyLadderWaitsOnceForEachSize) {
  const Tally lazy =
      tally({3, 3, 4, 1, 9}, {2, 4}, policy(LadderPad::up, LadderBeyond::eager, CaptureWhen::lazy), "");
  EXPECT_EQ(lazy.steps,
            (LadderSteps{.exact = 1, .padded = 1, .eager_below = 0, .eager_beyond = 1, .captured_now = 2}));
  EXPECT_DOUBLE_EQ(lazy.hit_rate(), 0.4);
  EXPECT_EQ(lazy.padding_rows, 1 + 1 + 0 + 1);
  EXPECT_EQ(lazy.graph_rows, 4 + 4 + 4 + 2);
}

TEST(Tally, TheFirstRequestsOfASizeMayBeItsWarmups) {
  const LadderPolicy split = policy(LadderPad::up, LadderBeyond::split, CaptureWhen::lazy);
  Tally tally;
  tally.start({2, 4}, split);
  tally.warmups = 2;
  for (const std::int64_t rows : {3, 3, 4, 4, 9, 1}) tally.add(*route({2, 4}, rows, split), {2, 4});
  // The third request of size 4 waits for its capture. The last row of 9, and then 1, warm up size 2.
  EXPECT_EQ(tally.steps, (LadderSteps{.exact = 1, .captured_now = 1, .warming = 4}));
  EXPECT_EQ(tally.total(), 6);
  EXPECT_EQ(tally.graph_rows, 4 + 4 + 4 + 4);
  EXPECT_EQ(tally.padding_rows, 0);
  EXPECT_EQ(tally.warmed, (std::map<std::int64_t, std::int64_t>{{2, 2}, {4, 2}}));
}

TEST(Tally, ALimitOfGraphsTakesThatOfTheSizeWhoseLastUseIsTheLongestAgo) {
  LadderPolicy two = policy(LadderPad::up, LadderBeyond::eager);
  two.graphs_max = 2;
  Tally tally;
  tally.start({1, 2, 4}, two);
  EXPECT_EQ(tally.captured, (std::vector<std::int64_t>{4, 2}));
  const auto evicted_by = [&](std::int64_t rows) {
    tally.add(*route({1, 2, 4}, rows, two), {1, 2, 4});
    return tally.evicted;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(evicted_by(3), Sizes());
  EXPECT_EQ(evicted_by(1), Sizes({2}));
  EXPECT_EQ(evicted_by(4), Sizes());
  EXPECT_EQ(evicted_by(9), Sizes()) << "it runs eagerly";
  EXPECT_EQ(evicted_by(2), Sizes({1}));
  EXPECT_EQ(tally.steps, (LadderSteps{.exact = 1, .padded = 1, .eager_beyond = 1, .captured_now = 2}));
}

// Computes the expected counts from the histogram alone, independently of route() and tally().
TEST(Tally, EqualsTheHistogramsArithmeticInEveryPolicy) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::set<std::int64_t> chosen;
    for (std::uint64_t i = 0; i <= random() % 6; ++i)
      chosen.insert(1 + static_cast<std::int64_t>(random() % 24));
    const Sizes sizes(chosen.begin(), chosen.end());
    std::map<std::int64_t, std::int64_t> histogram;
    Sizes steps;
    for (std::uint64_t i = 0; i < 1 + random() % 40; ++i) {
      steps.push_back(1 + static_cast<std::int64_t>(random() % 60));
      ++histogram[steps.back()];
    }
    for (const LadderPad pad : {LadderPad::up, LadderPad::none}) {
      for (const LadderBeyond beyond : {LadderBeyond::eager, LadderBeyond::split}) {
        const Tally found = tally(steps, sizes, policy(pad, beyond), "");
        LadderSteps expected;
        std::int64_t graph_rows = 0, own_rows = 0;
        for (const auto& [rows, count] : histogram) {
          std::int64_t rest = rows, parts = 0;
          while (beyond == LadderBeyond::split && rest > sizes.back()) rest -= sizes.back(), ++parts;
          graph_rows += parts * sizes.back() * count;
          own_rows += parts * sizes.back() * count;
          const bool is_beyond = rest > sizes.back();
          if (chosen.contains(rest)) {
            expected.exact += count;
          } else if (is_beyond) {
            expected.eager_beyond += count;
          } else if (pad == LadderPad::up) {
            expected.padded += count;
          } else {
            expected.eager_below += count;
          }
          if (is_beyond || (pad == LadderPad::none && !chosen.contains(rest))) continue;
          graph_rows += *chosen.lower_bound(rest) * count;
          own_rows += rest * count;
        }
        EXPECT_EQ(found.steps, expected);
        EXPECT_EQ(found.total(), static_cast<std::int64_t>(steps.size()));
        EXPECT_EQ(found.graph_rows, graph_rows);
        EXPECT_EQ(found.padding_rows, graph_rows - own_rows);
        std::int64_t replays = 0;
        for (const auto& [size, rows] : found.used) {
          EXPECT_TRUE(chosen.contains(size));
          for (const auto& [each, count] : rows) {
            EXPECT_LE(each, size);
            replays += size * count;
          }
        }
        EXPECT_EQ(replays, graph_rows);
      }
    }
  }
}

TEST(Queue, AStepThatFindsTheServerIdleWaitsForNothing) {
  Queue queue;
  EXPECT_EQ(queue.idle_before(2), 2);
  const Queue::Turn turn = queue.serve(2, 0.5);
  EXPECT_EQ(turn.wait, 0);
  EXPECT_EQ(turn.response, 0.5);
  EXPECT_EQ(queue.idle_before(4), 1.5);
}

TEST(Queue, AStepWaitsForThoseBeforeItAndForNothingElse) {
  Queue queue;
  queue.serve(1, 0.5);
  EXPECT_EQ(queue.idle_before(1.25), 0);
  const Queue::Turn turn = queue.serve(1.25, 2);
  EXPECT_EQ(turn.wait, 0.25);
  EXPECT_EQ(turn.response, 2.25);
}

TEST(Queue, TheLastOfStepsThatArriveAtOnceRespondsAfterAllLatencies) {
  Queue queue;
  double busy = 0, latest = 0;
  for (int step = 1; step <= 64; ++step) {
    busy += step;
    EXPECT_EQ(queue.idle_before(0), 0);
    latest = queue.serve(0, step).response;
  }
  EXPECT_EQ(latest, busy);
}

// Adds the whole next row to every row except the last. A part of it might show no leak: a convolution's
// ReLU turns NaN into 0, which half of eager's values in that row are too.
int read_next_row(const gb_op_call* call, void* const* operands, void*) {
  const auto* const from = static_cast<const float*>(operands[0]);
  auto* const to = static_cast<float*>(operands[1]);
  const gb_tensor& tensor = call->operands[0];
  std::int64_t width = 1;
  for (std::int32_t i = 1; i < tensor.rank; ++i) width *= tensor.dims[i];
  std::copy_n(from, tensor.dims[0] * width, to);
  for (std::int64_t i = 0; i < (tensor.dims[0] - 1) * width; ++i) to[i] += from[i + width];
  return 0;
}

const ir::OpCatalog& leaky_catalog() {
  static const ir::OpCatalog& catalog = []() -> const ir::OpCatalog& {
    return conformance::catalog_with(test::foreign_op("read_next_row", test::infer_same, read_next_row));
  }();
  return catalog;
}

// The same program, but ops read `leaking` through the op read_next_row.
ir::Program with_leak(const ir::Program& program, std::optional<ir::ValueId> leaking) {
  ir::ProgramBuilder builder(program.name(), leaky_catalog());
  std::map<ir::ValueId, ir::ValueId> now;
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (value.kind == ir::ValueKind::activation || value.kind == ir::ValueKind::output) continue;
    now[id] = builder.value(value.kind, value.name, value.dtype, value.shape, value.init);
    if (value.pad != 0) builder.pad_with(now[id], value.pad);
  }
  for (const ir::Op& op : program.ops()) {
    std::vector<ir::ValueId> inputs;
    for (const ir::ValueId id : op.inputs) inputs.push_back(now.at(id));
    const std::vector<ir::ValueId> outputs = builder.op(op.kind, op.name, inputs, op.attributes);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const bool leaks = op.outputs[i] == leaking;
      now[op.outputs[i]] = leaks ? builder.op("read_next_row", "leak", {outputs[i]}, {})[0] : outputs[i];
    }
  }
  for (const ir::ValueId id : program.values_of(ir::ValueKind::output)) builder.mark_output(now.at(id));
  return builder.finish();
}

class Leak : public ::testing::TestWithParam<const char*> {};

std::string why_refused(const ServeTask& task, const ir::Program& program) {
  const std::unique_ptr<Device> device = open_device("host");
  measure::TaskRig rig(task.task, *device, program);
  measure::StartupClock clock(0);
  ServeAnswer answer;
  return test::failure([&] { serve(task, rig, clock, {[] {}, {}}, answer); });
}

TEST_P(Leak, BetweenRowsIsCaughtWhereverItIsPlanted) {
  ServeTask task;
  task.task = test::sample_task("whole", {});
  task.task.warmup = 1;
  task.task.workload = GetParam();
  task.sizes = {4};
  task.rows = {4, 1, 3};
  task.placements = 1;
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const ir::Program program = measure::build_program(registry, task.task);
  EXPECT_EQ(why_refused(task, with_leak(program, {})), "none");
  std::size_t planted = 0;
  for (const ir::Op& op : program.ops()) {
    for (const ir::ValueId id : op.outputs) {
      ++planted;
      EXPECT_THAT(why_refused(task, with_leak(program, id)),
                  testing::HasSubstr("differs from the eager result"))
          << "behind " << op.name;
    }
  }
  EXPECT_GE(planted, 10u);
  RecordProperty("planted", static_cast<int>(planted));
}

INSTANTIATE_TEST_SUITE_P(Workloads, Leak, testing::Values("mlp", "attention", "conv"));

}  // namespace
}  // namespace graphbench::ladder
