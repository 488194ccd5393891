// Tests differentiate() for layers that run again, ops that name their gradient's kind, and gradient hooks.
#include "graphs/ir/training/differentiate.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "graphs/ir/passes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using test::batched;
using test::fixed;
using ::testing::ElementsAre;

class CheckpointTest : public ::testing::Test {
 protected:
  ValueId linear(const std::string& name, ValueId x, Attributes attributes = {}) {
    return b_.one("linear", name, {x, b_.weight(name + ".w")}, std::move(attributes));
  }
  void build_two_layers() {
    ValueId x = b_.input("x");
    for (const std::string layer : {"a.", "b."}) {
      if (layer == "b.") b_.op("boundary", "b.boundary", {}, {});
      x = linear(layer + "down", linear(layer + "up", x, {{"activation", std::string("gelu_tanh")}}));
    }
    b_.mark_output(x);
  }
  Program train(TrainingOptions options = {}) {
    options.checkpoint = Checkpoint::layer;
    return differentiate(b_.finish(), catalog_, options);
  }
  static std::vector<std::string> recomputed(const Program& program) {
    std::vector<std::string> names;
    for (const Op& op : program.ops()) {
      if (!op.recomputes.empty()) names.push_back(op.recomputes);
    }
    return names;
  }

  OpCatalog catalog_;
  test::SmallBuilder b_{catalog_, DType::bf16};
};

TEST_F(CheckpointTest, ALayerRunsAgainAheadOfWhatReadsItsInnerValues) {
  build_two_layers();
  const Program program = train();
  const auto is_later = [](const Op& op) { return op.phase != Phase::forward && !op.traits.marker; };
  EXPECT_THAT(test::op_names(program, is_later),
              ElementsAre("b.up.linear.recomputed", "b.up.recomputed", "b.down.grad_weight",
                          "b.down.grad_input", "b.up.grad_activation", "b.up.grad_weight", "b.up.grad_input",
                          "a.up.linear.recomputed", "a.up.recomputed", "a.down.grad_weight",
                          "a.down.grad_input", "a.up.grad_activation", "a.up.grad_weight"));
  const auto again = std::ranges::find(program.ops(), "b.up.recomputed", &Op::name);
  EXPECT_EQ(again->recomputes, "b.up");
  EXPECT_EQ(again->kind, "gelu_tanh");
  EXPECT_EQ(again->phase, Phase::backward);
  EXPECT_EQ(program.value(again->inputs[0]).name, "b.up.linear.recomputed");
  EXPECT_EQ(program.value((again + 1)->inputs[1]).name, "b.up.recomputed");
  const auto product = std::ranges::find(program.ops(), "b.up.linear.recomputed", &Op::name);
  EXPECT_EQ(program.value(product->inputs[0]).name, "a.down") << "the layer's input is kept";
  EXPECT_THAT(program.rewrites(),
              ElementsAre("layer a is recomputed before a.down.grad_weight: a.up.linear a.up",
                          "layer b is recomputed before b.down.grad_weight: b.up.linear b.up"));
}

TEST_F(CheckpointTest, AStepKeepsTheLayersInputsAndNoMore) {
  constexpr std::int64_t rows_bytes = 4 * 8 * 2;
  build_two_layers();
  const Program forward = b_.finish();
  const facts::TrainingFacts none = training_facts(differentiate(forward, catalog_, {}), 4);
  const facts::TrainingFacts layer =
      training_facts(differentiate(forward, catalog_, {.checkpoint = Checkpoint::layer}), 4);
  EXPECT_EQ(none.saved_bytes, (4 + 1 + 1) * rows_bytes)
      << "gelu's input and output of both layers, b's input, the loss's gradient";
  EXPECT_EQ(layer.saved_bytes, (1 + 1) * rows_bytes) << "b's input, the loss's gradient";
  EXPECT_EQ(layer.ops.backward, none.ops.backward + 4);
  EXPECT_EQ(layer.ops.forward, none.ops.forward);
}

TEST_F(CheckpointTest, EachMicroBatchRunsItsOwnLayersAgain) {
  build_two_layers();
  EXPECT_THAT(recomputed(train({.micro_batches = 2})),
              ElementsAre("b.up.linear", "b.up", "a.up.linear", "a.up", "b.up.linear.micro1", "b.up.micro1",
                          "a.up.linear.micro1", "a.up.micro1"));
}

