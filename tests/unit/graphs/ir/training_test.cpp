// What differentiate() makes of a program, by its structure, and what it refuses. What it computes is
// tests/conformance/training_test.cpp's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/base/error.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::ir {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TrainingTest : public ::testing::Test {
 protected:
  ValueId value(ValueKind kind, const std::string& name, Shape shape, DType dtype = DType::bf16) {
    return builder_.value(kind, name, dtype, std::move(shape), {});
  }
  ValueId rows(const std::string& name, ValueKind kind = ValueKind::input) {
    return value(kind, name, {of_batch(), fixed_dim(8)});
  }
  ValueId square(const std::string& name) {
    return value(ValueKind::weight, name, {fixed_dim(8), fixed_dim(8)});
  }
  ValueId linear(const std::string& name, ValueId x, ValueId w, Attributes attributes = {}) {
    return builder_.op("linear", name, {x, w}, std::move(attributes))[0];
  }
  Program train(const TrainingOptions& options = {}) {
    const Program forward = builder_.finish();
    return differentiate(forward, catalog_, options);
  }
  // The code and text of what differentiate() throws.
  void expect_no_backward(const std::string& part) {
    const Program forward = builder_.finish();
    const Error error = test::error_of([&] { differentiate(forward, catalog_, {}); });
    EXPECT_EQ(error.code(), ErrorCode::no_backward);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("program p"), HasSubstr(part)));
  }
  static std::vector<std::string> names(const Program& program, Phase phase) {
    std::vector<std::string> names;
    for (const Op& op : program.ops()) {
      if (op.phase == phase) names.push_back(op.name);
    }
    return names;
  }

  OpCatalog catalog_;
  ProgramBuilder builder_{"p", catalog_};
};

TEST_F(TrainingTest, AppendsTheLossAndTheGradientsInReverseAndKeepsNames) {
  const ValueId hidden = linear("up", rows("x"), square("w1"), {{"activation", std::string("gelu_tanh")}});
  builder_.mark_output(linear("down", hidden, square("w2")));
  const Program program = train();
  EXPECT_THAT(names(program, Phase::forward), ElementsAre("up.linear", "up", "down", "loss"));
  EXPECT_THAT(names(program, Phase::backward),
              ElementsAre("down.grad_weight", "down.grad_input", "up.grad_activation", "up.grad_weight"));
  EXPECT_EQ(program.values_of(ValueKind::parameter).size(), 2u);
  EXPECT_EQ(program.values_of(ValueKind::gradient).size(), 2u);
  EXPECT_TRUE(program.values_of(ValueKind::weight).empty());
  EXPECT_EQ(program.value(program.values_of(ValueKind::output).at(0)).name, "loss.0");
  const std::vector<ValueId> results = program.results();
  EXPECT_EQ(results.size(), 3u);
  for (const ValueId id : results)
    EXPECT_EQ(live_ranges(program).at(id).last_use, program.ops().size() - 1) << program.value(id).name;
}

TEST_F(TrainingTest, AReluStaysInItsOpUnlessAResidualHidesIt) {
  const ValueId x = rows("x");
  const ValueId w = square("w");
  const ValueId plain = linear("plain", x, w, {{"activation", std::string("relu")}});
  builder_.mark_output(builder_.op("linear", "hidden", {plain, w, x},
                                   {{"activation", std::string("relu")}, {"residual", std::int64_t{1}}})[0]);
  EXPECT_THAT(names(train(), Phase::forward), ElementsAre("plain", "hidden.linear", "hidden", "loss"));
}

TEST_F(TrainingTest, AGradientOfSeveralUsesIsAddedUpAtOnceOrAtTheEnd) {
  const auto build = [this] {
    const ValueId w = square("w");
    builder_.mark_output(linear("c", linear("b", linear("a", rows("x"), w), w), w));
  };
  build();
  const Program asap = train({.accumulate = Accumulate::asap});
  EXPECT_TRUE(names(asap, Phase::accumulate).empty());
  EXPECT_EQ(integer_attribute(asap.ops().back(), "accumulate"), 1);
  build();
  const Program end = train({.accumulate = Accumulate::end});
  EXPECT_THAT(names(end, Phase::accumulate), ElementsAre("w.sum0", "w.sum1"));
  EXPECT_EQ(end.values_of(ValueKind::gradient).size(), 1u);
}

