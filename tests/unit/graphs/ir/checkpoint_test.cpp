// Recomputation of layers: which ops run again, where, and what a step keeps then.
#include <gmock/gmock.h>

#include <algorithm>

#include "graphs/ir/passes.hpp"
#include "graphs/ir/training/differentiate.hpp"
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
  // Two layers of two products with a gelu in between.
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
              ElementsAre("layer a is computed again ahead of a.down.grad_weight: a.up.linear a.up",
                          "layer b is computed again ahead of b.down.grad_weight: b.up.linear b.up"));
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

// Two layers write one cache: what the first read of it is gone when its gradient is computed.
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

}  // namespace
}  // namespace graphbench::ir
