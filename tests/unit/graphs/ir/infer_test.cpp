// Shape inference of the built-in kinds: what they give, and what they refuse by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class InferTest : public ::testing::Test {
 protected:
  ValueId value(const std::string& name, Shape shape, DType dtype = DType::bf16,
                ValueKind kind = ValueKind::input) {
    return builder_.value(kind, name, dtype, std::move(shape), {});
  }
  Shape inferred(ValueId id) {
    builder_.mark_output(id);
    return builder_.finish().value(id).shape;
  }
  void expect_refusal(const std::string& kind, std::vector<ValueId> inputs, Attributes attributes,
                      const std::string& part) {
    const Error error =
        test::error_of([&] { builder_.op(kind, "the_op", std::move(inputs), std::move(attributes)); });
    EXPECT_THAT(error.what(), StartsWith("the_op"));
    EXPECT_THAT(error.what(), HasSubstr(part));
  }

  OpCatalog catalog_;
  ProgramBuilder builder_{"p", catalog_};
};

TEST_F(InferTest, LinearGivesRowsByColumns) {
  const ValueId x = value("x", {of_batch(4), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(8)}, DType::bf16, ValueKind::weight);
  EXPECT_EQ(inferred(builder_.op("linear", "l", {x, w}, {})[0]), (Shape{of_batch(4), fixed_dim(16)}));
}

TEST_F(InferTest, LinearRefusesWhatDoesNotFit) {
  const ValueId x = value("x", {of_batch(), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(8)});
  const ValueId narrow = value("narrow", {fixed_dim(16), fixed_dim(7)});
  const ValueId other = value("other", {fixed_dim(16), fixed_dim(8)}, DType::fp32);
  const ValueId bias = value("bias", {fixed_dim(8)});
  expect_refusal("linear", {x, narrow}, {}, "narrow");
  expect_refusal("linear", {x, other}, {}, "fp32");
  expect_refusal("linear", {x, w, bias}, {}, "2 inputs");
}

TEST_F(InferTest, LinearRefusesAWrongBiasAndAnUnknownActivation) {
  const ValueId x = value("x", {of_batch(), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(8)});
  const ValueId bias = value("bias", {fixed_dim(8)});
  expect_refusal("linear", {x, w, bias}, {{"bias", std::int64_t{1}}}, "bias");
}

TEST_F(InferTest, LinearRefusesAnUnknownActivation) {
  const ValueId x = value("x", {of_batch(), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(8)});
  expect_refusal("linear", {x, w}, {{"activation", std::string("swish")}}, "swish");
}

TEST_F(InferTest, AttributesOfTheWrongTypeAreRefused) {
  const ValueId x = value("x", {of_batch(), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(8)});
  expect_refusal("linear", {x, w}, {{"bias", 1.0}}, "bias must be an integer");
}

TEST_F(InferTest, AttentionGivesRowsOfTokens) {
  const Shape cache{of_batch(), fixed_dim(4), fixed_dim(64), fixed_dim(16)};
  const ValueId q = value("q", {of_batch(), fixed_dim(4), fixed_dim(2), fixed_dim(16)});
  const ValueId k = value("k", cache, DType::bf16, ValueKind::state);
  const ValueId v = value("v", cache, DType::bf16, ValueKind::state);
  EXPECT_EQ(inferred(builder_.op("sdpa", "a", {q, k, v}, {})[0]), (Shape{of_batch(2), fixed_dim(64)}));
}

TEST_F(InferTest, AttentionRefusesCachesOfDifferentSize) {
  const ValueId q = value("q", {of_batch(), fixed_dim(4), fixed_dim(1), fixed_dim(16)});
  const ValueId k = value("k", {of_batch(), fixed_dim(4), fixed_dim(64), fixed_dim(16)});
  const ValueId v = value("v", {of_batch(), fixed_dim(4), fixed_dim(32), fixed_dim(16)});
  expect_refusal("sdpa", {q, k, v}, {}, "v has shape");
}

