// Other tools' documents: what becomes of each field, and that bad ones are refused in one line. The
// files in documents/ are what Google Benchmark 1.7.1 wrote, and what nvbench's printer writes.
#include "harness/verdict/foreign/foreign_documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/codec/parse_document.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/compare.hpp"
#include "harness/verdict/compare/read_side.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::compare {
namespace {

using testing::HasSubstr;

std::string file(const std::string& name) {
  std::ifstream in(std::string(GRAPHBENCH_DOCUMENTS_FOLDER) + "/" + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

Document parse(std::string text) {
  const std::size_t size = text.size();
  text.append(codec::text_padding, '\0');
  return parse_any_document({text.data(), size}, "given.json");
}

DocumentFormat format(std::string text) {
  const std::size_t size = text.size();
  text.append(codec::text_padding, '\0');
  return format_of({text.data(), size});
}

const DocumentCell& cell(const Document& document, const std::string& id) {
  const auto found = std::ranges::find(document.cells, id, &DocumentCell::id);
  EXPECT_NE(found, document.cells.end()) << id;
  static const DocumentCell none;
  return found == document.cells.end() ? none : *found;
}

std::string complaint_about(const std::string& text) {
  const std::string refused = test::refusal([&] { parse(text); });
  EXPECT_EQ(std::string::npos, refused.find('\n')) << refused;
  return refused;
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  ASSERT_NE(std::string::npos, at) << what;
  text.replace(at, what.size(), with);
}

std::string run(const std::string& fields) {
  return R"({"context": {}, "benchmarks": [{"name": "BM_a", "run_type": "iteration", )" + fields + "}]}";
}

TEST(Format, IsToldByWhatStandsAtTheTop) {
  EXPECT_EQ(DocumentFormat::google_benchmark, format(file("google_benchmark.json")));
  EXPECT_EQ(DocumentFormat::nvbench, format(file("nvbench.json")));
  EXPECT_EQ(DocumentFormat::graphbench,
            format(R"({"schema": "graphbench.result/1", "benchmarks": [], "context": 1})"));
  EXPECT_EQ(DocumentFormat::graphbench, format(R"({"benchmarks": [], "context": 1, "schema": "x"})"));
  EXPECT_EQ(DocumentFormat::graphbench, format(R"({"benchmarks": []})"));
  EXPECT_EQ(DocumentFormat::graphbench, format("[1, 2]"));
  EXPECT_EQ(DocumentFormat::graphbench, format(""));
}

TEST(Format, OfACutDocumentIsStillItsOwn) {
  const std::string text = file("google_benchmark.json");
  EXPECT_THAT(complaint_about(text.substr(0, text.size() / 2)), HasSubstr("cut off"));
}

TEST(GoogleBenchmark, RepetitionsOfOneProcessAreOneLaunchOfTheirMedian) {
  const Document document = parse(file("google_benchmark.json"));
  const DocumentCell& copy = cell(document, "BM_Copy/64");
  ASSERT_EQ(1u, copy.launches.size());
  EXPECT_DOUBLE_EQ(5.1288178688333836e-8, copy.launches[0][model::Metric::latency]);
  EXPECT_EQ(0, copy.launches[0][model::Metric::submit]);
  EXPECT_EQ(0, copy.launches[0][model::Metric::device]);
  EXPECT_EQ(CellState::ok, copy.state);
}

TEST(GoogleBenchmark, TakesManualTimeAndItsUnit) {
  const Document document = parse(file("google_benchmark.json"));
  EXPECT_NEAR(25e-6, cell(document, "BM_Manual/manual_time").launches.at(0)[model::Metric::latency], 1e-9);
}

TEST(GoogleBenchmark, NamesKeepTheirTemplateArguments) {
  const Document document = parse(file("google_benchmark.json"));
  EXPECT_EQ(1u, cell(document, "BM_Fill<std::pair<int,float>>/real_time/threads:2").launches.size());
}

TEST(GoogleBenchmark, AnErrorMakesAFailedCell) {
  const Document document = parse(file("google_benchmark.json"));
  EXPECT_EQ(CellState::failed, cell(document, "BM_Error").state);
  EXPECT_EQ("error_occurred: no device of that \"name\"", cell(document, "BM_Error").reason);
  EXPECT_TRUE(cell(document, "BM_Error").launches.empty());
}

TEST(GoogleBenchmark, ASkippedRunMakesASkippedCell) {
  const Document document = parse(run(R"("skipped": true, "skip_message": "no GPU", "real_time": 0)"));
  EXPECT_EQ(CellState::skipped, document.cells.at(0).state);
  EXPECT_EQ("skipped: no GPU", document.cells.at(0).reason);
}

TEST(GoogleBenchmark, AggregatesAreNoCells) {
  const Document document = parse(file("google_benchmark.json"));
  EXPECT_EQ(5u, document.cells.size());
}

TEST(GoogleBenchmark, AMedianStandsInWhereOnlyAggregatesWereWritten) {
  const Document document = parse(file("google_benchmark_aggregates.json"));
  EXPECT_EQ(1u, cell(document, "BM_Copy/64").launches.size());
  EXPECT_GT(cell(document, "BM_Copy/64").launches.at(0)[model::Metric::latency], 1e-9);
  EXPECT_LT(cell(document, "BM_Copy/64").launches.at(0)[model::Metric::latency], 1e-6);
}

TEST(GoogleBenchmark, SaysWhereItComesFrom) {
  const DocumentFacts facts = parse(file("google_benchmark.json")).facts;
  EXPECT_EQ("google-benchmark", facts.fields.at("tool.name"));
  EXPECT_EQ("host", facts.fields.at("device.kind"));
  EXPECT_EQ("2", facts.fields.at("cores"));
  EXPECT_EQ("build-7", facts.fields.at("hostname"));
  EXPECT_EQ("debug", facts.fields.at("device.libraries.benchmark"));
  EXPECT_EQ("2026-11-21T11:58:09+00:00", facts.started_at);
}

TEST(GoogleBenchmark, RefusesTimesThatAreNone) {
  for (const char* time : {"0", "-1", "null", "NaN", "Infinity", "\"5\"", "1e999"}) {
    const std::string said =
        complaint_about(run(std::string(R"("real_time": )") + time + R"(, "time_unit": "ns")"));
    EXPECT_TRUE(said.starts_with("given.json: ")) << time << ": " << said;
  }
  EXPECT_THAT(complaint_about(run(R"("time_unit": "ns")")), HasSubstr("no \"real_time\" above 0"));
  EXPECT_THAT(complaint_about(run(R"("real_time": 5, "time_unit": "min")")),
              HasSubstr("\"min\" is not a time_unit"));
}

TEST(GoogleBenchmark, RefusesTwoBenchmarksOfOneName) {
  const std::string one = R"({"name": "BM_a", "repetition_index": 0, "real_time": 5, "time_unit": "ns"})";
  const std::string said = complaint_about(R"({"context": {}, "benchmarks": [)" + one + ", " + one + "]}");
  EXPECT_THAT(said, HasSubstr("\"BM_a\" has repetition 0 twice"));
}

TEST(GoogleBenchmark, RefusesTimesBeyondTheRangeOfRatios) {
  for (const char* time : {"1e-320", "1e-8", "1e300"}) {
    const std::string said =
        complaint_about(run(std::string(R"("real_time": )") + time + R"(, "time_unit": "ns")"));
    EXPECT_THAT(said, HasSubstr("\"BM_a\" has a \"real_time\" that is not between"));
  }
}

TEST(GoogleBenchmark, RefusesTwoMediansOfOneName) {
  const std::string one = R"({"name": "BM_a_median", "run_name": "BM_a", "run_type": "aggregate",
    "aggregate_name": "median", "real_time": 5, "time_unit": "ns"})";
  const std::string said = complaint_about(R"({"context": {}, "benchmarks": [)" + one + ", " + one + "]}");
  EXPECT_THAT(said, HasSubstr("\"BM_a\" has two medians"));
}

TEST(GoogleBenchmark, RefusesADocumentThatHoldsNothing) {
  EXPECT_THAT(complaint_about(R"({"context": {}, "benchmarks": []})"), HasSubstr("nothing to compare"));
}

TEST(Nvbench, AStateIsALaunchOfItsMeanTimes) {
  const Document document = parse(file("nvbench.json"));
  const DocumentCell& copy = cell(document, "copy_sweep/Elements=2^20");
  ASSERT_EQ(1u, copy.launches.size());
  EXPECT_DOUBLE_EQ(72.5e-6, copy.launches[0][model::Metric::device]);
  EXPECT_DOUBLE_EQ(85e-6, copy.launches[0][model::Metric::latency]);
  EXPECT_EQ(0, copy.launches[0][model::Metric::submit]);
  EXPECT_EQ(1u, cell(document, "empty").launches.size());
}

TEST(Nvbench, ASkippedStateIsASkippedCell) {
  const Document document = parse(file("nvbench.json"));
  EXPECT_EQ(CellState::skipped, cell(document, "copy_sweep/Elements=2^30").state);
  EXPECT_EQ("skipped: out of memory: \"8 GiB\"", cell(document, "copy_sweep/Elements=2^30").reason);
}

TEST(Nvbench, DescribesTheDevicesThatWereUsed) {
  const DocumentFacts facts = parse(file("nvbench.json")).facts;
  EXPECT_EQ("nvbench", facts.fields.at("tool.name"));
  EXPECT_EQ("cuda", facts.fields.at("device.kind"));
  EXPECT_EQ("NVIDIA H200", facts.fields.at("device.name"));
  EXPECT_EQ("9.0", facts.fields.at("device.compute_capability"));
  EXPECT_EQ("0.1.0", facts.tool_version);
  EXPECT_EQ("0123456789ab", facts.tool_commit);
}

TEST(Nvbench, TellsDevicesApartWhereThereAreSeveral) {
  std::string text = file("nvbench.json");
  replace(text, R"("name": "Device=0",)", R"("name": "Device=1",)");
  const std::size_t last = text.rfind(R"("device": 0)");
  text.replace(last, 11, R"("device": 1)");
  const Document document = parse(text);
  EXPECT_EQ(1u, cell(document, "copy_sweep/Device=0 Elements=2^20").launches.size());
  EXPECT_EQ(1u, cell(document, "empty/Device=1").launches.size());
  EXPECT_EQ("NVIDIA H200 + NVIDIA L4", document.facts.fields.at("device.name"));
}

TEST(Nvbench, ABenchmarkOfTheCpuAloneHasALatency) {
  const Document document = parse(R"({"devices": null, "benchmarks": [{"name": "parse", "states": [
    {"name": "", "device": null, "is_skipped": false, "summaries": [
      {"tag": "nv/cpu_only/time/cpu/mean",
       "data": [{"name": "value", "type": "float64", "value": "1e-3"}]}]}]}]})");
  EXPECT_DOUBLE_EQ(1e-3, cell(document, "parse").launches.at(0)[model::Metric::latency]);
  EXPECT_EQ("host", document.facts.fields.at("device.kind"));
}

