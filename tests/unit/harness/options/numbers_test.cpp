// Lists and ranges of numbers, and what is none.
#include "harness/options/numbers.hpp"

#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"

namespace graphbench::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const NumberRules batch_rules{.noun = "batch"};
const NumberRules warmup_rules{.noun = "warmup count", .allow_zero = true};

std::vector<std::int64_t> batches(std::string_view text) {
  return parse_numbers("--batch", text, batch_rules);
}

std::string refusal(std::string_view text, const NumberRules& rules = batch_rules) {
  return test::refusal([&] { parse_numbers("--batch", text, rules); });
}

TEST(NumberList, HasListsAndRangesThatIncludeBothEnds) {
  EXPECT_THAT(batches("4,1,2"), ElementsAre(4, 1, 2)) << "a list keeps its order";
  EXPECT_THAT(batches("1:256:x2"), ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256));
  EXPECT_THAT(batches("8:32:+8"), ElementsAre(8, 16, 24, 32));
  EXPECT_THAT(batches("1:100:x4"), ElementsAre(1, 4, 16, 64, 100)) << "steps do not hit the end";
  EXPECT_THAT(batches("1:10:+4"), ElementsAre(1, 5, 9, 10));
  EXPECT_THAT(batches("7:7:x2"), ElementsAre(7)) << "a range of one value";
  EXPECT_THAT(batches("7:7:+3"), ElementsAre(7));
  EXPECT_THAT(batches("3,8:32:x2,100"), ElementsAre(3, 8, 16, 32, 100));
  EXPECT_THAT(parse_numbers("--warmup", "0:4:+2,10", warmup_rules), ElementsAre(0, 2, 4, 10));
  EXPECT_EQ(batches("1:10000:+1").size(), 10000u);
}

TEST(NumberList, RangesNearTheLargestNumberDoNotOverflow) {
  EXPECT_THAT(batches("4611686018427387904:9223372036854775807:x2"),
              ElementsAre(4611686018427387904, INT64_MAX));
  EXPECT_THAT(batches("9223372036854775800:9223372036854775807:+5"),
              ElementsAre(9223372036854775800, 9223372036854775805, INT64_MAX));
}

TEST(NumberList, MalformedEntriesAreRefusedWithTheirReason) {
  const std::pair<const char*, const char*> entries[] = {{"", "\"\" is not a list"},
                                                         {",", "\"\" is not a batch"},
                                                         {"1,", "\"\" is not a batch"},
                                                         {"1,,2", "\"\" is not a batch"},
                                                         {"-1", "\"-1\" is not a batch"},
                                                         {"+1", "\"+1\" is not a batch"},
                                                         {"1.5", "\"1.5\" is not a batch"},
                                                         {"1e3", "\"1e3\" is not a batch"},
                                                         {"0x10", "\"0x10\" is not a batch"},
                                                         {"1 ,2", "\"1 \" is not a batch"},
                                                         {"eight", "\"eight\" is not a batch"},
                                                         {"8\n", "\"8\\x0a\" is not a batch"},
                                                         {"9223372036854775808", "too large"},
                                                         {"1:2", "is not a range"},
                                                         {"1:8:2", "is not a range"},
                                                         {"1:8:", "is not a range"},
                                                         {"1:8:x", "is not a range"},
                                                         {"1:8:x1", "has a factor"},
                                                         {"1:8:x-2", "has a factor"},
                                                         {"1:8:+0", "has a step"},
                                                         {"1:8:x2:3", "has a factor"},
                                                         {"8:1:x2", "ends before it begins"},
                                                         {"0:8:x2", "is not a batch"},
                                                         {":8:x2", "is not a batch"},
                                                         {"1:99999999999999999999:x2", "too large"},
                                                         {"2,2", "2 is given twice"},
                                                         {"1:8:x2,4", "4 is given twice"},
                                                         {"1:10001:+1", "more than 10000"},
                                                         {"1:9223372036854775807:+1", "more than 10000"}};
  for (const auto& [text, reason] : entries) EXPECT_THAT(refusal(text), HasSubstr(reason)) << text;
  EXPECT_THAT(refusal("0:8:x2", warmup_rules), HasSubstr("multiplies 0"));
  EXPECT_EQ(refusal("0"),
            "--batch: \"0\" is not a batch: give positive whole numbers, e.g. 1,2,4 or 1:256:x2");
}

}  // namespace
}  // namespace graphbench::config
