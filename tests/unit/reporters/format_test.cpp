// Tests units, digits and widths of the console's numbers.
#include "reporters/format.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace graphbench::reporters {
namespace {

TEST(FormatSeconds, ChoosesTheUnitThatKeepsThreeDigits) {
  EXPECT_EQ(format_seconds(0), "0ns");
  EXPECT_EQ(format_seconds(25e-9), "25ns");
  EXPECT_EQ(format_seconds(2.234e-6), "2.23us");
  EXPECT_EQ(format_seconds(37.14e-6), "37.1us");
  EXPECT_EQ(format_seconds(382.4e-6), "382us");
  EXPECT_EQ(format_seconds(5.7049e-3), "5.70ms");
  EXPECT_EQ(format_seconds(1.5), "1.50s");
  EXPECT_EQ(format_seconds(173.2), "173s");
}

TEST(FormatSeconds, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(format_seconds(999.4e-9), "999ns");
  EXPECT_EQ(format_seconds(999.6e-9), "1.00us");
  EXPECT_EQ(format_seconds(999.6e-6), "1.00ms");
  EXPECT_EQ(format_seconds(999.6e-3), "1.00s");
  EXPECT_EQ(format_seconds(9.996e-6), "10.0us");
  EXPECT_EQ(format_seconds(99.96e-6), "100us");
}

TEST(FormatSeconds, ShowsWhatIsNoNumberAsMissing) {
  EXPECT_EQ(format_seconds(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(format_ratio(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(format_count(std::numeric_limits<double>::infinity()), "-");
}

TEST(FormatRate, ShowsThreeDigits) {
  EXPECT_EQ(format_rate(0.214), "0.214");
  EXPECT_EQ(format_rate(1.4), "1.4");
  EXPECT_EQ(format_rate(12345), "12.3k");
}

TEST(FormatCount, RoundsPartsOfAStepUp) {
  EXPECT_EQ(format_count(0.2), "1");
  EXPECT_EQ(format_count(9999), "9999");
  EXPECT_EQ(format_count(12345), "12.3k");
  EXPECT_EQ(format_count(4.56e6), "4.56M");
  EXPECT_EQ(format_count(2e12), "2e+12");
}

TEST(FormatRatioAndBytes, KeepThreeDigits) {
  EXPECT_EQ(format_bytes(27'400'000), "27.4 MB");
  EXPECT_EQ(format_bytes(141'000'000'000), "141 GB");
  EXPECT_EQ(format_bytes(-230'518'780), "-231 MB");
  EXPECT_EQ(format_ratio(0.854), "0.85x");
  EXPECT_EQ(format_ratio(2.4), "2.40x");
  EXPECT_EQ(format_ratio(12.34), "12.3x");
}

TEST(FormatDuration, IsShortAtEveryLength) {
  EXPECT_EQ(format_duration(0.4), "0s");
  EXPECT_EQ(format_duration(59.6), "1m00s");
  EXPECT_EQ(format_duration(130), "2m10s");
  EXPECT_EQ(format_duration(3900), "1h05m");
}

TEST(Align, FillsAndCutsToTheWidthInCodePoints) {
  EXPECT_EQ(left("ab", 4), "ab  ");
  EXPECT_EQ(right("ab", 4), "  ab");
  EXPECT_EQ(left("abcdef", 4), "abc~");
  EXPECT_EQ(right("abcdef", 4), "abc~");
  EXPECT_EQ(left("abc", 0), "");
  EXPECT_EQ(left("abc", -3), "");
  EXPECT_EQ(left("\u00b5\u00b5", 3), "\u00b5\u00b5 ");
  EXPECT_EQ(left("\u00b5\u00b5\u00b5", 2), "\u00b5~");
}

TEST(Align, TakesEscapesOut) {
  EXPECT_EQ(left("a\033]0;b\a", 8), "a ]0;b  ");
  EXPECT_EQ(right("a\nb", 4), " a b");
}

TEST(CsvField, IsNoFormulaUnlessItIsANumber) {
  EXPECT_EQ(csv_field("mlp"), "mlp");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("=HYPERLINK(\"http://e\",\"x\")"), "\"'=HYPERLINK(\"\"http://e\"\",\"\"x\"\")\"");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("+1+cmd"), "'+1+cmd");
  EXPECT_EQ(csv_field("-1-cmd"), "'-1-cmd");
  EXPECT_EQ(csv_field("-inf"), "'-inf");
  EXPECT_EQ(csv_field("\t=1"), "'\\x09=1");
  EXPECT_EQ(csv_field("a=b"), "a=b");
  for (const char* number : {"-1.5", "-3", "-2.5e-06", "7"}) EXPECT_EQ(csv_field(number), number);
}

TEST(CsvField, IsOneLineWithoutWhatNoOneSees) {
  EXPECT_EQ(csv_field("a\r\nb"), "a\\x0d\\x0ab");
  EXPECT_EQ(csv_field("a,\033[2J\"b\""), "\"a,\\x1b[2J\"\"b\"\"\"");
  EXPECT_EQ(csv_field("a\u202eb\u0085"), "a\\u202eb\\u0085");
}

TEST(Paint, AddsNothingUnlessAsked) {
  EXPECT_EQ(paint("x", Colour::red, false), "x");
  EXPECT_EQ(paint("x", Colour::red, true), "\033[31mx\033[0m");
}

TEST(OneLine, TakesEscapesAndLineBreaksOutAndShowsWhatIsNotSeen) {
  EXPECT_EQ(one_line("a\nb\033[31m"), "a b [31m");
  EXPECT_EQ(one_line("a\u202eb\u2066c\u200bd\u0085e\u2028f"), "a\\u202eb\\u2066c\\u200bd e f");
  EXPECT_EQ(one_line("\u00b5\u2026\u0600\u2070\xe2"), "\u00b5\u2026\u0600\u2070\xe2");
}

}  // namespace
}  // namespace graphbench::reporters
