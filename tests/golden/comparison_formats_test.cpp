// Compares the formats of a comparison with the files in folders next to this one. formats_test.py then
// reads those files as Jenkins, GitHub's runner and its renderer would.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "harness/judge/report/comparison_fields.hpp"
#include "harness/judge/report/formats.hpp"
#include "tests/golden/expect_golden.hpp"
#include "tests/golden/sample_comparisons.hpp"

namespace graphbench {
namespace {

std::string shown(const std::string& format, const model::Comparison& comparison, bool colours = false) {
  std::ostringstream out;
  const reporters::Format& found = reporters::format_named(format, true);
  if (found.print == nullptr) {
    judge::print_comparison_json(out, comparison);
  } else {
    found.print(out, judge::report_of(comparison), {.colours = colours});
  }
  return std::move(out).str();
}

std::size_t lines_with(const std::string& text, const std::string& beginning) {
  std::size_t count = text.starts_with(beginning) ? 1 : 0;
  for (std::size_t at = 0; (at = text.find("\n" + beginning, at)) != std::string::npos; ++at) ++count;
  return count;
}

void expect_golden_of(const std::string& format, const std::string& name, const std::string& text) {
  const std::map<std::string, const char*> endings = {
      {"json", ".json"}, {"markdown", ".md"}, {"csv", ".csv"}, {"junit", ".xml"}};
  const auto found = endings.find(format);
  expect_golden("comparison/" + format + "/" + name + (found == endings.end() ? ".txt" : found->second),
                text);
}

TEST(GoldenComparison, InEveryFormat) {
  for (const std::string& format : reporters::format_names(true)) {
    expect_golden_of(format, "mixed", shown(format, samples::mixed_comparison()));
    expect_golden_of(format, "same", shown(format, samples::same_comparison()));
    expect_golden_of(format, "single", shown(format, samples::single_launch_comparison()));
    expect_golden_of(format, "incomparable", shown(format, samples::incomparable_comparison()));
  }
  expect_golden_of("table", "mixed.colours", shown("table", samples::mixed_comparison(), true));
}

TEST(Formats, MarkdownNeverOutgrowsACommentAndSaysWhatIsLeftOut) {
  for (const std::int64_t cells : {1, 10, 100, 1000, 20000}) {
    const std::string text = shown("markdown", samples::large_comparison(cells));
    EXPECT_LE(text.size(), reporters::comment_bytes_max) << cells;
    if (cells < 1000) continue;
    EXPECT_NE(std::string::npos, text.find("more of " + std::to_string(cells) + " rows are left out"));
    // Thousands of slower cells must leave room for the other tables.
    EXPECT_GE(lines_with(text, "| <code>mlp"), 3u) << cells;
    EXPECT_NE(std::string::npos, text.find("<summary>inconclusive: " + std::to_string(cells) + " metrics"));
    EXPECT_EQ(lines_with(text, "<details>"), lines_with(text, "</details>"));
  }
}

TEST(Formats, WhatIsInconclusiveSaysWhatItCouldHaveFound) {
  model::Comparison comparison = samples::mixed_comparison();
  comparison.settings.strict = true;         // else what is inconclusive has no annotation
  comparison.cells = {comparison.cells[2]};  // one cell, because GitHub shows only ten annotations
  EXPECT_NE(std::string::npos, shown("junit", comparison).find("[1.002, 1.059], q 1, finds 7.7 %"));
  EXPECT_NE(std::string::npos,
            shown("github", comparison).find("[1.002, 1.059], q 1, finds 7.7 %25: the change is beyond"));
  EXPECT_NE(std::string::npos,
            shown("markdown", comparison).find("[1.002, 1.059] | 1 | 7.7 % | the change is beyond"));
  comparison.cells[0].metrics.front().detectable = {};
  EXPECT_NE(std::string::npos, shown("github", comparison).find("finds >1000 %25: the change is beyond"));
}

TEST(Formats, NamesOfAnyLengthAreCut) {
  model::Comparison comparison = samples::mixed_comparison();
  for (model::CellComparison& cell : comparison.cells) cell.id += std::string(100'000, 'y');
  comparison.now.device_name = std::string(100'000, 'x');
  for (const char* format : {"table", "markdown", "github"})
    EXPECT_LT(shown(format, comparison).size(), 20'000u) << format;
}

TEST(Formats, AnnotationsStopAtWhatGithubShowsAndSayHowManyAreLeft) {
  model::Comparison comparison = samples::large_comparison(40);
  comparison.differences.assign(12, {"os", "a", "b"});
  const std::string text = shown("github", comparison);
  EXPECT_EQ(10u, lines_with(text, "::error "));
  EXPECT_EQ(10u, lines_with(text, "::warning "));
  EXPECT_EQ(1u, lines_with(text, "::notice "));
  EXPECT_NE(std::string::npos, text.find("; 70 more errors are not shown; 2 more warnings are not shown"));
}

// GitHub shows ten errors, and the verdict is the last line.
TEST(Formats, ABlindVerdictIsOneOfTheErrorsThatGithubShows) {
  model::Comparison comparison = samples::single_launch_comparison();
  comparison.settings.strict = true;
  const model::CellComparison cell = comparison.cells.front();
  for (int i = 0; i < 20; ++i) comparison.cells.push_back(cell);
  const std::string text = shown("github", comparison);
  EXPECT_EQ(10u, lines_with(text, "::error "));
  EXPECT_EQ(1u, lines_with(text, "::error title=graphbench%3A blind::blind: "));
  EXPECT_EQ(0u, lines_with(text, "::notice "));
}

TEST(Formats, WhatIsInconclusiveIsAnnotatedByANumberUnlessItFails) {
  model::Comparison comparison = samples::large_comparison(2);
  std::string text = shown("github", comparison);
  EXPECT_EQ(0u, lines_with(text, "::warning ")) << text;
  EXPECT_NE(std::string::npos, text.find("; inconclusive: ")) << text;
  comparison.settings.strict = true;
  text = shown("github", comparison);
  EXPECT_EQ(std::string::npos, text.find("; inconclusive: ")) << text;
  EXPECT_EQ(2u, lines_with(text, "::error title=graphbench%3A inconclusive")) << text;
}

// Has a mean whose launches spread more in NEW, and the odd launch behind this, in NEW's second document.
model::Comparison less_steady_comparison() {
  model::Comparison comparison = samples::same_comparison();
  model::MeanComparison& mean = comparison.means.emplace_back();
  mean.mode = "whole";
  mean.cells = 27;
  mean.metric = comparison.cells.front().metrics.front();
  mean.base_spread = 0.001;
  mean.new_spread = 0.18;
  mean.spread_p = 0.0001;
  mean.less_steady = true;
  comparison.counts.means_same = comparison.counts.means_less_steady = 1;
  comparison.odd_launches.push_back({true, 1, 2, model::Metric::latency, 81, 1.5, 0.0001});
  comparison.two_states.push_back({false, model::Metric::submit, 2, 5, 1.05, 0.0006});
  return comparison;
}

TEST(Formats, LaunchesThatSpreadMoreOrAreOddAreNamedInEveryFormat) {
  const model::Comparison comparison = less_steady_comparison();
  EXPECT_TRUE(model::passed(comparison));
  const std::string odd =
      "launch 2 of document 2 of 5 of NEW: latency is 1.500x that of the others, in most of 81 cells";
  const std::string spread = "whole latency: the spread of launches is 18 % in NEW and 0.1 % in BASE";
  const std::string states = "2 of 5 launches of BASE are 5 % slower than its others in submit: two states?";
  for (const std::string format : {"table", "markdown", "junit"}) {
    const std::string text = shown(format, comparison);
    EXPECT_NE(std::string::npos, text.find(odd)) << text;
    EXPECT_NE(std::string::npos, text.find(states)) << text;
    EXPECT_NE(std::string::npos, text.find("less steady: " + spread)) << text;
  }
  EXPECT_NE(std::string::npos,
            shown("github", comparison)
                .find("::warning title=graphbench%3A launches apart from the others::" + odd.substr(0, 30)));
  EXPECT_NE(std::string::npos,
            shown("github", comparison).find("::warning title=graphbench%3A less steady::whole latency"));
  const std::string json = shown("json", comparison);
  EXPECT_NE(std::string::npos, json.find(R"("steadiness":{"verdict":"less steady","base_spread":0.001,)"));
  EXPECT_NE(std::string::npos, json.find(R"({"side":"new","document":1,"launch":2,"metric":"latency",)"));
  EXPECT_NE(std::string::npos, json.find(R"({"side":"base","metric":"submit","slower":2,"launches":5,)"));
  model::Comparison strict = comparison;
  strict.settings.strict = true;
  EXPECT_TRUE(model::passed(strict)) << "unsteady launches decide no exit code";
}

TEST(Formats, JunitFailsExactlyWhereTheComparisonDoes) {
  for (const bool strict : {false, true}) {
    for (model::Comparison comparison :
         {samples::mixed_comparison(), samples::same_comparison(), samples::incomparable_comparison(),
          samples::single_launch_comparison(), samples::large_comparison(3), model::Comparison(),
          less_steady_comparison()}) {
      comparison.settings.strict = strict;
      const std::string text = shown("junit", comparison);
      EXPECT_EQ(model::passed(comparison), text.find("<failure") == std::string::npos) << comparison.headline;
    }
  }
}

TEST(Formats, TooLittlePowerFails) {
  model::Comparison comparison = samples::same_comparison();
  EXPECT_TRUE(model::passed(comparison));
  comparison.slowdown_found = 0.05;
  comparison.settings.require_power = 0.05;
  EXPECT_TRUE(model::passed(comparison));
  comparison.slowdown_found = 0.051;
  EXPECT_FALSE(model::passed(comparison));
  EXPECT_NE(std::string::npos, shown("junit", comparison).find("<failure type=\"blind\""));
}

// Sets the sizes of changes that the metric would find with a probability of 80 % and of 90 %.
void set_power(model::MetricComparison& metric, double found80, double found90) {
  metric.detectable = found80;
  metric.detectable90 = found90;
  metric.verdict = model::Verdict::inconclusive;
}

TEST(Formats, TooLittlePowerOfAllCellsFails) {
  model::Comparison comparison = samples::mixed_comparison();
  comparison.counts = {};
  comparison.counts.compared = 1;
  comparison.now.complete = true;
  comparison.settings.metrics[static_cast<std::size_t>(model::Metric::submit)].require_power = 0.1;
  const auto submit_of = [&](auto&& change) {
    for (model::MeanComparison& mean : comparison.means) {
      if (mean.metric.metric == model::Metric::submit) change(mean.metric);
    }
  };
  for (model::MeanComparison& mean : comparison.means) set_power(mean.metric, 0.5, 0.6);
  submit_of([](model::MetricComparison& metric) { set_power(metric, 0.09, 0.0999); });
  EXPECT_TRUE(model::passed(comparison)) << "what latency finds was not asked for";
  submit_of([](model::MetricComparison& metric) { set_power(metric, 0.2, 0.25); });
  EXPECT_FALSE(model::passed(comparison));
  EXPECT_NE(std::string::npos,
            shown("table", comparison)
                .find("; --require-power submit=10 % is not met: raise --launches, or stop "
                      "other programs."));
  submit_of([](model::MetricComparison& metric) {
    metric.verdict = model::Verdict::same;
    metric.margin = 0.1;
  });
  EXPECT_TRUE(model::passed(comparison)) << "an early look has excluded a slowdown of the margin";
  comparison.means.clear();
  for (model::CellComparison& cell : comparison.cells) {
    for (model::MetricComparison& metric : cell.metrics) set_power(metric, 0.09, 0.0999);
  }
  comparison.cells.front().metrics.front().verdict = model::Verdict::same;
  EXPECT_TRUE(model::passed(comparison)) << "modes of one cell have that cell";
  comparison.cells.clear();
  EXPECT_FALSE(model::passed(comparison)) << "none was tested";
}

// Modes that share launches miss a slowdown together, so several modes find no more than the best one.
TEST(Formats, TheBestModeSaysWhatIsFoundInAllCells) {
  model::Comparison comparison;
  for (const char* const mode : {"eager", "whole", "piecewise"}) {
    model::MeanComparison& mean = comparison.means.emplace_back();
    mean.mode = mode;
    mean.metric.metric = model::Metric::submit;
    set_power(mean.metric, 0.1, 0.12);
  }
  set_power(comparison.means[1].metric, 0.09, 0.11);
  EXPECT_EQ(0.11, *mean_slowdown_found(comparison, model::Metric::submit));
  comparison.means[1].metric.detectable90 = {};
  EXPECT_EQ(0.12, *mean_slowdown_found(comparison, model::Metric::submit));
  comparison.means[0].metric.verdict = model::Verdict::faster;
  comparison.means[0].metric.margin = 0.15;
  comparison.means[2].metric.margin = 0.14;
  EXPECT_EQ(0.14, *mean_slowdown_found(comparison, model::Metric::submit)) << "nothing below the margin";
}

TEST(Formats, PowerIsPrintedPerModeForTheWorstCell) {
  model::Comparison comparison = samples::same_comparison();
  model::CellComparison other = comparison.cells.back();  // of mode whole
  other.id = "mlp/base/bf16/forward/b1/w3/whole";
  other.metrics.front().detectable90 = 0.19;
  comparison.cells.push_back(other);
  comparison.cells.front().metrics.front().detectable90 = 0.001;
  const std::string table = shown("table", comparison);
  EXPECT_NE(std::string::npos, table.find("Slowdowns found in nine cases of ten: in one cell's latency "
                                          "2 % in eager, 19 % in whole."))
      << table;
  other.metrics.front().detectable90 = {};
  comparison.cells.push_back(other);
  EXPECT_NE(std::string::npos, shown("table", comparison).find("more than 1000 % in whole"));
}

TEST(Formats, ASlowerMeanIsAFailureInEveryFormat) {
  model::Comparison comparison = samples::same_comparison();
  model::MeanComparison& mean = comparison.means.emplace_back();
  mean.mode = "whole";
  mean.cells = 27;
  mean.metric = comparison.cells.front().metrics.front();
  mean.metric.verdict = model::Verdict::slower;
  comparison.counts.means_slower = 1;
  comparison.verdict = model::verdict_of(comparison.counts);
  EXPECT_FALSE(model::passed(comparison));
  EXPECT_NE(std::string::npos, shown("junit", comparison).find("<failure type=\"slower\""));
  EXPECT_NE(
      std::string::npos,
      shown("github", comparison)
          .find("::error title=graphbench%3A slower::whole latency over its cells: whole latency of 27 "));
  EXPECT_NE(std::string::npos, shown("markdown", comparison).find("| whole | latency | 27 | 100us"));
  EXPECT_NE(std::string::npos, shown("table", comparison).find("  whole  latency "));
}

// So that what is printed of a document is what was printed of the comparison.
TEST(Formats, JsonIsReadBackWhole) {
  model::Comparison strict = samples::mixed_comparison();
  strict.settings.strict = true;
  strict.settings.alpha = 0.01;
  strict.settings.metrics.front() = {.margin = 0.1, .floor_seconds = 1e-6, .require_power = 0.05};
  strict.settings.require_power = 0.2;
  for (const model::Comparison& comparison :
       {strict, samples::same_comparison(), samples::single_launch_comparison(),
        samples::incomparable_comparison()}) {
    const std::string text = shown("json", comparison);
    model::JsonWalk walk("comparison");
    model::Comparison read{};
    walk.document(text, [&](std::string_view key, model::JsonWalk::Value value) {
      model::JsonReader(walk).read_field(key, value, read);
    });
    EXPECT_EQ(text, shown("json", read));
  }
}

TEST(Formats, JsonHasNineDigitsOfEachNumberAndNoMore) {
  model::Comparison comparison = samples::same_comparison();
  comparison.cells.front().metrics.front().detectable = 0.033816697812;  // nlohmann's: 0.033816697799999997
  comparison.cells.front().metrics.front().freedom = 8;
  EXPECT_NE(std::string::npos, shown("json", comparison).find(R"("detectable":0.0338166978,)"));
  EXPECT_NE(std::string::npos, shown("json", comparison).find(R"("freedom":8.0,)"));
}

}  // namespace
}  // namespace graphbench
