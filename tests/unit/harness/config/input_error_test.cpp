// Whatever stands in quotes is one line and shows all there is.
#include "harness/model/input_error.hpp"

#include <gtest/gtest.h>

namespace graphbench::config {
namespace {

TEST(InQuotes, KeepsTextOfAnyLanguageAndBytesOfNone) {
  EXPECT_EQ(in_quotes("gr\u00f6\u00dfe \u5927 \\"), "\"gr\u00f6\u00dfe \u5927 \\\"");
  EXPECT_EQ(in_quotes("\xff\xe2\x80"), "\"\xff\xe2\x80\"");
}

TEST(InQuotes, EscapesControls) {
  EXPECT_EQ(in_quotes("a\nb\x1b[31m\x7f\u0085\u2028"), R"("a\x0ab\x1b[31m\x7f\u0085\u2028")");
}

TEST(InQuotes, EscapesWhatTurnsTheDirectionOrIsNotSeen) {
  EXPECT_EQ(in_quotes("a\u202eb\u2066c\u200bd\ufeffe\u00adf"), R"("a\u202eb\u2066c\u200bd\ufeffe\u00adf")");
  EXPECT_EQ(in_quotes("\U000e0041\ufe0f"), R"("\U000e0041\ufe0f")");
}

TEST(HeadOf, CutsBetweenCharacters) {
  EXPECT_EQ(head_of("\u00f6\u00f6\u00f6", 6), "\u00f6\u00f6\u00f6");
  EXPECT_EQ(head_of("\u00f6\u00f6\u00f6", 5), "\u00f6\u00f6");
  EXPECT_EQ(head_of("\u00f6", 1), "");
}

}  // namespace
}  // namespace graphbench::config
