// Tests messages about Prometheus options, the path of a group, and what the gateway's answers become.
#include "harness/service/publish/publish_settings.hpp"

#include <gmock/gmock.h>

#include <mutex>

#include "harness/service/net/http_server.hpp"
#include "harness/service/publish/publisher.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::service {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

options::RawOptions given(const std::vector<std::pair<std::string, std::string>>& values) {
  options::RawOptions raw;
  for (const auto& [name, value] : values) raw[name].push_back({value, "--" + name});
  return raw;
}

std::string refusal(const std::vector<std::pair<std::string, std::string>>& values) {
  return test::refusal([&] { check_publishing(options::check_options(given(values))); });
}

TEST(PublishSettings, NothingGivenIsNothingPublished) {
  const PublishSettings settings = check_publishing(options::check_options({}));
  EXPECT_FALSE(settings.listen);
  EXPECT_FALSE(settings.push);
  EXPECT_EQ(settings.textfile, "");
}

TEST(PublishSettings, AllGivenIsParsed) {
  const PublishSettings settings =
      check_publishing(options::check_options(given({{"prometheus-listen", "127.0.0.1:9464"},
                                                     {"linger", "5"},
                                                     {"prometheus-push", "http://gateway:9091"},
                                                     {"push-grouping", "runner=h200,job=nightly"},
                                                     {"push-delete", "true"}})));
  EXPECT_EQ(settings.listen->port, 9464);
  EXPECT_EQ(settings.linger_seconds, 5);
  EXPECT_EQ(settings.push->host, "gateway");
  EXPECT_EQ(settings.grouping.at("job"), "nightly");
  EXPECT_TRUE(settings.push_delete);
}

TEST(PublishSettings, ABaselineWantsSomewhereToPublish) {
  EXPECT_EQ(refusal({{"baseline", "base.json"}}),
            "--baseline: the option does nothing without --prometheus-listen, --prometheus-textfile or "
            "--prometheus-push: give --prometheus-listen, --prometheus-textfile or --prometheus-push too");
  EXPECT_THAT(refusal({{"baseline", "no/base.json"}, {"prometheus-listen", "127.0.0.1:9464"}}),
              StartsWith("--baseline: no/base.json: the file cannot be read"));
}

TEST(PublishSettings, AnAddressThatIsNoneIsRefused) {
  EXPECT_EQ(refusal({{"prometheus-listen", ":9464"}}),
            "--prometheus-listen: \":9464\" is not ADDR:PORT: give e.g. 127.0.0.1:9464 or [::1]:9464");
}

TEST(PublishSettings, AnAddressThatOthersReachWantsAWord) {
  EXPECT_THAT(refusal({{"prometheus-listen", "0.0.0.0:9464"}}),
              HasSubstr("can be reached from other machines: give 127.0.0.1:9464, or add "
                        "--prometheus-allow-remote if every user of those machines may read"));
  const auto settings = check_publishing(options::check_options(
      given({{"prometheus-listen", "0.0.0.0:9464"}, {"prometheus-allow-remote", "true"}})));
  EXPECT_EQ(settings.listen->host, "0.0.0.0");
}

TEST(PublishSettings, AnUrlThatIsNoneIsRefused) {
  EXPECT_THAT(refusal({{"prometheus-push", "gateway:9091"}}), HasSubstr("give e.g. http://127.0.0.1:9091"));
  const std::string message = refusal({{"prometheus-push", "http://me:secret@gateway"}});
  EXPECT_THAT(message, HasSubstr("GRAPHBENCH_PUSH_AUTHORIZATION"));
  EXPECT_THAT(message, testing::Not(HasSubstr("secret")));
}

TEST(PublishSettings, GroupingKeysThatWillNotDoAreRefused) {
  const auto with = [](const std::string& keys) {
    return refusal({{"prometheus-push", "http://a"}, {"push-grouping", keys}});
  };
  EXPECT_THAT(with("runner"), HasSubstr("is not KEY=VALUE"));
  EXPECT_THAT(with("9=x"), HasSubstr("is not a label's name"));
  EXPECT_THAT(with("__name__=x"), HasSubstr("is not a label's name"));
  EXPECT_THAT(with("batch=x"), HasSubstr("is already a label of the metrics"));
  EXPECT_THAT(with("a=1,a=2"), HasSubstr("is given twice"));
  EXPECT_THAT(with("job="), HasSubstr("job is empty"));
}

TEST(PublishSettings, OptionsThatDoNothingAloneAreRefused) {
  for (const char* name :
       {"linger", "push-grouping", "push-delete", "prometheus-allow-remote", "tls-certificate", "tls-key"}) {
    const std::string value = name == std::string("linger") ? "1" : name[5] == 'g' ? "a=b" : "true";
    EXPECT_THAT(refusal({{name, value}}),
                StartsWith(std::string("--") + name + ": the option does nothing without"));
  }
}

TEST(PublishSettings, AFileThatNoCollectorWouldReadIsRefused) {
  for (const char* path : {"m.txt", "m", "prom", "m.prom.txt", "m.PROM", "-"}) {
    EXPECT_EQ(
        refusal({{"prometheus-textfile", path}}),
        "--prometheus-textfile: \"" + std::string(path) +
            "\" is not a file that the node exporter's textfile collector reads: give a file that ends in "
            ".prom");
  }
}

std::string path(const std::map<std::string, std::string>& grouping) {
  return PushGateway(*parse_url("http://gateway"), "bench", grouping).path();
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

class FakeGateway {
 public:
  explicit FakeGateway(unsigned status)
      : server_({.address = *parse_listen_address("127.0.0.1:0"), .limits = {.body_bytes_max = 1000}},
                [this, status](const Request& request) {
                  const std::scoped_lock lock(mutex_);
                  last_ = request;
                  return text_response(status, "said the gateway\nat length");
                }) {}
  PushGateway client() const {
    return {*parse_url("http://" + server_.address().text() + "/prefix"), "bench", {}};
  }
  Request last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;  // the server's thread writes
  Request last_;
  HttpServer server_;
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
}  // namespace graphbench::service
