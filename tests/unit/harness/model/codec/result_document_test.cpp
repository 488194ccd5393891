// Tests what the document says about missing, broken and odd values; tests/golden tests its structure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::model {
namespace {

using Json = nlohmann::json;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Json document_of(const Result& result) {
  return Json::parse(to_json(result));
}

TEST(ResultJson, KeepsEveryCellInOrder) {
  const Result result = samples::default_sweep_result();
  const Json document = document_of(result);
  ASSERT_EQ(document["cells"].size(), 324U);
  for (std::size_t i = 0; i < result.cells.size(); ++i)
    EXPECT_EQ(document["cells"][i]["id"], id_of(result.cells[i].cell));
}

TEST(ResultJson, KeepsNumbersToTheLastBitAndMissingPercentilesAsNull) {
  Result result = samples::small_result();
  const double odd = 1.0 / 3e7;
  result.cells[0].launches[0].latency_seconds->p50 = odd;
  const Json launch = document_of(result)["cells"][0]["launches"][0];
  EXPECT_EQ(launch["latency_seconds"]["p50"].get<double>(), odd);
  EXPECT_TRUE(launch["device_seconds"]["p99"].is_null()) << "missing";
  EXPECT_TRUE(launch["device_seconds"]["p90"].is_number());
}

TEST(ResultJson, NeverWritesWhatIsNotANumber) {
  Result result = samples::small_result();
  CellResult& cell = result.cells[1];
  cell.check->max_abs_error = infinity;
  cell.launches[0].throughput_steps_per_second = nan;
  cell.launches[0].setup.capture_seconds = -infinity;
  cell.launches[0].submit_seconds->p50 = nan;
  cell.launches[0].latency_samples[3] = nan;
  cell.summary.device_seconds->p50 = nan;
  cell.summary.breakeven_steps = infinity;
  const std::string text = to_json(result);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  const Json json = Json::parse(text)["cells"][1];
  EXPECT_TRUE(json["check"]["max_abs_error"].is_null());
  EXPECT_TRUE(json["launches"][0]["submit_seconds"].is_null());
  EXPECT_TRUE(json["launches"][0]["ramp_seconds"][3].is_null());
  EXPECT_TRUE(json["summary"]["device_seconds"].is_null());
  EXPECT_TRUE(json["summary"]["breakeven_steps"].is_null());
}

TEST(ResultJson, KeepsTheFirstThirtyTwoSamplesAsRamp) {
  Result result = samples::small_result();
  auto& samples = result.cells[0].launches[0].latency_samples;
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<double>(i);
  const Json ramp = document_of(result)["cells"][0]["launches"][0]["ramp_seconds"];
  ASSERT_EQ(ramp.size(), 32U);
  EXPECT_EQ(ramp[31], 31.0);
}

TEST(ResultJson, GivesAReasonExactlyWhereACellIsNotOk) {
  const Json document = document_of(samples::small_result());
  ASSERT_EQ(document["cells"].size(), 12U);
  for (const Json& cell : document["cells"])
    EXPECT_EQ(cell.contains("reason"), cell["status"] != "ok") << cell["id"];
  const Json pending = document_of(samples::interrupted_result())["cells"][1];
  EXPECT_EQ(pending["status"], "skipped");
  EXPECT_EQ(pending["reason"]["code"], "interrupted");
}

TEST(ResultJson, HoldsAnyTextAndNoCells) {
  Result result = samples::small_result();
  result.cells[10].reason->message = "bad \xff byte";
  result.plan.argv = {"graphbench", "--set", "a=\"1\"\n"};
  const Json document = document_of(result);
  EXPECT_EQ(document["cells"][10]["reason"]["message"], "bad \xef\xbf\xbd byte");
  EXPECT_EQ(document["plan"]["argv"][2], "a=\"1\"\n");
  result.cells.clear();
  EXPECT_TRUE(document_of(result)["cells"].empty());
}

TEST(ResultJson, NeedsBothEndsOfAnInterval) {
  Result result = samples::interrupted_result();
  EXPECT_EQ(document_of(result)["cells"][0]["summary"]["latency_seconds"]["ci95"].size(), 2U);
  result.cells[0].summary.latency_seconds->ci95_high.reset();
  EXPECT_TRUE(document_of(result)["cells"][0]["summary"]["latency_seconds"]["ci95"].is_null());
}

std::vector<Result> samples_of_all_kinds() {
  return {samples::small_result(), samples::interrupted_result(), samples::instruments_result()};
}

TEST(ResultDocument, IsReadAsItWasWritten) {
  for (const Result& result : samples_of_all_kinds()) {
    const std::string document = to_json(result);
    EXPECT_EQ(to_json(read_result(document, "test")), document);
    for (const CellResult& cell : result.cells)
      EXPECT_EQ(to_json(read_cell(to_json(cell), "test")), to_json(cell));
  }
}

TEST(ResultDocument, AProjectionIsWhatIsReadOfTheDocument) {
  for (const Result& result : samples_of_all_kinds()) {
    const Document read = parse_copy(to_json(result), "test");
    const Document projected = project(result, "test");
    EXPECT_EQ(projected.facts, read.facts);
    ASSERT_EQ(projected.cells.size(), read.cells.size());
    for (std::size_t i = 0; i < read.cells.size(); ++i)
      EXPECT_EQ(projected.cells[i], read.cells[i]) << read.cells[i].id;
  }
}

TEST(ResultDocument, AnotherDocumentIsNoResult) {
  EXPECT_THAT(test::refusal([] {
                read_result(R"({"schema": "graphbench.result/1", "plan": {"hash": "aa"}, "cells": []})",
                            "a.json");
              }),
              testing::HasSubstr("the plan has no \"method\""));
  EXPECT_EQ(test::refusal([] { read_result(R"({"schema": "graphbench.floors/1"})", "a.json"); }),
            "a.json: the schema is \"graphbench.floors/1\"; this program reads \"graphbench.result/1\"");
}

TEST(ResultDocument, OneThatContradictsItselfIsRefusedByEveryReader) {
  Json document = document_of(samples::small_result());
  document["cells"][1]["check"]["identical"] = false;
  std::string text = document.dump();
  const std::size_t size = text.size();
  text.append(text_padding, '\0');
  const std::string_view read(text.data(), size);
  for (const std::string& refusal : {test::refusal([&] { parse_document(read, "a.json"); }),
                                     test::refusal([&] { read_result(read, "a.json"); }),
                                     test::refusal([&] { read_parts(read, "a.json"); })})
    EXPECT_EQ(refusal.find("a.json: cells[1]: the cell's status is ok, but its check does not say"), 0u)
        << refusal;
}

// What each reader says of small_result() after `change`.
std::string refusal_after(const std::function<void(Json&)>& change,
                          const Result& result = samples::small_result()) {
  Json document = document_of(result);
  change(document);
  std::string text = document.dump();
  const std::size_t size = text.size();
  text.append(text_padding, '\0');
  const std::string_view read(text.data(), size);
  const std::string said = test::refusal([&] { read_result(read, "a.json"); });
  EXPECT_EQ(test::refusal([&] { parse_document(read, "a.json"); }), said);
  EXPECT_EQ(test::refusal([&] { read_parts(read, "a.json"); }), said);
  return said;
}

TEST(ResultDocument, ASummaryFollowsFromTheLaunches) {
  EXPECT_EQ(refusal_after([](Json&) {}), "accepted");
  const struct Lie {
    std::vector<std::string> path;
    Json value;
  } lies[] = {
      {{"latency_seconds", "p50"}, 0.2}, {{"latency_seconds", "ci95"}, {9.0, 1.0}},
      {{"submit_seconds", "p50"}, 1e-9}, {{"device_seconds", "between_launches"}, 0.5},
      {{"speedup_over_eager"}, 1e6},     {{"speedup_over_eager_ci95"}, {5.0, 0.1}},
      {{"throughput_over_eager"}, 7.0},  {{"throughput_over_eager_ci95"}, {2.0, 3.0}},
      {{"breakeven_steps"}, 1000.0},     {{"breakeven_steps_ci95"}, {1.0, 2.0}},
      {{"setup_cost_seconds"}, 1.0},     {{"startup_seconds"}, 1.0},
      {{"no_breakeven"}, "never"},       {{"submit_over_floor"}, 2.0},
      {{"predicted_gain"}, 3.0},         {{"break_latency_seconds"}, 1e-6},
  };
  for (const Lie& lie : lies) {
    std::string place = "a.json: cells[1].summary";
    for (const std::string& key : lie.path) place += "." + key;
    const std::string said = refusal_after([&](Json& document) {
      Json* at = &document["cells"][1]["summary"];
      for (const std::string& key : lie.path) at = &(*at)[key];
      *at = lie.value;
    });
    EXPECT_THAT(
        said, testing::StartsWith(place + ": " + lie.value.dump() + " contradicts the document's launches"));
    EXPECT_THAT(said, testing::HasSubstr("(cell \"mlp/base/bf16/forward/b1/w0/whole\")"));
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

// Documents from before plan.gains have intervals of means of logarithms: their readers make these again.
TEST(ResultDocument, GainsOfEarlierFormulasAreMadeAgain) {
  const std::vector<std::pair<std::string, Json>> gains = {{"speedup_over_eager_ci95", {5.0, 0.1}},
                                                           {"throughput_over_eager_ci95", {2.0, 3.0}},
                                                           {"breakeven_steps", 1000.0},
                                                           {"breakeven_steps_ci95", {1.0, 2.0}},
                                                           {"no_breakeven", "never"}};
  const Json document = document_of(samples::small_result());
  const CellSummary summary = read_result(document.dump(), "a.json").cells[1].summary;
  for (const auto& [key, value] : gains) {
    Json earlier = document;
    earlier["plan"].erase("gains");
    earlier["cells"][1]["summary"][key] = value;
    const CellSummary read = read_result(earlier.dump(), "a.json").cells[1].summary;
    EXPECT_EQ(read.speedup_ci95_low, summary.speedup_ci95_low) << key;
    EXPECT_EQ(read.throughput_ci95_high, summary.throughput_ci95_high) << key;
    EXPECT_EQ(read.breakeven_steps, summary.breakeven_steps) << key;
    EXPECT_EQ(read.breakeven_ci95_low, summary.breakeven_ci95_low) << key;
    EXPECT_EQ(read.no_breakeven, summary.no_breakeven) << key;
  }
}

TEST(ResultDocument, ASummaryMayBeRoundedOrLeftOut) {
  EXPECT_EQ(refusal_after([](Json& document) {
              Json& summary = document["cells"][1]["summary"];
              const double p50 = summary["latency_seconds"]["p50"];
              summary["latency_seconds"]["p50"] = p50 * (1 + 1e-9);
              summary["breakeven_steps"] = summary["breakeven_steps"].get<double>() + 1;
              summary.erase("speedup_over_eager");
              document["cells"][0].erase("summary");
            }),
            "accepted");
}

TEST(ResultDocument, AnIntervalOfTheLaunchesIsMadeAgainToo) {
  const auto said = [](const char* key, const Json& value) {
    return refusal_after(
        [&](Json& document) { document["cells"][0]["summary"]["latency_seconds"][key] = value; },
        samples::interrupted_result());
  };
  const Json known = document_of(samples::interrupted_result())["cells"][0]["summary"]["latency_seconds"];
  ASSERT_TRUE(known["ci95"].is_array());
  EXPECT_EQ(said("ci95", known["ci95"]), "accepted");
  EXPECT_THAT(said("ci95", Json{known["ci95"][0], 9.0}), testing::HasSubstr("latency_seconds.ci95: "));
  EXPECT_THAT(said("between_launches", 0.5), testing::HasSubstr("latency_seconds.between_launches: 0.5"));
}

TEST(ResultDocument, ACompleteOneHasAllLaunchesAndNothingInterrupted) {
  EXPECT_EQ(refusal_after([](Json& document) { document["plan"]["launches"] = 2; }),
            "a.json: cells[0].launches: the cell has 1 of the plan's 2 launches, but the document says "
            "\"complete\": true: measure again (cell \"mlp/base/bf16/forward/b1/w0/eager\")");
  const auto interrupt = [](Json& document) { document["cells"][11]["reason"]["code"] = "interrupted"; };
  EXPECT_EQ(refusal_after(interrupt),
            "a.json: cells[11].reason: the cell was interrupted, but the document says \"complete\": true: "
            "measure again (cell \"mlp/base/bf16/forward/b256/w3/piecewise\")");
  EXPECT_EQ(refusal_after([&](Json& document) {
              interrupt(document);
              document["plan"]["launches"] = 2;
              document["complete"] = false;
            }),
            "accepted");
}

TEST(ResultDocument, ALookMayHaveDecidedATaskEarly) {
  const auto with_looks = [](const std::vector<int>& looks) {
    return refusal_after([&](Json& document) {
      document["plan"]["launches"] = looks.back();
      document["plan"]["interleaved"] = {{"id", "r"}, {"side", "base"}, {"looks", looks}};
    });
  };
  EXPECT_EQ(with_looks({1, 20}), "accepted");
  EXPECT_THAT(with_looks({5, 20}), testing::HasSubstr("the cell has 1 of the plan's 20 launches"));
}

TEST(ResultDocument, IdenticalOutputsHaveNoError) {
  EXPECT_EQ(refusal_after([](Json& document) { document["cells"][1]["check"]["max_abs_error"] = 3.0; }),
            "a.json: cells[1].check.max_abs_error: 3 contradicts \"identical\": true: measure again (cell "
            "\"mlp/base/bf16/forward/b1/w0/whole\")");
}

// Reading takes no time that grows with the square of the launches.
TEST(ResultDocument, ManyLaunchesArePairedByTheirIndex) {
  Result result = samples::small_result();
  result.cells.resize(2);
  result.plan.launches = 5'000;
  for (CellResult& cell : result.cells) {
    Launch launch = cell.launches.front();
    launch.latency_samples.clear();
    cell.launches.assign(5'000, launch);
    for (std::size_t i = 0; i < cell.launches.size(); ++i)
      cell.launches[i].index = static_cast<std::int64_t>(i);
    cell.summary = {};
  }
  EXPECT_EQ(read_result(to_json(result), "test").cells.size(), 2U);
}

}  // namespace
}  // namespace graphbench::model
