// Tests where a ramp ends, on made-up ramps.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/model/statistics/summary.hpp"

namespace graphbench::model {
namespace {

std::vector<double> samples(std::vector<double> ramp, std::size_t total = 100) {
  ramp.resize(total, 1.0);
  return ramp;
}

TEST(SteadyIndex, CountsTheSlowSteps) {
  EXPECT_EQ(steady_index(samples({})), 0);
  EXPECT_EQ(steady_index(samples({50, 3, 1.1})), 3);
  EXPECT_EQ(steady_index(samples({1.03})), 1);
  EXPECT_EQ(steady_index(samples({1.019})), 0);
}

TEST(SteadyIndex, AStragglerLaterIsNoRamp) {
  std::vector<double> late = samples({5});
  late[20] = 4;
  EXPECT_EQ(steady_index(late), 1);
}

TEST(SteadyIndex, AQuickStepInsideARampDoesNotEndIt) {
  std::vector<double> ramp(20, 2.0);
  ramp[3] = 1.0;
  EXPECT_EQ(steady_index(samples(ramp)), 20);
}

TEST(SteadyIndex, IsAbsentWhereTheRampNeverSettles) {
  EXPECT_FALSE(steady_index(samples(std::vector<double>(32, 1.5))));
  EXPECT_FALSE(steady_index({}));
}

TEST(SteadyIndex, AFewQuickStepsAtTheRampsEndProveNothing) {
  for (const std::size_t quick : {1u, 4u}) {
    std::vector<double> ramp(32, 1.5);
    std::fill(ramp.end() - static_cast<std::ptrdiff_t>(quick), ramp.end(), 1.0);
    EXPECT_FALSE(steady_index(samples(ramp))) << quick;
  }
  std::vector<double> ramp(32, 1.5);
  std::fill(ramp.end() - 5, ramp.end(), 1.0);
  EXPECT_EQ(steady_index(samples(ramp)), 27);
}

TEST(SteadyIndex, IsAbsentForFewerSamplesThanTellSteadyFromNoise) {
  EXPECT_FALSE(steady_index({1.0}));
  EXPECT_FALSE(steady_index(samples({}, 8)));
  EXPECT_EQ(steady_index(samples({}, 9)), 0);
  EXPECT_EQ(steady_index(samples({9, 9}, 12)), 2) << "the ramp's second half, where nothing follows";
}

}  // namespace
}  // namespace graphbench::model
