// Tests the text below the table: troubles, at most three lines of notes, the counts, the conclusions.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "harness/model/findings/findings.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::sweep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string closing_of(const model::Result& result, const std::string& json_path = "") {
  reporters::Report report;
  add_closing(report, result, json_path);
  std::ostringstream out;
  reporters::format_named("table").print(out, report, {});
  return out.str();
}

TEST(Troubles, AreListedOnceACauseInOneLine) {
  model::Result result = samples::small_result();
  model::CellResult again = result.cells[10];
  result.cells[9] = again;
  EXPECT_THAT(closing_of(result),
              HasSubstr("failed out_of_memory: allocate 4 GiB on cuda:0: 1 GiB is free (2 cells, first"));
  EXPECT_THAT(closing_of(result), HasSubstr("skipped host_op: "));
  result.cells[10].reason->message = "first\nsecond\033[2J";
  EXPECT_THAT(closing_of(result), HasSubstr("first second [2J"));
}

std::int64_t lines_in(const std::string& text) {
  return std::ranges::count(text, '\n');
}

TEST(Closing, HasAtMostThreeLinesOfNotesAndTheJudgementFirst) {
  model::Result result = samples::default_sweep_result();
  result.plan.launches = 5;
  const std::int64_t clean = lines_in(closing_of(result));
  EXPECT_THAT(closing_of(result), StartsWith("trust: high\n324 cells: 324 ok"));
  result.environment.device.kind = "host";
  result.environment.machine.emplace().load_average = 5.4;
  EXPECT_THAT(closing_of(result),
              StartsWith("trust: low (load 5.4 on 8 cores): stop other work\nnote: device"));
  result.complete = false;
  EXPECT_EQ(lines_in(closing_of(result)), clean + 2);
  result.cells[3].check->identical = false;
  result.cells[4].fallback = "eager";
  EXPECT_EQ(lines_in(closing_of(result)), clean + 2);
  EXPECT_THAT(closing_of(result), HasSubstr("note: the sweep was interrupted"));
  EXPECT_THAT(closing_of(result),
              HasSubstr("note: 3 more (`notes` in the document): outputs_differ, ran_eager, host_device\n"));
}

TEST(Closing, EndsWithACardForEachSubjectWithinTheWidth) {
  const auto cards = [](int width) {
    std::ostringstream out;
    reporters::print_cards(out, report_of(samples::default_sweep_result()).conclusions, {.width = width});
    return out.str();
  };
  EXPECT_THAT(cards(10'000),
              ContainsRegex(
                  "^mlp: At batch.*\n(  .*\n)+attention: At batch.*\n(  .*\n)+conv: At batch.*\n(  .*\n)+$"));
  std::istringstream lines(cards(60));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60U) << line;
  EXPECT_TRUE(closing_of(samples::default_sweep_result()).ends_with(cards(120)));
}

TEST(Closing, HasAVerdictAndAtMostFourLabelledLinesOfASubject) {
  for (const model::Result& result : {samples::default_sweep_result(), samples::small_result()}) {
    std::string said;
    for (const reporters::Card& card : report_of(result).conclusions) {
      EXPECT_THAT(card.verdict, StartsWith("At batch ")) << card.subject;
      EXPECT_LE(card.lines.size(), 4U);
      for (const reporters::Sentence& line : card.lines) {
        EXPECT_THAT(model::card_labels, ::testing::Contains(line.lead));
        said += line.text + '\n';
      }
      said += card.verdict + '\n' + card.details + '\n';
    }
    for (const model::Conclusion& each : model::conclusions_of(result))
      EXPECT_THAT(said, HasSubstr(each.text));
  }
}

TEST(Closing, CountsCellsAndNamesTheFile) {
  EXPECT_THAT(closing_of(samples::small_result(), "out/result.json"),
              HasSubstr("12 cells: 10 ok, 1 failed, 1 skipped; the result is in out/result.json\n"));
}

}  // namespace
}  // namespace graphbench::sweep
