// What the builder accepts, and that it names what it refuses.
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace graphbench::ir
