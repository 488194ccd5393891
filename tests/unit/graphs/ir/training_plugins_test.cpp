// What differentiate() makes of ops that bring the kind of their gradient, and of hooks on gradients.
#include <gmock/gmock.h>

#include "graphs/ir/passes.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Outputs = std::vector<InferredOutput>;

class TrainingPlugins : public ::testing::Test {
 protected:
  TrainingPlugins() {
    // y, k = mine(a, indices, b): y like a, k its integers.
    mine_.kind = "mine";
    mine_.infer = [](const Op&, const Inputs& in) {
      return Outputs{{in[0]->dtype, in[0]->shape}, {DType::i32, in[0]->shape}};
    };
    mine_.gradient = "mine_grad";
    mine_.gradient_inputs = {0, 2};
    gradient_.kind = "mine_grad";
    gradient_.infer = [](const Op&, const Inputs& in) {
      return Outputs{{in[0]->dtype, in[0]->shape}, {in[2]->dtype, in[2]->shape}};
    };
  }
  ValueId linear(const std::string& name, ValueId x, ValueId w) {
    return builder_->one("linear", name, {x, w});
  }
  // out = c · y of mine(a · x, indices, b · x), and what reads k.
  Program train(const TrainingOptions& options = {}) {
    catalog_.add(mine_);
    catalog_.add(gradient_);
    OpDefinition reader{.kind = "reader"};
    reader.infer = [](const Op&, const Inputs& in) { return Outputs{{in[0]->dtype, in[0]->shape}}; };
    catalog_.add(reader);
    builder_.emplace(catalog_);
    const ValueId x = builder_->input("x"), indices = builder_->integers("indices", test::batched({8}));
    const ValueId a = linear("a", x, builder_->weight("wa")), b = linear("b", x, builder_->weight("wb"));
    const std::vector<ValueId> y = builder_->op("mine", "op", {a, indices, b}, {{"scale", 0.5}});
    builder_->mark_output(linear("c", y[0], builder_->weight("wc")));
    return differentiate(builder_->ending_in(builder_->one("reader", "read", {y[1]})), catalog_, options);
  }
  // x · w twice, with the hooks.
  Program hooked(const std::vector<GradientHook>& hooks, const TrainingOptions& options = {}) {
    builder_.emplace(catalog_);
    const ValueId x = builder_->input("x"), w = builder_->weight("layer.w");
    for (GradientHook hook : hooks) {
      hook.weight = w;
      builder_->hook(hook);
    }
    return differentiate(builder_->ending_in(linear("layer.b", linear("layer.a", x, w), w)), catalog_,
                         options);
  }
  static std::vector<std::string> from(const Program& program, const std::string& name) {
    bool begun = false;
    return test::op_names(program, [&](const Op& op) { return begun = begun || op.name == name; });
  }
  static std::string value_name(const Program& program, ValueId id) { return program.value(id).name; }

  OpCatalog catalog_;
  OpDefinition mine_, gradient_;
  std::optional<test::SmallBuilder> builder_;
};

TEST_F(TrainingPlugins, TheGradientGetsInputsOutputsAndTheirGradients) {
  const Program program = train();
  const auto op = std::ranges::find(program.ops(), "op.grad_inputs", &Op::name);
  ASSERT_NE(op, program.ops().end());
  EXPECT_EQ(op->kind, "mine_grad");
  EXPECT_EQ(op->phase, Phase::backward);
  EXPECT_EQ(op->splits_with, "mine");
  EXPECT_EQ(real_attribute(*op, "scale"), 0.5);
  EXPECT_THAT(test::names_of(program, op->inputs),
              ElementsAre("a", "indices", "b", "op.0", "op.1", "c.grad_input"));
  for (const char* name : {"a", "b"}) {
    const auto weight = std::ranges::find(program.ops(), name + std::string(".grad_weight"), &Op::name);
    EXPECT_EQ(weight->inputs.at(0), op->outputs.at(*name == 'a' ? 0 : 1));
  }
  EXPECT_EQ(program.values_of(ValueKind::gradient).size(), 3u);
}

TEST_F(TrainingPlugins, AnOpWithoutTheGradientOfAnInputThatWantsItIsRefused) {
  mine_.gradient_inputs = {0};
  const Error error = test::error_of([&] { train(); });
  EXPECT_EQ(error.code(), ErrorCode::no_backward);
  EXPECT_THAT(
      error.what(),
      HasSubstr("op op (mine): its gradient mine_grad gives none of input b, which a parameter needs"));
}

TEST_F(TrainingPlugins, AGradientOfAnotherShapeOrTooFewIsThePluginsFault) {
  gradient_.infer = [](const Op&, const Inputs& in) {
    return Outputs{{in[0]->dtype, in[0]->shape}, {in[2]->dtype, {of_batch(), fixed_dim(9)}}};
  };
  const Error error = test::error_of([&] { train(); });
  EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
  EXPECT_STREQ(error.what(),
               "op.grad_inputs (mine_grad): output 1 is not like input b of mine, whose gradient it is");
}