// Else the same GPU in another slot, or a filter that leaves the CPU's benchmark out, would lose every cell.
TEST(Nvbench, ABenchmarkOfTheCpuAloneIsNoSecondDevice) {
  const auto summary = [](const std::string& tag) {
    return R"("summaries": [{"tag": ")" + tag + R"(", "data": [{"name": "value", "value": "1e-3"}]}])";
  };
  const Document document = parse(
      R"({"devices": [{"id": 3, "name": "GPU"}], "benchmarks": [
      {"name": "step", "states": [{"name": "Device=3 N=1", "device": 3, )" +
      summary("nv/cold/time/gpu/mean") + R"(}]},
      {"name": "parse", "states": [{"name": "", "device": null, )" +
      summary("nv/cpu_only/time/cpu/mean") + "}]}]}");
  EXPECT_EQ(1u, cell(document, "step/N=1").launches.size());
  EXPECT_EQ(1u, cell(document, "parse").launches.size());
}

TEST(Nvbench, RefusesASummaryThatIsThereTwice) {
  std::string text = file("nvbench.json");
  replace(text, "nv/cold/time/cpu/mean", "nv/cold/time/gpu/mean");
  EXPECT_THAT(complaint_about(text), HasSubstr("\"nv/cold/time/gpu/mean\" is there twice"));
}

TEST(Nvbench, AStateWithoutTimesIsSkippedAndSaysSo) {
  const Document document = parse(R"({"devices": [], "benchmarks": [{"name": "x", "states": [
    {"name": "", "is_skipped": false, "summaries": []}]}]})");
  EXPECT_EQ(CellState::skipped, document.cells.at(0).state);
  EXPECT_TRUE(document.cells.at(0).reason.starts_with("not_timed: "));
}

