// Rates by simulation with fixed seeds, and fits with known answers.
#include "harness/statistics/outliers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/statistics/two_way.hpp"

namespace graphbench::statistics {
namespace {

double alarm_rate(std::size_t count, double rate, int fleets) {
  std::mt19937_64 random(count);
  std::normal_distribution<> normal(0, 0.02);
  int alarms = 0;
  std::vector<double> values(count);
  for (int i = 0; i < fleets; ++i) {
    std::ranges::generate(values, [&] { return normal(random); });
    const double each = rate / static_cast<double>(count);
    alarms += std::ranges::min(slow_ones(values, each)->p) < each ? 1 : 0;
  }
  return static_cast<double>(alarms) / fleets;
}

TEST(SlowOnes, RaiseAlarmsAtTheRateAskedFor) {
  for (const std::size_t count : {4, 10, 60}) {
    EXPECT_GT(alarm_rate(count, 0.1, 4000), 0.085) << count;
    EXPECT_LT(alarm_rate(count, 0.1, 4000), 0.125) << count;
  }
  EXPECT_LE(alarm_rate(20, 0.01, 4000), 0.013);
}

// A quarter is slow, by amounts that make the standard deviation of all useless.
TEST(SlowOnes, ManyDoNotHideEachOther) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal(0, 0.01);
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(normal(random) + (i < 25 ? 0.2 : 0));
  const auto found = slow_ones(values, 1e-4);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(found->p[i] < 1e-4, i < 25) << i;
  EXPECT_NEAR(found->spread, 0.01, 0.002);
  EXPECT_NEAR(found->threshold, 0.039, 0.008);
  EXPECT_GT(found->detectable, found->threshold + 0.01);
}

TEST(SlowOnes, EqualValuesHaveTheLeastSpread) {
  std::vector<double> values(10, 3.0);
  values[4] = 3.002;
  EXPECT_GT(slow_ones(values, 1e-3)->p[4], 1e-3) << "0.2 % are nothing";
  values[4] = 3.05;
  EXPECT_LT(slow_ones(values, 1e-3)->p[4], 1e-3);
  EXPECT_FALSE(slow_ones(std::vector{1.0, 2.0}, 0.1));
}

TEST(RowEffects, AreThoseOfTheTable) {
  std::vector<double> table;
  for (const double row : {-0.1, 0.0, 0.3}) {
    for (const double column : {1.0, 5.0, 7.0, 2.0, 9.0}) table.push_back(row + column);
  }
  table[1] = 100;                                        // wild
  table[13] = std::numeric_limits<double>::quiet_NaN();  // absent
  const std::vector<double> effects = row_effects(table, 5);
  ASSERT_EQ(effects.size(), 3U);
  EXPECT_NEAR(effects[0], -0.1, 1e-9);
  EXPECT_NEAR(effects[1], 0, 1e-9);
  EXPECT_NEAR(effects[2], 0.3, 1e-9);
}

TEST(RowEffects, ARowWithoutValuesHasNone) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> effects = row_effects({1, 2, none, none, 3, 4}, 2);
  EXPECT_NEAR(effects[0], -1, 1e-9);
  EXPECT_TRUE(std::isnan(effects[1]));
  EXPECT_NEAR(effects[2], 1, 1e-9);
}

}  // namespace
}  // namespace graphbench::statistics