TEST_F(InferTest, RopeRefusesAnOddHead) {
  const ValueId qkv = value("qkv", {of_batch(), fixed_dim(18)});
  const ValueId positions = value("pos", {of_batch()}, DType::i32);
  const Shape cache{of_batch(), fixed_dim(2), fixed_dim(8), fixed_dim(3)};
  const ValueId k = value("k", cache);
  const ValueId v = value("v", cache);
  expect_refusal("rope_kv_append", {qkv, positions, k, v},
                 {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{3}}}, "even");
}

TEST_F(InferTest, RopeRefusesToWriteToAWeight) {
  const ValueId qkv = value("qkv", {of_batch(), fixed_dim(24)});
  const ValueId positions = value("pos", {of_batch()}, DType::i32);
  const Shape cache{of_batch(), fixed_dim(2), fixed_dim(8), fixed_dim(4)};
  const ValueId k = value("k", cache, DType::bf16, ValueKind::weight);
  const ValueId v = value("v", cache, DType::bf16, ValueKind::state);
  expect_refusal("rope_kv_append", {qkv, positions, k, v},
                 {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}}, "weight k");
}

TEST_F(InferTest, ConvolutionKeepsTheImageUnderSamePadding) {
  const ValueId x = value("x", {of_batch(), fixed_dim(56), fixed_dim(56), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(3), fixed_dim(3), fixed_dim(8)});
  EXPECT_EQ(inferred(builder_.op("conv2d", "c", {x, w}, {{"padding", std::int64_t{1}}})[0]),
            (Shape{of_batch(), fixed_dim(56), fixed_dim(56), fixed_dim(16)}));
}

TEST_F(InferTest, ConvolutionRefusesAWindowLargerThanTheImage) {
  const ValueId x = value("x", {of_batch(), fixed_dim(2), fixed_dim(2), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(3), fixed_dim(3), fixed_dim(8)});
  expect_refusal("conv2d", {x, w}, {}, "window");
}

TEST_F(InferTest, AnAttributeThatAnOpLeavesOutHasItsKindsFallback) {
  const ValueId x = value("x", {of_batch(), fixed_dim(8), fixed_dim(8), fixed_dim(8)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(3), fixed_dim(3), fixed_dim(8)});
  builder_.mark_output(builder_.op("conv2d", "c", {x, w}, {{"padding", std::int64_t{1}}})[0]);
  const Program program = builder_.finish();
  const Op& op = program.ops()[0];
  EXPECT_EQ(integer_attribute(op, "padding"), 1);
  EXPECT_EQ(integer_attribute(op, "stride"), 1);
  EXPECT_EQ(text_attribute(op, "activation"), "none");
  EXPECT_THROW(integer_attribute(op, "causal"), Error);
}

TEST_F(InferTest, AttributesOutsideTheirRuleAreRefused) {
  const ValueId x = value("x", {of_batch(), fixed_dim(24)});
  const ValueId w = value("w", {fixed_dim(24), fixed_dim(24)});
  const ValueId gamma = value("gamma", {fixed_dim(24)});
  const ValueId positions = value("pos", {of_batch()}, DType::i32);
  expect_refusal("linear", {x, w}, {{"bias", std::int64_t{2}}}, "bias is 2, not 0 or 1");
  expect_refusal("rmsnorm", {x, gamma}, {{"eps", 0.0}}, "eps is 0, not positive");
  expect_refusal("rope_kv_append", {x, positions, x, x}, {{"heads", std::int64_t{2}}}, "head_dim is missing");
  expect_refusal("rope_kv_append", {x, positions, x, x},
                 {{"heads", std::int64_t{0}}, {"head_dim", std::int64_t{4}}}, "heads is 0, not positive");
  expect_refusal("conv2d", {x, w}, {{"stride", std::int64_t{0}}}, "stride is 0, not positive");
  expect_refusal("conv2d", {x, w}, {{"activation", std::string("gelu_tanh")}}, "not none or relu");
}

