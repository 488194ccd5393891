// Tests every answer of the API, with a store, a runner and sweeps that are shell scripts.
#include <fstream>
#include <set>

#include "harness/model/codec/documents.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/service/serve/page.hpp"
#include "harness/service/serve/service.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/unit/harness/service/serve/service_fixture.hpp"

namespace graphbench::service {
namespace {

TEST_F(ServiceApiTest, ASweepIsAcceptedRunAndServed) {
  const Response accepted = ask("POST", "/v1/sweeps", R"({"batch": 8})");
  EXPECT_EQ(accepted.status, 202u);
  const json sweep = json::parse(*accepted.body);
  ASSERT_EQ(accepted.headers.size(), 1u);
  EXPECT_EQ(accepted.headers[0].first, "Location");
  EXPECT_EQ(accepted.headers[0].second, path_of(sweep));
  EXPECT_EQ(wait_for(sweep, "done"), "done");
  const Response results = ask("GET", path_of(sweep) + "/results");
  EXPECT_EQ(results.status, 200u);
  EXPECT_EQ(*results.body, "{\"whole\":1}\n");
  EXPECT_EQ(get("/v1/sweeps").at("sweeps").size(), 1u);
}

TEST_F(ServiceApiTest, TheListComesInPagesThatNothingMoves) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.insert(ids.begin(), store_->add({{}, {"--batch=" + std::to_string(i)}}, "", 100).sweep.id);
  }
  const auto page = [this](const std::string& query) { return get("/v1/sweeps?" + query); };
  std::vector<std::string> seen;
  json next = "?limit=2";
  while (!next.is_null()) {
    const std::string target = next.get<std::string>();
    const json found = page(target.substr(target.find('?') + 1));
    EXPECT_LE(found.at("sweeps").size(), 2u);
    for (const json& sweep : found.at("sweeps")) seen.push_back(sweep.at("id").get<std::string>());
    next = found.at("next");
    store_->add({{}, {"--batch=9"}}, "", 100);  // a sweep added meanwhile is on no later page
  }
  EXPECT_EQ(seen, ids);
  EXPECT_EQ(page("limit=2&after=" + ids[2]).at("sweeps")[0].at("id"), ids[3]);
  EXPECT_EQ(page("limit=2&after=" + ids[2]).at("next"), nullptr) << "the last page is just full";
  for (const char* query : {"limit=0", "limit=1001", "limit=x", "limit=", "limit=1&limit=1", "limit",
                            "after=", "after=missing", "before=1", "limit=%31"}) {
    const Response refused = ask("GET", std::string("/v1/sweeps?") + query);
    EXPECT_EQ(refused.status, 400u) << query;
    EXPECT_THAT(*refused.body, HasSubstr("error")) << query;
  }
}

TEST_F(ServiceApiTest, WithoutALimitAPageIsAHundred) {
  for (int i = 0; i < 101; ++i) store_->add({{}, {"--batch=" + std::to_string(i)}}, "", 1000);
  const json first = get("/v1/sweeps");
  EXPECT_EQ(first.at("sweeps").size(), 100u);
  EXPECT_THAT(first.at("next").get<std::string>(), testing::StartsWith("/v1/sweeps?limit=100&after="));
}

TEST_F(ServiceApiTest, ACrashCostsThatSweepAlone) {
  const json crashed = submit(R"({"seed": 2})");
  EXPECT_EQ(wait_for(submit("{}"), "done"), "done");
  EXPECT_EQ(state(crashed), "failed");
  EXPECT_THAT(*ask("GET", path_of(crashed)).body, HasSubstr("SIGSEGV"));
  EXPECT_EQ(ask("GET", path_of(crashed) + "/results").status, 404u);
  EXPECT_FALSE(get(path_of(crashed)).at("has_results").get<bool>());
}

