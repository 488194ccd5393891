// Tests that documents of single launches become one document, whose summaries are over launches.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/ab/run_interleaved.hpp"
#include "harness/model/codec/documents.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::judge {
namespace {

using Json = nlohmann::ordered_json;

model::WorkerTask task_of(const std::string& mode) {
  return test::sample_task(mode, {1, 2});
}

model::Plan plan() {
  model::Plan made;
  made.facts.hash = "abc";
  made.facts.launches = 3;
  made.facts.axes = {{"mlp"}, {"tiny"}, {"fp32"}, {"forward"}, {1, 2}, {0}, {"eager", "whole"}};
  for (const std::int64_t batch : {1, 2}) {
    for (const char* mode : {"eager", "whole"})
      made.cells.push_back({"mlp", "tiny", "fp32", "forward", batch, 0, mode});
  }
  made.tasks = {task_of("eager"), task_of("whole")};
  return made;
}

Json cell(const std::string& mode, std::int64_t batch, double latency) {
  const Json launch = {
      {"index", 0},
      {"setup", {{"capture_seconds", 1e-4}, {"instantiate_seconds", 0.0}, {"upload_seconds", 0.0}}},
      {"submit_seconds", nullptr},
      {"latency_seconds", {{"p50", latency}}},
      {"device_seconds", nullptr},
      {"from_the_future", 7}};
  return {{"id", "mlp/tiny/fp32/forward/b" + std::to_string(batch) + "/w0/" + mode},
          {"workload", "mlp"},
          {"preset", "tiny"},
          {"dtype", "fp32"},
          {"pass", "forward"},
          {"batch", batch},
          {"warmup", 0},
          {"mode", mode},
          {"status", "ok"},
          {"check", {{"reference", "eager"}, {"identical", true}, {"max_abs_error", 0.0}}},
          {"launches", Json::array({launch})},
          {"summary", {{"latency_seconds", {{"within_launch", 0.01 * latency}}}, {"steady_after", 4}}}};
}

std::string document(const std::string& mode, double latency) {
  return Json({{"schema", "graphbench.result/1"},
               {"tool", {{"version", "9.9"}}},
               {"environment", {{"hostname", "here"}}},
               {"plan", {{"method", 2}}},
               {"cells", {cell(mode, 1, latency), cell(mode, 2, latency * 2)}}})
      .dump();
}

const model::Interleaved base_side = {"run-7", "base"};

class Merged : public testing::Test {
 protected:
  Json merged(bool complete = true) const {
    return Json::parse(model::to_json(merge_.result(base_side, complete)));
  }
  void add(const std::string& document, const model::WorkerTask& task, std::int64_t launch) {
    merge_.add(model::read_result(document, "run.json"), task, launch);
  }
  const model::Plan plan_ = plan();
  ResultMerge merge_{plan_};
};

TEST_F(Merged, NumbersLaunches) {
  add(document("eager", 1.0), task_of("eager"), 0);
  add(document("eager", 3.0), task_of("eager"), 2);
  const Json first = merged().at("cells").at(0);
  EXPECT_EQ(first.at("launches").size(), 2U);
  EXPECT_EQ(first.at("launches").at(1).at("index"), 2);
}

TEST_F(Merged, SummarizesOverLaunchesAsASweepDoes) {
  for (int launch = 0; launch < 3; ++launch) {
    add(document("eager", 3.0 + launch / 5.0), task_of("eager"), launch);
    add(document("whole", 1.5 + launch / 10.0), task_of("whole"), launch);
  }
  const Json whole = merged().at("cells").at(1).at("summary");
  EXPECT_EQ(whole.at("latency_seconds").at("p50"), 1.6);
  EXPECT_TRUE(whole.at("latency_seconds").at("ci95").is_array());
  EXPECT_GT(whole.at("latency_seconds").at("between_launches"), 0.05);
  EXPECT_DOUBLE_EQ(whole.at("latency_seconds").at("within_launch"), 0.016);
  EXPECT_EQ(whole.at("speedup_over_eager"), 2.0);
  EXPECT_EQ(whole.at("breakeven_steps"), 1.0);
  EXPECT_EQ(whole.at("steady_after"), 4);
  EXPECT_TRUE(whole.at("submit_seconds").is_null());
}

TEST_F(Merged, ListsEveryLaunchesChoicesOnce) {
  for (int launch = 0; launch < 3; ++launch) {
    Json json = Json::parse(document("eager", 1.0));
    const Json choice = {
        {"key", "op"}, {"algorithm", launch == 1 ? "b" : "a"}, {"timed", true}, {"hit", launch > 0}};
    json["environment"]["library_choices"] = {{"digest", "00"}, {"entries", {choice}}};
    add(json.dump(), task_of("eager"), launch);
  }
  const Json made = merged().at("environment").at("library_choices");
  ASSERT_EQ(made.at("entries").size(), 2U);
  EXPECT_EQ(made.at("entries").at(0).at("algorithm"), "a");
  EXPECT_FALSE(made.at("entries").at(0).at("hit"));
  EXPECT_TRUE(made.at("entries").at(1).at("hit"));
  EXPECT_EQ(made.at("digest").get<std::string>().size(), 64U);
}

std::string document_with_floors(double submit, double kernel_launch) {
  Json json = Json::parse(document("eager", 1.0));
  for (Json& each : json["cells"]) {
    each["launches"][0]["submit_seconds"] = {{"p50", submit}};
    each["graph"] = {{"pieces", 0}, {"nodes", 0}, {"captured_ops", 0}, {"eager_ops", 4}};
  }
  json["environment"]["floors"] = {{"kernel_launch_seconds", {{"p50", kernel_launch}, {"count", 10}}},
                                   {"graph_launch_seconds", {{"p50", 0.5}, {"count", 10}}},
                                   {"queued_kernel_launch_seconds", {{"p50", 0.125}, {"count", 10}}},
                                   {"event_resolution_seconds", kernel_launch},
                                   {"queue_handoff_seconds", nullptr},
                                   {"ladders", Json::array()}};
  return json.dump();
}

TEST_F(Merged, HasTheSweepsFloorsAsOneAndReadsSubmitAgainstThem) {
  for (const auto& [launch, kernel_launch] : {std::pair(0, 8.0), {1, 0.25}, {2, 0.125}})
    add(document_with_floors(3.0, kernel_launch), task_of("eager"), launch);
  const Json made = merged();
  const Json& floors = made.at("environment").at("floors");
  EXPECT_EQ(floors.at("kernel_launch_seconds"), Json({{"p50", 0.25}, {"count", 30}}));
  EXPECT_EQ(floors.at("event_resolution_seconds"), 0.25);
  EXPECT_TRUE(floors.at("queue_handoff_seconds").is_null());
  EXPECT_TRUE(floors.at("ladders").is_array());
  EXPECT_EQ(made.at("cells").at(0).at("summary").at("submit_over_floor"), 3.0 / (0.25 + 3 * 0.125));
}

TEST_F(Merged, HasNoMultipleOfFloorsThatNoSweepMeasured) {
  add(document("eager", 1.0), task_of("eager"), 0);
  EXPECT_FALSE(merged().at("environment").contains("floors"));
  EXPECT_FALSE(merged().at("cells").at(0).at("summary").contains("submit_over_floor"));
}

TEST_F(Merged, NamesTheRunThatLetsLaunchesBePaired) {
  add(document("eager", 1.0), task_of("eager"), 0);
  const Json made = merged();
  EXPECT_EQ(made.at("plan").at("interleaved").at("id"), "run-7");
  EXPECT_EQ(made.at("plan").at("interleaved").at("side"), "base");
  EXPECT_EQ(made.at("plan").at("hash"), "abc");
  EXPECT_EQ(made.at("plan").at("launches"), 3);
  EXPECT_EQ(made.at("tool").at("version"), "9.9");
  EXPECT_EQ(made.at("environment").at("hostname"), "here");
}

TEST_F(Merged, AFailureOutlastsOtherLaunches) {
  add(document("eager", 1.0), task_of("eager"), 0);
  merge_.fail(task_of("eager"), {"sweep_failed", "exit code 1"});
  add(document("eager", 1.0), task_of("eager"), 2);
  const Json failed = merged().at("cells").at(0);
  EXPECT_EQ(failed.at("status"), "failed");
  EXPECT_EQ(failed.at("reason").at("code"), "sweep_failed");
  EXPECT_EQ(failed.at("launches").size(), 2U);
  EXPECT_TRUE(failed.at("summary").at("latency_seconds").is_null());
  EXPECT_EQ(merge_.cells_failed(), 2);
}

TEST_F(Merged, OneWrongOutputMakesTheCheckWrong) {
  add(document("eager", 1.0), task_of("eager"), 0);
  Json wrong = Json::parse(document("eager", 1.0));
  wrong["cells"][0]["status"] = "failed";
  wrong["cells"][0]["reason"] = {{"code", "check_failed"}, {"message", "outputs are not identical"}};
  wrong["cells"][0]["check"] = {{"reference", "eager"}, {"identical", false}, {"max_abs_error", 0.5}};
  add(wrong.dump(), task_of("eager"), 1);
  add(document("eager", 1.0), task_of("eager"), 2);
  const Json check = merged().at("cells").at(0).at("check");
  EXPECT_EQ(check.at("identical"), false);
  EXPECT_EQ(check.at("max_abs_error"), 0.5);
}

TEST_F(Merged, CellsThatWereNotReachedAreSkipped) {
  EXPECT_TRUE(merge_.empty());
  add(document("eager", 1.0), task_of("eager"), 0);
  EXPECT_FALSE(merge_.empty());
  const Json made = merged(false);
  EXPECT_EQ(made.at("complete"), false);
  EXPECT_EQ(made.at("cells").at(1).at("status"), "skipped");
  EXPECT_EQ(made.at("cells").at(1).at("reason").at("code"), "interrupted");
  EXPECT_EQ(merged().at("cells").at(1).at("reason").at("code"), "not_repeated");
}

TEST_F(Merged, RefusesADocumentWithoutTheCellsThatWereAskedFor) {
  EXPECT_THROW(add(document("whole", 1.0), task_of("eager"), 0), Error);
  EXPECT_THROW(add("{}", task_of("eager"), 0), InputError);
  EXPECT_THROW(add("", task_of("eager"), 0), InputError);
  EXPECT_TRUE(merge_.empty());
}

}  // namespace
}  // namespace graphbench::judge
