// Tests the structure of the programs that differentiate() makes, and what it refuses.
// tests/conformance/training_test.cpp tests what they compute.
#include <gmock/gmock.h>

#include "graphs/ir/passes.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using test::batched;
using test::fixed;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class TrainingTest : public ::testing::Test {
 protected:
  ValueId linear(const std::string& name, ValueId x, ValueId w, Attributes attributes = {}) {
    return b_.one("linear", name, {x, w}, std::move(attributes));
  }
  Program train(const TrainingOptions& options = {}) { return differentiate(b_.finish(), catalog_, options); }
  void expect_no_backward(const std::string& part) {
    const Error error = test::error_of([&] { train(); });
    EXPECT_EQ(error.code(), ErrorCode::no_backward);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("program p"), HasSubstr(part)));
  }
  static std::vector<std::string> names(const Program& program, Phase phase) {
    return test::op_names(program, [phase](const Op& op) { return op.phase == phase; });
  }

  OpCatalog catalog_;
  test::SmallBuilder b_{catalog_, DType::bf16};
};

TEST_F(TrainingTest, AppendsTheLossAndTheGradientsInReverseAndKeepsNames) {
  const ValueId hidden =
      linear("up", b_.input("x"), b_.weight("w1"), {{"activation", std::string("gelu_tanh")}});
  b_.mark_output(linear("down", hidden, b_.weight("w2")));
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
  const ValueId x = b_.input("x"), w = b_.weight("w");
  const ValueId plain = linear("plain", x, w, {{"activation", std::string("relu")}});
  b_.mark_output(b_.one("linear", "hidden", {plain, w, x},
                        {{"activation", std::string("relu")}, {"residual", std::int64_t{1}}}));
  EXPECT_THAT(names(train(), Phase::forward), ElementsAre("plain", "hidden.linear", "hidden", "loss"));
}

