// Which of a step's enqueues belong to which phase. That they are timed is the integration test's.
#include "harness/measure/worker/phase_times.hpp"

#include <gtest/gtest.h>

#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::worker {
namespace {

ir::Program trained(const ir::OpCatalog& catalog) {
  ir::ProgramBuilder builder("p", catalog);
  const ir::Shape square{ir::fixed_dim(4), ir::fixed_dim(4)};
  const ir::ValueId x =
      builder.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(), ir::fixed_dim(4)}, {});
  const ir::ValueId w = builder.value(ir::ValueKind::weight, "w", ir::DType::fp32, square, {});
  builder.mark_output(builder.op("linear", "a", {x, w}, {})[0]);
  return ir::differentiate(
      builder.finish(), catalog,
      {.optimizer = ir::Optimizer::adamw, .accumulate = ir::Accumulate::end, .micro_batches = 2});
}

std::vector<std::string> phases(const std::vector<PhaseRun>& runs) {
  std::vector<std::string> names;
  for (const PhaseRun& run : runs)
    names.push_back(run.phase + (" " + std::to_string(run.first)) + " " + std::to_string(run.last));
  return names;
}

TEST(PhaseRuns, AreOpsOfOnePhaseInARowAndSumsOfGradientsAreBackward) {
  const ir::OpCatalog catalog;
  const ir::Program program = trained(catalog);
  std::vector<execution::StepItem> items;
  for (ir::OpId id = 0; id < program.ops().size(); ++id) items.push_back({nullptr, nullptr, nullptr, id, id});
  // Forward, loss and gradient of either part; the sum; the count of steps and the update.
  EXPECT_EQ(phases(phase_runs(program, items)),
            (std::vector<std::string>{"forward 0 2", "backward 2 3", "forward 3 5", "backward 5 7",
                                      "optimizer 7 9"}));
}

TEST(PhaseRuns, AreNoneWhereAGraphHoldsSeveralPhases) {
  const ir::OpCatalog catalog;
  const ir::Program program = trained(catalog);
  EXPECT_EQ(
      phases(phase_runs(program, {{nullptr, nullptr, nullptr, 0, 1}, {nullptr, nullptr, nullptr, 2, 2}})),
      (std::vector<std::string>{"forward 0 1", "backward 1 2"}));
  EXPECT_TRUE(phase_runs(program, {{nullptr, nullptr, nullptr, 0, 8}}).empty());
  EXPECT_TRUE(
      phase_runs(program, {{nullptr, nullptr, nullptr, 0, 1}, {nullptr, nullptr, nullptr, 2, 3}}).empty());
}

}  // namespace
}  // namespace graphbench::worker
