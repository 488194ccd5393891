// What a full disk does, without one: the store can be read and not written.
#include <future>
#include <optional>

#include "tests/unit/harness/service/serve/service_fixture.hpp"
#include "tests/unit/harness/service/serve/unwritable.hpp"

namespace graphbench::serve {
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
  const net::Response events = ask("GET", path_of(sweep) + "/events");
  {
    const Unwritable unwritable(folder_.file("sweeps.sqlite"));
    EXPECT_TRUE(runner_->cancel(id));
    wait_for_trouble();
    const net::Response ready = ask("GET", "/readyz");
    EXPECT_EQ(ready.status, 503u);
    EXPECT_THAT(*ready.body, HasSubstr("the end of a sweep is not stored yet: "));
    const json shown = get(path_of(sweep));
    EXPECT_EQ(shown.at("state"), "running");
    EXPECT_THAT(shown.at("message").get<std::string>(),
                HasSubstr("it has ended (cancelled), and its end is not stored yet: "));
    const net::Response late = ask("DELETE", path_of(sweep));
    EXPECT_EQ(late.status, 409u);
    EXPECT_EQ(json::parse(*late.body).at("error"), shown.at("message"));
    EXPECT_EQ(state(next), "queued");
    EXPECT_TRUE(std::filesystem::exists(document)) << "what is not stored is not removed";
  }
  EXPECT_EQ(wait_for(next, "done"), "done");
  EXPECT_EQ(state(sweep), "cancelled");
  EXPECT_EQ(*ask("GET", path_of(sweep) + "/results").body, "partly\n");
  EXPECT_FALSE(std::filesystem::exists(document));
  EXPECT_EQ(ask("GET", "/readyz").status, 200u);
  EXPECT_THAT(*ask("GET", "/metrics").body, HasSubstr("graphbench_sweeps_total{status=\"cancelled\"} 1\n"));
  std::string told;
  for (auto each = events.stream->take(); each.bytes; each = events.stream->take()) told += *each.bytes;
  EXPECT_THAT(told, HasSubstr("event: done"));
}

TEST_F(StoreTroubleTest, ItIsNotReadyWhereItsStoreCannotBeWritten) {
  const Unwritable unwritable(folder_.file("sweeps.sqlite"));
  const net::Response ready = ask("GET", "/readyz");
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
      const net::Response refused = ask(method, path, "{}", key);
      EXPECT_EQ(refused.status, 503u) << method;
      EXPECT_EQ(refused.content_type, "application/json");
      EXPECT_THAT(json::parse(*refused.body).at("error").get<std::string>(),
                  HasSubstr("nothing was queued or changed, for it cannot be stored: "));
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
  const net::Response listed = ask("GET", "/v1/sweeps");
  EXPECT_EQ(listed.status, 503u);
  EXPECT_THAT(*listed.body, HasSubstr("it cannot be read: "));
  const net::Response metrics = ask("GET", "/metrics");
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
  EXPECT_EQ(*ask("GET", path_of(sweep) + "/results").body, "partly\n");
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
  EXPECT_THAT(said, HasSubstr("copy its results, or resume it"));
  restart();
  EXPECT_EQ(state(sweep), "interrupted");
  EXPECT_TRUE(std::filesystem::exists(folder_.file(id + ".json")));
}

}  // namespace
}  // namespace graphbench::serve