TEST_F(TrainingTest, AGradientOfSeveralUsesIsAddedUpAtOnceOrAtTheEnd) {
  const auto build = [this] {
    const ValueId w = b_.weight("w");
    b_.mark_output(linear("c", linear("b", linear("a", b_.input("x"), w), w), w));
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
  const ValueId hidden = linear("a", b_.input("x"), b_.weight("w1"));
  b_.mark_output(linear("b", hidden, b_.weight("w2")));
  const Program program = train({.optimizer = Optimizer::adamw, .learning_rate = 0.25});
  EXPECT_THAT(names(program, Phase::optimizer), ElementsAre("optimizer.advance", "optimizer.step"));
  const Op& step = program.ops().back();
  EXPECT_THAT(test::names_of(program, step.inputs),
              ElementsAre("optimizer.count", "optimizer.rate", "w1", "a.grad_weight", "w1.first_moment",
                          "w1.second_moment", "w2", "b.grad_weight", "w2.first_moment", "w2.second_moment"));
  EXPECT_EQ(step.mutates.size(), 6u);
  EXPECT_EQ(program.value(step.inputs[1]).init.low, 0.25);
  EXPECT_EQ(program.call(static_cast<OpId>(program.ops().size() - 1), 2).is_weight(2), false);
}

TEST_F(TrainingTest, WhatTheLossDoesNotDependOnIsRemovedAndItsParameterStays) {
  const ValueId x = b_.input("x");
  b_.mark_output(linear("used", x, b_.weight("w1")));
  b_.mark_output(b_.one("relu", "unused", {linear("dead", x, b_.weight("w2"))}));
  b_.split_at({"relu"});
  const Program program = train({.optimizer = Optimizer::sgd});
  EXPECT_THAT(program.rewrites(), ElementsAre(HasSubstr("w2"), HasSubstr("removed unused (relu)"),
                                              HasSubstr("removed dead (linear)")));
  EXPECT_EQ(program.removed_ops(), 2);
  EXPECT_TRUE(program.default_splits().empty());
  EXPECT_EQ(program.values_of(ValueKind::gradient).size(), 1u);
  for (const Op& op : program.ops()) EXPECT_NE(op.name, "dead");
}

TEST_F(TrainingTest, MicroBatchesComeOneAfterTheOtherAndShareParametersAndTheirGradients) {
  b_.mark_output(linear("b", linear("a", b_.input("x"), b_.weight("w1")), b_.weight("w2")));
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
  const ValueId a = linear("a", b_.input("x"), b_.weight("w1"));
  b_.op("boundary", "boundary", {}, {});
  const ValueId b = b_.one("relu", "relu", {a});
  b_.mark_output(linear("b", b, b_.weight("w2")));
  b_.split_at({"boundary"});
  const Program program = train();
  EXPECT_EQ(partition(program, program.default_splits()).size(), 3u);
  // relu and its gradient, on both sides of the loss, are two eager segments; three pieces are around them.
  EXPECT_EQ(partition(program, {"relu"}).size(), 5u);
}

// A sum of gradients is named after the value, so a splitting point that names the op does not match it.
TEST_F(TrainingTest, WhatIsMadeOfANamedOpSplitsWithIt) {
  const ValueId up =
      linear("a.up", b_.input("x"), b_.weight("w1"), {{"activation", std::string("gelu_tanh")}});
  b_.mark_output(b_.one("add", "b.end", {up, linear("b.up", up, b_.weight("w2"))}));
  b_.split_at({"a.up"});
  const Program program =
      train({.accumulate = Accumulate::end, .micro_batches = 2, .checkpoint = Checkpoint::layer});
  EXPECT_THAT(test::op_names(program),
              IsSupersetOf({"a.up.linear", "a.up.micro1", "a.up.grad_activation.micro1",
                            "a.up.linear.recomputed", "a.up.sum0"}));
  for (const Op& op : program.ops()) {
    EXPECT_EQ(splits_at(op, "a.up"), op.name.starts_with("a.up") && op.phase != Phase::accumulate) << op.name;
  }
}

// Two layers with one product each. `graphs` returns the first op of each graph of the step.
TEST_F(TrainingTest, ItsFormSaysWhichGraphsAStepConsistsOf) {
  const auto graphs = [this](const TrainingOptions& options) {
    const ValueId hidden =
        linear("a.up", b_.input("x"), b_.weight("a.w"), {{"activation", std::string("gelu_tanh")}});
    b_.op("boundary", "boundary", {}, {});
    b_.mark_output(linear("b.up", hidden, b_.weight("b.w")));
    const Program program = train(options);
    std::vector<std::string> first;
    for (const Segment& each : graphs_of(program, partition(program, {})))
      first.push_back((each.captured ? "" : "eager ") + program.ops()[each.first].name);
    return first;
  };
  using Graphs = std::vector<std::string>;
  using enum Optimizer;
  EXPECT_EQ(graphs({.optimizer = sgd}), Graphs{"a.up.linear"});
  EXPECT_EQ(graphs({.optimizer = sgd, .backward = Backward::apart}),
            Graphs({"a.up.linear", "b.up.grad_weight"}));
  EXPECT_EQ(
      graphs({.optimizer = sgd, .backward = Backward::callables}),
      Graphs({"a.up.linear", "b.up", "loss", "b.up.grad_weight", "a.up.grad_activation", "optimizer.step"}));
  EXPECT_EQ(graphs({.optimizer = sgd, .backward = Backward::apart, .optimizer_in = OptimizerIn::eager}),
            Graphs({"a.up.linear", "b.up.grad_weight", "eager optimizer.step"}));
  EXPECT_EQ(
      graphs({.optimizer = sgd, .backward = Backward::callables, .optimizer_in = OptimizerIn::backward}),
      Graphs({"a.up.linear", "b.up", "loss", "b.up.grad_weight", "a.up.grad_activation"}));
}

TEST_F(TrainingTest, AParameterIsUpdatedWhereItsGradientIsComplete) {
  const ValueId w = b_.weight("w");
  b_.mark_output(linear("c", linear("b", linear("a", b_.input("x"), w), b_.weight("w2")), w));
  const Program program = train({.optimizer = Optimizer::adamw, .optimizer_in = OptimizerIn::backward});
  EXPECT_THAT(names(program, Phase::optimizer), ElementsAre("optimizer.advance", "w2.step", "w.step"));
  EXPECT_EQ(program.ops().back().name, "w.step");
  EXPECT_EQ(program.ops().front().name, "a");
  EXPECT_TRUE(program.values_of(ValueKind::gradient).empty());
}

TEST_F(TrainingTest, CountsWhatAStepConsistsOf) {
  const ValueId x = b_.input("x");
  const ValueId hidden = b_.one("relu", "relu", {linear("a", x, b_.weight("w1"))});
  b_.mark_output(b_.one("add", "sum", {linear("b", hidden, b_.weight("w2")), hidden}));
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
               "optimizer \"adam\" is unknown: give one of none, sgd, adamw");
  EXPECT_STREQ(test::error_of([] {
                 training_options({{"loss", "mae"}});
               }).what(),
               "loss \"mae\" is unknown: give one of mse, cross_entropy");
}

