// Tests the effects of a full disk without filling one: the store can be read but not written. Tests what
// /metrics shows when a service starts: the last sweep that is done.
#include <gmock/gmock.h>

#include <future>
#include <optional>

#include "harness/model/codec/documents.hpp"
#include "harness/service/serve/sweep_publisher.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/service/serve/service_fixture.hpp"
#include "tests/unit/harness/service/serve/unwritable.hpp"

namespace graphbench::service {
namespace {

class StoreTroubleTest : public ServiceApiTest {
 protected:
  std::string database() const { return folder_.file("sweeps.sqlite"); }
  void wait_for_trouble() const {
    EXPECT_TRUE(test::eventually([&] { return !runner_->trouble().empty(); }));
  }
};

TEST_F(StoreTroubleTest, AnEndThatCannotBeStoredIsStoredOnceItCanBe) {
  const json sweep = running_sweep();
  const std::string id = sweep.at("id").get<std::string>();
  const std::string document = folder_.file(id + ".json");
  const json next = submit("{}");
  const Response events = ask("GET", path_of(sweep) + "/events");
  {
    const Unwritable unwritable(folder_.file("sweeps.sqlite"));
    EXPECT_TRUE(runner_->cancel(id));
    wait_for_trouble();
    const Response ready = ask("GET", "/readyz");
    EXPECT_EQ(ready.status, 503u);
    EXPECT_THAT(*ready.body, HasSubstr("the end of a sweep is not stored yet: "));
    const json shown = get(path_of(sweep));
    EXPECT_EQ(shown.at("state"), "running");
    EXPECT_THAT(shown.at("message").get<std::string>(),
                HasSubstr("the sweep has ended (cancelled), but its end is not stored yet: "));
    const Response late = ask("DELETE", path_of(sweep));
    EXPECT_EQ(late.status, 409u);
    EXPECT_EQ(json::parse(*late.body).at("error"), shown.at("message"));
    EXPECT_EQ(state(next), "queued");
    EXPECT_TRUE(std::filesystem::exists(document)) << "what is not stored is not removed";
  }
  EXPECT_EQ(wait_for(next, "done"), "done");
  EXPECT_EQ(state(sweep), "cancelled");
  EXPECT_EQ(*ask("GET", path_of(sweep) + "/results").body, partly);
  EXPECT_FALSE(std::filesystem::exists(document));
  EXPECT_EQ(ask("GET", "/readyz").status, 200u);
  EXPECT_THAT(*ask("GET", "/metrics").body, HasSubstr("graphbench_sweeps_total{status=\"cancelled\"} 1\n"));
  std::string told;
  for (auto each = events.stream->take(); each.bytes; each = events.stream->take()) told += *each.bytes;
  EXPECT_THAT(told, HasSubstr("event: done"));
}

TEST_F(StoreTroubleTest, ItIsNotReadyWhereItsStoreCannotBeWritten) {
  const Unwritable unwritable(folder_.file("sweeps.sqlite"));
  const Response ready = ask("GET", "/readyz");
  EXPECT_EQ(ready.status, 503u);
  EXPECT_THAT(*ready.body, HasSubstr("locked"));
}

TEST_F(StoreTroubleTest, WhatCannotBeStoredIsNotAccepted) {
  const std::map<std::string, std::string> key = {{"idempotency-key", "once"}};
  const json waiting = running_sweep();
  const json queued = submit("{}");
  {
    const Unwritable unwritable(database());
    const std::vector<std::pair<std::string, std::string>> changes = {{"POST", "/v1/sweeps"},
                                                                      {"DELETE", path_of(queued)}};
    for (const auto& [method, path] : changes) {
      const Response refused = ask(method, path, "{}", key);
      EXPECT_EQ(refused.status, 503u) << method;
      EXPECT_EQ(refused.content_type, "application/json");
      EXPECT_THAT(json::parse(*refused.body).at("error").get<std::string>(),
                  HasSubstr("nothing was queued or changed, because the change cannot be stored: "));
      ASSERT_EQ(refused.headers.size(), 1u);
      EXPECT_EQ(refused.headers[0].first, "Retry-After");
    }
    EXPECT_EQ(store_->list(9, {}).size(), 2u);
    EXPECT_EQ(ask("DELETE", path_of(waiting)).status, 202u) << "stopping a sweep stores nothing";
    EXPECT_EQ(ask("DELETE", "/v1/sweeps/missing").status, 404u);
    EXPECT_EQ(ask("POST", path_of(queued) + "/resume").status, 409u);
  }
  EXPECT_EQ(ask("POST", "/v1/sweeps", "{}", key).status, 202u);
  EXPECT_EQ(wait_for(queued, "done"), "done");
}

TEST_F(StoreTroubleTest, WhatCannotBeReadCostsNoMetricsButItsOwn) {
  EXPECT_THAT(*ask("GET", "/metrics").body, HasSubstr("\ngraphbench_queue_sweeps 0\n"));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "DROP TABLE sweeps", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  const Response listed = ask("GET", "/v1/sweeps");
  EXPECT_EQ(listed.status, 503u);
  EXPECT_THAT(*listed.body, HasSubstr("the stored data cannot be read: "));
  const Response metrics = ask("GET", "/metrics");
  EXPECT_EQ(metrics.status, 200u);
  EXPECT_THAT(*metrics.body, testing::Not(HasSubstr("graphbench_queue_sweeps ")));
  EXPECT_THAT(*metrics.body, HasSubstr(R"(graphbench_http_requests_total{code="503",route="/v1/sweeps"} 1)"));
}

TEST_F(StoreTroubleTest, AStopStoresTheEndWhereThatIsPossibleWithinTheGrace) {
  const json sweep = running_sweep();
  std::optional<Unwritable> unwritable(database());
  EXPECT_EQ(ask("DELETE", path_of(sweep)).status, 202u);
  wait_for_trouble();
  auto stopped = std::async(std::launch::async, [this] { runner_.reset(); });
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  unwritable.reset();
  stopped.get();
  restart();
  EXPECT_EQ(state(sweep), "cancelled");
  EXPECT_EQ(*ask("GET", path_of(sweep) + "/results").body, partly);
}

TEST_F(StoreTroubleTest, WhatIsNotStoredByThenIsSaidWithWhereItIs) {
  grace_ = std::chrono::milliseconds(50);
  restart();
  const json sweep = running_sweep();
  const std::string id = sweep.at("id").get<std::string>();
  testing::internal::CaptureStderr();
  {
    const Unwritable unwritable(database());
    EXPECT_EQ(ask("DELETE", path_of(sweep)).status, 202u);
    wait_for_trouble();
    runner_.reset();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("the end of sweep " + id + " (cancelled) could not be stored: "));
  EXPECT_THAT(said, HasSubstr("its results are in " + folder_.file(id + ".json")));
  EXPECT_THAT(said, HasSubstr("copy the results, or resume the sweep"));
  restart();
  EXPECT_EQ(state(sweep), "interrupted");
  EXPECT_TRUE(std::filesystem::exists(folder_.file(id + ".json")));
}

using testing::HasSubstr;
using testing::Not;

model::CellResult cell(std::int64_t batch, double latency_seconds) {
  model::CellResult result{};
  result.cell = {"mlp", "tiny", "fp32", "forward", batch, 0, "whole"};
  result.status = model::CellStatus::ok;
  result.summary.latency_seconds.emplace().p50 = latency_seconds;
  result.launches.emplace_back().latency_samples = {0.25};
  return result;
}

class SweepPublisherTest : public testing::Test {
 protected:
  // Stores a sweep as a runner does; `at` is the time at which it ended.
  std::string run(const std::string& device, const std::vector<model::CellResult>& cells, SweepState state,
                  const std::string& at = "1970-01-01T00:01:40Z", int exit_code = 0) {
    const std::string id = store_->add({{}, {"--seed=1"}}, "", 9).sweep.id;
    store_->take();
    store_->begin(id, encode_sweep_event(SweepBegan{device, {}, {}}));
    for (const model::CellResult& each : cells) {
      store_->add_cells(id, {{model::id_of(each.cell), model::to_json(each)}});
    }
    store_->end(id, {state, exit_code, "", "{}", at});
    return id;
  }

