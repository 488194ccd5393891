// Tests training steps: compares gradients with central differences and with the same program in fp64, and
// ten captured steps with ten eager ones; and checks that the loss falls.
#include <algorithm>
#include <cmath>

#include "tests/conformance/fp64_walk.hpp"
#include "tests/conformance/program_fixture.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

using ir::ValueId;
using ir::ValueKind;

ir::Program trained(const ir::OpCatalog& catalog, const NamedProgram& forward,
                    const ir::TrainingOptions& options) {
  return ir::differentiate(forward.build(catalog, ir::DType::fp32), catalog, options);
}

// Returns pairs of a parameter and its own gradient, in the order of the sgd ops' inputs; one per parameter.
std::vector<std::pair<ValueId, ValueId>> pairs_of(const ir::Program& program, Fp64Walk& walk) {
  std::vector<std::pair<ValueId, ValueId>> pairs;
  const std::vector<ValueId> parameters = program.values_of(ValueKind::parameter);
  for (const ir::Op& op : program.ops()) {
    if (op.kind != "sgd") continue;
    for (std::size_t i = 1; i < op.inputs.size(); i += 3) pairs.emplace_back(op.inputs[i], op.inputs[i + 1]);
  }
  EXPECT_EQ(pairs.size(), parameters.size());
  for (const auto& [parameter, gradient] : pairs)
    EXPECT_EQ(walk.value(parameter).size(), walk.value(gradient).size());
  return pairs;
}

double loss_at(Fp64Walk walk, ValueId loss, ValueId parameter, Index element, double change) {
  walk.value(parameter).at(element) += change;
  walk.run();
  return walk.value(loss).at(0);
}

void expect_gradients_of_central_differences(const NamedProgram& forward, ir::Accumulate accumulate) {
  constexpr std::int64_t batch = 2;
  constexpr double h = 1e-5;
  const ir::OpCatalog catalog;
  const ir::Program program =
      trained(catalog, forward, {.optimizer = ir::Optimizer::sgd, .accumulate = accumulate});
  Fp64Walk start(program, batch);
  start.fill(5);
  Fp64Walk walk = start;
  walk.run();
  const ValueId loss = find(program, "loss.0");
  for (const auto& [parameter, gradient] : pairs_of(program, walk)) {
    const Tensor& exact = walk.value(gradient);
    const Index step =
        exact.size() > 1000 ? exact.size() : exact.size() / 3 + 1;  // each element needs two walks
    for (Index element = step / 2; element < exact.size(); element += step) {
      const double slope =
          (loss_at(start, loss, parameter, element, h) - loss_at(start, loss, parameter, element, -h)) /
          (2 * h);
      EXPECT_NEAR(exact[element], slope, 1e-8 + 1e-6 * std::abs(slope))
          << forward.name << ", " << program.value(parameter).name << ", element " << element;
    }
  }
}

TEST(Gradients, AreThoseOfCentralDifferences) {
  for (const NamedProgram& forward : small_programs()) {
    if (forward.name != "chain" && forward.name != "conv") continue;
    expect_gradients_of_central_differences(forward, ir::Accumulate::asap);
  }
}

// Activations after linear, with and without residual, and as separate ops; and weights that two ops read.
ir::Program odd_places(const ir::OpCatalog& catalog, ir::DType dtype) {
  test::SmallBuilder b(catalog, dtype);
  ValueId x = b.input("x", test::batched({6}), uniform(1));
  const ValueId w = b.weight("w", test::fixed({6, 6}), uniform(0.5));
  const ValueId bias = b.weight("bias", test::fixed({6}), uniform(0.5));
  const auto with = [](const char* activation, std::int64_t has_bias) {
    return ir::Attributes{{"bias", has_bias}, {"residual", one}, {"activation", std::string(activation)}};
  };
  x = b.one("linear", "relu_residual", {x, w, bias, x}, with("relu", 1));
  x = b.one("linear", "gelu_residual", {x, w, x}, with("gelu_tanh", 0));
  x = b.one("linear", "relu_plain", {x, w}, {{"activation", std::string("relu")}});
  const ValueId gelu = b.one("gelu_tanh", "gelu", {x});
  const ValueId relu = b.one("relu", "relu", {b.one("add", "twice", {gelu, gelu})});
  return b.ending_in(b.one("add", "sum", {relu, x}));
}

