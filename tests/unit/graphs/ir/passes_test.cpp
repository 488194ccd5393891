// Tests passes: partition, live ranges, write sets, the dump, attention as three ops, and epilogues.
#include "graphs/ir/passes.hpp"

#include <gmock/gmock.h>

#include "graphs/ir/attention.hpp"
#include "graphs/ir/epilogues.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PassesTest : public ::testing::Test {
 protected:
  OpCatalog catalog_;
};

TEST_F(PassesTest, SplittingOpsAndMarkersEndPieces) {
  const Program one = test::make_chain(catalog_, 1), two = test::make_chain(catalog_, 2);
  EXPECT_THAT(partition(test::make_chain(catalog_, 3), {"boundary"}),
              ElementsAre(Segment{true, 0, 3}, Segment{true, 4, 7}, Segment{true, 8, 11}))
      << "a marker belongs to no piece";
  EXPECT_THAT(partition(two, {}), ElementsAre(Segment{true, 0, 7})) << "across a marker that does not split";
  EXPECT_THAT(partition(two, {"rmsnorm"}), ElementsAre(Segment{false, 0, 1}, Segment{true, 1, 3},
                                                       Segment{false, 4, 5}, Segment{true, 5, 7}));
  EXPECT_THAT(partition(one, {"rmsnorm", "linear"}), ElementsAre(Segment{false, 0, 3})) << "all of them";
  EXPECT_THAT(partition(two, {"sdpa"}), ElementsAre(Segment{true, 0, 7})) << "a kind that occurs nowhere";
  EXPECT_EQ(partition(two, {"sdpa", "boundary"}), partition(two, {"boundary"}));
}

TEST_F(PassesTest, APatternSplitsAtOpsByTheirNames) {
  const Program chain = test::make_chain(catalog_, 2);
  const auto behind_layer0 = ElementsAre(Segment{true, 0, 2}, Segment{false, 2, 3}, Segment{true, 4, 7});
  EXPECT_THAT(partition(chain, {"layer0.down"}), behind_layer0);
  EXPECT_THAT(partition(chain, {"*0*wn"}), behind_layer0);
  EXPECT_EQ(partition(chain, {"*.down", "linear"}), partition(chain, {"linear"}));
  EXPECT_EQ(partition(chain, {"*.boundary"}), partition(chain, {"boundary"})) << "markers too";
  EXPECT_THAT(partition(chain, {"*"}), ElementsAre(Segment{false, 0, 3}, Segment{false, 4, 7}));
  for (const char* none :
       {"down", "layer0.dow", "layer0.down.", "*.down?", "layer*down*x", "ayer0.down", ""}) {
    EXPECT_THAT(partition(chain, {none}), ElementsAre(Segment{true, 0, 7})) << none;
  }
}

TEST_F(PassesTest, ResidualLivesUntilItIsAdded) {
  const Program program = test::make_chain(catalog_, 2);
  const std::vector<LiveRange> ranges = live_ranges(program);
  const ValueId first_output = program.ops()[2].outputs[0];
  EXPECT_EQ(ranges[first_output].defined, 2u);
  EXPECT_EQ(ranges[first_output].last_use, 6u);
  EXPECT_EQ(ranges[program.ops()[0].outputs[0]].last_use, 1u);
}

TEST_F(PassesTest, AnOutputLivesToTheEnd) {
  test::SmallBuilder b(catalog_);
  const ValueId x = b.input("x"), early = b.one("relu", "early", {x});
  b.mark_output(early);
  EXPECT_EQ(live_ranges(b.ending_in(b.one("relu", "late", {x})))[early].last_use, 1u);
}

