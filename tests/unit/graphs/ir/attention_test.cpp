// What attention's op is made of: the parts, their order and shapes, and where they split.
#include "graphs/ir/attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/ir/passes.hpp"

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x -> relu -> sdpa over k and v, causal -> relu: the output.
Program with_attention(const OpCatalog& catalog) {
  ProgramBuilder b("p", catalog);
  const auto heads = [](std::int64_t rows) {
    return Shape{of_batch(), fixed_dim(2), fixed_dim(rows), fixed_dim(16)};
  };
  const ValueId q = b.value(ValueKind::input, "q", DType::bf16, heads(3), {});
  const ValueId k = b.value(ValueKind::state, "k", DType::bf16, heads(5), {});
  const ValueId v = b.value(ValueKind::state, "v", DType::bf16, heads(5), {});
  const ValueId ahead = b.op("relu", "ahead", {q}, {})[0];
  const ValueId mixed = b.op("sdpa", "layer.sdpa", {ahead, k, v}, {{"causal", std::int64_t{1}}})[0];
  b.mark_output(b.op("relu", "behind", {mixed}, {})[0]);
  b.split_at({"sdpa"});
  return b.finish();
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
  EXPECT_EQ(program.value(scores.outputs[0]).shape,
            (Shape{of_batch(), fixed_dim(2), fixed_dim(3), fixed_dim(5)}));
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
  EXPECT_THAT(program.default_split_kinds(), ElementsAre("sdpa"));
  EXPECT_THAT(partition(program, program.default_split_kinds()),
              ElementsAre(Segment{true, 0, 1}, Segment{false, 1, 4}, Segment{true, 4, 5}));
}

TEST(DecomposedAttention, LeavesOtherProgramsAsTheyAre) {
  const OpCatalog catalog;
  ProgramBuilder b("p", catalog);
  const ValueId x = b.value(ValueKind::input, "x", DType::fp32, {of_batch(), fixed_dim(4)}, {});
  b.mark_output(b.op("softmax", "a", {x}, {})[0]);
  const Program program = decompose_attention(b.finish(), catalog);
  EXPECT_EQ(program.ops().size(), 1u);
  EXPECT_THAT(program.rewrites(), ElementsAre("pass attention: left every op as it is"));
}

}  // namespace
}  // namespace graphbench::ir