TEST(Nvbench, ABenchmarkWithoutStatesHoldsNothing) {
  const Document document = parse(R"({"devices": [], "benchmarks": [{"name": "y", "states": null, "index": 0},
    {"name": "x", "states": [{"name": "", "is_skipped": true, "skip_reason": "no", "summaries": null}]}]})");
  ASSERT_EQ(1u, document.cells.size());
  EXPECT_EQ("x", document.cells[0].id);
  EXPECT_THAT(complaint_about(R"({"devices": null, "benchmarks": null})"), HasSubstr("nothing to compare"));
}

TEST(Nvbench, RefusesTimesThatAreNone) {
  for (const char* time : {"\"nan\"", "\"-nan\"", "\"inf\"", "\"0\"", "\"-1e-6\"", "\"1e-320\"", "\"1e300\"",
                           "\"1e-6x\"", "\"\"", "null", "[]"}) {
    std::string text = file("nvbench.json");
    replace(text, R"("7.25e-05")", time);
    EXPECT_TRUE(complaint_about(text).starts_with("given.json: ")) << time;
  }
}

TEST(Nvbench, RefusesOtherVersionsOfItsFormat) {
  std::string text = file("nvbench.json");
  replace(text, R"("major": 1)", R"("major": 2)");
  EXPECT_THAT(complaint_about(text), HasSubstr("2 is another version of nvbench's JSON"));
  const std::string old =
      R"({"devices": [{"id": 0}], "benchmarks": [{"name": "x", "states": [{"device": 0}]}]})";
  EXPECT_THAT(complaint_about(old), HasSubstr("has no \"name\""));
}

