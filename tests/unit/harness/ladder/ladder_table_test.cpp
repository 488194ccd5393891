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

}  // namespace
}  // namespace graphbench::reporters