TEST_F(TrainingPlugins, AnOutputThatTheLossDoesNotDependOnIsRefused) {
  mine_.infer = [](const Op&, const Inputs& in) { return Outputs(2, {in[0]->dtype, in[0]->shape}); };
  EXPECT_THAT(test::error_of([&] { train(); }).what(),
              HasSubstr("op op (mine): the loss does not depend on op.1"));
}

TEST_F(TrainingPlugins, AnOpWithAGradientThatWritesStateIsRefused) {
  mine_.mutated_inputs = {1};
  EXPECT_THAT(test::error_of([&] { train(); }).what(), HasSubstr("no gradient passes through input"));
}

TEST_F(TrainingPlugins, HooksComeAheadOfAddingUpPartsAndBehindIt) {
  const std::vector<GradientHook> hooks{{0, HookPlace::post_accumulate, "relu", "layer.last", {}},
                                        {0, HookPlace::pre, "gelu_tanh", "layer.first", {}},
                                        {0, HookPlace::pre, "relu", "layer.second", {}}};
  const Program one = hooked(hooks, {.optimizer = Optimizer::sgd});
  EXPECT_THAT(from(one, "layer.a.grad_weight"), ElementsAre("layer.a.grad_weight", "layer.first",
                                                            "layer.second", "layer.last", "optimizer.step"));
  EXPECT_EQ(value_name(one, one.values_of(ValueKind::gradient).at(0)), "layer.last");
  EXPECT_EQ(training_facts(one, 1).ops.accumulate, 3);
  const Program two = hooked(hooks, {.micro_batches = 2});
  EXPECT_THAT(from(two, "layer.a.grad_weight"),
              ElementsAre("layer.a.grad_weight", "layer.first", "layer.second", "layer.a.micro1",
                          "layer.b.micro1", "loss.micro1", "layer.b.grad_weight.micro1",
                          "layer.b.grad_input.micro1", "layer.a.grad_weight.micro1", "layer.first.micro1",
                          "layer.second.micro1", "layer.w.sum0.micro1", "layer.last"));
  const auto at = [&](const char* name) { return *std::ranges::find(two.ops(), name, &Op::name); };
  EXPECT_EQ(value_name(two, at("layer.first.micro1").inputs[0]), "layer.a.grad_weight.micro1")
      << "both uses of the part, and nothing of the part before";
  EXPECT_EQ(integer_attribute(at("layer.a.grad_weight.micro1"), "accumulate"), 1);
  EXPECT_EQ(integer_attribute(at("layer.b.grad_weight.micro1"), "accumulate"), 0);
}

TEST_F(TrainingPlugins, AHookIsAheadOfItsParametersUpdateAndInTheGraphOfItsGradient) {
  const Program program = hooked(
      {{0, HookPlace::pre, "relu", "elsewhere.hook", {}}},
      {.optimizer = Optimizer::sgd, .backward = Backward::callables, .optimizer_in = OptimizerIn::backward});
  EXPECT_THAT(from(program, "elsewhere.hook"), ElementsAre("elsewhere.hook", "layer.w.step"));
  for (const Op& op : program.ops()) EXPECT_FALSE(op.starts_graph && op.name == "elsewhere.hook");
}

TEST_F(TrainingPlugins, AHookThatDoesNotGiveAGradientIsRefused) {
  builder_.emplace(catalog_);
  const Error error = test::error_of([&] { hooked({{0, HookPlace::pre, "column_sum", "hook", {}}}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("hook hook (column_sum) of layer.w: it must give one value of the "
                                      "gradient's shape, fp32[8, 8]"));
}

TEST_F(TrainingPlugins, HooksBelongToFloatingWeightsAndHaveNamesOfTheirOwn) {
  builder_.emplace(catalog_);
  const ValueId x = builder_->input("x"), w = builder_->weight("w");
  const auto refusal = [&](ValueId id, const char* kind, const char* name) {
    return std::string(test::error_of([&] { builder_->hook({id, HookPlace::pre, kind, name, {}}); }).what());
  };
  EXPECT_THAT(refusal(x, "relu", "hook"), HasSubstr("hook hook: value 0 is not a weight of floats"));
  EXPECT_THAT(refusal(99, "relu", "hook"), HasSubstr("value 99 is not a weight"));
  EXPECT_THAT(refusal(w, "rleu", "hook"), HasSubstr("hook hook: unknown op kind \"rleu\""));
  EXPECT_THAT(refusal(w, "relu", "x"), HasSubstr("the name is taken"));
}

TEST_F(TrainingPlugins, GradientsThatNoGraphHoldsAreNamedOnceAKind) {
  gradient_.traits.host_op = true;
  const Program program = train({.micro_batches = 2});
  EXPECT_THAT(uncapturable_gradients(program),
              ElementsAre("op op.grad_inputs (mine_grad) runs on the host, as 1 more of its kind"));
  EXPECT_EQ(partition(program, {}).size(), 5u) << "a piece, the gradient, and so on for the second part";
  EXPECT_EQ(first_uncapturable(program)->name, "op.grad_inputs");
}

}  // namespace
}  // namespace graphbench::ir
