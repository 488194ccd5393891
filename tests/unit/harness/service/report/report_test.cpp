// Tests what a report refuses. tests/integration/report_test.py looks at reports in a browser.
#include "harness/service/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace graphbench::service {
namespace {

constexpr Page page = {"<body><noscript></noscript><!--POLICY--><!--DOCUMENTS-->", "script-src 'self'"};

std::string nested(const std::string& head, const std::string& open, const std::string& close, int levels) {
  std::string text = head;
  for (int i = 0; i < levels; ++i) text += open;
  for (int i = 0; i < levels; ++i) text += close;
  return text + "}";
}

TEST(Report, ADocumentThatIsNestedDeeplyIsRefused) {
  constexpr int levels = 200'000;  // a dump that recurses needs more stack for them than a thread has
  const std::string comparison = R"({"schema":"graphbench.comparison/1","cells":[],"headline":"h","x":)";
  const std::string series =
      R"({"schema":"graphbench.series/1","cell":"c","metric":"latency","points":[],"changes":[],"x":)";
  for (const std::string& head : {comparison, series}) {
    for (const std::string& text :
         {nested(head, "[", "]", levels), nested(head + "1,\"y\":", "{\"a\":", "}", levels)}) {
      EXPECT_THAT(test::refusal([&] {
                    return make_report(page, {{"deep.json", text}});
                  }),
                  testing::StartsWith("deep.json: "));
    }
    EXPECT_EQ(
        test::refusal([&] {
          return make_report(page, {{"deep.json", nested(head, "[", "]", levels)}});
        }),
        "deep.json: the document is nested deeper than 64 levels: give a document that graphbench wrote");
    EXPECT_EQ(test::refusal([&] {
                return make_report(page, {{"flat.json", nested(head, "[", "]", 60)}});
              }),
              "accepted");
  }
}

TEST(Report, ARefusalNamesTheFile) {
  EXPECT_EQ(test::refusal([] {
              return make_report(page, {{"a.json", R"({"new": 1, "new": 2})"}});
            }),
            "a.json: new: the key is given twice: give the key once");
}

TEST(Report, ADocumentThatIsNotWholeIsRefused) {
  const auto why = [](const std::string& text) {
    return test::refusal([&] { return make_report(page, {{"a.json", text}}); });
  };
  const std::string series = R"({"schema":"graphbench.series/1","cell":"c","metric":"latency")";
  const std::string missing = "a.json: not a complete graphbench document: ";
  EXPECT_EQ(why(series + "}"), missing + "it has no \"points\"");
  EXPECT_EQ(why(R"({"schema":"graphbench.comparison/1","headline":"h"})"), missing + "it has no \"cells\"");
  EXPECT_EQ(why(series + R"(,"points":[],"changes":[{"index":0,"ratio":2}]})"),
            missing + "changes[].index is 0, and there are 0 points");
  EXPECT_THAT(why(R"({"schema":"graphbench.comparison/1","cells":[{"id":"c","metrics":[{"metric":"m"}]}]})"),
              testing::StartsWith("a.json: cells[0].metrics[0].metric: \"m\" is not one of latency"));
}

}  // namespace
}  // namespace graphbench::service