TEST_F(ServiceApiTest, WhatAFailedSweepHasFinishedIsKeptAndItIsResumed) {
  for (const char* request : {R"({"seed": 2})", R"({"seed": 3})"}) {
    const json sweep = submit(request);
    EXPECT_EQ(wait_for(sweep, "failed"), "failed");
    const json failed = get(path_of(sweep));
    EXPECT_TRUE(failed.at("resumable").get<bool>()) << request;
    EXPECT_NE(failed.at("message"), nullptr) << "why it failed";
    EXPECT_TRUE(std::filesystem::exists(journal_of(sweep))) << request;
    EXPECT_EQ(ask("POST", path_of(sweep) + "/resume").status, 202u) << request;
    EXPECT_EQ(wait_for(submit("{}"), "done"), "done");
  }
}

TEST_F(ServiceApiTest, AJournalGoesOnceItsSweepIsDoneOrCancelled) {
  const json done = submit("{}");
  const json cancelled = running_sweep();
  EXPECT_FALSE(std::filesystem::exists(journal_of(done)));
  EXPECT_TRUE(std::filesystem::exists(journal_of(cancelled)));
  ask("DELETE", path_of(cancelled));
  EXPECT_EQ(wait_for(submit("{}"), "done"), "done");
  EXPECT_FALSE(std::filesystem::exists(journal_of(cancelled)));
}

TEST_F(ServiceApiTest, ACompleteDocumentThatNobodyStoredIsStoredAtTheNextStart) {
  const json sweep = running_sweep();
  const std::string id = sweep.at("id").get<std::string>();
  restart();
  model::Result result = samples::small_result();  // with one failed cell
  result.plan.argv = {"graphbench", "--sweep", "--seed=1"};
  for (const bool complete : {false, true}) {
    result.complete = complete;
    const std::string document = folder_.write(id + ".json", model::to_json(result));
    restart();
    EXPECT_EQ(state(sweep), complete ? "done" : "interrupted");
    EXPECT_EQ(std::filesystem::exists(document), !complete);
  }
  EXPECT_EQ(*ask("GET", path_of(sweep) + "/results").body, model::to_json(result));
  const json ended = get(path_of(sweep));
  EXPECT_EQ(ended.at("exit_code"), model::exit_cells_failed);
  EXPECT_EQ(ended.at("finished_at"), result.finished_at);
  const json cells = get(path_of(sweep) + "/cells").at("cells");
  EXPECT_EQ(cells, json::parse(model::to_json(result)).at("cells"));
  EXPECT_FALSE(std::filesystem::exists(journal_of(sweep)));
}

TEST_F(ServiceApiTest, ADocumentOfAnotherPlanIsNotStoredAndLeftWhereItIs) {
  const json sweep = running_sweep();
  const std::string id = sweep.at("id").get<std::string>();
  restart();
  const std::string document = folder_.file(id + ".json");
  store_->begin(id, encode_sweep_event(SweepBegan{"host", {}, {}, "its hash"}));
  model::Result result = samples::small_result();
  const std::vector<std::string> own = {"graphbench", "--sweep", "--seed=1"};
  const std::vector<std::string> other = {"graphbench", "--sweep", "--seed=2"};
  for (const auto& [hash, argv] : {std::pair("its hash", other), {"another hash", own}, {"its hash", own}}) {
    result.plan.hash = hash;
    result.plan.argv = argv;
    folder_.write(id + ".json", model::to_json(result));
    testing::internal::CaptureStderr();
    restart();
    const std::string said = testing::internal::GetCapturedStderr();
    const bool is_own = hash == std::string("its hash") && argv == own;
    EXPECT_EQ(state(sweep), is_own ? "done" : "interrupted") << hash;
    EXPECT_EQ(std::filesystem::exists(document), !is_own) << hash;
    if (is_own) continue;
    EXPECT_THAT(said, HasSubstr("'" + document + "' is not the result of sweep " + id + ": its plan "));
    EXPECT_THAT(said, HasSubstr("move the file away, or resume the sweep"));
  }
}

