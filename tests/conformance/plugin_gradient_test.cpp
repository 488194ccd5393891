// Gradients that plugins bring: against central differences, and where no graph can hold them. In modes and
// forms they are among training_test.cpp's.
#include <algorithm>
#include <cmath>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/fp64_walk.hpp"
#include "tests/conformance/plugin_programs.hpp"

namespace graphbench::conformance {
namespace {

using ir::ValueId;

class PluginGradients : public BackendFixture {
 protected:
  // The largest relative difference of what a step leaves as gradients to the slopes of the loss in fp64.
  double error_against_central_differences(const ir::Program& p) {
    constexpr std::int64_t batch = 2;
    constexpr double h = 1e-5;
    Rig rig(device(), stream(), p, batch);
    rig.reset(21);
    stream().synchronize();
    Fp64Walk start(p, batch);
    start.take_values_of(rig);
    const auto executor = rig.make(ExecutionMode::eager, batch);
    executor->submit();
    stream().synchronize();
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
  // The learning rate is 0, so that parameters stay where the slopes are taken.
  const ir::TrainingOptions options{.optimizer = ir::Optimizer::sgd, .learning_rate = 0};
  EXPECT_LT(error_against_central_differences(swapped(ir::DType::fp32, Gradient::right, options)), 1e-5);
  EXPECT_LT(error_against_central_differences(multiplied(Gradient::right, options)), 1e-5);
  EXPECT_GT(error_against_central_differences(swapped(ir::DType::fp32, Gradient::wrong, options)), 0.1);
  EXPECT_GT(error_against_central_differences(multiplied(Gradient::wrong, options)), 0.1);
}

TEST_P(PluginGradients, ThatNoGraphCanHoldAreLaunchedBetweenGraphs) {
  for (const ir::Backward form : {ir::Backward::iteration, ir::Backward::callables}) {
    const ir::Program p = swapped(ir::DType::fp32, Gradient::uncapturable,
                                  {.optimizer = ir::Optimizer::adamw, .backward = form});
    Rig rig(device(), stream(), p, 2);
    const Error error = test::error_of([&] { rig.make(ExecutionMode::whole, 2); });
    EXPECT_EQ(error.code(), ErrorCode::no_gradient_capture);
    EXPECT_NE(std::string(error.what()).find("op layer1.op.grad_inputs (test_swap_grad)"), std::string::npos)
        << error.what();
    // Not at its default splits, which are of the forward kind, and its gradient's.
    execution::ExecutionContext context = rig.context();
    context.splits = {"softmax"};
    const auto executor = execution::make_executor(ExecutionMode::piecewise, context, 2);
    executor->capture();
    executor->instantiate();
    executor->upload();
    EXPECT_EQ(executor->counts().graphs.eager_ops, 2);
    const auto five_steps = [&](execution::Executor& by) {
      rig.reset(3);
      for (int i = 0; i < 5; ++i) by.submit();
      stream().synchronize();
      return std::pair(rig.outputs(by, 2), rig.state_digests());
    };
    EXPECT_EQ(five_steps(*executor), five_steps(executor->eager()));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PluginGradients, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
