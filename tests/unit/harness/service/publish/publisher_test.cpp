// From a sweep's events to what a scraper, a file's reader and a gateway see.
#include "harness/service/publish/publisher.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "harness/model/codec/documents.hpp"
#include "harness/service/net/http_client.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::publish {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

model::CellResult cell(std::int64_t batch) {
  model::CellResult result{};
  result.cell = {"mlp", "tiny", "fp32", "forward", batch, 0, "eager"};
  result.status = model::CellStatus::ok;
  result.summary.latency_seconds.emplace().p50 = 1e-6;
  result.launches.emplace_back();
  return result;
}

sweep::SweepOutcome outcome(bool interrupted = false) {
  sweep::SweepOutcome ended;
  ended.interrupted = interrupted;
  ended.result.environment.hostname = "bench";
  return ended;
}

class PublisherTest : public testing::Test {
 protected:
  PublisherTest() { settings_.textfile = folder_ / "m.prom"; }

  std::string file() const { return test::read_file(settings_.textfile); }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  PublishSettings settings_;
};

std::string scrape(const Publisher& publisher) {
  net::ClientRequest request;
  request.url = *net::parse_url(publisher.url());
  const net::ClientResponse response = net::send(request);
  EXPECT_EQ(response.status, 200u);
  return response.body;
}

TEST_F(PublisherTest, AScraperAndTheFileSeeACellWhenItsWorkerHasEnded) {
  settings_.listen = net::parse_listen_address("127.0.0.1:0");
  Publisher publisher(settings_, "1.2.3");
  publisher.begin("host", {}, {});
  EXPECT_THAT(scrape(publisher), Not(HasSubstr("batch=")));
  publisher.cells_done({cell(1)});
  EXPECT_THAT(scrape(publisher), HasSubstr("batch=\"1\""));
  EXPECT_EQ(scrape(publisher), file());
}

TEST_F(PublisherTest, ASuccessIsStampedAndAFailureIsNot) {
  for (const std::int64_t failed : {1, 0}) {
    Publisher publisher(settings_, "1.2.3");
    publisher.begin("host", {}, {});
    sweep::SweepOutcome ended = outcome();
    ended.cells_failed = failed;
    EXPECT_TRUE(publisher.finish(ended).empty());
    const auto stamp = HasSubstr("graphbench_last_success_timestamp_seconds{device=\"host\"}");
    if (failed > 0) {
      EXPECT_THAT(file(), Not(stamp));
    } else {
      EXPECT_THAT(file(), stamp);
    }
  }
}

TEST_F(PublisherTest, AFileThatCannotBeWrittenAtTheEndIsAFailure) {
  Publisher publisher(settings_, "1.2.3");
  publisher.begin("host", {}, {});
  fs::remove_all(folder_);
  publisher.cells_done({cell(1)});
  const std::vector<PublishFailure> failures = publisher.finish(outcome());
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].option, "prometheus-textfile");
  EXPECT_THAT(failures[0].message, HasSubstr("m.prom"));
}

TEST_F(PublisherTest, ASweepThatEndedIsComparedWithTheBaselineAndAnInterruptedOneIsNot) {
  const fs::path base = folder_ / "base.json";
  const model::Result before = samples::small_result();
  std::ofstream(base) << codec::to_json(before);
  settings_.baseline = Baseline::open({base, "", ""});
  for (const bool interrupted : {true, false}) {
    Publisher publisher(settings_, "1.2.3");
    publisher.begin("cuda:0", {}, {});
    publisher.cells_done(before.cells);
    sweep::SweepOutcome ended = outcome(interrupted);
    ended.result = before;
    EXPECT_TRUE(publisher.finish(ended).empty());
    EXPECT_EQ(publisher.comparison().has_value(), !interrupted);
    EXPECT_EQ(publisher.said().empty(), interrupted);
    const auto change = HasSubstr("device=\"cuda:0\",metric=\"latency\"} 1\n");
    if (interrupted) {
      EXPECT_THAT(file(), Not(change));
    } else {
      EXPECT_THAT(file(), change);
    }
  }
}

TEST_F(PublisherTest, AnInterruptedSweepPushesNothingAndDeletesNothing) {
  std::mutex mutex;  // the gateway answers on a thread of its own
  std::vector<std::string> methods;
  const net::HttpServer gateway(
      {.address = *net::parse_listen_address("127.0.0.1:0"), .limits = {.body_bytes_max = 100'000}},
      [&](const net::Request& request) {
        const std::scoped_lock lock(mutex);
        methods.push_back(request.method);
        return net::text_response(202, "");
      });
  settings_.push = net::parse_url("http://" + gateway.address().text());
  settings_.push_delete = true;
  for (const bool interrupted : {true, false}) {
    Publisher publisher(settings_, "1.2.3");
    publisher.begin("host", {}, {});
    EXPECT_TRUE(publisher.finish(outcome(interrupted)).empty());
    EXPECT_TRUE(publisher.leave().empty());
    const std::scoped_lock lock(mutex);
    EXPECT_EQ(methods,
              interrupted ? std::vector<std::string>() : std::vector<std::string>({"PUT", "DELETE"}));
  }
}

}  // namespace
}  // namespace graphbench::publish
