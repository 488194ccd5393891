// The steps of a trace of shapes, and what is said of lines that cannot be read.
#include "harness/options/shape_trace.hpp"

#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"

namespace graphbench::config {
namespace {

std::string refusal(const std::string& content) {
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
  EXPECT_EQ(refusal("8\neight\n"), "steps.txt:2: \"eight\" is not a batch size: give 1 to 1073741824");
  EXPECT_EQ(refusal("0 128\n"), "steps.txt:1: \"0\" is not a batch size: give 1 to 1073741824");
  EXPECT_EQ(refusal("8 99999999999999999999\n"),
            "steps.txt:1: \"99999999999999999999\" is not a sequence length: give 1 to 1073741824");
  EXPECT_EQ(refusal("8 128 # yes\n8 128 no\n"),
            "steps.txt:2: \"no\" is too much: give a batch size, as 8, or with a sequence length, as 8 128");
  EXPECT_EQ(refusal("8 128\n\n4\n"),
            "steps.txt:3: batch size 4 has no sequence length, unlike line 1: "
            "give it in all lines or none");
  EXPECT_EQ(refusal("# none\n"), "steps.txt:1: no step is in it: give a batch size a line, as 8");
}

TEST(ShapeTrace, HasSoManyStepsAtMost) {
  std::string lines;
  for (int i = 0; i < 4096; ++i) lines += "8\n";
  EXPECT_EQ(refusal(lines), "accepted");
  EXPECT_EQ(refusal(lines + "7\n"),
            "steps.txt:4097: batch size 7 is one step more than 4096: give so many at most");
}

TEST(ShapeTrace, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(test::refusal([] { return read_shape_trace("--shape-trace", "/no/such/steps.txt"); }),
              testing::StartsWith("--shape-trace: \"/no/such/steps.txt\" cannot be read: No such"));
}

}  // namespace
}  // namespace graphbench::config