TEST_F(TrainingTest, OneOpUpdatesAllParametersAfterTheCountOfSteps) {
  const ValueId hidden = linear("a", rows("x"), square("w1"));
  builder_.mark_output(linear("b", hidden, square("w2")));
  const Program program = train({.optimizer = Optimizer::adamw, .learning_rate = 0.25});
  EXPECT_THAT(names(program, Phase::optimizer), ElementsAre("optimizer.advance", "optimizer.step"));
  const Op& step = program.ops().back();
  std::vector<std::string> inputs;
  for (const ValueId id : step.inputs) inputs.push_back(program.value(id).name);
  EXPECT_THAT(inputs,
              ElementsAre("optimizer.count", "optimizer.rate", "w1", "a.grad_weight", "w1.first_moment",
                          "w1.second_moment", "w2", "b.grad_weight", "w2.first_moment", "w2.second_moment"));
  EXPECT_EQ(step.mutates.size(), 6u);
  EXPECT_EQ(program.value(step.inputs[1]).init.low, 0.25);
  EXPECT_EQ(program.call(static_cast<OpId>(program.ops().size() - 1), 2).is_weight(2), false);
}

TEST_F(TrainingTest, WhatTheLossDoesNotDependOnIsRemovedAndItsParameterStays) {
  const ValueId x = rows("x");
  builder_.mark_output(linear("used", x, square("w1")));
  builder_.mark_output(builder_.op("relu", "unused", {linear("dead", x, square("w2"))}, {})[0]);
  builder_.split_at({"relu"});
  const Program program = train({.optimizer = Optimizer::sgd});
  EXPECT_THAT(program.rewrites(), ElementsAre(HasSubstr("w2"), HasSubstr("removed unused (relu)"),
                                              HasSubstr("removed dead (linear)")));
  EXPECT_EQ(program.removed_ops(), 2);
  EXPECT_TRUE(program.default_split_kinds().empty());
  EXPECT_EQ(program.values_of(ValueKind::gradient).size(), 1u);
  for (const Op& op : program.ops()) EXPECT_NE(op.name, "dead");
}

TEST_F(TrainingTest, MicroBatchesComeOneAfterTheOtherAndShareParametersAndTheirGradients) {
  builder_.mark_output(linear("b", linear("a", rows("x"), square("w1")), square("w2")));
  const Program program = train({.micro_batches = 2});
  EXPECT_THAT(names(program, Phase::forward),
              ElementsAre("a", "b", "loss", "a.micro1", "b.micro1", "loss.micro1"));
  EXPECT_THAT(names(program, Phase::backward),
              ElementsAre("b.grad_weight", "b.grad_input", "a.grad_weight", "b.grad_weight.micro1",
                          "b.grad_input.micro1", "a.grad_weight.micro1"));
  EXPECT_EQ(program.values_of(ValueKind::parameter).size(), 2u);
  const std::vector<ValueId> inputs = program.values_of(ValueKind::input);
  ASSERT_EQ(inputs.size(), 4u);
  EXPECT_EQ(program.value(inputs[2]).name, "x.micro1");
  EXPECT_EQ(program.describe(inputs[2], 6).dims, (std::vector<std::int64_t>{3, 8}));
  EXPECT_EQ(program.call(0, 6).batch, 3);
  EXPECT_EQ(real_attribute(program.ops()[2], "scale"), 0.5);
  EXPECT_THAT(test::error_of([&] { program.call(0, 5); }).what(),
              HasSubstr("batch 5 does not divide into 2 micro-batches"));
}

TEST_F(TrainingTest, SplitsWhereTheForwardProgramDoesAndAtTheGradients) {
  const ValueId a = linear("a", rows("x"), square("w1"));
  builder_.op("boundary", "boundary", {}, {});
  const ValueId b = builder_.op("relu", "relu", {a}, {})[0];
  builder_.mark_output(linear("b", b, square("w2")));
  builder_.split_at({"boundary"});
  const Program program = train();
  EXPECT_EQ(partition(program, program.default_split_kinds()).size(), 3u);
  // A split op on each side of the loss: what is before, between and behind.
  EXPECT_EQ(partition(program, {"relu"}).size(), 5u);
}

