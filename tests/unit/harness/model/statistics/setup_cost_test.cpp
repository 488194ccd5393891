// Tests which of a cell's setups determine what a setup costs.
#include "harness/model/statistics/setup_cost.hpp"

#include <gtest/gtest.h>

namespace graphbench::model {
namespace {

Setup setup(double warmup, double capture) {
  return {.prepare_seconds = 100,
          .warmup_seconds = warmup,
          .capture_seconds = capture,
          .break_seconds = {},
          .instantiate_seconds = 2,
          .upload_seconds = 1,
          .first_step_seconds = 100,
          .opening = {},
          .compiled_from = {},
          .compiled_pieces = {}};
}

Launch launch(std::int64_t index, const std::vector<Setup>& setups) {
  Launch made{};
  made.index = index;
  made.setup = setups.front();
  if (setups.size() > 1) made.setups = setups;
  return made;
}

TEST(SetupCost, CountsTheWarmups) {
  EXPECT_EQ(setup_seconds(setup(10, 4)), 7);
  EXPECT_EQ(cost_seconds(setup(10, 4)), 17);
}

TEST(SetupCost, CountsWhatOpeningTookForTheMode) {
  auto made = setup(10, 4);
  made.opening = {.build_seconds = 500, .compile_seconds = 40, .record_seconds = 8, .open_seconds = 300};
  EXPECT_EQ(setup_seconds(made), 55);
  EXPECT_EQ(cost_seconds(made), 65);
  Startup startup{};
  startup.opening = made.opening;
  EXPECT_EQ(startup_seconds(startup), 48);
  EXPECT_EQ(build_seconds(startup), 800);
}

TEST(SetupCost, IsTheMedianOfLaterPlacements) {
  const Launch several = launch(0, {setup(0, 90), setup(0, 5), setup(0, 4), setup(0, 70)});
  EXPECT_EQ(of_later_setups(several, setup_seconds), 5 + 3);
  EXPECT_TRUE(has_later_setups({several}, several));
  EXPECT_EQ(*first_setup_excess(several), 90 - 5);
  EXPECT_EQ(of_later_setups(launch(0, {setup(0, 90)}), setup_seconds), 90 + 3);
}

TEST(SetupCost, IsThatOfLaterLaunchesWhereEachHasOnePlacement) {
  const std::vector<Launch> launches = {launch(0, {setup(80, 90)}), launch(1, {setup(1, 5)}),
                                        launch(2, {setup(2, 6)})};
  EXPECT_FALSE(has_later_setups(launches, launches[0]));
  EXPECT_TRUE(has_later_setups(launches, launches[1]));
  EXPECT_EQ(*setup_over(launches, cost_seconds), 10);  // the median of 9 and 11
  EXPECT_FALSE(first_setup_excess(launches[0])) << "other processes have no first setup less";
  EXPECT_EQ(*setup_over({launches[0]}, cost_seconds), 173) << "there is no other";
  EXPECT_FALSE(setup_over({}, cost_seconds));
}

TEST(SetupCost, OfAProcessIsThatOfTheOneInTheMiddle) {
  std::vector<Launch> launches(4, launch(0, {setup(0, 90)}));
  EXPECT_EQ(middle_startup(launches), nullptr) << "from an earlier version";
  double warmups = 0;
  for (const std::size_t i : {2u, 0u, 3u, 1u}) {
    Startup& startup = launches[i].startup.emplace();
    startup.process_seconds = 100;
    startup.weights_seconds = 50;
    startup.capture_seconds = 2;
    startup.first_step_seconds = 1;
    startup.break_seconds = 3;
    startup.warmup_seconds = warmups++;
  }
  ASSERT_EQ(middle_startup(launches), &*launches[0].startup) << "of an even number, the faster";
  EXPECT_EQ(startup_seconds(*launches[0].startup), 1 + 2 + 3 + 1);
  EXPECT_EQ(build_seconds(*launches[0].startup), 150);
}

}  // namespace
}  // namespace graphbench::model
