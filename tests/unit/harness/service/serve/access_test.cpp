// Tests who gets an answer, and what the head of a request decides: whether a body is read, and how many
// bytes. Tests the page's answer, with and without a built-in page.
#include "harness/service/serve/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/service/serve/page.hpp"

namespace graphbench::service {
namespace {

constexpr const char* token = "correct-horse-battery";

unsigned status_for(std::map<std::string, std::string> headers, const Access& access = {}) {
  Request request;
  request.method = "GET";
  request.path = "/v1/sweeps";
  request.headers = std::move(headers);
  const std::optional<Response> refused = refusal_of(request, access);
  return refused ? refused->status : 200;
}

TEST(Access, LoopbackIsAnsweredUnderItsNameAndAnyOfItsAddresses) {
  for (const char* host : {"localhost", "LOCALHOST:9464", "LocalHost", "127.0.0.1", "127.0.0.2:9464",
                           "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]:9464"}) {
    EXPECT_EQ(status_for({{"host", host}}), 200u) << host;
  }
  for (const char* host :
       {"", ":", "[", "[]", "::1", "[127.0.0.1]", "127.0.0.1.evil.example", "127.1", "0177.0.0.1", "10.0.0.1",
        "0.0.0.0", "[::]", "localhost.", "localhost.evil.example", "user@127.0.0.1", "127.0.0.1:x",
        "127.0.0.1:1:1", " 127.0.0.1"}) {
    EXPECT_EQ(status_for({{"host", host}}), 421u) << host;
  }
}

TEST(Access, TheSchemeOfATokenHasNoCaseAndTheTokenHas) {
  const Access access{.token = token};
  const std::string given = token;
  for (const std::string& good : {"Bearer " + given, "bearer " + given, "BEARER   " + given}) {
    EXPECT_EQ(status_for({{"authorization", good}}, access), 200u) << good;
  }
  for (const std::string& bad :
       {given, std::string("Bearer"), std::string("Bearer "), "Bearer" + given, "Basic " + given,
        "Bearer X" + given, "Bearer " + given + " ", "Bearer " + given + "2",
        std::string("Bearer Correct-horse-battery"), std::string()}) {
    EXPECT_EQ(status_for({{"authorization", bad}}, access), 401u) << bad;
  }
}

Request head(const std::string& method, const std::string& path, const std::string& token = "") {
  Request request;
  request.method = method;
  request.path = path;
  request.headers = {{"host", "localhost"}, {"authorization", "Bearer " + token}};
  return request;
}

TEST(Admission, BodiesAreSmallButForComparisons) {
  const ComparisonTurn turn;
  const Admit admit = make_admission({}, 1'000'000, turn);
  EXPECT_EQ(admit(head("POST", "/v1/sweeps")).body_bytes_max, 64u * 1024);
  EXPECT_EQ(admit(head("GET", "/v1/compare")).body_bytes_max, 64u * 1024);
  EXPECT_EQ(admit(head("POST", "/v1/compare/")).body_bytes_max, 64u * 1024);
  EXPECT_EQ(admit(head("POST", "/v1/compare")).body_bytes_max, 1'000'000u);
}

TEST(Admission, ABodyIsReadUnlessAComparisonRuns) {
  ComparisonTurn turn;
  const Admit admit = make_admission({}, 1'000'000, turn);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(admit(head("POST", "/v1/compare")).wants_body) << "a head takes no turn";
  }
  std::shared_ptr<void> taken = turn.take();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(turn.take(), nullptr);
  EXPECT_FALSE(admit(head("POST", "/v1/compare")).wants_body);
  EXPECT_TRUE(admit(head("POST", "/v1/sweeps")).wants_body) << "others do not wait";
  taken.reset();
  EXPECT_TRUE(admit(head("POST", "/v1/compare")).wants_body);
}

TEST(Admission, HealthProbesAloneAreVital) {
  const ComparisonTurn turn;
  const Admit admit = make_admission({.token = token}, 1'000'000, turn);
  for (const char* path : {"/healthz", "/readyz"}) EXPECT_TRUE(admit(head("GET", path)).vital) << path;
  for (const char* path : {"/", "/metrics", "/v1/sweeps", "/v1/compare", "/healthz/"})
    EXPECT_FALSE(admit(head("GET", path, token)).vital) << path;
}

TEST(Admission, ARefusedRequestSendsNoBody) {
  const ComparisonTurn turn;
  const Admit admit = make_admission({.token = token}, 1'000'000, turn);
  for (const char* path : {"/v1/sweeps", "/v1/sweeps/0123/resume", "/metrics", "/v1/none", "/v1/compare"}) {
    EXPECT_FALSE(admit(head("POST", path, "wrong-horse-battery")).wants_body) << path;
    EXPECT_TRUE(admit(head("POST", path, "correct-horse-battery")).wants_body) << path;
  }
  Request rebound = head("POST", "/v1/sweeps");
  rebound.headers["host"] = "evil.example";
  EXPECT_FALSE(make_admission({}, 1'000'000, turn)(rebound).wants_body);
}

using testing::HasSubstr;
using testing::Pair;

TEST(PageTest, APageComesWithThePolicyThatItWasBuiltWith) {
  const Response response = page_response({"<!doctype html>", "default-src 'none'"});
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(*response.body, "<!doctype html>");
  EXPECT_THAT(response.headers, testing::Contains(Pair("Content-Security-Policy", "default-src 'none'")));
  EXPECT_THAT(response.headers, testing::Contains(Pair("Referrer-Policy", "no-referrer")));
}

TEST(PageTest, WithoutAPageALineSaysWhatToInstall) {
  const Response response = page_response({});
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
  EXPECT_THAT(built_in_page.html, testing::Not(HasSubstr("<!--S")));  // no placeholder of a part is left
}

}  // namespace
}  // namespace graphbench::service