// Two layers with a product each, and where graphs of a step begin.
TEST_F(TrainingTest, ItsFormSaysWhichGraphsAStepConsistsOf) {
  const auto graphs = [this](const TrainingOptions& options) {
    const ValueId hidden =
        linear("a.up", rows("x"), square("a.w"), {{"activation", std::string("gelu_tanh")}});
    builder_.op("boundary", "boundary", {}, {});
    builder_.mark_output(linear("b.up", hidden, square("b.w")));
    const Program program = train(options);
    std::vector<std::string> first;
    for (const Segment& each : graphs_of(program, partition(program, {})))
      first.push_back((each.captured ? "" : "eager ") + program.ops()[each.first].name);
    return std::pair(first, training_facts(program, 1).copies_skipped.value());
  };
  using Graphs = std::vector<std::string>;
  using enum Optimizer;
  EXPECT_EQ(graphs({.optimizer = sgd}), std::pair(Graphs{"a.up.linear"}, std::int64_t{0}));
  EXPECT_EQ(graphs({.optimizer = sgd, .backward = Backward::apart}),
            std::pair(Graphs({"a.up.linear", "b.up.grad_weight"}), std::int64_t{1}));
  EXPECT_EQ(graphs({.optimizer = sgd, .backward = Backward::callables}),
            std::pair(Graphs({"a.up.linear", "b.up", "loss", "b.up.grad_weight", "a.up.grad_activation",
                              "optimizer.step"}),
                      std::int64_t{2}));
  EXPECT_EQ(graphs({.optimizer = sgd, .backward = Backward::apart, .optimizer_in = OptimizerIn::eager}).first,
            Graphs({"a.up.linear", "b.up.grad_weight", "eager optimizer.step"}));
  EXPECT_EQ(graphs({.optimizer = sgd, .backward = Backward::callables, .optimizer_in = OptimizerIn::backward})
                .first,
            Graphs({"a.up.linear", "b.up", "loss", "b.up.grad_weight", "a.up.grad_activation"}));
}

TEST_F(TrainingTest, AParameterIsUpdatedWhereItsGradientIsComplete) {
  const ValueId w = square("w");
  builder_.mark_output(linear("c", linear("b", linear("a", rows("x"), w), square("w2")), w));
  const Program program = train({.optimizer = Optimizer::adamw, .optimizer_in = OptimizerIn::backward});
  EXPECT_THAT(names(program, Phase::optimizer), ElementsAre("optimizer.advance", "w2.step", "w.step"));
  EXPECT_EQ(program.ops().back().name, "w.step");
  EXPECT_EQ(program.ops().front().name, "a");
  EXPECT_TRUE(program.values_of(ValueKind::gradient).empty());
}

TEST_F(TrainingTest, CountsWhatAStepConsistsOf) {
  const ValueId x = rows("x");
  const ValueId hidden = builder_.op("relu", "relu", {linear("a", x, square("w1"))}, {})[0];
  builder_.mark_output(builder_.op("add", "sum", {linear("b", hidden, square("w2")), hidden}, {})[0]);
  const facts::TrainingFacts facts = training_facts(train({.optimizer = Optimizer::adamw}), 4);
  EXPECT_EQ(facts.ops.forward, 5);
  EXPECT_EQ(facts.ops.backward, 4);
  EXPECT_EQ(facts.ops.accumulate, 0);
  EXPECT_EQ(facts.ops.optimizer, 2);
  EXPECT_EQ(facts.saved_bytes, 2 * 4 * 8 * 2) << "relu's output, and the loss's gradient";
  EXPECT_EQ(facts.gradient_bytes, 2 * 8 * 8 * 2);
  EXPECT_EQ(facts.optimizer_bytes, 2 * facts.gradient_bytes + 4) << "two moments, and the count";
}

