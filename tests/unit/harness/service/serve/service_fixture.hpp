// A service without a server: a store, a runner, sweeps that are shell scripts, and the API.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/service/serve/service.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::service {

using nlohmann::json;
using testing::HasSubstr;

// Writes a document to the given path and a journal next to it, unless its options tell it to wait, to crash
// or to fail. A waiting script creates a file as soon as it can be stopped.
inline constexpr const char* script =
    "read -r asked; file=${asked#*--json=}; file=${file%%\\\"*}; echo kept > $file.partial; case $asked in "
    "*--seed=1\\\"*) trap 'echo {\\\"partly\\\":1} > $file; exit 130' TERM; : > $file.ready; while :; do "
    "sleep 0.01; "
    "done;; "
    "*--seed=2\\\"*) kill -SEGV $$;; *--seed=3\\\"*) echo full; exit 1;; esac; echo {\\\"whole\\\":1} > "
    "$file";

inline constexpr const char* partly = "{\"partly\":1}\n";

class ServiceApiTest : public testing::Test {
 protected:
  explicit ServiceApiTest(const std::string& token = "") : token_(token) { restart(); }

  void restart() {
    api_ = nullptr;
    runner_.reset();
    feed_.reset();
    store_ = std::make_unique<SweepStore>(folder_.file("sweeps.sqlite"));
    feed_ = std::make_unique<SweepFeed>(*store_, 100);
    runner_ = std::make_unique<SweepRunner>(
        RunnerSettings{{"/bin/sh", "-c", script, "sh"}, folder_.path(), grace_, std::chrono::milliseconds(5)},
        RunnerParts{*store_, metrics_, service_metrics_, *feed_, housekeeping_});
    ApiSettings settings;
    settings.access.token = token_;
    settings.queued_max = 2;
    settings.devices = {{"cuda:0", false, "none", "install one", {}, true}};
    settings.plugins = plugins_;
    settings.workloads = workloads_;
    api_ = make_api(settings, {*store_, *runner_, *feed_, metrics_, service_metrics_, turn_});
  }

  Response ask(const std::string& method, const std::string& path, const std::string& body = "",
               std::map<std::string, std::string> headers = {}) const {
    Request request;
    request.method = method;
    request.path = path.substr(0, path.find('?'));
    if (request.path != path) request.query = path.substr(request.path.size() + 1);
    request.body = body;
    request.headers = std::move(headers);
    request.headers.emplace("host", "127.0.0.1:9464");
    request.headers.emplace("content-type", "application/json");
    Response response = api_(request);
    return response.later ? response.later(request) : response;
  }

  json submit(const std::string& body, const std::string& key = "") const {
    const Response response = ask("POST", "/v1/sweeps", body, {{"idempotency-key", key}});
    EXPECT_EQ(response.status, 202u) << *response.body;
    return json::parse(*response.body);
  }

  std::string state(const json& sweep) const { return get(path_of(sweep)).at("state").get<std::string>(); }
  static std::string path_of(const json& sweep) { return "/v1/sweeps/" + sweep.at("id").get<std::string>(); }

  std::string file_of(const json& sweep, const std::string& end) const {
    return folder_.file(sweep.at("id").get<std::string>() + end);
  }
  std::string journal_of(const json& sweep) const { return file_of(sweep, ".json.partial"); }

  std::string wait_for(const json& sweep, const std::string& wanted) const {
    test::eventually([&] { return state(sweep) == wanted; });
    return state(sweep);
  }

  // Waits until the script of `"seed": 1` can receive the signal to stop.
  void wait_until_it_waits(const json& sweep) const {
    test::eventually([&] { return std::filesystem::exists(file_of(sweep, ".json.ready")); });
    EXPECT_EQ(state(sweep), "running");
  }

  json running_sweep() const {
    json sweep = submit(R"({"seed": 1})");
    wait_until_it_waits(sweep);
    return sweep;
  }
  json get(const std::string& path) const { return json::parse(*ask("GET", path).body); }

  std::string token_;
  std::chrono::milliseconds grace_ = std::chrono::minutes(1);
  CodeFolder plugins_;
  WorkloadCatalog workloads_;
  test::TemporaryFolder folder_;
  sweep::SweepMetrics metrics_{"1.2.3"};
  ServiceMetrics service_metrics_;
  measure::HousekeepingThreads housekeeping_;
  std::unique_ptr<SweepStore> store_;
  std::unique_ptr<SweepFeed> feed_;
  std::unique_ptr<SweepRunner> runner_;
  Handler api_;
  ComparisonTurn turn_;
};

}  // namespace graphbench::service