// Two convolutions. The second has stride 2, which leaves out the last row of its image.
ir::Program strided(const ir::OpCatalog& catalog, ir::DType dtype) {
  test::SmallBuilder b(catalog, dtype);
  ValueId x = b.input("x", test::batched({8, 7, 3}), uniform(1));
  for (int i = 0; i < 2; ++i) {
    const std::string name = "conv" + std::to_string(i);
    const ValueId w = b.weight(name + ".w", test::fixed({3, 3, 3, 3}), uniform(0.5));
    x = b.one("conv2d", name, {x, w}, {{"stride", std::int64_t{1 + i}}, {"padding", std::int64_t{1 - i}}});
  }
  return b.ending_in(x);
}

TEST(Gradients, AreThoseOfCentralDifferencesAtOddPlaces) {
  for (const NamedProgram& forward : {NamedProgram{"odd", odd_places}, NamedProgram{"strided", strided},
                                      NamedProgram{"attending", attending}}) {
    expect_gradients_of_central_differences(forward, ir::Accumulate::asap);
    expect_gradients_of_central_differences(forward, ir::Accumulate::end);
  }
}

TEST(Gradients, TheLossIsThatOfTheForwardProgram) {
  const ir::OpCatalog catalog;
  const NamedProgram& named = small_programs().front();
  const ir::Program forward = named.build(catalog, ir::DType::fp32);
  const ir::Program program = trained(catalog, named, {});
  Fp64Walk walk(program, 3);
  walk.fill(9);
  walk.run();
  Fp64Walk plain(forward, 3);
  for (ValueId id = 0; id < forward.values().size(); ++id) {
    const ValueKind kind = forward.value(id).kind;
    if (kind == ValueKind::input || kind == ValueKind::weight)
      plain.value(id) = walk.value(find(program, forward.value(id).name));
  }
  plain.run();
  const Tensor& y = plain.value(forward.values_of(ValueKind::output).front());
  const Tensor& target = walk.value(find(program, "loss.target"));
  double loss = 0;
  for (Index i = 0; i < y.size(); ++i)
    loss += (y[i] - target[i]) * (y[i] - target[i]) / static_cast<double>(y.size());
  EXPECT_NEAR(walk.value(find(program, "loss.0")).at(0), loss, 1e-12);
}

TEST(Gradients, AreThoseOfTheWholeBatchInMicroBatches) {
  const ir::OpCatalog catalog;
  const NamedProgram& named = small_programs().front();
  const ir::Program whole = trained(catalog, named, {.optimizer = ir::Optimizer::sgd});
  Fp64Walk expected(whole, 6);
  expected.fill(9);
  for (const ir::Accumulate accumulate : {ir::Accumulate::asap, ir::Accumulate::end}) {
    const ir::Program parts = trained(
        catalog, named, {.optimizer = ir::Optimizer::sgd, .accumulate = accumulate, .micro_batches = 2});
    Fp64Walk actual(parts, 6);
    actual.fill(9);
    for (ValueId id = 0; id < whole.values().size(); ++id) {
      const ir::Value& value = whole.value(id);
      const Tensor& from = expected.value(id);
      const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
      if (value.kind == ValueKind::parameter) actual.value(find(parts, value.name)) = from;
      if (value.kind != ValueKind::input) continue;
      actual.value(find(parts, value.name)) = Tensor(from.begin(), middle);
      actual.value(find(parts, value.name + ".micro1")) = Tensor(middle, from.end());
    }
    Fp64Walk stepped = expected;
    stepped.run();
    actual.run();
    for (const ValueId id : whole.values_of(ValueKind::parameter)) {
      const Tensor& a = actual.value(find(parts, whole.value(id).name));
      for (Index i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], stepped.value(id)[i], 1e-14) << whole.value(id).name;
    }
  }
}

