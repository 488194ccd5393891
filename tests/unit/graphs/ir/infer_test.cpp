// Tests shape inference of the built-in kinds: the outputs that it infers, and the errors that name an op.
#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using test::batched;
using test::fixed;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t operator""_i(unsigned long long value) {
  return static_cast<std::int64_t>(value);
}

class InferTest : public ::testing::Test {
 protected:
  Shape inferred(const std::string& kind, std::vector<ValueId> inputs, Attributes attributes = {}) {
    const ValueId id = b_.one(kind, "the_op", std::move(inputs), std::move(attributes));
    return b_.ending_in(id).value(id).shape;
  }
  void expect_refusal(const std::string& kind, std::vector<ValueId> inputs, Attributes attributes,
                      const std::string& part) {
    const Error error =
        test::error_of([&] { b_.one(kind, "the_op", std::move(inputs), std::move(attributes)); });
    EXPECT_THAT(error.what(), StartsWith("the_op"));
    EXPECT_THAT(error.what(), HasSubstr(part));
  }

  OpCatalog catalog_;
  test::SmallBuilder b_{catalog_, DType::bf16};
};

TEST_F(InferTest, LinearGivesRowsByColumns) {
  const ValueId x = b_.input("x", {of_batch(4), fixed_dim(8)});
  EXPECT_EQ(inferred("linear", {x, b_.weight("w", fixed({16, 8}))}), (Shape{of_batch(4), fixed_dim(16)}));
}

TEST_F(InferTest, LinearRefusesWhatDoesNotFit) {
  const ValueId x = b_.input("x"), w = b_.input("w", fixed({16, 8})), bias = b_.input("bias", fixed({8}));
  const ValueId other = b_.value(ValueKind::input, "other", DType::fp32, fixed({16, 8}), {});
  expect_refusal("linear", {x, b_.input("narrow", fixed({16, 7}))}, {}, "narrow");
  expect_refusal("linear", {x, other}, {}, "fp32");
  expect_refusal("linear", {x, w, bias}, {}, "2 inputs");
  expect_refusal("linear", {x, w, bias}, {{"bias", 1_i}}, "bias");
  expect_refusal("linear", {x, w}, {{"activation", std::string("swish")}}, "swish");
  expect_refusal("linear", {x, w}, {{"bias", 1.0}}, "bias must be an integer");
}

TEST_F(InferTest, AttentionGivesRowsOfTokens) {
  const ValueId q = b_.input("q", batched({4, 2, 16}));
  const ValueId k = b_.state("k", batched({4, 64, 16})), v = b_.state("v", batched({4, 64, 16}));
  EXPECT_EQ(inferred("sdpa", {q, k, v}), (Shape{of_batch(2), fixed_dim(64)}));
}

TEST_F(InferTest, AttentionRefusesCachesOfDifferentSize) {
  const ValueId q = b_.input("q", batched({4, 1, 16})), k = b_.input("k", batched({4, 64, 16}));
  expect_refusal("sdpa", {q, k, b_.input("v", batched({4, 32, 16}))}, {}, "v has shape");
}

TEST_F(InferTest, RopeRefusesAnOddHeadAndToWriteToAWeight) {
  const ValueId positions = b_.integers("pos"), odd = b_.input("odd", batched({2, 8, 3}));
  expect_refusal("rope_kv_append", {b_.input("narrow", batched({18})), positions, odd, odd},
                 {{"heads", 2_i}, {"head_dim", 3_i}}, "even");
  const ValueId k = b_.weight("k", batched({2, 8, 4})), v = b_.state("v", batched({2, 8, 4}));
  expect_refusal("rope_kv_append", {b_.input("qkv", batched({24})), positions, k, v},
                 {{"heads", 2_i}, {"head_dim", 4_i}}, "weight k");
}

TEST_F(InferTest, ConvolutionKeepsTheImageUnderSamePadding) {
  const ValueId x = b_.input("x", batched({56, 56, 8})), w = b_.input("w", fixed({16, 3, 3, 8}));
  EXPECT_EQ(inferred("conv2d", {x, w}, {{"padding", 1_i}}), batched({56, 56, 16}));
}

TEST_F(InferTest, ConvolutionRefusesAWindowLargerThanTheImage) {
  expect_refusal("conv2d", {b_.input("x", batched({2, 2, 8})), b_.input("w", fixed({16, 3, 3, 8}))}, {},
                 "window");
}

TEST_F(InferTest, AnAttributeThatAnOpLeavesOutHasItsKindsFallback) {
  const ValueId x = b_.input("x", batched({8, 8, 8})), w = b_.input("w", fixed({16, 3, 3, 8}));
  const Program program = b_.ending_in(b_.one("conv2d", "c", {x, w}, {{"padding", 1_i}}));
  const Op& op = program.ops()[0];
  EXPECT_EQ(integer_attribute(op, "padding"), 1);
  EXPECT_EQ(integer_attribute(op, "stride"), 1);
  EXPECT_EQ(text_attribute(op, "activation"), "none");
  EXPECT_THROW(integer_attribute(op, "causal"), Error);
}

