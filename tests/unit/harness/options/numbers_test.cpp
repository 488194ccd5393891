// Lists and ranges of numbers, the steps of a trace of shapes, and what is said of what is none.
#include "harness/options/numbers.hpp"

#include <gmock/gmock.h>

#include <map>

#include "graphs/base/text.hpp"
#include "harness/options/shape_trace.hpp"
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
  // What is wrong of an entry, and entries that are refused with it; those of the first are quoted as they
  // are.
  const std::map<std::string, std::vector<std::string>> refused = {
      {" is not a batch", {"-1", "+1", "1.5", "1e3", "0x10", "eight", "8\n"}},
      {"\"\" is not a batch", {",", "1,", "1,,2"}},
      {"\"1 \" is not a batch", {"1 ,2"}},
      {"is not a batch", {"0:8:x2", ":8:x2"}},
      {"\"\" is not a list", {""}},
      {"is not a range", {"1:2", "1:8:2", "1:8:", "1:8:x"}},
      {"has a factor", {"1:8:x1", "1:8:x-2", "1:8:x2:3"}},
      {"has a step", {"1:8:+0"}},
      {"ends before it begins", {"8:1:x2"}},
      {"too large", {"9223372036854775808", "1:99999999999999999999:x2"}},
      {"2 is given twice", {"2,2"}},
      {"4 is given twice", {"1:8:x2,4"}},
      {"more than 10000", {"1:10001:+1", "1:9223372036854775807:+1"}}};
  for (const auto& [reason, texts] : refused) {
    for (const std::string& text : texts)
      EXPECT_THAT(refusal(text), HasSubstr((reason[0] == ' ' ? in_quotes(text) : "") + reason)) << text;
  }
  EXPECT_THAT(refusal("0:8:x2", warmup_rules), HasSubstr("multiplies 0"));
  EXPECT_EQ(refusal("0"),
            "--batch: \"0\" is not a batch: give positive whole numbers, e.g. 1,2,4 or 1:256:x2");
}

std::string trace_refusal(const std::string& content) {
  return test::refusal([&] { return parse_shape_trace("steps.txt", content); });
}

TEST(ShapeTrace, HasAStepALineWithoutCommentsAndBlankLines) {
  const model::ShapeTrace trace =
      parse_shape_trace("steps.txt", "# sizes\n8 128\n\n  4\t256 # longer\r\n8 128");
  EXPECT_EQ(trace.file, "steps.txt");
  ASSERT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.steps[1].batch, 4);
  EXPECT_EQ(trace.steps[1].sequence, 256);
  EXPECT_EQ(trace.steps[1].line, 4);
  EXPECT_EQ(trace.steps[2].line, 5);
  EXPECT_FALSE(parse_shape_trace("steps.txt", "8\n4\n").steps[1].sequence.has_value());
}

TEST(ShapeTrace, RefusesALineByFileLineAndValue) {
  EXPECT_EQ(trace_refusal("8\neight\n"), "steps.txt:2: \"eight\" is not a batch size: give 1 to 1073741824");
  EXPECT_EQ(trace_refusal("0 128\n"), "steps.txt:1: \"0\" is not a batch size: give 1 to 1073741824");
  EXPECT_EQ(trace_refusal("8 99999999999999999999\n"),
            "steps.txt:1: \"99999999999999999999\" is not a sequence length: give 1 to 1073741824");
  EXPECT_EQ(trace_refusal("8 128 # yes\n8 128 no\n"),
            "steps.txt:2: \"no\" is too much: give a batch size, as 8, or with a sequence length, as 8 128");
  EXPECT_EQ(trace_refusal("8 128\n\n4\n"),
            "steps.txt:3: batch size 4 has no sequence length, unlike line 1: "
            "give it in all lines or none");
  EXPECT_EQ(trace_refusal("# none\n"), "steps.txt:1: no step is in it: give a batch size a line, as 8");
}

TEST(ShapeTrace, HasSoManyStepsAtMost) {
  std::string lines;
  for (int i = 0; i < 4096; ++i) lines += "8\n";
  EXPECT_EQ(trace_refusal(lines), "accepted");
  EXPECT_EQ(trace_refusal(lines + "7\n"),
            "steps.txt:4097: batch size 7 is one step more than 4096: give so many at most");
}

TEST(ShapeTrace, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(test::refusal([] { return read_shape_trace("--shape-trace", "/no/such/steps.txt"); }),
              testing::StartsWith("--shape-trace: \"/no/such/steps.txt\" cannot be read: No such"));
}

}  // namespace
}  // namespace graphbench::config
