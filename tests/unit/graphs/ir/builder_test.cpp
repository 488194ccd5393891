// Tests programs that are built or made from others: what is kept, added, replaced or refused; and extents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string_view>

#include "graphs/base/error.hpp"
#include "graphs/ir/passes.hpp"
#include "graphs/ir/rewrite.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "graphs/ir/types.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Builder, KeepsOpsInOrder) {
  const OpCatalog catalog;
  const Program program = test::make_chain(catalog, 2);
  ASSERT_EQ(program.ops().size(), 7u);
  EXPECT_EQ(program.ops()[0].kind, "rmsnorm");
  EXPECT_EQ(program.ops()[3].kind, "boundary");
  EXPECT_EQ(program.values_of(ValueKind::output).size(), 1u);
  EXPECT_EQ(program.describe(program.values_of(ValueKind::output)[0], 5).dims,
            (std::vector<std::int64_t>{5, 64}));
}

TEST(Builder, NamesWhatItRefuses) {
  using Build = void (*)(test::SmallBuilder&);
  const auto refuse = [](Build build, const ::testing::Matcher<std::string>& text) {
    const OpCatalog catalog;
    test::SmallBuilder builder(catalog);
    const Error error = test::error_of([&] { build(builder); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), text);
  };
  refuse([](auto& b) { b.one("matmull", "mm", {}); },
         AllOf(HasSubstr("mm"), HasSubstr("matmull"), HasSubstr("linear")));
  refuse([](auto& b) { b.input(b.value_of(b.input("x")).name); }, HasSubstr("x"));
  refuse([](auto& b) { b.one("relu", "r", {7}); }, AllOf(HasSubstr("r:"), HasSubstr("7")));
  refuse([](auto& b) { b.mark_output(b.input("x")); }, HasSubstr("input"));
  refuse([](auto& b) { b.weight("w", {}); }, HasSubstr("w"));
  refuse(
      [](auto& b) {
        b.one("relu", "r", {b.input("x")});
        b.finish();
      },
      HasSubstr("no output"));
  refuse(
      [](auto& b) {
        const ValueId x = b.input("x");
        b.one("relu", "dead", {x});
        b.ending_in(b.one("relu", "used", {x}));
      },
      HasSubstr("dead"));
  refuse(
      [](auto& b) {
        b.split_at({"sdpa"});
        b.ending_in(b.one("relu", "r", {b.input("x")}));
      },
      HasSubstr("sdpa"));
}

TEST(Builder, RecordsTheWriteSet) {
  const OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ValueId qkv = b.input("qkv", test::batched({24})), positions = b.integers("pos");
  const ValueId k = b.state("k", test::batched({2, 16, 4})), v = b.state("v", test::batched({2, 16, 4}));
  const Program program = b.ending_in(b.one("rope_kv_append", "append", {qkv, positions, k, v},
                                            {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}}));
  EXPECT_EQ(program.ops()[0].mutates, (std::vector<ValueId>{k, v}));
}

TEST(Dim, GrowsWithTheBatch) {
  EXPECT_EQ(of_batch(128).at(3), 384);
  EXPECT_EQ(fixed_dim(7).at(1000), 7);
  EXPECT_EQ((Dim{2, 1}).at(4), 9);
}

TEST(Dim, RefusesOverflowAndEmptiness) {
  EXPECT_THROW(of_batch(1000).at(std::numeric_limits<std::int64_t>::max() / 10), Error);
  EXPECT_THROW((Dim{1, std::numeric_limits<std::int64_t>::max()}).at(1), Error);
  EXPECT_THROW((Dim{1, -5}).at(5), Error);
}

TEST(TensorDesc, CountsBytes) {
  EXPECT_EQ((TensorDesc{DType::bf16, {8, 1024}}).bytes(), 16384u);
  EXPECT_EQ((TensorDesc{DType::fp32, {3}}).bytes(), 12u);
}

TEST(TensorDesc, RefusesMoreElementsThanFit) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_THROW((TensorDesc{DType::fp32, {big, big}}).elements(), Error);
  EXPECT_THROW((TensorDesc{DType::fp32, {std::int64_t{1} << 62}}).bytes(), Error);
}

