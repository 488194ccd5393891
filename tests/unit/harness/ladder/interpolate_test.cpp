// Times of sizes that were not measured, and what they say of padding.
#include "harness/ladder/interpolate.hpp"

#include <gtest/gtest.h>

namespace graphbench::ladder {
namespace {

TEST(StepTimes, GoThroughWhatWasMeasuredAndKeepItsShape) {
  const StepTimes times({{1, 1.0}, {2, 1.0}, {8, 1.1}, {16, 4.0}, {32, 4.0}});
  for (const auto& [size, time] : std::map<std::int64_t, double>{{1, 1.0}, {8, 1.1}, {32, 4.0}})
    EXPECT_DOUBLE_EQ(times.at(size).value(), time);
  double before = 0;
  for (std::int64_t size = 1; size <= 32; ++size) {
    EXPECT_GE(times.at(size).value(), before - 1e-12) << size;  // no overshoot beside the step
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
  model::LadderLaunch launch;
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

}  // namespace
}  // namespace graphbench::ladder