TEST_F(ServiceApiTest, ADamagedStoredDocumentIsTheServicesFaultWhereverItIsAnswered) {
  const json sweep = submit("{}");
  const std::string id = sweep.at("id").get<std::string>();
  wait_for(sweep, "done");
  const std::string good = model::to_json(samples::small_result());
  const auto status_of = [&](const std::string& what) { return ask("GET", path_of(sweep) + what).status; };
  const auto compared = [&](const std::string& base, const std::string& now) {
    return ask("POST", "/v1/compare", R"({"base": )" + base + R"(, "new": )" + now + "}");
  };
  // The second one is JSON and no result, so it is handed out as it is.
  for (const std::string& damaged : {good.substr(0, good.size() / 2), std::string("{}")}) {
    store_->end(id, {SweepState::done, 0, "", damaged});
    testing::internal::CaptureStderr();
    EXPECT_EQ(status_of("/results"), damaged == "{}" ? 200u : 500u);
    if (!built_in_page.html.empty()) {
      EXPECT_EQ(status_of("/report"), 500u);
    }
    for (const Response& answer : {compared("\"" + id + "\"", good), compared(good, "\"" + id + "\"")}) {
      EXPECT_EQ(answer.status, 500u);
      EXPECT_THAT(*answer.body, HasSubstr("the stored document of sweep " + id + " cannot be used: results"));
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("warning: the stored document of sweep " + id));
    EXPECT_EQ(compared(damaged, good).status, 400u) << "a client's own";
  }
  EXPECT_EQ(status_of("/cells"), 200u);
  store_->add_cells(id, {{"one", "{\"cut"}});
  for (const char* what : {"/cells", "/events"}) EXPECT_EQ(status_of(what), 500u) << what;
}

TEST_F(ServiceApiTest, DeleteCancelsWhatIsQueuedAndStopsWhatRuns) {
  const json running = submit(R"({"seed": 1})");
  const json queued = submit("{}");
  wait_until_it_waits(running);
  EXPECT_EQ(ask("GET", path_of(running) + "/results").status, 409u);
  EXPECT_EQ(ask("DELETE", path_of(queued)).status, 200u);
  EXPECT_EQ(state(queued), "cancelled");
  EXPECT_EQ(ask("DELETE", path_of(running)).status, 202u);
  EXPECT_EQ(wait_for(running, "cancelled"), "cancelled");
  EXPECT_EQ(*ask("GET", path_of(running) + "/results").body, partly) << "the measurements are kept";
  EXPECT_EQ(ask("DELETE", path_of(running)).status, 409u);
  EXPECT_EQ(ask("DELETE", "/v1/sweeps/0123").status, 404u);
}

TEST_F(ServiceApiTest, AFullQueueSaysWhenToComeBack) {
  wait_for(submit(R"({"seed": 1})"), "running");
  submit("{}");
  submit("{}");
  const Response full = ask("POST", "/v1/sweeps", "{}");
  EXPECT_EQ(full.status, 429u);
  ASSERT_EQ(full.headers.size(), 1u);
  EXPECT_EQ(full.headers[0].first, "Retry-After");
}

TEST_F(ServiceApiTest, AKeyMakesAcceptingHappenOnce) {
  const json first = submit(R"({"batch": 8})", "key");
  EXPECT_EQ(submit(R"({"batch": 8})", "key").at("id"), first.at("id"));
  EXPECT_EQ(ask("POST", "/v1/sweeps", R"({"batch": 9})", {{"idempotency-key", "key"}}).status, 422u);
  EXPECT_EQ(ask("POST", "/v1/sweeps", "{}", {{"idempotency-key", std::string(256, 'k')}}).status, 400u);
}

TEST_F(ServiceApiTest, StoppingKeepsTheRunningSweepAsInterruptedAndTheQueueQueued) {
  const json running = running_sweep();
  const json queued = submit("{}");
  restart();
  EXPECT_EQ(state(running), "interrupted");
  EXPECT_EQ(*ask("GET", path_of(running) + "/results").body, partly);
  EXPECT_EQ(wait_for(queued, "done"), "done") << "the next process runs what was queued";
}

