// Tests Fieller's interval against solutions of the quadratic equation, computed in Python.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::model {
namespace {

using Values = std::vector<double>;

TEST(RatioOfMeans, AgreesWithTheQuadraticInPython) {
  const RatioOfMeans ratio = *ratio_of_means(Values{40, 50, 66}, Values{0.4, 0.5, 0.6}, 0);
  EXPECT_NEAR(ratio.ratio, 104, 1e-9);
  EXPECT_NEAR(ratio.low, 75.66782118190855, 1e-6);
  EXPECT_NEAR(ratio.high, 115.28996364695753, 1e-6);
  const RatioOfMeans crossed = *ratio_of_means(Values{4, 5, 6}, Values{1, 1.2, 1.1}, 0);
  EXPECT_NEAR(crossed.low, 2.510500531418573, 1e-9);
  EXPECT_NEAR(crossed.high, 6.531553804271785, 1e-9);
}

TEST(RatioOfMeans, IsWideWhereTheNumeratorAloneSpreads) {
  const RatioOfMeans ratio = *ratio_of_means(Values{6, 10, 14}, Values{0.5, 0.5, 0.5}, 0);
  EXPECT_DOUBLE_EQ(ratio.ratio, 20);
  EXPECT_NEAR(ratio.high, 2 * (10 + 4.302652729749462 * 4 / std::sqrt(3.0)), 1e-9);
  EXPECT_NEAR(ratio.low, 2 * (10 - 4.302652729749462 * 4 / std::sqrt(3.0)), 1e-9);
  EXPECT_EQ(ratio_of_means(Values{1, 10, 25}, Values{0.5, 0.5, 0.5}, 0)->low, 0) << "no cost is negative";
}

TEST(RatioOfMeans, HoldsAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> cost(20, 3);
  std::normal_distribution<double> saved(0.05, 0.005);
  constexpr int draws = 4000;
  int held = 0;
  for (int i = 0; i < draws; ++i) {
    Values costs(5);
    Values savings(5);
    for (double& each : costs) each = cost(random);
    for (double& each : savings) each = saved(random);
    const RatioOfMeans ratio = *ratio_of_means(costs, savings, 0);
    if (ratio.low <= 20 / 0.05 && 20 / 0.05 <= ratio.high) ++held;
  }
  EXPECT_NEAR(held / static_cast<double>(draws), 0.95, 0.01);
}

TEST(RatioOfMeans, NeedsThreePairsAndADenominatorThatIsToldFromZero) {
  EXPECT_FALSE(ratio_of_means(Values{1, 2}, Values{1, 1}, 0));
  EXPECT_FALSE(ratio_of_means(Values{5, 5, 5}, Values{-0.1, 0.5, 0.6}, 0));
  EXPECT_FALSE(ratio_of_means(Values{5, 5, 5}, Values{-0.5, -0.5, -0.6}, 0));
  EXPECT_EQ(sign_of_mean(Values{-0.1, 0.5, 0.6}, 0), Denominator::uncertain);
  EXPECT_EQ(sign_of_mean(Values{-0.5, -0.5, -0.6}, 0), Denominator::negative);
  EXPECT_EQ(sign_of_mean(Values{0.5, 0.5, 0.6}, 0), Denominator::positive);
}

TEST(RatioOfMeans, DoesNotTrustADenominatorThatHappensNotToSpread) {
  EXPECT_EQ(sign_of_mean(Values{0.001, 0.001, 0.001}, 0.001), Denominator::uncertain);
  EXPECT_EQ(sign_of_mean(Values{0.01, 0.01, 0.01}, 0.001), Denominator::positive);
  const RatioOfMeans ratio = *ratio_of_means(Values{5, 5, 5}, Values{0.01, 0.01, 0.01}, 0.001);
  EXPECT_LT(ratio.low, 450);
  EXPECT_GT(ratio.high, 600);
}

}  // namespace
}  // namespace graphbench::model
