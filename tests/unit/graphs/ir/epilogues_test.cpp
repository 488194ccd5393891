// What stands behind a product whose epilogue is taken off, in which order.
#include "graphs/ir/epilogues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t one = 1;

std::vector<std::string> listed(const Program& program) {
  std::vector<std::string> ops;
  for (const Op& op : program.ops()) ops.push_back(op.name + " " + op.kind);
  return ops;
}

TEST(Epilogues, OfALinearTheResidualComesLast) {
  const OpCatalog catalog;
  ProgramBuilder b("p", catalog);
  const ValueId x = b.value(ValueKind::input, "x", DType::fp32, {of_batch(), fixed_dim(8)}, {});
  const ValueId w = b.value(ValueKind::weight, "w", DType::fp32, {fixed_dim(8), fixed_dim(8)}, {});
  const ValueId bias = b.value(ValueKind::weight, "bias", DType::fp32, {fixed_dim(8)}, {});
  const ValueId plain = b.op("linear", "plain", {x, w}, {})[0];
  b.mark_output(b.op("linear", "full", {plain, w, bias, x},
                     {{"bias", one}, {"residual", one}, {"activation", std::string("gelu_tanh")}})[0]);
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
  ProgramBuilder b("p", catalog);
  const auto image = [&](std::int64_t side) {
    return Shape{of_batch(), fixed_dim(side), fixed_dim(side), fixed_dim(4)};
  };
  const ValueId x = b.value(ValueKind::input, "x", DType::fp32, image(8), {});
  const ValueId skip = b.value(ValueKind::input, "skip", DType::fp32, image(6), {});
  const ValueId w = b.value(ValueKind::weight, "w", DType::fp32,
                            {fixed_dim(4), fixed_dim(3), fixed_dim(3), fixed_dim(4)}, {});
  b.mark_output(
      b.op("conv2d", "conv", {x, w, skip}, {{"residual", one}, {"activation", std::string("relu")}})[0]);
  EXPECT_THAT(listed(without_epilogues(b.finish(), catalog)),
              ElementsAre("conv.product conv2d", "conv.residual add", "conv.activation relu"));
}

}  // namespace
}  // namespace graphbench::ir