TEST_F(TrainingTest, WordsChooseLossOptimizerAndAccumulation) {
  const TrainingOptions usual = training_options({{"io", "copy_in"}});
  EXPECT_TRUE(usual.loss == Loss::mse && usual.optimizer == Optimizer::none &&
              usual.accumulate == Accumulate::asap);
  const TrainingOptions given = training_options(
      {{"loss", "cross_entropy"}, {"optimizer", "adamw"}, {"accumulate", "end"}, {"micro-batches", "4"}});
  EXPECT_EQ(given.micro_batches, 4);
  EXPECT_TRUE(given.loss == Loss::cross_entropy && given.optimizer == Optimizer::adamw &&
              given.accumulate == Accumulate::end);
  EXPECT_STREQ(test::error_of([] {
                 training_options({{"optimizer", "adam"}});
               }).what(),
               "optimizer \"adam\" is unknown: known are none, sgd, adamw");
  EXPECT_STREQ(test::error_of([] {
                 training_options({{"loss", "mae"}});
               }).what(),
               "loss \"mae\" is unknown: known are mse, cross_entropy");
}

TEST_F(TrainingTest, CrossEntropyHasAClassForEachRow) {
  builder_.mark_output(linear("a", rows("x"), square("w")));
  const Program program = train({.loss = Loss::cross_entropy});
  const Op& loss = program.ops().at(1);
  EXPECT_EQ(loss.kind, "cross_entropy_loss");
  const Value& target = program.value(loss.inputs[1]);
  EXPECT_EQ(target.dtype, DType::i32);
  EXPECT_EQ(target.shape, Shape{of_batch()});
  EXPECT_EQ(target.init.high, 8);
}

TEST_F(TrainingTest, RefusesAKindWithoutAGradient) {
  const ValueId a = linear("a", rows("x"), square("w"));
  builder_.mark_output(builder_.op("gelu_tanh_grad", "slope", {a, a}, {})[0]);
  expect_no_backward("op slope: kind gelu_tanh_grad has no gradient");
}

TEST_F(TrainingTest, AKindWithoutAGradientDoesNoHarmWhereNonePasses) {
  const ValueId x = rows("x");
  const ValueId slope = builder_.op("gelu_tanh_grad", "slope", {x, x}, {})[0];
  builder_.mark_output(linear("a", slope, square("w")));
  EXPECT_EQ(train().values_of(ValueKind::gradient).size(), 1u);
}

TEST_F(TrainingTest, RefusesAnOpThatWritesStateOnTheWay) {
  const Shape cache{of_batch(), fixed_dim(2), fixed_dim(4), fixed_dim(2)};
  const ValueId qkv = linear("qkv", rows("x"), value(ValueKind::weight, "w", {fixed_dim(12), fixed_dim(8)}));
  const ValueId positions = value(ValueKind::input, "positions", {of_batch()}, DType::i32);
  const ValueId k = value(ValueKind::state, "k", cache), v = value(ValueKind::state, "v", cache);
  builder_.mark_output(builder_.op("rope_kv_append", "rope", {qkv, positions, k, v},
                                   {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}})[0]);
  expect_no_backward("op rope (rope_kv_append) writes k, and no gradient passes through state");
}

TEST_F(TrainingTest, RefusesHeadsThatTheLossDependsOnInPart) {
  const ValueId qkv = linear("qkv", rows("x"), value(ValueKind::weight, "w", {fixed_dim(12), fixed_dim(8)}));
  const std::vector<ValueId> heads =
      builder_.op("rope", "rope", {qkv}, {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}});
  builder_.mark_output(builder_.op("add", "sum", {heads[0], heads[1]}, {})[0]);
  builder_.mark_output(heads[2]);
  expect_no_backward("op rope (rope): the loss does not depend on rope.0");
}

// Keys and values that are inputs want none; the op computes them all the same.
TEST_F(TrainingTest, AGradientThatNothingWantsMayStandUnread) {
  const Shape heads{of_batch(), fixed_dim(1), fixed_dim(1), fixed_dim(8)};
  const ValueId q = builder_.op(
      "add", "q", {value(ValueKind::weight, "w", heads), value(ValueKind::input, "x", heads)}, {})[0];
  const ValueId k = value(ValueKind::input, "k", heads), v = value(ValueKind::input, "v", heads);
  builder_.mark_output(builder_.op("sdpa", "sdpa", {q, k, v}, {})[0]);
  EXPECT_THAT(names(train(), Phase::backward), ElementsAre("sdpa.grad_inputs"));
}

TEST_F(TrainingTest, RefusesAProgramWithNothingToTrain) {
  builder_.mark_output(builder_.op("relu", "r", {rows("x")}, {})[0]);
  expect_no_backward("output r depends on no weight");
}

}  // namespace
}  // namespace graphbench::ir
