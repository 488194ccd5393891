// Plugin ops in programs: their inference is called through the ABI and its answer is checked.
#include "graphs/abi/foreign_op.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

#include "graphs/base/error.hpp"
#include "graphs/ir/passes.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::abi {
namespace {

using namespace ir;

using ::testing::HasSubstr;

std::int32_t infer_same(const gb_symbolic* inputs, std::int32_t, const gb_attr*, std::int32_t,
                        gb_inferred* outputs, char*, std::size_t, void*) {
  outputs[0].dtype = inputs[0].dtype;
  outputs[0].rank = inputs[0].rank;
  for (std::int32_t i = 0; i < inputs[0].rank; ++i) outputs[0].dims[i] = inputs[0].dims[i];
  return 1;
}

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
    op_ = gb_op{sizeof(gb_op), flags,   "mine",  mutated, infer,   nullptr, nullptr,
                nullptr,       nullptr, nullptr, nullptr, nullptr, 0};
    catalog_.add(foreign_definition(op_));
    ProgramBuilder builder("p", catalog_);
    const ValueId x = builder.value(ValueKind::input, "x", DType::fp32, {of_batch(), fixed_dim(4)}, {});
    builder.mark_output(builder.op("mine", "m", {x}, {})[0]);
    return builder.finish();
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
  EXPECT_EQ(build(infer_same).value(1).shape, (Shape{of_batch(), fixed_dim(4)}));
}

TEST_F(ForeignTest, TraitsAndWriteSetComeFromTheFlags) {
  const Program program = build(infer_same, GB_OP_NOT_CAPTURABLE, 1);
  EXPECT_FALSE(program.ops()[0].traits.capturable);
  EXPECT_EQ(mutated_inputs(program), std::vector<ValueId>{0});
  ASSERT_NE(first_uncapturable(program), nullptr);
  EXPECT_EQ(partition(program, {}).front().captured, false);
}

TEST_F(ForeignTest, ARefusalCarriesThePluginsWords) {
  EXPECT_THAT(refusal(infer_refusal, ErrorCode::invalid_argument), HasSubstr("wants a square"));
}

TEST_F(ForeignTest, AnImpossibleRankIsThePluginsFault) {
  EXPECT_THAT(refusal(infer_rank_99, ErrorCode::plugin_failed), HasSubstr("99"));
}

TEST_F(ForeignTest, AnExceptionIsThePluginsFault) {
  EXPECT_THAT(refusal(infer_throwing, ErrorCode::plugin_failed), HasSubstr("threw"));
}

}  // namespace
}  // namespace graphbench::abi