TEST_F(InferTest, AttributesOutsideTheirRuleAreRefused) {
  const ValueId x = b_.input("x", batched({24})), w = b_.input("w", fixed({24, 24}));
  const ValueId gamma = b_.input("gamma", fixed({24})), positions = b_.integers("pos");
  expect_refusal("linear", {x, w}, {{"bias", 2_i}}, "bias is 2, but must be 0 or 1");
  expect_refusal("rmsnorm", {x, gamma}, {{"eps", 0.0}}, "eps is 0, but must be positive");
  expect_refusal("rope_kv_append", {x, positions, x, x}, {{"heads", 2_i}}, "head_dim is missing");
  expect_refusal("rope_kv_append", {x, positions, x, x}, {{"heads", 0_i}, {"head_dim", 4_i}},
                 "heads is 0, but must be positive");
  expect_refusal("conv2d", {x, w}, {{"stride", 0_i}}, "stride is 0, but must be positive");
  expect_refusal("conv2d", {x, w}, {{"activation", std::string("gelu_tanh")}}, "must be none or relu");
}

TEST_F(InferTest, AttributesThatAKindLacksAreRefused) {
  const ValueId x = b_.input("x", batched({24})), w = b_.input("w", fixed({24, 24}));
  const ValueId on = b_.integers("on", fixed({1}));
  expect_refusal("linear", {x, w}, {{"activaton", std::string("relu")}},
                 "attribute activaton does not exist: give one of bias, residual, activation");
  expect_refusal("relu", {x}, {{"eps", 1e-5}}, "attribute eps does not exist: this kind has no attributes");
  expect_refusal("cond", {on, x, x}, {{"body", std::string("relu")}, {"eps", 1e-5}}, "eps does not exist");
}

TEST_F(InferTest, OneFloatingDtypeAnOpAndIntegersWhereTheKindSaysSo) {
  const ValueId x = b_.input("x", batched({24})), numbers = b_.integers("numbers", batched({24}));
  expect_refusal("relu", {numbers}, {}, "i32");
  expect_refusal("add", {x, numbers}, {}, "give both the same dtype");
  expect_refusal("rope_kv_append", {x, x, x, x}, {{"heads", 2_i}, {"head_dim", 4_i}}, "x must be i32");
}

TEST_F(InferTest, AGradientHasTheShapeOfWhatItIsOf) {
  const ValueId dy = b_.input("dy", {of_batch(4), fixed_dim(16)});
  const ValueId x = b_.input("x", {of_batch(4), fixed_dim(8)}), sum = b_.input("sum", fixed({16, 8}));
  const Attributes accumulate{{"accumulate", 1_i}};
  expect_refusal("linear_grad_weight", {dy, x}, accumulate, "3 inputs");
  expect_refusal("linear_grad_weight", {dy, x, x}, accumulate, "x has shape");
  EXPECT_EQ(inferred("linear_grad_weight", {dy, x, sum}, accumulate), fixed({16, 8}));
}

TEST_F(InferTest, AConvolutionsGradientIsToldWhatAStrideLeavesOpen) {
  const ValueId dy = b_.input("dy", batched({5, 4, 16})), w = b_.input("w", fixed({16, 3, 3, 8}));
  Attributes attributes{{"padding", 1_i}, {"stride", 2_i}, {"width", 7_i}};
  expect_refusal("conv2d_grad_input", {dy, w}, attributes, "height is missing");
  attributes["height"] = 12_i;
  expect_refusal("conv2d_grad_input", {dy, w}, attributes, "dy has shape");
  attributes["height"] = 10_i;
  EXPECT_EQ(inferred("conv2d_grad_input", {dy, w}, attributes), batched({10, 7, 8}));
}

TEST_F(InferTest, AnOptimizerTakesWholeGroupsOfOneShapeAndNoWeight) {
  const ValueId rate = b_.value(ValueKind::input, "rate", DType::fp32, fixed({1}), {});
  const auto state = [&](const char* name, std::int64_t extent) { return b_.state(name, fixed({extent})); };
  const ValueId p = state("p", 8), g = state("g", 8), v = state("v", 8), narrow = state("narrow", 7);
  const ValueId w = b_.weight("w", fixed({8}));
  expect_refusal("sgd", {rate}, {}, "1 inputs and then one or more groups of 3, but has 1");
  expect_refusal("sgd", {rate, p, g}, {}, "groups of 3, but has 3");
  expect_refusal("sgd", {rate, p, g, narrow}, {}, "narrow has shape");
  expect_refusal("sgd", {p, p, g, v}, {}, "p must be fp32");
  expect_refusal("sgd", {rate, p, g, v}, {{"momentum", 1.0}},
                 "momentum is 1, but must be at least 0 and below 1");
  expect_refusal("sgd", {rate, w, w, w}, {}, "write to the weight w");
  b_.op("sgd", "step", {rate, p, g, v, v, g, p}, {});
  EXPECT_EQ(b_.finish().ops()[0].mutates, (std::vector<ValueId>{p, v, v, p}));
}

}  // namespace
}  // namespace graphbench::ir