TEST_F(CheckpointTest, WhatIsRunAgainIsInTheGraphOfItsLayersBackward) {
  build_two_layers();
  const Program program = train({.backward = Backward::callables});
  std::vector<std::string> first;
  for (const Segment& each : graphs_of(program, partition(program, {})))
    first.push_back(program.ops()[each.first].name);
  EXPECT_THAT(first, ElementsAre("a.up.linear", "b.up.linear", "loss", "b.up.linear.recomputed",
                                 "a.up.linear.recomputed"));
  EXPECT_EQ(partition(program, {"gelu_tanh"}).size(), 9u) << "those run again split as well";
}

TEST_F(CheckpointTest, ALayerWhoseInnerValuesNoGradientReadsIsNotRunAgain) {
  const ValueId qkv = b_.one("linear", "a.qkv", {b_.input("x"), b_.weight("w", fixed({12, 8}))});
  const std::vector<ValueId> heads =
      b_.op("rope", "a.rope", {qkv}, {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}});
  b_.mark_output(b_.one("sdpa", "b.sdpa", heads));
  EXPECT_THAT(recomputed(train()), ElementsAre());
}

// Two layers write the same cache, so the first layer's sdpa could not read the same values again.
TEST_F(CheckpointTest, AnOpThatWritesStateOrReadsWhatIsOverwrittenIsNotRunAgain) {
  const ValueId k = b_.state("k", batched({2, 4, 2})), v = b_.state("v", batched({2, 4, 2}));
  const ValueId positions = b_.integers("positions");
  ValueId x = 0;
  for (const std::string layer : {"a.", "b."}) {
    const ValueId qkv = b_.input(layer + "qkv", batched({12}));
    const ValueId q = b_.one("rope_kv_append", layer + "rope", {qkv, positions, k, v},
                             {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}});
    const ValueId o = b_.one("relu", layer + "relu", {b_.one("sdpa", layer + "sdpa", {q, k, v})});
    const ValueId out = b_.one("linear", layer + "out", {o, b_.weight(layer + "w", fixed({4, 4}))});
    x = layer == "a." ? out : b_.one("add", layer + "add", {x, out});
  }
  b_.mark_output(x);
  EXPECT_THAT(recomputed(train()), ElementsAre("b.sdpa", "b.relu", "a.relu"));
}

TEST_F(CheckpointTest, WordsChooseIt) {
  EXPECT_EQ(training_options({}).checkpoint, Checkpoint::none);
  EXPECT_EQ(training_options({{"checkpoint", "layer"}}).checkpoint, Checkpoint::layer);
}

using ::testing::HasSubstr;

using Outputs = std::vector<InferredOutput>;

class TrainingPlugins : public ::testing::Test {
 protected:
  TrainingPlugins() {
    // y, k = mine(a, indices, b): y has a's type and shape, k has a's shape and integers.
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
  // The outputs: c · y, where y, k = mine(a · x, indices, b · x), and the output of an op that reads k.
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
      HasSubstr(
          "op op (mine): the gradient op mine_grad gives no gradient of input b, which a parameter needs"));
}

TEST_F(TrainingPlugins, AGradientOfAnotherShapeOrTooFewIsThePluginsFault) {
  gradient_.infer = [](const Op&, const Inputs& in) {
    return Outputs{{in[0]->dtype, in[0]->shape}, {in[2]->dtype, {of_batch(), fixed_dim(9)}}};
  };
  const Error error = test::error_of([&] { train(); });
  EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
  EXPECT_STREQ(error.what(),
               "op.grad_inputs (mine_grad): output 1 must have the dtype and shape of input b of mine");
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
  EXPECT_THAT(error.what(),
              HasSubstr("hook hook (column_sum) of layer.w: the hook must give one value with the "
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
  EXPECT_THAT(refusal(w, "relu", "x"), HasSubstr("the name is already in use"));
}

TEST_F(TrainingPlugins, GradientsThatNoGraphHoldsAreNamedOnceAKind) {
  gradient_.traits.host_op = true;
  const Program program = train({.micro_batches = 2});
  EXPECT_THAT(uncapturable_gradients(program),
              ElementsAre("op op.grad_inputs (mine_grad) runs on the host, and 1 more of its kind"));
  const std::vector<Segment> segments = partition(program, {});
  ASSERT_EQ(segments.size(), 5u) << "a piece, the gradient, and so on for the second part";
  EXPECT_EQ(program.ops()[segments[1].first].name, "op.grad_inputs");
}

}  // namespace
}  // namespace graphbench::ir
