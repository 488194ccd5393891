// What the builder accepts, and that it names what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::ir {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BuilderTest : public ::testing::Test {
 protected:
  template <typename Call>
  std::string refusal(Call&& call) {
    const Error error = test::error_of(call);
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }

  ValueId input(const std::string& name = "x") {
    return builder_.value(ValueKind::input, name, DType::fp32, {of_batch(), fixed_dim(8)}, {});
  }

  OpCatalog catalog_;
  ProgramBuilder builder_{"p", catalog_};
};

TEST_F(BuilderTest, KeepsOpsInOrder) {
  const Program program = test::make_chain(catalog_, 2);
  ASSERT_EQ(program.ops().size(), 7u);
  EXPECT_EQ(program.ops()[0].kind, "rmsnorm");
  EXPECT_EQ(program.ops()[3].kind, "boundary");
  EXPECT_EQ(program.values_of(ValueKind::output).size(), 1u);
  EXPECT_EQ(program.describe(program.values_of(ValueKind::output)[0], 5).dims,
            (std::vector<std::int64_t>{5, 64}));
}

TEST_F(BuilderTest, NamesAnUnknownKindAndTheKnownOnes) {
  EXPECT_THAT(refusal([&] { builder_.op("matmull", "mm", {}, {}); }),
              AllOf(HasSubstr("mm"), HasSubstr("matmull"), HasSubstr("linear")));
}

TEST_F(BuilderTest, RefusesANameTwice) {
  input();
  EXPECT_THAT(refusal([&] { input(); }), HasSubstr("x"));
}

TEST_F(BuilderTest, RefusesAnInputThatIsNoValue) {
  EXPECT_THAT(refusal([&] { builder_.op("relu", "r", {7}, {}); }), AllOf(HasSubstr("r:"), HasSubstr("7")));
}

TEST_F(BuilderTest, RefusesAProgramWithoutOutput) {
  const ValueId x = input();
  builder_.op("relu", "r", {x}, {});
  EXPECT_THAT(refusal([&] { builder_.finish(); }), HasSubstr("no output"));
}

TEST_F(BuilderTest, RefusesAnActivationThatNothingReads) {
  const ValueId x = input();
  builder_.mark_output(builder_.op("relu", "used", {x}, {})[0]);
  builder_.op("relu", "dead", {x}, {});
  EXPECT_THAT(refusal([&] { builder_.finish(); }), HasSubstr("dead"));
}

TEST_F(BuilderTest, RefusesAnInputAsOutput) {
  const ValueId x = input();
  EXPECT_THAT(refusal([&] { builder_.mark_output(x); }), HasSubstr("input"));
}

TEST_F(BuilderTest, RefusesADefaultSplitThatIsNotThere) {
  const ValueId x = input();
  builder_.mark_output(builder_.op("relu", "r", {x}, {})[0]);
  builder_.split_at({"sdpa"});
  EXPECT_THAT(refusal([&] { builder_.finish(); }), HasSubstr("sdpa"));
}

TEST_F(BuilderTest, RefusesAnEmptyShape) {
  EXPECT_THAT(refusal([&] { builder_.value(ValueKind::weight, "w", DType::fp32, {}, {}); }), HasSubstr("w"));
}

TEST_F(BuilderTest, RecordsTheWriteSet) {
  const auto cache = [&](const char* name) {
    return builder_.value(ValueKind::state, name, DType::fp32,
                          {of_batch(), fixed_dim(2), fixed_dim(16), fixed_dim(4)}, {});
  };
  const ValueId qkv = builder_.value(ValueKind::input, "qkv", DType::fp32, {of_batch(), fixed_dim(24)}, {});
  const ValueId positions = builder_.value(ValueKind::input, "pos", DType::i32, {of_batch()}, {});
  const ValueId k = cache("k");
  const ValueId v = cache("v");
  builder_.mark_output(builder_.op("rope_kv_append", "append", {qkv, positions, k, v},
                                   {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}})[0]);
  const Program program = builder_.finish();
  EXPECT_EQ(program.ops()[0].mutates, (std::vector<ValueId>{k, v}));
}

}  // namespace
}  // namespace graphbench::ir