TEST_F(ServiceApiTest, AnInterruptedSweepIsResumedUnderItsName) {
  const json running = running_sweep();
  EXPECT_EQ(ask("POST", path_of(running) + "/resume").status, 409u);
  std::filesystem::remove(file_of(running, ".json.ready"));
  restart();
  EXPECT_TRUE(get(path_of(running)).at("resumable").get<bool>());
  EXPECT_EQ(ask("POST", path_of(running) + "/resume").status, 202u);
  wait_until_it_waits(running);
  EXPECT_EQ(ask("DELETE", path_of(running)).status, 202u);
  EXPECT_EQ(wait_for(running, "cancelled"), "cancelled");
  EXPECT_EQ(ask("POST", "/v1/sweeps/missing/resume").status, 404u);
}

TEST_F(ServiceApiTest, AResumedSweepShowsNoEarlierDocument) {
  const json sweep = running_sweep();
  std::filesystem::remove(file_of(sweep, ".json.ready"));
  restart();
  const Response earlier = ask("GET", path_of(sweep) + "/results");  // still being sent at the resume
  EXPECT_EQ(*earlier.body, partly);
  EXPECT_TRUE(get(path_of(sweep)).at("has_results").get<bool>());
  std::ofstream(file_of(sweep, ".json")) << "left by a service that was killed";
  EXPECT_EQ(ask("POST", path_of(sweep) + "/resume").status, 202u);
  wait_until_it_waits(sweep);
  EXPECT_EQ(ask("GET", path_of(sweep) + "/results").status, 409u);
  EXPECT_FALSE(get(path_of(sweep)).at("has_results").get<bool>()) << "the document of the earlier run";
  EXPECT_FALSE(std::filesystem::exists(file_of(sweep, ".json")));
  EXPECT_EQ(ask("DELETE", path_of(sweep)).status, 202u);
  EXPECT_EQ(wait_for(sweep, "cancelled"), "cancelled");
  EXPECT_NE(ask("GET", path_of(sweep) + "/results").body, earlier.body) << "this run's";
}

TEST_F(ServiceApiTest, ManyWhoAskForADocumentAreSentTheSameBytes) {
  const json sweep = submit("{}");
  wait_for(sweep, "done");
  for (const char* what : {"/results", "/cells"}) {
    const Response first = ask("GET", path_of(sweep) + what);
    EXPECT_EQ(ask("GET", path_of(sweep) + what).body, first.body) << what;
  }
  const Response before = ask("GET", path_of(sweep) + "/cells");
  store_->add_cells(sweep.at("id").get<std::string>(), {{"one", "{\"n\": 1}"}});
  EXPECT_NE(ask("GET", path_of(sweep) + "/cells").body, before.body) << "there is another cell";
}

TEST_F(ServiceApiTest, WhatReadsADiskIsNotAnsweredOnTheNetworksThread) {
  const auto is_answered_later = [this](const std::string& method, const std::string& path) {
    Request request;
    request.method = method;
    request.path = path;
    request.headers = {{"host", "localhost"}, {"content-type", "application/json"}};
    request.body = "{}";
    return bool(api_(request).later);
  };
  const std::set<std::string> at_once = {"GET /", "GET /healthz", "GET /openapi.json", "GET /v1/devices"};
  for (const std::string& route : api_routes()) {
    const std::size_t space = route.find(' ');
    EXPECT_EQ(is_answered_later(route.substr(0, space), route.substr(space + 1)), !at_once.contains(route))
        << route;
  }
}

