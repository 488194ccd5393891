// Plugin ops in programs: their inference is called through the ABI and its answer is checked.
#include "graphs/abi/foreign_op.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <stdexcept>

#include "graphs/ir/passes.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::abi {
namespace {

using namespace ir;

using ::testing::HasSubstr;

std::int32_t infer_refusal(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t, gb_inferred*,
                           char* error, std::size_t size, void*) {
  std::snprintf(error, size, "wants a square");
  return -1;
}

std::int32_t infer_rank_99(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t,
                           gb_inferred* outputs, char*, std::size_t, void*) {
  outputs[0].rank = 99;
  return 1;
}

std::int32_t infer_throwing(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t, gb_inferred*,
                            char*, std::size_t, void*) {
  throw std::runtime_error("no");
}

class ForeignTest : public ::testing::Test {
 protected:
  Program build(decltype(gb_op::infer) infer, std::uint32_t flags = 0, std::uint64_t mutated = 0) {
    op_ = test::foreign_op("mine", infer, nullptr, flags, mutated);
    catalog_ = {};
    catalog_.add(foreign_definition(op_));
    test::SmallBuilder b(catalog_);
    return b.ending_in(b.one("mine", "m", {b.input("x")}));
  }
  std::string refusal(decltype(gb_op::infer) infer, ErrorCode code) {
    const Error error = test::error_of([&] { build(infer); });
    EXPECT_EQ(error.code(), code);
    return error.what();
  }

  gb_op op_{};
  OpCatalog catalog_;
};

TEST_F(ForeignTest, ShapesComeFromThePlugin) {
  EXPECT_EQ(build(test::infer_same).value(1).shape, test::batched({8}));
}

TEST_F(ForeignTest, TraitsAndWriteSetComeFromTheFlags) {
  const Program program = build(test::infer_same, GB_OP_NOT_CAPTURABLE, 1);
  EXPECT_FALSE(program.ops()[0].traits.capturable);
  EXPECT_EQ(mutated_inputs(program), std::vector<ValueId>{0});
  ASSERT_NE(first_uncapturable(program), nullptr);
  EXPECT_EQ(partition(program, {}).front().captured, false);
}

TEST_F(ForeignTest, ARefusalCarriesThePluginsWordsAndWhatElseGoesWrongIsItsFault) {
  EXPECT_THAT(refusal(infer_refusal, ErrorCode::invalid_argument), HasSubstr("wants a square"));
  EXPECT_THAT(refusal(infer_rank_99, ErrorCode::plugin_failed), HasSubstr("99"));
  EXPECT_THAT(refusal(infer_throwing, ErrorCode::plugin_failed), HasSubstr("threw"));
}

}  // namespace
}  // namespace graphbench::abi
