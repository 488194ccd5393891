// Tests what the document says about missing, broken and odd values; tests/golden tests its structure.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::codec {
namespace {

using Json = nlohmann::json;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Json document_of(const model::Result& result) {
  return Json::parse(to_json(result));
}

TEST(ResultJson, KeepsEveryCellInOrder) {
  const model::Result result = samples::default_sweep_result();
  const Json document = document_of(result);
  ASSERT_EQ(document["cells"].size(), 324U);
  for (std::size_t i = 0; i < result.cells.size(); ++i)
    EXPECT_EQ(document["cells"][i]["id"], model::id_of(result.cells[i].cell));
}

TEST(ResultJson, KeepsNumbersToTheLastBitAndMissingPercentilesAsNull) {
  model::Result result = samples::small_result();
  const double odd = 1.0 / 3e7;
  result.cells[0].launches[0].latency_seconds->p50 = odd;
  const Json launch = document_of(result)["cells"][0]["launches"][0];
  EXPECT_EQ(launch["latency_seconds"]["p50"].get<double>(), odd);
  EXPECT_TRUE(launch["device_seconds"]["p99"].is_null()) << "missing";
  EXPECT_TRUE(launch["device_seconds"]["p90"].is_number());
}

TEST(ResultJson, NeverWritesWhatIsNotANumber) {
  model::Result result = samples::small_result();
  model::CellResult& cell = result.cells[1];
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
  model::Result result = samples::small_result();
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
  model::Result result = samples::small_result();
  result.cells[10].reason->message = "bad \xff byte";
  result.plan.argv = {"graphbench", "--set", "a=\"1\"\n"};
  const Json document = document_of(result);
  EXPECT_EQ(document["cells"][10]["reason"]["message"], "bad \xef\xbf\xbd byte");
  EXPECT_EQ(document["plan"]["argv"][2], "a=\"1\"\n");
  result.cells.clear();
  EXPECT_TRUE(document_of(result)["cells"].empty());
}

TEST(ResultJson, NeedsBothEndsOfAnInterval) {
  model::Result result = samples::interrupted_result();
  EXPECT_EQ(document_of(result)["cells"][0]["summary"]["latency_seconds"]["ci95"].size(), 2U);
  result.cells[0].summary.latency_seconds->ci95_high.reset();
  EXPECT_TRUE(document_of(result)["cells"][0]["summary"]["latency_seconds"]["ci95"].is_null());
}

std::vector<model::Result> samples_of_all_kinds() {
  return {samples::small_result(), samples::interrupted_result(), samples::instruments_result()};
}

TEST(ResultDocument, IsReadAsItWasWritten) {
  for (const model::Result& result : samples_of_all_kinds()) {
    const std::string document = to_json(result);
    EXPECT_EQ(to_json(read_result(document, "test")), document);
    for (const model::CellResult& cell : result.cells)
      EXPECT_EQ(to_json(read_cell(to_json(cell), "test")), to_json(cell));
  }
}

TEST(ResultDocument, AProjectionIsWhatIsReadOfTheDocument) {
  for (const model::Result& result : samples_of_all_kinds()) {
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

}  // namespace
}  // namespace graphbench::codec
