// Tests how the formats of a comparison escape text from documents, and how they describe changes in words.
#include <gtest/gtest.h>

#include <string>

#include "harness/judge/report/words.hpp"

namespace graphbench::judge {
namespace {

TEST(Printable, KeepsTextOfAnyLanguageAndReplacesWhatIsNoTextOrNotSeen) {
  EXPECT_EQ("größer → 大", reporters::printable("größer → 大"));
  EXPECT_EQ("a b c d e", reporters::printable("a\nb\tc\x1b"
                                              "d\x7f"
                                              "e"));
  EXPECT_EQ("a\uFFFDb", reporters::printable("a\xFF"
                                             "b"))
      << "no UTF-8";
  EXPECT_EQ("cut \uFFFD", reporters::printable("cut \xE2\x82"));
  EXPECT_EQ("a\uFFFDb\\u202ec", reporters::printable("a\xEF\xBF\xBE"
                                                     "b\u202Ec"))
      << "what XML cannot hold";
  EXPECT_EQ("\\u061c\\u200e\\u200b", reporters::printable("\u061C\u200E\u200B"));
  EXPECT_EQ("\\u200b\u2026", reporters::printable("\u200B\u200B\u200B", 2));
  EXPECT_EQ("ää…", reporters::printable("äääää", 3)) << "cut between characters";
  EXPECT_EQ("äää", reporters::printable("äää", 3));
}

TEST(MetricText, NamesNoIntervalWhereThereIsNone) {
  model::MetricComparison metric;
  metric.base_seconds = 112e-6;
  metric.new_seconds = 118e-6;
  metric.ratio = 1.05;
  EXPECT_EQ("latency 112us -> 118us, 1.050x", metric_text(metric));
  metric.ratio_ci95_low = 1.04;
  metric.ratio_ci95_high = 1.06;
  metric.q = 0.012;
  EXPECT_EQ("latency 112us -> 118us, 1.050x [1.040, 1.060], q 0.012", metric_text(metric));
}

TEST(ChoicesText, CountsThemByOpAndSaysBetweenWhichSizes) {
  model::Comparison comparison;
  EXPECT_EQ("", choices_text(comparison));
  for (const char* const key :
       {"matmul rows 8 n 1024 bf16", "matmul rows 1 n 3072 bf16", "sdpa 16x1x64 bf16", "sum of all"})
    comparison.differences.push_back({std::string("library_choices.") + key, "a", "b"});
  comparison.differences.push_back({"device.driver", "a", "b"});
  EXPECT_EQ(
      "differs: 4 library choices (2 of matmul with first dimension 1 to 8, 1 of sdpa with first "
      "dimension 16, 1 of sum); --format json shows all",
      choices_text(comparison));
}

TEST(RatioText, NeverOutgrowsItsColumn) {
  EXPECT_EQ("1.052x", ratio_text(1.052));
  EXPECT_EQ("99.999x", ratio_text(99.999));
  EXPECT_EQ("100x", ratio_text(99.9999));
  EXPECT_EQ("12346x", ratio_text(12345.6));
  EXPECT_EQ("1e+05x", ratio_text(99999.9));
  model::MetricComparison metric;
  metric.ratio_ci95_low = 99.994;
  metric.ratio_ci95_high = 1e200;
  EXPECT_EQ("[99.994, 1e+200]", interval_text(metric));
}

TEST(MarkdownCode, UsesBackticksWhereNothingNeedsEscapingElseATagThatTablesHold) {
  EXPECT_EQ("`mlp/b8/<x> *y* @z`", reporters::as_code("mlp/b8/<x> *y* @z"));
  EXPECT_EQ("(empty)", reporters::as_code(" \n"));
  EXPECT_EQ("<code>a&#124;b</code>", reporters::as_code("a|b"));
  EXPECT_EQ("<code>a&#124;b&#96;&#96;c&#92;</code>", reporters::as_code("a|b``c\\"));
}

TEST(MarkdownProse, MentionsAndLinksNothing) {
  EXPECT_EQ("&#64;&#8203;team &#35;&#8203;12 http&#58;//x www&#46;y",
            reporters::as_prose("@team #12 http://x www.y"));
  EXPECT_EQ("&#60;b&#62;&#42;&#42;x&#42;&#42; &#91;l&#93;(u) &#36;y&#36; 12:30",
            reporters::as_prose("<b>**x** [l](u) $y$ 12:30"));
}

}  // namespace
}  // namespace graphbench::judge
