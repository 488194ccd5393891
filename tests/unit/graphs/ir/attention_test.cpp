// What attention's op is made of: the parts, their order and shapes, and where they split.
#include "graphs/ir/attention.hpp"

#include <gmock/gmock.h>

#include "graphs/ir/passes.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using test::batched;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x -> relu -> sdpa over k and v, causal -> relu: the output.
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
  EXPECT_THAT(program.rewrites(), ElementsAre("pass attention: left every op as it is"));
}

}  // namespace
}  // namespace graphbench::ir