TEST_F(TrainingTest, CrossEntropyHasAClassForEachRow) {
  b_.mark_output(linear("a", b_.input("x"), b_.weight("w")));
  const Program program = train({.loss = Loss::cross_entropy});
  const Op& loss = program.ops().at(1);
  EXPECT_EQ(loss.kind, "cross_entropy_loss");
  const Value& target = program.value(loss.inputs[1]);
  EXPECT_EQ(target.dtype, DType::i32);
  EXPECT_EQ(target.shape, Shape{of_batch()});
  EXPECT_EQ(target.init.high, 8);
}

TEST_F(TrainingTest, RefusesAKindWithoutAGradientWhereOneHasToPass) {
  const ValueId a = linear("a", b_.input("y"), b_.weight("w1"));
  b_.mark_output(b_.one("gelu_tanh_grad", "slope", {a, a}));
  expect_no_backward("op slope: kind gelu_tanh_grad has no gradient");
  const ValueId x = b_.input("x");
  b_.mark_output(linear("a", b_.one("gelu_tanh_grad", "slope", {x, x}), b_.weight("w")));
  EXPECT_EQ(train().values_of(ValueKind::gradient).size(), 1u);
}

TEST_F(TrainingTest, RefusesAnOpThatWritesStateOnTheWay) {
  const ValueId qkv = linear("qkv", b_.input("x"), b_.weight("w", fixed({12, 8})));
  const ValueId k = b_.state("k", batched({2, 4, 2})), v = b_.state("v", batched({2, 4, 2}));
  b_.mark_output(b_.one("rope_kv_append", "rope", {qkv, b_.integers("positions"), k, v},
                        {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}}));
  expect_no_backward("op rope (rope_kv_append) writes k, and no gradient passes through state");
}

TEST_F(TrainingTest, RefusesHeadsThatTheLossDependsOnInPart) {
  const ValueId qkv = linear("qkv", b_.input("x"), b_.weight("w", fixed({12, 8})));
  const std::vector<ValueId> heads =
      b_.op("rope", "rope", {qkv}, {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{2}}});
  b_.mark_output(b_.one("add", "sum", {heads[0], heads[1]}));
  b_.mark_output(heads[2]);
  expect_no_backward("op rope (rope): the loss does not depend on rope.0");
}

// The inputs k and v need no gradients, but the op sdpa_grad computes them too.
TEST_F(TrainingTest, AGradientThatNothingWantsMayStandUnread) {
  const Shape heads = batched({1, 1, 8});
  const ValueId q = b_.one("add", "q", {b_.weight("w", heads), b_.input("x", heads)});
  const ValueId k = b_.input("k", heads), v = b_.input("v", heads);
  b_.mark_output(b_.one("sdpa", "sdpa", {q, k, v}));
  EXPECT_THAT(names(train(), Phase::backward), ElementsAre("sdpa.grad_inputs"));
}

TEST_F(TrainingTest, RefusesAProgramWithNothingToTrain) {
  b_.mark_output(b_.one("relu", "r", {b_.input("x")}));
  expect_no_backward("output r depends on no weight");
}

}  // namespace
}  // namespace graphbench::ir
