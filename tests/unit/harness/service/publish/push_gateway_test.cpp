// The path of a group, and what a gateway's answers become.
#include <gmock/gmock.h>

#include <mutex>

#include "harness/service/net/http_server.hpp"
#include "harness/service/publish/publisher.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::publish {
namespace {

using testing::HasSubstr;

std::string path(const std::map<std::string, std::string>& grouping) {
  return PushGateway(*net::parse_url("http://gateway"), "bench", grouping).path();
}

TEST(PushGateway, JobComesFirstAndKeysFollow) {
  EXPECT_EQ(path({}), "/metrics/job/graphbench/instance/bench");
  EXPECT_EQ(path({{"a", "1"}, {"job", "nightly"}, {"instance", "x y"}}),
            "/metrics/job/nightly/a/1/instance/x%20y");
}

TEST(PushGateway, ValuesThatNoPathCanHoldAreBase64) {
  EXPECT_EQ(path({{"branch", "feature/x"}, {"empty", ""}}),
            "/metrics/job/graphbench/branch@base64/ZmVhdHVyZS94/empty@base64/=/instance/bench");
}

// Remembers the last request, answers as told.
class FakeGateway {
 public:
  explicit FakeGateway(unsigned status)
      : server_({.address = *net::parse_listen_address("127.0.0.1:0"), .limits = {.body_bytes_max = 1000}},
                [this, status](const net::Request& request) {
                  const std::scoped_lock lock(mutex_);
                  last_ = request;
                  return net::text_response(status, "said the gateway\nat length");
                }) {}
  PushGateway client() const {
    return {*net::parse_url("http://" + server_.address().text() + "/prefix"), "bench", {}};
  }
  net::Request last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;  // the server's thread writes
  net::Request last_;
  net::HttpServer server_;
};

TEST(PushGateway, ReplacesAndRemovesItsGroup) {
  FakeGateway gateway(202);
  gateway.client().replace("a 1\n");
  EXPECT_EQ(gateway.last().method, "PUT");
  EXPECT_EQ(gateway.last().path, "/prefix/metrics/job/graphbench/instance/bench");
  EXPECT_EQ(gateway.last().body, "a 1\n");
  EXPECT_EQ(gateway.last().header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  gateway.client().remove();
  EXPECT_EQ(gateway.last().method, "DELETE");
  EXPECT_EQ(gateway.last().body, "");
}

TEST(PushGateway, AnAnswerThatIsNoYesIsAnErrorWithTheGatewaysWords) {
  const FakeGateway gateway(400);
  const Error error = test::error_of([&] { gateway.client().replace("a 1\n"); });
  EXPECT_THAT(error.what(), HasSubstr("the gateway answered 400: said the gateway"));
  EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace graphbench::publish
