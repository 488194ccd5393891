// Steps of changing sizes: by a cache of programs whose recordings share one pool, and served from a few
// captured ones, where counts are the traffic's arithmetic and padding reaches no other row. Every backend,
// every mode.
#include "harness/ladder/route.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/measure/worker/walk_shapes.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using ShapesConformance = ProgramFixture;

// The walk itself compares outputs and state with eager's.
TEST_P(ShapesConformance, AStepIsRightWhateverWasRecordedAheadOfIt) {
  const ir::Program p = program();
  model::WorkerTask task;
  task.mode = std::string(execution::name_of(mode()));
  task.sampling.seconds_max = 0.01;
  task.instruments.shape_trace = {
      "steps.txt", 2, {{1, 1}, {8, 1}, {1, 1}, {3, 2}, {8, 1}, {3, 2}, {2, 3}, {8, 1}, {3, 2}}};
  worker::TaskRig rig(task, device(), p);
  rig.allocate(1);
  int traces = 0;
  const auto traced = [&](std::int64_t) {
    ++traces;
    return program();
  };
  std::vector<model::TraceSpan> spans;
  const model::ShapeWalk walk = worker::walk_shapes(
      task, rig, traced, [] {}, spans);
  std::vector<std::string> outcomes;
  for (const model::TracedStep& step : walk.traces) outcomes.push_back(step.outcome);
  EXPECT_EQ(outcomes.at(3), "traced");
  EXPECT_EQ(outcomes.at(4), "graph_hit");
  EXPECT_EQ(outcomes.at(5), "graph_hit");
  EXPECT_EQ(outcomes.at(6), "traced");
  EXPECT_EQ(outcomes.at(7), "traced") << "of two programs, the older one went";
  EXPECT_EQ(traces, 5);
  EXPECT_GT(walk.hit_seconds.value(), 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, ShapesConformance, graph_mode_parameters(base_programs()),
                         name_of_program_parameter);

using LadderConformance = ProgramFixture;

TEST_P(LadderConformance, ServesEveryStepAndPaddingReachesNoOtherRow) {
  const ir::Program p = program();
  for (const model::CaptureWhen when : {model::CaptureWhen::startup, model::CaptureWhen::lazy}) {
    ladder::ServeTask task;
    task.task.mode = std::string(execution::name_of(mode()));
    task.task.warmup = 1;
    task.sizes = {1, 3, 8};
    task.policy.when = when;
    task.rows = {8, 1, 5, 2, 9, 3, 8, 7, 1, 4};
    worker::TaskRig rig(task.task, device(), p);
    worker::StartupClock clock(0);
    ladder::ServeAnswer answer;
    ladder::serve(task, rig, p, clock, {[] {}, [&](std::uint64_t) { rig.release(); }}, answer);
    const ladder::Tally expected = ladder::tally(task.rows, task.sizes, task.policy, "");
    EXPECT_EQ(answer.launch.steps, expected.steps);
    EXPECT_EQ(answer.launch.padding.rows, expected.padding_rows);
    EXPECT_EQ(answer.launch.padding.graph_rows, expected.graph_rows);
    EXPECT_EQ(answer.launch.sizes.size(), 3u);
    ASSERT_TRUE(answer.check.has_value());
    EXPECT_TRUE(answer.check->identical);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LadderConformance, graph_mode_parameters(base_programs()),
                         name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
