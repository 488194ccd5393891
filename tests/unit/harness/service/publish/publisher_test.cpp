// Tests what a scraper, a file's reader and a gateway get from a sweep, and its comparison with a baseline.
#include "harness/service/publish/publisher.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "harness/judge/history/baseline.hpp"
#include "harness/judge/history/store.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/service/net/http_client.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::service {
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
  ClientRequest request;
  request.url = *parse_url(publisher.url());
  const ClientResponse response = send(request);
  EXPECT_EQ(response.status, 200u);
  return response.body;
}

TEST_F(PublisherTest, AScraperAndTheFileSeeACellWhenItsWorkerHasEnded) {
  settings_.listen = parse_listen_address("127.0.0.1:0");
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
    EXPECT_EQ(file().find("graphbench_last_success_timestamp_seconds{device=\"host\"}") != std::string::npos,
              failed == 0)
        << file();
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
  std::ofstream(base) << model::to_json(before);
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
    EXPECT_EQ(file().find("device=\"cuda:0\",metric=\"latency\"} 1\n") != std::string::npos, !interrupted)
        << file();
  }
}

TEST_F(PublisherTest, AnInterruptedSweepPushesNothingAndDeletesNothing) {
  std::mutex mutex;  // the gateway answers on its own thread
  std::vector<std::string> methods;
  const HttpServer gateway(
      {.address = *parse_listen_address("127.0.0.1:0"), .limits = {.body_bytes_max = 100'000}},
      [&](const Request& request) {
        const std::scoped_lock lock(mutex);
        methods.push_back(request.method);
        return text_response(202, "");
      });
  settings_.push = parse_url("http://" + gateway.address().text());
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

class BaselineTest : public testing::Test {
 protected:
  BaselineTest() { write(model::to_json(samples::small_result())); }

  void write(const std::string& text) const { temporary_.write("base.json", text); }

  std::shared_ptr<const Baseline> open() const { return Baseline::open({path_, "", ""}); }

  static std::string refusal(const BaselineOptions& options) {
    return test::refusal([&] { Baseline::open(options); });
  }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  const fs::path path_ = folder_ / "base.json";
};

model::Result slowed(model::Result result) {
  for (model::CellResult& cell : result.cells) {
    for (model::Launch& launch : cell.launches) {
      if (launch.latency_seconds) launch.latency_seconds->p50 *= 2;
    }
  }
  samples::summarize(result);
  return result;
}

TEST_F(BaselineTest, TheFileMayBeWrittenOverByTheSweepThatIsCompared) {
  const std::shared_ptr<const Baseline> baseline = open();
  const std::string document = model::to_json(slowed(samples::small_result()));
  write(document);
  const model::Comparison comparison =
      baseline->compare_with(model::read_result(document, "this sweep"), "this sweep");
  ASSERT_TRUE(comparison.comparable);
  ASSERT_GT(comparison.counts.compared, 0);
  for (const model::CellComparison& cell : comparison.cells) {
    for (const model::MetricComparison& metric : cell.metrics)
      EXPECT_NEAR(metric.ratio, metric.metric == model::Metric::latency ? 2 : 1, 1e-9) << cell.id;
  }
  EXPECT_EQ(baseline->said_of(comparison),
            "compared with the baseline " + path_.string() + ": " + comparison.headline);
}

TEST_F(BaselineTest, AnotherPlanOrDeviceIsNamedAndNothingIsCompared) {
  const std::shared_ptr<const Baseline> baseline = open();
  model::Result other = samples::small_result();
  other.plan.hash = "another";
  other.environment.device.name = "another";
  const model::Comparison comparison = baseline->compare_with(other, "this sweep");
  EXPECT_FALSE(comparison.comparable);
  EXPECT_TRUE(comparison.cells.empty());
  EXPECT_EQ(baseline->said_of(comparison),
            "compared with the baseline " + path_.string() +
                ": not comparable, so no verdict is published: the sides differ in "
                "device.name, plan");
}

TEST_F(BaselineTest, AFileThatWillNotDoIsRefusedByOptionAndName) {
  write("{}");
  EXPECT_THAT(refusal({path_, "", ""}), HasSubstr("--baseline: " + path_.string() + ": "));
  fs::remove(path_);
  EXPECT_THAT(refusal({path_, "", ""}),
              HasSubstr("--baseline: " + path_.string() + ": the file cannot be read"));
}

model::Result measured_on(const std::string& day, const std::string& plan) {
  model::Result result = samples::small_result();
  result.started_at = day + "T00:00:00Z";
  result.plan.hash = plan;
  return result;
}

class HistoryBaselineTest : public BaselineTest {
 protected:
  void add(const model::Result& result, const std::string& label) {
    write(model::to_json(result));
    judge::Store store(file_, judge::Store::Access::create);
    store.add({judge::read_entry(path_, {"", "", label}, {.any = true})});
  }

  const std::string file_ = folder_ / "h.sqlite";
};

TEST_F(HistoryBaselineTest, ASweepIsComparedWithTheLatestThatFitsIt) {
  add(measured_on("2026-01-01", "p"), "accepted");
  const std::shared_ptr<const Baseline> baseline = Baseline::open({"", "accepted", file_});
  const auto ratio_of = [&](const model::Result& now) {
    return baseline->compare_with(now, "now").cells.at(0).metrics.at(0).ratio;
  };
  const model::Result now = measured_on("2026-01-04", "p");
  EXPECT_NEAR(ratio_of(now), 1, 1e-9);
  add(slowed(measured_on("2026-01-02", "p")), "accepted");
  add(measured_on("2026-01-03", "another"), "accepted");
  EXPECT_NEAR(ratio_of(now), 0.5, 1e-9) << "what was accepted since is the baseline, without a new start";
  EXPECT_THAT(baseline->said_of(baseline->compare_with(now, "now")),
              HasSubstr("compared with the baseline accepted from the history: "));
}

TEST_F(HistoryBaselineTest, WhereNothingFitsItSaysWhatThereIs) {
  add(measured_on("2026-01-01", "p"), "accepted");
  const std::shared_ptr<const Baseline> baseline = Baseline::open({"", "accepted", file_});
  const model::Comparison none = baseline->compare_with(measured_on("2026-01-02", "another"), "this sweep");
  EXPECT_FALSE(none.comparable);
  ASSERT_EQ(none.differences.size(), 1u);
  EXPECT_EQ(none.differences.front().field, "history");
  EXPECT_THAT(baseline->said_of(none),
              HasSubstr("none is comparable with \"this sweep\": the latest, entry 1, "
                        "differs in plan"));
}

TEST_F(HistoryBaselineTest, ANameOrAFileThatIsNotThereIsRefused) {
  EXPECT_THAT(refusal({"", "accepted", file_}), HasSubstr(file_));
  add(measured_on("2026-01-01", "p"), "accepted");
  EXPECT_EQ(refusal({"", "main", file_}),
            "--against: no entry of the history has the name \"main\": give one of accepted");
  EXPECT_THAT(refusal({path_, "accepted", file_}), HasSubstr("cannot be combined with --baseline"));
  EXPECT_THAT(refusal({path_, "", file_}), HasSubstr("--history: the option does nothing without --against"));
}

}  // namespace
}  // namespace graphbench::service