  // The metrics of a service that starts now.
  std::string metrics(std::size_t cells_max = 100) {
    store_ = nullptr;
    store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
    sweep::SweepMetrics metrics("1.2.3", cells_max);
    const SweepPublisher publisher(metrics, nullptr, *store_);
    return *metrics.text();
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<SweepStore> store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
};

TEST_F(SweepPublisherTest, ARestartShowsTheNewestValuesOfEachCellOfSweepsThatAreDone) {
  run("host", {cell(1, 0.25), cell(16, 0.5)}, SweepState::done, "1970-01-01T00:00:40Z");
  run("cuda:0", {cell(2, 0.5)}, SweepState::done, "1970-01-01T00:00:50Z");
  run("host", {cell(1, 0.75)}, SweepState::done, "1970-01-01T00:03:20Z");
  run("host", {cell(4, 0.5)}, SweepState::cancelled);
  run("host", {cell(8, 0.5)}, SweepState::interrupted);
  const std::string text = metrics();
  const std::string of_cell =
      R"(graphbench_latency_seconds{workload="mlp",preset="tiny",dtype="fp32",pass="forward",)";
  EXPECT_THAT(text,
              HasSubstr(of_cell + R"(batch="1",warmup="0",mode="whole",device="host",quantile="0.5"} 0.75)"));
  EXPECT_THAT(text, HasSubstr("graphbench_ramp_seconds{"));
  EXPECT_THAT(text, Not(HasSubstr("quantile=\"0.5\"} 0.25"))) << "measured again later";
  for (const char* earlier : {R"(batch="2",warmup="0",mode="whole",device="cuda:0",)",
                              R"(batch="16",warmup="0",mode="whole",device="host",)"})
    EXPECT_THAT(text, HasSubstr(of_cell + earlier));
  for (const char* other : {"batch=\"4\"", "batch=\"8\""})
    EXPECT_THAT(text, Not(HasSubstr(other))) << "of a sweep that is not complete";
  EXPECT_THAT(text, HasSubstr("graphbench_last_success_timestamp_seconds{device=\"cuda:0\"} 50\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_last_success_timestamp_seconds{device=\"host\"} 200\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_sweep_progress_ratio{device=\"host\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_sweep_running{device=\"host\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("graphbench_cells_total{status=\"ok\"} 0\n")) << "they were counted then";
  EXPECT_THAT(text, HasSubstr("graphbench_steps_total 0\n"));
}

TEST_F(SweepPublisherTest, ASweepWithFailedCellsIsShownAndIsNoSuccess) {
  run("host", {cell(1, 0.5)}, SweepState::done);
  run("host", {cell(1, 0.75)}, SweepState::done, "1970-01-01T00:03:20Z", 3);
  const std::string text = metrics();
  EXPECT_THAT(text, HasSubstr("quantile=\"0.5\"} 0.75"));
  EXPECT_THAT(text, Not(HasSubstr("graphbench_last_success_timestamp_seconds{")));
}

TEST_F(SweepPublisherTest, ARestartShowsNoMoreCellsThanItMay) {
  run("host", {cell(1, 0.25)}, SweepState::done);
  run("host", {cell(2, 0.25), cell(4, 0.25)}, SweepState::done);
  run("host", {cell(8, 0.25)}, SweepState::done);
  testing::internal::CaptureStderr();
  const std::string text = metrics(2);
  for (const char* kept : {"batch=\"4\"", "batch=\"8\""}) EXPECT_THAT(text, HasSubstr(kept));
  for (const char* other : {"batch=\"1\"", "batch=\"2\""}) EXPECT_THAT(text, Not(HasSubstr(other)));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("/metrics shows the 2 cells that were measured last: 1 others have fallen out"));
}

TEST_F(SweepPublisherTest, AnEventThatCannotBeReadIsAWarning) {
  const std::string id = run("host", {cell(1, 0.5)}, SweepState::done);
  store_->begin(id, "not an event");
  testing::internal::CaptureStderr();
  const std::string text = metrics();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("/metrics starts without sweep " + id));
  EXPECT_THAT(text, Not(HasSubstr("device=\"host\"")));
}

}  // namespace
}  // namespace graphbench::service
