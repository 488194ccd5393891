// How rounds grow and stop.
#include "harness/measure/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace graphbench::measure {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

const PassBounds bounds{.seconds_max = 0.1,
                        .relative_half_width = 0.005,
                        .samples_min = 16,
                        .samples_wanted = 459,
                        .samples_max = 2000};

TEST(StopOf, PrecisionEndsAPassThatHasTheSamplesItWants) {
  EXPECT_EQ(stop_of(bounds, {459, 0.01, 0.005}), StoppedBy::precision);
  EXPECT_EQ(stop_of(bounds, {458, 0.01, 0.001}), std::nullopt);
  EXPECT_EQ(stop_of(bounds, {459, 0.01, 0.0051}), std::nullopt);
}

TEST(StopOf, TimeEndsAPassThatHasTheMinimum) {
  EXPECT_EQ(stop_of(bounds, {16, 0.1, unknown}), StoppedBy::time);
  EXPECT_EQ(stop_of(bounds, {15, 9.0, unknown}), std::nullopt);
}

TEST(StopOf, TheMaximumEndsAnyPass) {
  EXPECT_EQ(stop_of(bounds, {2000, 0.01, unknown}), StoppedBy::samples);
}

TEST(NextRound, StartsWithOneStep) {
  EXPECT_EQ(next_round(bounds, {0, 0, unknown}), 1);
}

TEST(NextRound, GrowsButNeverBeyondWhatTheTimeAllows) {
  EXPECT_EQ(next_round(bounds, {1, 1e-5, unknown}), 16);
  EXPECT_EQ(next_round(bounds, {100, 1e-3, unknown}), 100);
  EXPECT_EQ(next_round(bounds, {100, 0.09, unknown}), 12);
}

TEST(NextRound, EndsWhereTheSamplesWantedAreThere) {
  EXPECT_EQ(next_round(bounds, {300, 1e-3, unknown}), 159);
  EXPECT_EQ(next_round(bounds, {459, 1e-3, unknown}), 459);
}

TEST(NextRound, TakesTheMinimumEvenWhenTimeIsUp) {
  EXPECT_EQ(next_round(bounds, {1, 5.0, unknown}), 15);
}

TEST(NextRound, NeverPassesTheMaximum) {
  EXPECT_EQ(next_round(bounds, {1999, 1e-3, unknown}), 1);
}

TEST(NextRound, EndsForAnyStepTimeAndAnyMaximum) {
  for (const std::int64_t samples_max : {1, 2, 15, 2000}) {
    for (const double seconds_a_step : {1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 10.0}) {
      PassBounds tight = bounds;
      tight.samples_max = samples_max;
      tight.samples_min = std::min(tight.samples_min, samples_max);
      tight.samples_wanted = std::min(tight.samples_wanted, samples_max);
      PassState state{0, 0, unknown};
      int rounds = 0;
      while (!stop_of(tight, state)) {
        const std::int64_t round = next_round(tight, state);
        ASSERT_GE(round, 1);
        state.samples += round;
        state.seconds = seconds_a_step * static_cast<double>(state.samples);
        ASSERT_LT(++rounds, 50);
      }
      EXPECT_GE(state.samples, tight.samples_min);
      EXPECT_LE(state.samples, tight.samples_max);
    }
  }
}

}  // namespace
}  // namespace graphbench::measure