TEST_F(PassesTest, MutatedInputsAndMutatedStateAreKeptApart) {
  const auto build = [&](ValueKind cache_kind) {
    test::SmallBuilder b(catalog_);
    const ValueId qkv = b.input("qkv", test::batched({24})), positions = b.integers("pos");
    const ValueId k = b.add(cache_kind, "k", test::batched({2, 8, 4}));
    const ValueId v = b.state("v", test::batched({2, 8, 4}));
    return b.ending_in(b.one("rope_kv_append", "append", {qkv, positions, k, v},
                             {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}}));
  };
  EXPECT_THAT(mutated_inputs(build(ValueKind::state)), ElementsAre());
  EXPECT_THAT(mutated_state(build(ValueKind::state)), ElementsAre(2u, 3u));
  EXPECT_THAT(mutated_inputs(build(ValueKind::input)), ElementsAre(2u));
}

TEST_F(PassesTest, DumpShowsValuesOpsAndPieces) {
  const Program program = test::make_chain(catalog_, 2);
  const std::string text = dump(program, partition(program, {"boundary"}), 4);
  EXPECT_THAT(text, HasSubstr("input x : fp32[batch, 64]  (1024 bytes)"));
  EXPECT_THAT(text, HasSubstr("piece 1  (captured)"));
  EXPECT_THAT(text, HasSubstr("layer1.down = linear(layer1.up, layer1.down.w, layer0.down) residual=1"));
  EXPECT_THAT(text, HasSubstr("(output)"));
}

using test::batched;

// x -> relu -> causal sdpa with states k and v -> relu, which is the output.
Program with_attention(const OpCatalog& catalog) {
  test::SmallBuilder b(catalog, DType::bf16);
  const ValueId ahead = b.one("relu", "ahead", {b.input("q", batched({2, 3, 16}))});
  const ValueId k = b.state("k", batched({2, 5, 16})), v = b.state("v", batched({2, 5, 16}));
  const ValueId mixed = b.one("sdpa", "layer.sdpa", {ahead, k, v}, {{"causal", std::int64_t{1}}});
  b.split_at({"sdpa"});
  return b.ending_in(b.one("relu", "behind", {mixed}));
}

TEST(DecomposedAttention, IsThreeOpsInPlaceOfOne) {
  const OpCatalog catalog;
  const Program program = decompose_attention(with_attention(catalog), catalog);
  std::vector<std::string> ops;
  for (const Op& op : program.ops()) ops.push_back(op.name + " " + op.kind);
  EXPECT_THAT(ops, ElementsAre("ahead relu", "layer.sdpa.scores batched_matmul", "layer.sdpa.weights softmax",
                               "layer.sdpa.mixed batched_matmul", "behind relu"));
  const Op& scores = program.ops()[1];
  EXPECT_EQ(integer_attribute(scores, "transpose_b"), 1);
  EXPECT_DOUBLE_EQ(real_attribute(scores, "scale"), 0.25);
  EXPECT_EQ(program.value(scores.outputs[0]).shape, batched({2, 3, 5}));
  EXPECT_EQ(integer_attribute(program.ops()[2], "causal"), 1);
  const Op& mixed = program.ops()[3];
  EXPECT_EQ(program.value(mixed.inputs[1]).name, "v");
  EXPECT_EQ(program.value(mixed.outputs[0]).shape, (Shape{of_batch(3), fixed_dim(32)}));
  EXPECT_EQ(program.ops()[4].inputs, mixed.outputs);
  EXPECT_THAT(program.rewrites(),
              ElementsAre(HasSubstr("removed 1 op: layer.sdpa"), HasSubstr("added 3 ops")));
}

TEST(DecomposedAttention, SplitsWhereItsOpDid) {
  const OpCatalog catalog;
  const Program program = decompose_attention(with_attention(catalog), catalog);
  EXPECT_THAT(program.default_splits(), ElementsAre("sdpa"));
  EXPECT_THAT(partition(program, program.default_splits()),
              ElementsAre(Segment{true, 0, 1}, Segment{false, 1, 4}, Segment{true, 4, 5}));
}

TEST(DecomposedAttention, LeavesOtherProgramsAsTheyAre) {
  const OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const Program program = decompose_attention(b.ending_in(b.one("softmax", "a", {b.input("x")})), catalog);
  EXPECT_EQ(program.ops().size(), 1u);
  EXPECT_THAT(program.rewrites(), ElementsAre("pass attention: no op was changed"));
}

