// Recomputation of layers: which ops run again, where, and what a step keeps then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/ir/passes.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CheckpointTest : public ::testing::Test {
 protected:
  ValueId value(ValueKind kind, const std::string& name, Shape shape, DType dtype = DType::bf16) {
    return builder_.value(kind, name, dtype, std::move(shape), {});
  }
  ValueId rows(const std::string& name) { return value(ValueKind::input, name, {of_batch(), fixed_dim(8)}); }
  ValueId linear(const std::string& name, ValueId x, Attributes attributes = {}) {
    const ValueId w = value(ValueKind::weight, name + ".w", {fixed_dim(8), fixed_dim(8)});
    return builder_.op("linear", name, {x, w}, std::move(attributes))[0];
  }
  // Two layers of two products with a gelu in between.
  void build_two_layers() {
    ValueId x = rows("x");
    for (const std::string layer : {"a.", "b."}) {
      if (layer == "b.") builder_.op("boundary", "b.boundary", {}, {});
      x = linear(layer + "down", linear(layer + "up", x, {{"activation", std::string("gelu_tanh")}}));
    }
    builder_.mark_output(x);
  }
  Program train(TrainingOptions options = {}) {
    options.checkpoint = Checkpoint::layer;
    const Program forward = builder_.finish();
    return differentiate(forward, catalog_, options);
  }
  static std::vector<std::string> later_ops(const Program& program) {
    std::vector<std::string> names;
    for (const Op& op : program.ops()) {
      if (op.phase != Phase::forward && !op.traits.marker) names.push_back(op.name);
    }
    return names;
  }
  static std::vector<std::string> recomputed(const Program& program) {
    std::vector<std::string> names;
    for (const Op& op : program.ops()) {
      if (!op.recomputes.empty()) names.push_back(op.recomputes);
    }
    return names;
  }

  OpCatalog catalog_;
  ProgramBuilder builder_{"p", catalog_};
};

TEST_F(CheckpointTest, ALayerRunsAgainAheadOfWhatReadsItsInnerValues) {
  build_two_layers();
  const Program program = train();
  EXPECT_THAT(later_ops(program),
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
  const Program forward = builder_.finish();
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
  const ValueId qkv = builder_.op(
      "linear", "a.qkv", {rows("x"), value(ValueKind::weight, "w", {fixed_dim(12), fixed_dim(8)})}, {})[0];
  const std::vector<ValueId> heads =
      builder_.op("rope", "a.rope", {qkv}, {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}});
  builder_.mark_output(builder_.op("sdpa", "b.sdpa", heads, {})[0]);
  EXPECT_THAT(recomputed(train()), ElementsAre());
}

// Two layers write one cache: what the first read of it is gone when its gradient is computed.
TEST_F(CheckpointTest, AnOpThatWritesStateOrReadsWhatIsOverwrittenIsNotRunAgain) {
  const Shape cache{of_batch(), fixed_dim(2), fixed_dim(4), fixed_dim(2)};
  const ValueId k = value(ValueKind::state, "k", cache), v = value(ValueKind::state, "v", cache);
  const ValueId positions = value(ValueKind::input, "positions", {of_batch()}, DType::i32);
  ValueId x = 0;
  for (const std::string layer : {"a.", "b."}) {
    const ValueId qkv = value(ValueKind::input, layer + "qkv", {of_batch(), fixed_dim(12)});
    const ValueId q = builder_.op("rope_kv_append", layer + "rope", {qkv, positions, k, v},
                                  {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}})[0];
    const ValueId o = builder_.op("sdpa", layer + "sdpa", {q, k, v}, {})[0];
    const ValueId w = value(ValueKind::weight, layer + "w", {fixed_dim(4), fixed_dim(4)});
    const ValueId out =
        builder_.op("linear", layer + "out", {builder_.op("relu", layer + "relu", {o}, {})[0], w}, {})[0];
    x = layer == "a." ? out : builder_.op("add", layer + "add", {x, out}, {})[0];
  }
  builder_.mark_output(x);
  EXPECT_THAT(recomputed(train()), ElementsAre("b.sdpa", "b.relu", "a.relu"));
}

TEST_F(CheckpointTest, WordsChooseIt) {
  EXPECT_EQ(training_options({}).checkpoint, Checkpoint::none);
  EXPECT_EQ(training_options({{"checkpoint", "layer"}}).checkpoint, Checkpoint::layer);
}

}  // namespace
}  // namespace graphbench::ir
