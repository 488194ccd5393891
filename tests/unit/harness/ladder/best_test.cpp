// Tests what follows from measured sizes: the fastest mode and its gain, times of sizes that were not
// measured, and how the table describes first requests and a log's runtime modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/ladder/interpolate.hpp"
#include "harness/ladder/ladder_table.hpp"
#include "harness/ladder/suggestions.hpp"

namespace graphbench::ladder {
namespace {

Ladder ladder_of(const std::string& mode, const std::vector<std::pair<double, double>>& step_and_eager) {
  Ladder ladder;
  ladder.cell.workload = "attention";
  ladder.cell.mode = mode;
  ladder.launches.emplace_back();
  std::int64_t size = 1;
  for (const auto& [step, eager] : step_and_eager) {
    ladder.sizes.push_back(size);
    ladder.launches[0].sizes.push_back({.size = size, .step_seconds = step, .eager_seconds = eager});
    size *= 2;
  }
  return ladder;
}

TEST(Best, IsTheLeastMedianWithTheMarginOfTheNext) {
  const std::vector<BestModes> best =
      best_modes({ladder_of("whole", {{1.0, 3.0}, {2.0, 3.0}, {4.0, 4.0}, {8.0, 8.1}}),
                  ladder_of("piecewise", {{1.5, 2.5}, {1.6, 3.2}, {5.0, 4.2}, {9.0, 8.2}})},
                 [](const model::Cell&) { return 128; });
  ASSERT_EQ(best.size(), 1u);
  const std::vector<BestSize>& sizes = best[0].sizes;
  EXPECT_EQ(sizes[0].mode, "whole");
  EXPECT_DOUBLE_EQ(sizes[0].margin, 0.5);
  EXPECT_DOUBLE_EQ(sizes[0].over_eager.value(), 2.5);
  EXPECT_EQ(sizes[1].mode, "piecewise");
  EXPECT_DOUBLE_EQ(sizes[1].step_seconds, 1.6);
  EXPECT_EQ(best[0].no_gain_from, 4);
  EXPECT_EQ(best[0].no_gain_from_tokens, 512);
}

TEST(Best, NamesNoEndWhereGraphsGainAtTheLargestSize) {
  const auto best = best_modes({ladder_of("whole", {{1.0, 1.0}, {1.0, 1.5}})},
                               [](const model::Cell&) { return std::optional<std::int64_t>(); });
  EXPECT_EQ(best.at(0).no_gain_from, std::nullopt);
  EXPECT_EQ(best.at(0).no_gain_from_tokens, std::nullopt);
}

TEST(StepTimes, GoThroughWhatWasMeasuredAndKeepItsShape) {
  const StepTimes times({{1, 1.0}, {2, 1.0}, {8, 1.1}, {16, 4.0}, {32, 4.0}});
  for (const auto& [size, time] : std::map<std::int64_t, double>{{1, 1.0}, {8, 1.1}, {32, 4.0}})
    EXPECT_DOUBLE_EQ(times.at(size).value(), time);
  double before = 0;
  for (std::int64_t size = 1; size <= 32; ++size) {
    EXPECT_GE(times.at(size).value(), before - 1e-12) << size;  // no overshoot near the jump
    EXPECT_LE(times.at(size).value(), 4.0 + 1e-12) << size;
    before = times.at(size).value();
  }
  EXPECT_EQ(times.at(33), std::nullopt);
  EXPECT_TRUE(times.measured(8));
  EXPECT_FALSE(times.measured(9));
}

TEST(StepTimes, OfTwoPointsAreALine) {
  const StepTimes times({{2, 1.0}, {6, 3.0}});
  EXPECT_DOUBLE_EQ(times.at(4).value(), 2.0);
  EXPECT_EQ(times.at(1), std::nullopt);
}

TEST(Expectations, AreUsesTimesMediansAndPaddingAgainstTheRowsOwnSize) {
  LadderLaunch launch;
  launch.sizes.resize(3);
  launch.sizes[0] = {.size = 2, .uses = 3, .rows = {{1, 1}, {2, 2}}, .setup = {}, .step_seconds = 1.0};
  launch.sizes[1] = {.size = 6, .uses = 2, .rows = {{4, 2}}, .setup = {}, .step_seconds = 3.0};
  launch.sizes[2] = {.size = 9, .dropped = model::Reason{"out_of_memory", ""}};
  launch.eager = {{.rows = 7, .uses = 4, .step_seconds = 5.0}};
  add_expectations(launch);
  EXPECT_DOUBLE_EQ(launch.predicted_seconds.value(), 3 * 1.0 + 2 * 3.0 + 4 * 5.0);
  EXPECT_DOUBLE_EQ(launch.padding.seconds.value(), 2 * (3.0 - 2.0));

  launch.eager[0].step_seconds.reset();
  launch.predicted_seconds.reset();
  add_expectations(launch);
  EXPECT_EQ(launch.predicted_seconds, std::nullopt) << "a size that was used has no time";
}

using ::testing::HasSubstr;
using ::testing::Not;

std::string table_of(const LadderFindings& findings) {
  std::ostringstream out;
  reporters::format_named("table").print(out, report_of(findings), {});
  return out.str();
}

Ladder served_ladder() {
  Ladder ladder;
  ladder.traffic.name = "server.log";
  ladder.launches.emplace_back();
  return ladder;
}

std::string text_of(const Ladder& ladder) {
  LadderFindings findings;
  findings.ladders = {ladder};
  return table_of(findings);
}

TEST(LadderTable, FirstRequestsAreLongerOnlyWhereTheyAreAboveTheNoise) {
  const auto first = [](double p50, double noise) {
    Ladder ladder = served_ladder();
    ladder.launches[0].first_requests = FirstRequests{2, p50, 90e-6, 41e-6, noise};
    return text_of(ladder);
  };
  EXPECT_THAT(first(-49.5e-6, 0),
              HasSubstr("the first requests of 2 sizes did not take longer than later requests at p50"));
  EXPECT_THAT(
      first(5e-6, 8e-6),
      HasSubstr("did not take longer than later requests at p50 (noise 8.00us); extra time: 90.0us at most"));
  EXPECT_THAT(first(9e-6, 8e-6),
              HasSubstr("sizes took longer than later requests by 9.00us at p50, 90.0us at most"));
}

TEST(LadderTable, RuntimeModesThatAreMergedAreNoted) {
  Ladder ladder = served_ladder();
  EXPECT_THAT(text_of(ladder), Not(HasSubstr("modes")));
  ladder.traffic.modes = {{"FULL", 25, true}, {"PIECEWISE", 3, true}};
  EXPECT_THAT(text_of(ladder), HasSubstr("in the log: FULL 25, PIECEWISE 3\n"));
  EXPECT_THAT(text_of(ladder), HasSubstr("note: these modes are merged"));
  ladder.traffic.modes[1].served = false;
  EXPECT_THAT(text_of(ladder), HasSubstr("in the log: FULL 25, PIECEWISE 3 (left out)\n"));
  EXPECT_THAT(text_of(ladder), Not(HasSubstr("merged")));
}

TEST(SuggestionTable, HasBothFiguresAndNamesTheEagerThatItIsHeldAgainst) {
  Suggestion made;
  made.cell.mode = "whole";
  made.from = "sweep.json";
  made.sizes = {1, 8};
  made.step_seconds = 100e-6;
  made.eager_step_seconds = 140e-6;
  const auto text = [&] {
    LadderFindings findings;
    findings.suggestions = {made};
    return table_of(findings);
  };
  made.no_suggestion = "not served";
  EXPECT_THAT(text(), ::testing::StartsWith("no suggestion for "));
  EXPECT_THAT(text(), HasSubstr("from sweep.json: not served\n  sizes 1,8\n"));
  EXPECT_THAT(text(), HasSubstr("mean step: 100us predicted, not served\n"));
  EXPECT_THAT(text(), HasSubstr("eager (graphbench's own): 140us predicted, not served\n"));
  EXPECT_THAT(text(), Not(HasSubstr("gain")));
  made.no_suggestion = "";
  made.verified_step_seconds = 102e-6;
  made.eager_verified_step_seconds = 139e-6;
  made.over_eager = 1.36;
  made.over_eager_ci95_low = 1.31;
  made.over_eager_ci95_high = 1.42;
  EXPECT_THAT(text(), ::testing::StartsWith("suggestion for "));
  EXPECT_THAT(text(), HasSubstr("\n  --capture-sizes 1,8\n"));
  EXPECT_THAT(text(), HasSubstr("100us predicted, 102us served\n"));
  EXPECT_THAT(text(), HasSubstr(" to start, an unknown amount of memory\n"));
  made.verified_memory_bytes = 174e6;
  EXPECT_THAT(text(), HasSubstr(" to start, 174 MB of memory\n"));
  EXPECT_THAT(text(), HasSubstr("140us predicted, 139us served; gain 1.36x (1.31x to 1.42x)\n"));
}

}  // namespace
}  // namespace graphbench::ladder
