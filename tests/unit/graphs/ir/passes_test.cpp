// Partition, liveness, write sets and the dump.
#include "graphs/ir/passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
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

TEST_F(PassesTest, MarkersEndPiecesAndBelongToNone) {
  const Program program = test::make_chain(catalog_, 3);
  EXPECT_THAT(partition(program, {"boundary"}),
              ElementsAre(Segment{true, 0, 3}, Segment{true, 4, 7}, Segment{true, 8, 11}));
}

TEST_F(PassesTest, PiecesRunAcrossMarkersThatDoNotSplit) {
  const Program program = test::make_chain(catalog_, 2);
  EXPECT_THAT(partition(program, {}), ElementsAre(Segment{true, 0, 7}));
}

TEST_F(PassesTest, SplittingOpsStandBetweenPieces) {
  const Program program = test::make_chain(catalog_, 2);
  EXPECT_THAT(partition(program, {"rmsnorm"}), ElementsAre(Segment{false, 0, 1}, Segment{true, 1, 3},
                                                           Segment{false, 4, 5}, Segment{true, 5, 7}));
}

TEST_F(PassesTest, EverySplittingOpIsLaunchedEagerly) {
  const Program program = test::make_chain(catalog_, 1);
  EXPECT_THAT(partition(program, {"rmsnorm", "linear"}), ElementsAre(Segment{false, 0, 3}));
}

TEST_F(PassesTest, AKindThatOccursNowhereSplitsNothing) {
  const Program program = test::make_chain(catalog_, 2);
  EXPECT_THAT(partition(program, {"sdpa"}), ElementsAre(Segment{true, 0, 7}));
  EXPECT_EQ(partition(program, {"sdpa", "boundary"}), partition(program, {"boundary"}));
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
  ProgramBuilder builder("p", catalog_);
  const ValueId x = builder.value(ValueKind::input, "x", DType::fp32, {of_batch(), fixed_dim(4)}, {});
  const ValueId early = builder.op("relu", "early", {x}, {})[0];
  const ValueId late = builder.op("relu", "late", {x}, {})[0];
  builder.mark_output(early);
  builder.mark_output(late);
  EXPECT_EQ(live_ranges(builder.finish())[early].last_use, 1u);
}

TEST_F(PassesTest, MutatedInputsAndMutatedStateAreKeptApart) {
  const auto build = [&](ValueKind cache_kind) {
    ProgramBuilder builder("p", catalog_);
    const Shape cache{of_batch(), fixed_dim(2), fixed_dim(8), fixed_dim(4)};
    const ValueId qkv = builder.value(ValueKind::input, "qkv", DType::fp32, {of_batch(), fixed_dim(24)}, {});
    const ValueId positions = builder.value(ValueKind::input, "pos", DType::i32, {of_batch()}, {});
    const ValueId k = builder.value(cache_kind, "k", DType::fp32, cache, {});
    const ValueId v = builder.value(ValueKind::state, "v", DType::fp32, cache, {});
    builder.mark_output(builder.op("rope_kv_append", "append", {qkv, positions, k, v},
                                   {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}})[0]);
    return builder.finish();
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

}  // namespace
}  // namespace graphbench::ir