TEST(Nvbench, RefusesStatesOnDevicesThatAreNotListed) {
  std::string text = file("nvbench.json");
  replace(text, R"("id": 0)", R"("id": 7)");
  EXPECT_THAT(complaint_about(text), HasSubstr("does not list device 0"));
}

Side side_of(const std::string& text, int documents) {
  std::vector<Document> parsed;
  for (int i = 0; i < documents; ++i) {
    parsed.push_back(parse(text));
    for (DocumentCell& cell : parsed.back().cells) {
      for (LaunchTimes& launch : cell.launches)
        launch[model::Metric::device] *= 1 + 1e-4 * i;  // no launch is like another
    }
  }
  return merge("folder", std::move(parsed));
}

TEST(ForeignSides, OneDocumentASideIsInconclusiveHoweverOftenItRepeats) {
  const Side side = side_of(file("google_benchmark.json"), 1);
  const model::Comparison comparison = compare(side, side, {});
  EXPECT_EQ(model::Verdict::inconclusive, comparison.verdict);
  EXPECT_EQ(
      "a document of google-benchmark is one launch: run both sides five times, and give the folders of "
      "documents",
      comparison.cells.at(0).metrics.at(0).why);
}

TEST(ForeignSides, DocumentsOfAFolderAreLaunches) {
  const Side side = side_of(file("nvbench.json"), 5);
  const model::Comparison comparison = compare(side, side, {});
  EXPECT_EQ(model::Verdict::same, comparison.verdict);
  EXPECT_EQ(5, comparison.cells.at(0).metrics.at(0).base_launches);
}

TEST(ForeignSides, AnotherToolIsNotComparable) {
  const model::Comparison comparison =
      compare(side_of(file("nvbench.json"), 1), side_of(file("google_benchmark.json"), 1), {});
  EXPECT_FALSE(comparison.comparable);
  EXPECT_EQ("tool.name", comparison.differences.at(0).field);
}

TEST(ForeignSides, DocumentsOfTwoToolsAreNotOneSide) {
  std::vector<Document> mixed = {parse(file("nvbench.json")), parse(file("google_benchmark.json"))};
  EXPECT_THROW(merge("folder", std::move(mixed)), InputError);
}

}  // namespace
}  // namespace graphbench::compare