constexpr std::int64_t one = 1;

std::vector<std::string> listed(const Program& program) {
  std::vector<std::string> ops;
  for (const Op& op : program.ops()) ops.push_back(op.name + " " + op.kind);
  return ops;
}

TEST(Epilogues, OfALinearTheResidualComesLast) {
  const OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ValueId x = b.input("x"), w = b.weight("w"), bias = b.weight("bias", test::fixed({8}));
  const ValueId plain = b.one("linear", "plain", {x, w});
  b.mark_output(b.one("linear", "full", {plain, w, bias, x},
                      {{"bias", one}, {"residual", one}, {"activation", std::string("gelu_tanh")}}));
  const Program program = without_epilogues(b.finish(), catalog);
  EXPECT_THAT(listed(program), ElementsAre("plain linear", "full.product linear", "full.bias bias_add",
                                           "full.activation gelu_tanh", "full.residual add"));
  EXPECT_EQ(program.ops()[1].inputs, (std::vector<ValueId>{plain, w}));
  EXPECT_EQ(program.ops()[2].inputs[1], bias);
  EXPECT_EQ(program.ops()[4].inputs[1], x);
  EXPECT_EQ(program.results(), program.ops()[4].outputs);
  EXPECT_THAT(program.rewrites(), ElementsAre("pass epilogues: removed 1 op: full (linear)",
                                              HasSubstr("added 4 ops: full.product (linear), ...")));
}

TEST(Epilogues, OfAConvolutionTheActivationComesLast) {
  const OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ValueId x = b.input("x", test::batched({8, 8, 4})), skip = b.input("skip", test::batched({6, 6, 4}));
  b.mark_output(b.one("conv2d", "conv", {x, b.weight("w", test::fixed({4, 3, 3, 4})), skip},
                      {{"residual", one}, {"activation", std::string("relu")}}));
  EXPECT_THAT(listed(without_epilogues(b.finish(), catalog)),
              ElementsAre("conv.product conv2d", "conv.residual add", "conv.activation relu"));
}

// x -> linear "product" -> the ops that a test appends; `w` is 8 x 8.
struct Chain {
  OpCatalog catalog;
  test::SmallBuilder b{catalog};
  ValueId x = b.input("x"), w = b.weight("w"), bias = b.weight("bias", test::fixed({8}));
  ValueId y = b.one("linear", "product", {x, w});

  ValueId then(const std::string& kind, const std::string& name, std::vector<ValueId> inputs) {
    return b.one(kind, name, std::move(inputs));
  }
  std::vector<std::string> fused_from(ValueId output) {
    return listed(with_epilogues(b.ending_in(output), catalog));
  }
};

TEST(Epilogues, AreTakenInInTheOrderOfTheKind) {
  Chain p;
  const ValueId biased = p.then("bias_add", "biased", {p.y, p.bias});
  const ValueId active = p.then("relu", "active", {biased});
  const Program program = with_epilogues(p.b.ending_in(p.then("add", "sum", {p.x, active})), p.catalog);
  ASSERT_THAT(listed(program), ElementsAre("product linear"));
  const Op& op = program.ops()[0];
  EXPECT_EQ(op.inputs, (std::vector<ValueId>{p.x, p.w, p.bias, p.x}));
  EXPECT_EQ(text_attribute(op, "activation"), "relu");
  EXPECT_EQ(integer_attribute(op, "residual"), 1);
  EXPECT_EQ(program.results(), op.outputs);
  EXPECT_THAT(program.rewrites(), ElementsAre(HasSubstr("pass epilogues: removed 4 ops: product (linear)"),
                                              "pass epilogues: added 1 op: product (linear)"));
}

