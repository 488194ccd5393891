// How much of a body is read, for whom, and how many at once.
#include "harness/service/serve/admission.hpp"

#include <gtest/gtest.h>

namespace graphbench::serve {
namespace {

net::Request head(const std::string& method, const std::string& path, const std::string& token = "") {
  net::Request request;
  request.method = method;
  request.path = path;
  request.headers = {{"host", "localhost"}, {"authorization", "Bearer " + token}};
  return request;
}

TEST(Admission, BodiesAreSmallButForComparisons) {
  const net::Admit admit = make_admission({}, 1'000'000);
  EXPECT_EQ(admit(head("POST", "/v1/sweeps")).body_bytes_max, 64u * 1024);
  EXPECT_EQ(admit(head("GET", "/v1/compare")).body_bytes_max, 64u * 1024);
  EXPECT_EQ(admit(head("POST", "/v1/compare/")).body_bytes_max, 64u * 1024);
  EXPECT_EQ(admit(head("POST", "/v1/compare")).body_bytes_max, 1'000'000u);
}

TEST(Admission, OneComparisonAtATimeIsReadUntilItsRequestIsGone) {
  const net::Admit admit = make_admission({}, 1'000'000);
  net::Admission first = admit(head("POST", "/v1/compare"));
  EXPECT_TRUE(first.wants_body);
  ASSERT_NE(first.hold, nullptr);
  const net::Admission second = admit(head("POST", "/v1/compare"));
  EXPECT_FALSE(second.wants_body);
  EXPECT_EQ(second.hold, nullptr);
  EXPECT_TRUE(admit(head("POST", "/v1/sweeps")).wants_body) << "others do not wait";
  first.hold.reset();
  EXPECT_TRUE(admit(head("POST", "/v1/compare")).wants_body);
}

TEST(Admission, ARefusedRequestSendsNoBody) {
  const net::Admit admit = make_admission({.token = "correct-horse-battery"}, 1'000'000);
  for (const char* path : {"/v1/sweeps", "/v1/sweeps/0123/resume", "/metrics", "/v1/none"}) {
    EXPECT_FALSE(admit(head("POST", path, "wrong-horse-battery")).wants_body) << path;
    EXPECT_TRUE(admit(head("POST", path, "correct-horse-battery")).wants_body) << path;
  }
  net::Request rebound = head("POST", "/v1/sweeps");
  rebound.headers["host"] = "evil.example";
  EXPECT_FALSE(make_admission({}, 1'000'000)(rebound).wants_body);
}

TEST(Admission, WhoMayNotAskTakesNoTurn) {
  const net::Admit admit = make_admission({.token = "correct-horse-battery"}, 1'000'000);
  EXPECT_FALSE(admit(head("POST", "/v1/compare", "wrong-horse-battery")).wants_body);
  EXPECT_TRUE(admit(head("POST", "/v1/compare", "correct-horse-battery")).wants_body);
}

}  // namespace
}  // namespace graphbench::serve
