// The page's answer, with a page built in and without one, whatever this build has.
#include "harness/service/serve/page.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace graphbench::serve {
namespace {

using testing::HasSubstr;
using testing::Pair;

TEST(PageTest, APageComesWithThePolicyThatItWasBuiltWith) {
  const net::Response response = page_response({"<!doctype html>", "default-src 'none'"});
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(*response.body, "<!doctype html>");
  EXPECT_THAT(response.headers, testing::Contains(Pair("Content-Security-Policy", "default-src 'none'")));
  EXPECT_THAT(response.headers, testing::Contains(Pair("Referrer-Policy", "no-referrer")));
}

TEST(PageTest, WithoutAPageALineSaysWhatToInstall) {
  const net::Response response = page_response({});
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
  EXPECT_THAT(*response.body, HasSubstr("was not built into this binary"));
  EXPECT_THAT(*response.body, HasSubstr("nodejs"));
  EXPECT_THAT(*response.body, HasSubstr("GRAPHBENCH_PAGE=ON"));
  EXPECT_EQ(std::ranges::count(*response.body, '\n'), 1);
}

TEST(PageTest, ThePageThatIsBuiltInNeedsNothingFromElsewhere) {
  if (built_in_page.html.empty()) GTEST_SKIP() << "this build has no page: node or npm is missing, or failed";
  EXPECT_THAT(built_in_page.policy, HasSubstr("default-src 'none'; script-src 'sha256-"));
  for (const char* part :
       {"connect-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"}) {
    EXPECT_THAT(built_in_page.policy, HasSubstr(part));
  }
  for (const char* loophole : {"unsafe", "http:", "https:", "*"})
    EXPECT_THAT(built_in_page.policy, testing::Not(HasSubstr(loophole)));
  EXPECT_THAT(built_in_page.html, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(built_in_page.html, testing::Not(HasSubstr("<!--S")));  // every part is in its place
}

}  // namespace
}  // namespace graphbench::serve
