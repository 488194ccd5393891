// Partition, liveness, write sets and the dump.
#include "graphs/ir/passes.hpp"

#include <gmock/gmock.h>

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

TEST_F(PassesTest, SplittingOpsAndMarkersEndPieces) {
  const Program one = test::make_chain(catalog_, 1), two = test::make_chain(catalog_, 2);
  EXPECT_THAT(partition(test::make_chain(catalog_, 3), {"boundary"}),
              ElementsAre(Segment{true, 0, 3}, Segment{true, 4, 7}, Segment{true, 8, 11}))
      << "a marker belongs to no piece";
  EXPECT_THAT(partition(two, {}), ElementsAre(Segment{true, 0, 7})) << "across a marker that does not split";
  EXPECT_THAT(partition(two, {"rmsnorm"}), ElementsAre(Segment{false, 0, 1}, Segment{true, 1, 3},
                                                       Segment{false, 4, 5}, Segment{true, 5, 7}));
  EXPECT_THAT(partition(one, {"rmsnorm", "linear"}), ElementsAre(Segment{false, 0, 3})) << "all of them";
  EXPECT_THAT(partition(two, {"sdpa"}), ElementsAre(Segment{true, 0, 7})) << "a kind that occurs nowhere";
  EXPECT_EQ(partition(two, {"sdpa", "boundary"}), partition(two, {"boundary"}));
}

TEST_F(PassesTest, APatternSplitsAtOpsByTheirNames) {
  const Program chain = test::make_chain(catalog_, 2);
  const auto behind_layer0 = ElementsAre(Segment{true, 0, 2}, Segment{false, 2, 3}, Segment{true, 4, 7});
  EXPECT_THAT(partition(chain, {"layer0.down"}), behind_layer0);
  EXPECT_THAT(partition(chain, {"*0*wn"}), behind_layer0);
  EXPECT_EQ(partition(chain, {"*.down", "linear"}), partition(chain, {"linear"}));
  EXPECT_EQ(partition(chain, {"*.boundary"}), partition(chain, {"boundary"})) << "markers too";
  EXPECT_THAT(partition(chain, {"*"}), ElementsAre(Segment{false, 0, 3}, Segment{false, 4, 7}));
  for (const char* none :
       {"down", "layer0.dow", "layer0.down.", "*.down?", "layer*down*x", "ayer0.down", ""}) {
    EXPECT_THAT(partition(chain, {none}), ElementsAre(Segment{true, 0, 7})) << none;
  }
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
  test::SmallBuilder b(catalog_);
  const ValueId x = b.input("x"), early = b.one("relu", "early", {x});
  b.mark_output(early);
  EXPECT_EQ(live_ranges(b.ending_in(b.one("relu", "late", {x})))[early].last_use, 1u);
}

TEST_F(PassesTest, MutatedInputsAndMutatedStateAreKeptApart) {
  const auto build = [&](ValueKind cache_kind) {
    test::SmallBuilder b(catalog_);
    const ValueId qkv = b.input("qkv", test::batched({24})), positions = b.integers("pos");
    const ValueId k = b.add(cache_kind, "k", test::batched({2, 8, 4}));
    const ValueId v = b.state("v", test::batched({2, 8, 4}));
    return b.ending_in(b.one("rope_kv_append", "append", {qkv, positions, k, v},
                             {{"heads", std::int64_t{2}}, {"head_dim", std::int64_t{4}}}));
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
