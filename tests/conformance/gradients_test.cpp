// Tests gradient ops of plugins against central differences, and where they cannot be captured. Steps which
// compute a layer again (checkpoints) must leave the same bits as steps that keep every activation.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/fp64_walk.hpp"
#include "tests/conformance/program_fixture.hpp"

namespace graphbench::conformance {
namespace {

using ir::ValueId;

class PluginGradients : public BackendFixture {
 protected:
  // Compares a step's gradients with slopes of the loss in fp64. Returns the largest relative difference.
  double error_against_central_differences(const ir::Program& p) {
    constexpr std::int64_t batch = 2;
    constexpr double h = 1e-5;
    Rig rig = rig_of(p, batch);
    const Fp64Walk start(rig, batch, 21);
    const auto executor = rig.run_eager(batch);
    const ValueId loss = p.values_of(ir::ValueKind::output).front();
    const auto loss_at = [&](ValueId parameter, Index element, double change) {
      Fp64Walk walk = start;
      walk.value(parameter).at(element) += change;
      walk.run();
      return walk.value(loss).at(0);
    };
    double worst = 0;
    const ir::Op& step = p.ops().back();
    for (std::size_t i = 1; i < step.inputs.size(); i += 3) {
      const ValueId gradient = step.inputs[i + 1];
      const std::size_t bytes = p.describe(gradient, batch).bytes();
      const std::vector<double> actual = decode(rig.read(executor->output(gradient), bytes), ir::DType::fp32);
      double difference = 0, norm = 0;
      for (Index element = 0; element < actual.size(); ++element) {
        const double slope =
            (loss_at(step.inputs[i], element, h) - loss_at(step.inputs[i], element, -h)) / (2 * h);
        difference += (actual[element] - slope) * (actual[element] - slope);
        norm += slope * slope;
      }
      worst = std::max(worst, std::sqrt(difference / norm));
    }
    return worst;
  }
};

TEST_P(PluginGradients, AreThoseOfCentralDifferences) {
  // With the learning rate 0, the step does not move the parameters at which the slopes are computed.
  const ir::TrainingOptions options{.optimizer = ir::Optimizer::sgd, .learning_rate = 0};
  EXPECT_LT(error_against_central_differences(swapped(ir::DType::fp32, Gradient::right, options)), 1e-5);
  EXPECT_LT(error_against_central_differences(multiplied(Gradient::right, options)), 1e-5);
  EXPECT_GT(error_against_central_differences(swapped(ir::DType::fp32, Gradient::wrong, options)), 0.1);
  EXPECT_GT(error_against_central_differences(multiplied(Gradient::wrong, options)), 0.1);
}

TEST_P(PluginGradients, ThatNoGraphCanHoldAreLaunchedBetweenGraphs) {
  for (const ir::Backward form : {ir::Backward::iteration, ir::Backward::apart, ir::Backward::callables}) {
    Rig rig = rig_of(swapped(ir::DType::fp32, Gradient::uncapturable,
                             {.optimizer = ir::Optimizer::adamw, .backward = form}),
                     2);
    if (form == ir::Backward::iteration) {
      const Error error = test::error_of([&] { rig.make(ExecutionMode::whole, 2); });
      EXPECT_EQ(error.code(), ErrorCode::no_gradient_capture);
      EXPECT_NE(std::string(error.what()).find("op layer1.op.grad_inputs (test_swap_grad)"),
                std::string::npos)
          << error.what();
    } else {  // the whole backward pass, or the backward pass of the op's layer, is launched eagerly
      const auto executor = rig.prepare(ExecutionMode::whole, 2);
      EXPECT_GT(executor->counts().graphs.captured_ops, 0);
      EXPECT_GT(executor->counts().graphs.eager_ops, 2);
      EXPECT_EQ(rig.steps(*executor, 5, 2, 3), rig.steps(executor->eager(), 5, 2, 3));
    }
    // Splits only at softmax, not at the default test_swap: the two gradient ops must still run eagerly.
    execution::ExecutionContext context = rig.context();
    context.splits = {"softmax"};
    const auto executor = Rig::prepare(ExecutionMode::piecewise, context, 2);
    EXPECT_EQ(executor->counts().graphs.eager_ops, 2);
    EXPECT_EQ(rig.steps(*executor, 5, 2, 3), rig.steps(executor->eager(), 5, 2, 3));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PluginGradients, ::testing::ValuesIn(backends()), name_of_backend);

using CheckpointConformance = ProgramFixture;

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