TEST(DTypeNames, RoundTrip) {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16, DType::i32})
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  EXPECT_FALSE(parse_dtype("float32").has_value());
}

TEST(ErrorCodes, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i)
    names.insert(name_of(static_cast<ErrorCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::internal) + 1);
  EXPECT_EQ(name_of(ErrorCode::capture_unjoined), "capture_unjoined");
}

using ::testing::ElementsAre;

// x -> relu "a" -> softmax "b" -> add "c" of a and b, which is the output; the program splits at softmax.
class RewriteTest : public ::testing::Test {
 protected:
  RewriteTest() {
    test::SmallBuilder builder(catalog_);
    x_ = builder.input("x");
    builder.pad_with(x_, 3);
    a_ = builder.one("relu", "a", {x_});
    b_ = builder.one("softmax", "b", {a_});
    c_ = builder.one("add", "c", {a_, b_});
    builder.split_at({"softmax"});
    program_ = builder.ending_in(c_);
  }
  Rewriter rewriter() { return {program_, catalog_, "test"}; }
  // The text with which the new program is refused when `use` changes it, without "pass test: ".
  std::string refusal(const std::function<void(Rewriter&)>& use) {
    Rewriter rewriter(program_, catalog_, "test");
    const Error error = test::error_of([&] { use(rewriter); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    const std::string text = error.what();
    return text.starts_with("pass test: ") ? text.substr(11) : text;
  }

  OpCatalog catalog_;
  Program program_;
  ValueId x_ = 0, a_ = 0, b_ = 0, c_ = 0;
};

TEST_F(RewriteTest, ThatKeepsAllIsTheSameProgram) {
  Rewriter rewriter = this->rewriter();
  for (OpId id = 0; id < 3; ++id) rewriter.keep(id);
  const Program same = rewriter.finish();
  EXPECT_EQ(dump(same, partition(same, {}), 2),
            dump(program_, partition(program_, {}), 2) + "  rewritten: pass test: no op was changed\n");
  EXPECT_EQ(same.value(0).pad, 3);
  EXPECT_THAT(same.default_splits(), ElementsAre("softmax"));
}

TEST_F(RewriteTest, AnOpIsReplacedAndWhatNothingReadsAnyMoreGoesToo) {
  Rewriter rewriter = this->rewriter();
  rewriter.keep(0);
  const ValueId gelu = rewriter.op(1, "gelu_tanh", "b.gelu", {x_}, {})[0];
  rewriter.replace(b_, gelu);
  rewriter.replace(a_, x_);
  rewriter.keep(2);
  rewriter.log("a line");
  const Program made = rewriter.finish();
  EXPECT_THAT(test::op_names(made), ElementsAre("b.gelu", "c"));
  EXPECT_THAT(test::names_of(made, made.ops().at(1).inputs), ElementsAre("x", "b.gelu"));
  EXPECT_THAT(made.rewrites(), ElementsAre("pass test: a line", "pass test: removed 1 op: b (softmax)",
                                           "pass test: added 1 op: b.gelu (gelu_tanh)",
                                           "removed a (relu): no op reads its outputs"));
  EXPECT_TRUE(made.default_splits().empty());
  EXPECT_EQ(made.values().size(), 3u);
}

TEST_F(RewriteTest, AnOutputIsReplacedByWhatIsReadInstead) {
  Rewriter rewriter = this->rewriter();
  for (OpId id = 0; id < 2; ++id) rewriter.keep(id);
  rewriter.replace(c_, b_);  // before `c`'s own op is kept; finish() then drops that op
  rewriter.keep(2);
  const Program made = rewriter.finish();
  EXPECT_THAT(test::op_names(made), ElementsAre("a", "b"));
  EXPECT_EQ(made.value(made.values_of(ValueKind::output).at(0)).name, "b");
}

TEST_F(RewriteTest, AddedOpsAreOfThePhaseAndInTheGraphOfTheOpBesideThem) {
  test::SmallBuilder builder(catalog_);
  const ValueId y = builder.one("linear", "layer.y", {builder.input("x"), builder.weight("w")});
  const Program step = differentiate(
      builder.ending_in(y), catalog_,
      {.optimizer = Optimizer::sgd, .backward = Backward::apart, .optimizer_in = OptimizerIn::eager});
  Rewriter rewriter(step, catalog_, "test");
  std::vector<OpId> first_backward;
  for (OpId id = 0; id < step.ops().size(); ++id) {
    const Op& op = step.ops()[id];
    if (op.phase == Phase::backward) {
      const ValueId again = rewriter.op(id, "relu", "again", {op.inputs[0]}, {})[0];
      rewriter.replace(op.inputs[0], again);
    }
    if (op.phase == Phase::optimizer) {
      const ValueId gradient = step.values_of(ValueKind::gradient).at(0);
      rewriter.replace(gradient, rewriter.op(id, "relu", "late", {gradient}, {})[0]);
    }
    rewriter.keep(id);
  }
  const Program made = rewriter.finish();
  ASSERT_THAT(test::op_names(made),
              ElementsAre("layer.y", "loss", "again", "layer.y.grad_weight", "late", "optimizer.step"));
  const auto& ops = made.ops();
  EXPECT_TRUE(ops[2].starts_graph && ops[2].phase == Phase::backward && ops[2].splits_with == "linear");
  EXPECT_FALSE(ops[3].starts_graph);
  EXPECT_TRUE(ops[4].eager && ops[4].phase == Phase::optimizer);
  EXPECT_EQ(made.value(made.values_of(ValueKind::gradient).at(0)).name, "late");
  EXPECT_EQ(graphs_of(made, partition(made, {})).size(), 3u);
}

TEST_F(RewriteTest, RefusesWhatTheNewProgramCouldNotBe) {
  EXPECT_EQ(refusal([](Rewriter& r) { r.keep(2); }), "op c reads a, which no earlier op computes");
  EXPECT_EQ(refusal([](Rewriter& r) { r.keep(9); }), "the program has no op 9");
  EXPECT_EQ(refusal([](Rewriter& r) {
              r.keep(0);
              r.keep(0);
            }),
            "op a was already kept");
  EXPECT_EQ(refusal([&](Rewriter& r) { r.op(7, "relu", "new", {x_}, {}); }), "the program has no op 7");
  EXPECT_EQ(refusal([&](Rewriter& r) { r.op(0, "relu", "new", {b_}, {}); }),
            "op new reads b, which no earlier op computes");
  EXPECT_EQ(refusal([&](Rewriter& r) { r.op(0, "relu", "new", {77}, {}); }), "77 is not a value");
  EXPECT_THAT(refusal([&](Rewriter& r) { r.op(0, "rleu", "new", {x_}, {}); }),
              HasSubstr("unknown op kind \"rleu\""));
  EXPECT_EQ(refusal([&](Rewriter& r) {
              r.op(0, "relu", "a", {x_}, {});
              r.keep(0);
            }),
            "op a: an added op already has this name");
  EXPECT_EQ(refusal([&](Rewriter& r) { r.replace(x_, a_); }),
            "value x is of kind input, which no op computes");
  EXPECT_EQ(refusal([&](Rewriter& r) { r.replace(b_, a_); }), "no earlier op computes value a");
  EXPECT_EQ(refusal([&](Rewriter& r) { r.replace(b_, b_); }), "value b cannot be replaced by itself");
  EXPECT_THAT(refusal([&](Rewriter& r) {
                const ValueId sum = r.op(0, "column_sum", "sum", {x_}, {})[0];
                r.replace(a_, sum);
              }),
              HasSubstr("value sum must have the dtype and shape of a"));
  EXPECT_THAT(refusal([&](Rewriter& r) { r.replace(c_, x_); }), HasSubstr("only an activation can become"));
  EXPECT_EQ(refusal([](Rewriter& r) {
              r.keep(0);
              r.keep(1);
              r.finish();
            }),
            "output c has lost the op that computes it: keep that op, or replace the value");
}

}  // namespace
}  // namespace graphbench::ir