TEST(Epilogues, AreNotTakenInOutOfOrderOrTwice) {
  Chain p;
  const ValueId sum = p.then("add", "sum", {p.y, p.x});
  const ValueId biased = p.then("bias_add", "biased", {sum, p.bias});
  EXPECT_THAT(p.fused_from(biased), ElementsAre("product linear", "biased bias_add"));
  Chain twice;
  const ValueId active = twice.then("relu", "active", {twice.y});
  EXPECT_THAT(twice.fused_from(twice.then("gelu_tanh", "again", {active})),
              ElementsAre("product linear", "again gelu_tanh"));
  Chain given;
  const ValueId active_already =
      given.b.one("linear", "active", {given.y, given.w}, {{"activation", std::string("relu")}});
  EXPECT_THAT(given.fused_from(given.then("bias_add", "biased", {active_already, given.bias})),
              ElementsAre("product linear", "active linear", "biased bias_add"));
}

TEST(Epilogues, OfAProductThatOthersReadStayApart) {
  Chain p;
  const ValueId active = p.then("relu", "active", {p.y});
  EXPECT_THAT(p.fused_from(p.then("add", "sum", {active, p.y})),
              ElementsAre("product linear", "active relu", "sum add"));
  Chain both;
  EXPECT_THAT(both.fused_from(both.then("add", "double", {both.y, both.y})),
              ElementsAre("product linear", "double add"));
  Chain output;
  output.b.mark_output(output.y);
  EXPECT_THAT(output.fused_from(output.then("relu", "active", {output.y})),
              ElementsAre("product linear", "active relu"));
  Chain later;
  const ValueId other = later.then("relu", "other", {later.x});
  EXPECT_THAT(later.fused_from(later.then("add", "sum", {later.y, other})),
              ElementsAre("product linear", "other relu", "sum add"));
}

// Parameters are updated in the backward phase, so no gradient is a result. Nothing may be fused even then.
TEST(Epilogues, OfTrainingStepsStayApart) {
  Chain p;
  const Program forward = p.b.ending_in(p.then("relu", "active", {p.y}));
  EXPECT_EQ(with_epilogues(forward, p.catalog).ops().size(), 1u);
  TrainingOptions options;
  options.optimizer = Optimizer::sgd;
  options.optimizer_in = OptimizerIn::backward;
  options.checkpoint = Checkpoint::layer;
  const Program training = differentiate(forward, p.catalog, options);
  ASSERT_TRUE(training.values_of(ValueKind::gradient).empty());
  EXPECT_EQ(listed(with_epilogues(training, p.catalog)), listed(training));
}

TEST(Epilogues, StayWherePiecesEnd) {
  const auto fused_with = [](const std::vector<std::string>& own, const std::vector<std::string>& given) {
    Chain p;
    p.b.mark_output(p.then("relu", "active", {p.then("bias_add", "biased", {p.y, p.bias})}));
    if (!own.empty()) p.b.split_at(own);
    return listed(with_epilogues(p.b.finish(), p.catalog, given));
  };
  EXPECT_THAT(fused_with({}, {"relu"}), ElementsAre("product linear", "active relu"));
  EXPECT_THAT(fused_with({"relu"}, {}), ElementsAre("product linear", "active relu"));
  EXPECT_THAT(fused_with({"relu"}, {"bias_add"}),
              ElementsAre("product linear", "biased bias_add", "active relu"));
}

// A point that names an op also names its parts: all are launched eagerly, so no piece ends between them.
TEST(Epilogues, OfANamedOpAreJoinedUnlessTheyAreNamedThemselves) {
  Chain p;
  p.b.split_at({"*product"});
  const Program program = p.b.ending_in(p.then("bias_add", "biased", {p.y, p.bias}));
  const Program apart = without_epilogues(with_epilogues(program, p.catalog), p.catalog);
  ASSERT_THAT(listed(apart), ElementsAre("product.product linear", "product.bias bias_add"));
  for (const Op& op : apart.ops()) EXPECT_TRUE(splits_at(op, "*product")) << op.name;
  EXPECT_THAT(listed(with_epilogues(apart, p.catalog)), ElementsAre("product.product linear"));
  EXPECT_EQ(listed(with_epilogues(apart, p.catalog, {"*.bias"})), listed(apart));
}

}  // namespace
}  // namespace graphbench::ir
