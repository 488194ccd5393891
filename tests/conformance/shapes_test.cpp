// Steps of changing sizes by a cache of programs whose recordings share one pool: every backend, every mode.
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

}  // namespace
}  // namespace graphbench::conformance