// One optimizer op per parameter, placed where its gradient is complete, must do the same as one op for all.
TEST(Gradients, UpdateParametersToTheSameWhereverTheOptimizerIs) {
  const ir::OpCatalog catalog;
  for (const NamedProgram& named : {small_programs()[0], NamedProgram{"odd", odd_places}}) {
    const ir::Program last = trained(catalog, named, {.optimizer = ir::Optimizer::adamw});
    const ir::Program at_once = trained(
        catalog, named, {.optimizer = ir::Optimizer::adamw, .optimizer_in = ir::OptimizerIn::backward});
    EXPECT_TRUE(at_once.values_of(ValueKind::gradient).empty());
    Fp64Walk expected(last, 3), actual(at_once, 3);
    expected.fill(9);
    actual.fill(9);
    for (ValueId id = 0; id < last.values().size(); ++id) {
      const ValueKind kind = last.value(id).kind;
      if (kind == ValueKind::input || kind == ValueKind::parameter)
        actual.value(find(at_once, last.value(id).name)) = expected.value(id);
    }
    expected.run();
    actual.run();
    for (const ValueId id : last.values_of(ValueKind::parameter))
      EXPECT_EQ(actual.value(find(at_once, last.value(id).name)), expected.value(id)) << last.value(id).name;
  }
}

using TrainingConformance = ProgramFixture;

// Larger with a relu: if rounding changes the sign of its input, a whole gradient is added or lost.
double gradient_error_max(ir::DType dtype, bool has_relu) {
  if (dtype == ir::DType::fp32) return 1e-5;
  return (dtype == ir::DType::fp16 ? 0.005 : 0.02) * (has_relu ? 4 : 1);
}

TEST_P(TrainingConformance, GradientsAgreeWithTheWholeStepInFp64) {
  Rig rig = make_rig(4);
  const bool has_relu = std::ranges::count(rig.program().ops(), "relu_grad", &ir::Op::kind) > 0;
  double worst = 0;
  for (const std::int64_t batch : {1, 4}) {
    Fp64Walk expected(rig, batch, 40 + static_cast<std::uint64_t>(batch));
    expected.run();
    const auto executor = rig.run_eager(batch);
    ASSERT_FALSE(rig.program().values_of(ValueKind::gradient).empty());
    for (const ValueId id : rig.program().results()) {
      const double error = expected.relative_error(rig, id, executor->output(id));
      worst = std::max(worst, error);
      EXPECT_LE(error, gradient_error_max(dtype(), has_relu))
          << rig.program().value(id).name << ", batch " << batch;
    }
  }
  std::printf("relative L2 error at most %.3g\n", worst);
}

INSTANTIATE_TEST_SUITE_P(Devices, TrainingConformance,
                         mode_parameters({ExecutionMode::eager}, training_programs()),
                         name_of_program_parameter);

using TrainingModes = ProgramFixture;

TEST_P(TrainingModes, TenStepsLeaveWhatEagersLeave) {
  Rig rig = make_rig(4);
  const auto executor = rig.prepare(mode(), 4);
  const auto eager = rig.steps(executor->eager(), 10, 4, 3);
  EXPECT_EQ(rig.steps(*executor, 10, 4, 3), eager);
  rig.reset(3);
  EXPECT_EQ(rig.state_digests() != eager.second, !ir::mutated_state(rig.program()).empty());
}

