// What the table of a ladder says of first requests and of a log's runtime modes.
#include "harness/ladder/ladder_table.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace graphbench::reporters {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::Ladder served_ladder() {
  model::Ladder ladder;
  ladder.traffic.name = "server.log";
  ladder.launches.emplace_back();
  return ladder;
}

std::string text_of(const model::Ladder& ladder) {
  std::ostringstream out;
  print_ladders(out, {ladder}, false);
  return out.str();
}

TEST(LadderTable, FirstRequestsAreLongerOnlyWhereTheyAreAboveTheNoise) {
  const auto first = [](double p50, double noise) {
    model::Ladder ladder = served_ladder();
    ladder.launches[0].first_requests = model::FirstRequests{2, p50, 90e-6, 41e-6, noise};
    return text_of(ladder);
  };
  EXPECT_THAT(first(-49.5e-6, 0), HasSubstr("requests of 2 sizes are no longer than later ones by p50"));
  EXPECT_THAT(first(5e-6, 8e-6),
              HasSubstr("are no longer than later ones by p50 (noise 8.00us), max 90.0us"));
  EXPECT_THAT(first(9e-6, 8e-6), HasSubstr("sizes are longer than later ones by p50 9.00us, max 90.0us"));
}

TEST(LadderTable, RuntimeModesThatAreMergedAreNoted) {
  model::Ladder ladder = served_ladder();
  EXPECT_THAT(text_of(ladder), Not(HasSubstr("modes")));
  ladder.traffic.modes = {{"FULL", 25, true}, {"PIECEWISE", 3, true}};
  EXPECT_THAT(text_of(ladder), HasSubstr("in the log: FULL 25, PIECEWISE 3\n"));
  EXPECT_THAT(text_of(ladder), HasSubstr("note: they are merged"));
  ladder.traffic.modes[1].served = false;
  EXPECT_THAT(text_of(ladder), HasSubstr("in the log: FULL 25, PIECEWISE 3 (left out)\n"));
  EXPECT_THAT(text_of(ladder), Not(HasSubstr("merged")));
}

TEST(SuggestionTable, HasBothFiguresAndNamesTheEagerThatItIsHeldAgainst) {
  model::Suggestion made;
  made.cell.mode = "whole";
  made.from = "sweep.json";
  made.sizes = {1, 8};
  made.step_seconds = 100e-6;
  made.eager_step_seconds = 140e-6;
  const auto text = [&] {
    std::ostringstream out;
    print_suggestion(out, made, {}, false);
    return out.str();
  };
  made.no_suggestion = "not served";
  EXPECT_THAT(text(), ::testing::StartsWith("no suggestion for "));
  EXPECT_THAT(text(), HasSubstr("from sweep.json: not served\n  sizes 1,8\n"));
  EXPECT_THAT(text(), HasSubstr("mean step: 100us predicted, - served\n"));
  EXPECT_THAT(text(), HasSubstr("eager (graphbench's own): 140us predicted, - served\n"));
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
  EXPECT_THAT(text(), HasSubstr("140us predicted, 139us served; gain 1.36x (1.31x to 1.42x)\n"));
}

}  // namespace
}  // namespace graphbench::reporters