TEST_F(InferTest, OneFloatingDtypeAnOpAndIntegersWhereTheKindSaysSo) {
  const ValueId x = value("x", {of_batch(), fixed_dim(24)});
  const ValueId numbers = value("numbers", {of_batch(), fixed_dim(24)}, DType::i32);
  expect_refusal("relu", {numbers}, {}, "i32");
  expect_refusal("add", {x, numbers}, {}, "one floating dtype");
  expect_refusal("rope_kv_append", {x, x, x, x}, {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}},
                 "x must be i32");
}

TEST_F(InferTest, AGradientHasTheShapeOfWhatItIsOf) {
  const ValueId dy = value("dy", {of_batch(4), fixed_dim(16)});
  const ValueId x = value("x", {of_batch(4), fixed_dim(8)});
  const ValueId sum = value("sum", {fixed_dim(16), fixed_dim(8)});
  const Attributes accumulate{{"accumulate", std::int64_t{1}}};
  expect_refusal("linear_grad_weight", {dy, x}, accumulate, "3 inputs");
  expect_refusal("linear_grad_weight", {dy, x, x}, accumulate, "x has shape");
  EXPECT_EQ(inferred(builder_.op("linear_grad_weight", "l", {dy, x, sum}, accumulate)[0]),
            (Shape{fixed_dim(16), fixed_dim(8)}));
}

TEST_F(InferTest, AConvolutionsGradientIsToldWhatAStrideLeavesOpen) {
  const ValueId dy = value("dy", {of_batch(), fixed_dim(5), fixed_dim(4), fixed_dim(16)});
  const ValueId w = value("w", {fixed_dim(16), fixed_dim(3), fixed_dim(3), fixed_dim(8)});
  Attributes attributes{
      {"padding", std::int64_t{1}}, {"stride", std::int64_t{2}}, {"width", std::int64_t{7}}};
  expect_refusal("conv2d_grad_input", {dy, w}, attributes, "height is missing");
  attributes["height"] = std::int64_t{12};
  expect_refusal("conv2d_grad_input", {dy, w}, attributes, "dy has shape");
  attributes["height"] = std::int64_t{10};
  EXPECT_EQ(inferred(builder_.op("conv2d_grad_input", "c", {dy, w}, attributes)[0]),
            (Shape{of_batch(), fixed_dim(10), fixed_dim(7), fixed_dim(8)}));
}

TEST_F(InferTest, AnOptimizerTakesWholeGroupsOfOneShape) {
  const ValueId rate = value("rate", {fixed_dim(1)}, DType::fp32);
  const auto state = [&](const char* name, std::int64_t extent) {
    return value(name, {fixed_dim(extent)}, DType::bf16, ValueKind::state);
  };
  const ValueId p = state("p", 8), g = state("g", 8), v = state("v", 8), narrow = state("narrow", 7);
  expect_refusal("sgd", {rate}, {}, "1 inputs and groups of 3, not 1");
  expect_refusal("sgd", {rate, p, g}, {}, "groups of 3, not 3");
  expect_refusal("sgd", {rate, p, g, narrow}, {}, "narrow has shape");
  expect_refusal("sgd", {p, p, g, v}, {}, "p must be fp32");
  expect_refusal("sgd", {rate, p, g, v}, {{"momentum", 1.0}}, "momentum is 1, not at least 0 and below 1");
  builder_.op("sgd", "step", {rate, p, g, v, v, g, p}, {});
  EXPECT_EQ(builder_.finish().ops()[0].mutates, (std::vector<ValueId>{p, v, v, p}));
}

TEST_F(InferTest, AnOptimizerMayNotWriteAWeight) {
  const ValueId rate = value("rate", {fixed_dim(1)}, DType::fp32);
  const ValueId w = value("w", {fixed_dim(8)}, DType::bf16, ValueKind::weight);
  expect_refusal("sgd", {rate, w, w, w}, {}, "write to the weight w");
}

}  // namespace
}  // namespace graphbench::ir