TEST_F(ServiceApiTest, EventsAreAStreamUnlessTheyAreAskedForWrongly) {
  const json sweep = submit("{}");
  wait_for(sweep, "done");
  const Response events = ask("GET", path_of(sweep) + "/events");
  EXPECT_EQ(events.status, 200u);
  EXPECT_EQ(events.content_type, "text/event-stream");
  ASSERT_TRUE(events.stream);
  std::string told;
  for (auto each = events.stream->take(); each.bytes; each = events.stream->take()) told += *each.bytes;
  EXPECT_THAT(told, HasSubstr("event: done"));
  for (const char* id : {"x", "-1", "1x", "99999999999999999999"}) {
    EXPECT_EQ(ask("GET", path_of(sweep) + "/events", "", {{"last-event-id", id}}).status, 400u) << id;
  }
  EXPECT_EQ(ask("GET", "/v1/sweeps/missing/events").status, 404u);
  EXPECT_EQ(ask("GET", "/v1/sweeps/missing/cells").status, 404u);
}

TEST_F(ServiceApiTest, TheDescriptionHasEveryRouteAndNoOther) {
  const json document = get("/openapi.json");
  std::vector<std::string> described;
  for (const auto& [path, operations] : document.at("paths").items()) {
    for (const char* method : {"get", "post", "put", "delete", "patch"}) {
      if (!operations.contains(method)) continue;
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      described.push_back(upper + " " + path);
    }
  }
  EXPECT_THAT(api_routes(), testing::UnorderedElementsAreArray(described));
}

TEST_F(ServiceApiTest, TheDescriptionHasEveryMemberOfASweep) {
  const json schemas = get("/openapi.json").at("components").at("schemas");
  const json sweep = submit("{}");
  std::vector<std::string> members;
  for (const auto& [name, value] : sweep.items()) members.push_back(name);
  std::vector<std::string> described;
  for (const auto& [name, value] : schemas.at("Sweep").at("properties").items()) described.push_back(name);
  EXPECT_EQ(members, described);
}

TEST_F(ServiceApiTest, DevicesAreThoseThatWereFound) {
  const json devices = get("/v1/devices").at("devices");
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].at("id"), "cuda:0");
  EXPECT_EQ(devices[0].at("available"), false);
  EXPECT_EQ(devices[0].at("advice"), "install one");
}

