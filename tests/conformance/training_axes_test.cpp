// Axes of the training pass beside its forms: what is recomputed, against steps that do without it.
#include <utility>

#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using CheckpointConformance = ProgramFixture;

// Ten steps of a program whose layers run again, and of the one that keeps everything.
TEST_P(CheckpointConformance, LeavesWhatAStepLeavesThatKeepsEverything) {
  const ir::OpCatalog catalog;
  using enum ir::Optimizer;
  const ir::TrainingOptions forms[] = {
      {.optimizer = sgd},
      {.optimizer = adamw, .accumulate = ir::Accumulate::end, .micro_batches = 2},
      {.optimizer = adamw, .backward = ir::Backward::callables, .optimizer_in = ir::OptimizerIn::backward},
      {.optimizer = sgd, .backward = ir::Backward::apart, .optimizer_in = ir::OptimizerIn::eager}};
  for (ir::TrainingOptions options : forms) {
    std::vector<std::pair<std::vector<Bytes>, std::vector<std::uint64_t>>> left;
    std::vector<std::int64_t> peaks;
    for (const ir::Checkpoint checkpoint : {ir::Checkpoint::none, ir::Checkpoint::layer}) {
      options.checkpoint = checkpoint;
      Rig rig = rig_of(ir::differentiate(program(), catalog, options), 4);
      const auto executor = rig.prepare(mode(), 4);
      left.push_back(rig.steps(*executor, 10, 4, 3));
      peaks.push_back(executor->counts().peak_bytes);
    }
    EXPECT_EQ(left[1], left[0]);
    EXPECT_LE(peaks[1], peaks[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Devices, CheckpointConformance,
    mode_parameters(
        {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise},
        {small_programs()[0], small_programs()[1], small_programs()[3], {"attending", attending}}),
    name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
