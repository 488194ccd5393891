// Evaluating a model under training: by the forward program, on the parameters that steps have left.
#include "harness/measure/worker/evaluate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/harness/measure/worker/task_run_fixture.hpp"

namespace graphbench::worker {
namespace {

class EvaluateTest : public TaskRunTest {
 protected:
  EvaluateTest() {
    task_.pass = "training";
    task_.more_axes = {{"optimizer", "sgd"}, {"micro-batches", "2"}};
    task_.instruments.evaluate = true;
  }
};

TEST_F(EvaluateTest, ReadsTheParametersThatTrainingHasLeft) {
  const std::unique_ptr<Device> device = open_device("host");
  const ir::Program program = build_program(registry_, task_);
  const ir::Program forward = build_forward_program(registry_, task_);
  TaskRig rig(task_, *device, program);
  rig.allocate(2);
  model::Setup setup{};
  const auto executor = rig.prepare(2, setup, [](std::string_view) {});
  const auto outputs = [&] { return EvaluationStep(task_, rig, forward, 2).outputs(false); };
  const auto before = outputs();
  EXPECT_EQ(outputs(), before);
  executor->submit();
  const auto after = outputs();
  EXPECT_NE(after, before);
  rig.buffers().fill_state(rig.stream(), seed_for(task_, SeedUse::state));
  EXPECT_EQ(EvaluationStep(task_, rig, forward, 2).outputs(true), outputs());
}

TEST_F(EvaluateTest, TakesTheForwardProgram) {
  task_.batches = {2};
  for (const char* mode : {"eager", "whole", "piecewise"}) {
    task_.mode = mode;
    events_ = Recorder{};
    const ir::Program program = build_program(registry_, task_);
    const ir::Program forward = build_forward_program(registry_, task_);
    run(program, &forward);
    const model::CellResult& cell = events_.cells.at(2);
    ASSERT_EQ(cell.status, model::CellStatus::ok) << cell.reason->message;
    const model::Evaluation& evaluation = cell.training->evaluation.value();
    EXPECT_EQ(evaluation.ops,
              std::ranges::count_if(forward.ops(), [](const ir::Op& op) { return !op.traits.marker; }));
    EXPECT_LT(evaluation.ops, cell.training->program.ops.forward) << "a part's, and the loss";
    EXPECT_EQ(evaluation.pieces, mode == std::string("whole") ? 1 : mode == std::string("eager") ? 0 : 8);
    EXPECT_TRUE(evaluation.identical);
    EXPECT_GT(evaluation.latency_seconds->p50, 0);
  }
}

}  // namespace
}  // namespace graphbench::worker
