// Tests ranks against published tables, and coverage by simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::model {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Ranks of the 95 % interval for a median as tables of order statistics give them.
TEST(MedianInterval, AgreesWithTables) {
  const auto expect_ranks = [](int n, double low, double high) {
    const auto interval = median_interval(one_to(n));
    ASSERT_TRUE(interval) << n;
    EXPECT_EQ(interval->low, low) << n;
    EXPECT_EQ(interval->high, high) << n;
  };
  expect_ranks(6, 1, 6);
  expect_ranks(9, 2, 8);
  expect_ranks(10, 2, 9);
  expect_ranks(20, 6, 15);
  expect_ranks(50, 18, 33);
  expect_ranks(100, 40, 61);
}

TEST(MedianInterval, IsAbsentWhereNoPairCovers) {
  EXPECT_FALSE(median_interval(one_to(5)));
  EXPECT_TRUE(std::isinf(relative_half_width(one_to(5))));
  EXPECT_TRUE(std::isinf(relative_half_width({})));
}

TEST(MedianInterval, CoversTheMedianOfASkewedDistribution) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> distribution(1.0);
  int covered = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples(75);
    for (double& sample : samples) sample = distribution(random);
    std::ranges::sort(samples);
    const auto interval = median_interval(samples);
    if (interval->low <= std::log(2.0) && std::log(2.0) <= interval->high) ++covered;
  }
  // At least 95 %, less four standard errors of the simulation; not much more, or the interval is too wide.
  EXPECT_GE(covered, trials * 0.936);
  EXPECT_LE(covered, trials * 0.985);
}

TEST(RelativeHalfWidth, IsHalfTheIntervalOverTheMedian) {
  EXPECT_DOUBLE_EQ(relative_half_width(one_to(100)), (61.0 - 40.0) / 2 / 50.5);
}

}  // namespace
}  // namespace graphbench::model