TEST_F(ServiceApiTest, ComparisonsThatWillNotDoAreRefusedWithTheirReason) {
  const std::string done = submit("{}").at("id").get<std::string>();
  const auto why = [this](const std::string& body) {
    const Response response = ask("POST", "/v1/compare", body);
    EXPECT_EQ(response.status, 400u) << *response.body;
    return json::parse(*response.body).at("error").get<std::string>();
  };
  EXPECT_THAT(why("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(why("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(why("{}"), HasSubstr("base"));
  EXPECT_THAT(why(R"({"base": "/etc/passwd", "new": "."})"), HasSubstr("results has the id \"/etc/passwd\""));
  EXPECT_THAT(why(R"({"base": {}, "new": {}})"), HasSubstr("base"));
  EXPECT_THAT(why(R"({"base": {}, "new": {}, "margin": "x"})"), HasSubstr("margin"));
  EXPECT_THAT(why(R"({"base": {}, "new": {}, "margin": 2})"), HasSubstr("margin"));
  EXPECT_THAT(why(R"({"base": {}, "new": {}, "o": "file"})"), HasSubstr("this key does not exist"));
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  EXPECT_THAT(why(R"({"new": {}, "base": {"schema": "graphbench.result/1", "x": )" + deep + "}}"),
              HasSubstr("deep"));
  EXPECT_THAT(why(R"({"base": {}, "base": {}, "new": {}})"), HasSubstr("base: the key is given twice"));
  EXPECT_EQ(ask("POST", "/v1/compare", "{}", {{"content-type", "text/plain"}}).status, 415u);
  const std::shared_ptr<void> taken = turn_.take();
  EXPECT_NE(taken, nullptr) << "those that have ended have given it back";
  EXPECT_EQ(ask("POST", "/v1/compare", "{}").status, 503u) << "another's turn";
}

TEST_F(ServiceApiTest, BadRequestsAreRefusedWithTheirReason) {
  const Response bad = ask("POST", "/v1/sweeps", R"({"batch": 0})");
  EXPECT_EQ(bad.status, 400u);
  EXPECT_THAT(json::parse(*bad.body).at("error").get<std::string>(), HasSubstr("is not a batch"));
  EXPECT_EQ(ask("POST", "/v1/sweeps", "{}", {{"content-type", "text/plain"}}).status, 415u);
  EXPECT_EQ(ask("GET", "/v1/sweeps/missing").status, 404u);
}

TEST_F(ServiceApiTest, PathsAndMethodsThatAreNoneAreRefusedInTheFormOfAllErrors) {
  const std::vector<std::tuple<std::string, std::string, unsigned>> none = {
      {"GET", "/v1/sweep", 404u},    {"GET", "/v1/sweeps/../../etc/passwd", 404u},
      {"POST", "/v1", 404u},         {"PUT", "/v1/sweeps", 405u},
      {"POST", "/v1/devices", 405u}, {"POST", "/metrics", 405u}};
  for (const auto& [method, path, status] : none) {
    const Response refused = ask(method, path, "{}");
    EXPECT_EQ(refused.status, status) << path;
    EXPECT_EQ(refused.content_type, "application/json") << path;
    EXPECT_FALSE(json::parse(*refused.body).at("error").get<std::string>().empty()) << path;
  }
  const auto& headers = ask("PUT", "/v1/sweeps", "{}").headers;
  ASSERT_EQ(headers.size(), 1u);
  EXPECT_EQ(headers[0], (std::pair<std::string, std::string>{"Allow", "POST, GET, HEAD"}));
}

TEST_F(ServiceApiTest, HealthAndMetricsAreThere) {
  EXPECT_EQ(ask("GET", "/healthz").status, 200u);
  EXPECT_EQ(ask("GET", "/readyz").status, 200u);
  const Response metrics = ask("GET", "/metrics");
  EXPECT_EQ(metrics.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(*metrics.body, HasSubstr("graphbench_build_info"));
  EXPECT_EQ(ask("GET", "/metrics", "", {{"host", "evil.example"}}).status, 421u) << "access_test.cpp";
}

TEST_F(ServiceApiTest, RequestsAndSweepsAreCountedByRouteAndOutcome) {
  EXPECT_EQ(ask("GET", "/v1/sweeps/unknown").status, 404u);
  EXPECT_EQ(ask("GET", "/made/up").status, 404u);
  wait_for(submit("{}"), "done");
  wait_for(submit(R"({"seed": 2})"), "failed");
  submit(R"({"seed": 1})");
  ask("DELETE", path_of(submit("{}")));
  submit("{}");
  const auto shows = [this](const std::string& line) {
    return test::eventually(
        [&] { return ask("GET", "/metrics").body->find(line + "\n") != std::string::npos; });
  };
  EXPECT_TRUE(shows(R"(graphbench_http_requests_total{code="404",route="/v1/sweeps/{id}"} 1)"));
  EXPECT_TRUE(shows(R"(graphbench_http_requests_total{code="404",route="other"} 1)"));
  EXPECT_TRUE(shows(R"(graphbench_http_request_duration_seconds_count{route="/v1/sweeps"} 5)"));
  EXPECT_TRUE(shows(R"(graphbench_sweeps_total{status="done"} 1)"));
  EXPECT_TRUE(shows(R"(graphbench_sweeps_total{status="failed"} 1)"));
  EXPECT_TRUE(shows(R"(graphbench_sweeps_total{status="cancelled"} 1)"));
  EXPECT_TRUE(shows("graphbench_queue_sweeps 1"));
  EXPECT_TRUE(shows("graphbench_queue_capacity_sweeps 2"));
}

// The headers by which a browser marks a request of a page; docs/reference/service.md lists them.
TEST_F(ServiceApiTest, NoPageOfAnotherOriginChangesAnything) {
  const json sweep = submit(R"({"seed": 1})");
  const std::vector<std::pair<std::string, std::string>> changes = {{"POST", "/v1/sweeps"},
                                                                    {"POST", "/v1/compare"},
                                                                    {"DELETE", path_of(sweep)},
                                                                    {"POST", path_of(sweep) + "/resume"}};
  const std::vector<std::map<std::string, std::string>> foreign = {
      {{"sec-fetch-site", "cross-site"}},
      {{"sec-fetch-site", "same-site"}},  // another port of this host
      {{"sec-fetch-site", "same-site"}, {"origin", "http://127.0.0.1:9464"}},
      {{"sec-fetch-site", "odd"}},
      {{"origin", "http://evil.example"}},
      {{"origin", "http://127.0.0.1:3000"}},
      {{"origin", "http://127.0.0.1:9464.evil.example"}},
      {{"origin", "127.0.0.1:9464"}},
      {{"origin", "null"}}};
  for (const auto& [method, path] : changes) {
    for (const auto& headers : foreign) {
      EXPECT_EQ(ask(method, path, "{}", headers).status, 403u) << method << " " << path;
    }
  }
  EXPECT_EQ(get("/v1/sweeps").at("sweeps").size(), 1u);
  wait_until_it_waits(sweep);
}

TEST_F(ServiceApiTest, ItsOwnPageAndProgramsMayChangeThings) {
  for (const std::map<std::string, std::string>& headers :
       {std::map<std::string, std::string>{},
        {{"origin", "http://127.0.0.1:9464"}},
        {{"sec-fetch-site", "same-origin"}, {"origin", "http://127.0.0.1:9464"}},
        // A proxy in front of the service may have another host name.
        {{"sec-fetch-site", "same-origin"}, {"origin", "https://bench.example"}}}) {
    const json sweep = json::parse(*ask("POST", "/v1/sweeps", "{}", headers).body);
    EXPECT_EQ(wait_for(sweep, "done"), "done");
  }
}

TEST_F(ServiceApiTest, ThePageIsAtTheRoot) {
  const Response page = ask("GET", "/");
  EXPECT_EQ(page.status, 200u);
  EXPECT_THAT(*page.body, HasSubstr("graphbench"));
  EXPECT_EQ(ask("POST", "/").status, 405u);
  EXPECT_EQ(ask("GET", "//").status, 404u);
  EXPECT_EQ(ask("GET", "/", "", {{"host", "evil.example"}}).status, 421u);
}

class ServiceApiWithTokenTest : public ServiceApiTest {
 protected:
  ServiceApiWithTokenTest() : ServiceApiTest("correct-horse-battery") {}
};

TEST_F(ServiceApiWithTokenTest, OnlyTheTokenOpensIt) {
  for (const char* given : {"", "Bearer correct-horse-batterx"}) {
    EXPECT_EQ(ask("GET", "/v1/sweeps", "", {{"authorization", given}}).status, 401u) << given;
    EXPECT_EQ(ask("GET", "/metrics", "", {{"authorization", given}}).status, 401u) << given;
  }
  EXPECT_EQ(ask("GET", "/healthz").status, 200u);
  EXPECT_EQ(ask("GET", "/").status, 200u) << "where a browser is given the token";
  EXPECT_EQ(ask("POST", "/").status, 401u);
  const std::map<std::string, std::string> right = {{"authorization", "Bearer correct-horse-battery"},
                                                    {"host", "bench.example"}};
  EXPECT_EQ(ask("GET", "/v1/sweeps", "", right).status, 200u);
  auto elsewhere = right;
  elsewhere["origin"] = "https://evil.example";
  EXPECT_EQ(ask("POST", "/v1/sweeps", "{}", elsewhere).status, 403u);
}

}  // namespace
}  // namespace graphbench::service