// Programs that need even batches. Other suites also use odd batches, so they cannot use these programs.
std::vector<NamedProgram> with_micro_batches() {
  std::vector<NamedProgram> programs = training_programs();
  const auto add = [&programs](const char* name, const NamedProgram& forward,
                               const ir::TrainingOptions& options) {
    programs.push_back(trained_program(name, forward, options));
  };
  using enum ir::Optimizer;
  using enum ir::Backward;
  const NamedProgram& mlp = base_programs().front();
  const NamedProgram attention{"attending", attending};
  add("micro_asap", mlp, {.optimizer = adamw, .micro_batches = 2});
  add("micro_end", mlp, {.optimizer = adamw, .accumulate = ir::Accumulate::end, .micro_batches = 2});
  add("apart", attention, {.optimizer = adamw, .backward = apart});
  add("apart_eager", mlp, {.optimizer = sgd, .backward = apart, .optimizer_in = ir::OptimizerIn::eager});
  add("callables", attention, {.optimizer = none, .backward = callables});
  add("callables_micro", mlp, {.optimizer = sgd, .micro_batches = 2, .backward = callables});
  add("callables_backward", mlp,
      {.optimizer = adamw, .backward = callables, .optimizer_in = ir::OptimizerIn::backward});
  const auto layer = ir::Checkpoint::layer;
  add("checkpoint", attention, {.optimizer = adamw, .checkpoint = layer});
  add("checkpoint_apart_micro", mlp,
      {.optimizer = sgd, .micro_batches = 2, .backward = apart, .checkpoint = layer});
  add("checkpoint_callables_backward", mlp,
      {.optimizer = adamw,
       .backward = callables,
       .optimizer_in = ir::OptimizerIn::backward,
       .checkpoint = layer});
  std::ranges::move(plugin_training_programs(), std::back_inserter(programs));
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Devices, TrainingModes, graph_mode_parameters(with_micro_batches()),
                         name_of_program_parameter);

// Trains on the same rows again and again: steps that follow the gradient come closer to the rows' targets.
class LossConformance : public DeviceFixture,
                        public ::testing::WithParamInterface<std::tuple<std::string, ExecutionMode>> {
 protected:
  void SetUp() override { open(std::get<0>(GetParam())); }

  // The loss after the last step must be below `share` times the loss of the first step.
  void expect_to_learn(const NamedProgram& forward, const ir::TrainingOptions& options, double share) {
    const ir::OpCatalog catalog;
    Rig rig = rig_of(trained(catalog, forward, options), 4);
    const auto executor = rig.prepare(std::get<1>(GetParam()), 4);
    rig.reset(17);
    const ValueId loss = find(rig.program(), "loss.0");
    const auto step = [&] {
      executor->submit();
      stream().synchronize();
      return decode(rig.read(executor->output(loss), 4), ir::DType::fp32).at(0);
    };
    const double before = step();
    double after = before;
    for (int i = 0; i < 200; ++i) after = step();
    EXPECT_LT(after, share * before) << forward.name;
  }
};

TEST_P(LossConformance, Falls) {
  using enum ir::Optimizer;
  expect_to_learn(small_programs()[0], {.optimizer = adamw, .learning_rate = 0.01}, 0.1);
  expect_to_learn(small_programs()[0], {.optimizer = sgd, .learning_rate = 0.02}, 0.5);
  for (const ir::Backward form : {ir::Backward::iteration, ir::Backward::apart, ir::Backward::callables}) {
    expect_to_learn(NamedProgram{"attending", attending},
                    {.optimizer = adamw, .learning_rate = 0.03, .backward = form}, 0.9);
    for (const ir::OptimizerIn place :
         {ir::OptimizerIn::graph, ir::OptimizerIn::eager, ir::OptimizerIn::backward})
      expect_to_learn(small_programs()[0],
                      {.optimizer = adamw, .learning_rate = 0.01, .backward = form, .optimizer_in = place},
                      0.1);
    expect_to_learn(small_programs()[0],
                    {.optimizer = adamw,
                     .accumulate = ir::Accumulate::end,
                     .learning_rate = 0.01,
                     .micro_batches = 2,
                     .backward = form,
                     .checkpoint = ir::Checkpoint::layer},
                    0.2);
  }
  // A weak limit: the outputs of `conv` cannot be negative, but half of the targets are.
  expect_to_learn(small_programs()[1], {.optimizer = adamw, .learning_rate = 0.005}, 0.75);
}

INSTANTIATE_TEST_SUITE_P(Devices, LossConformance,
                         ::testing::Combine(::testing::ValuesIn(backends()),
                                            ::testing::Values(ExecutionMode::eager, ExecutionMode::whole,
                                                              ExecutionMode::piecewise)),
                         [](const auto& instance) {
                           return std::get<0>(instance.param) + "_" +
                                  std::string(execution::name_of(std::get<1>(instance.param)));
                         });

}  // namespace
}  // namespace graphbench::conformance
