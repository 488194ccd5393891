// Tests tests by resampling against counts that are known.
#include "harness/model/statistics/resample.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace graphbench::model {
namespace {

TEST(LargerSpread, OfTheMostExtremeOfAllOrdersIsOneOverTheirNumber) {
  const std::vector<double> base = {1, 1.01, 0.99, 1, 1.01, 0.99, 1, 1};
  const std::vector<double> now = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_NEAR(p_of_larger_spread(base, now), 1.0 / 12870, 3e-4) << "16 choose 8";
  EXPECT_GT(p_of_larger_spread(now, base), 0.99);
}

TEST(LargerSpread, CountsAChanceOfTwoLargeValues) {
  // Both are in NEW in 8 * 7 of 16 * 15 orders.
  const std::vector<double> base(8, 1);
  const std::vector<double> now = {1, 1, 1, 1, 1, 1, 2, 2};
  EXPECT_NEAR(p_of_larger_spread(base, now), 56.0 / 240, 0.02);
}

TEST(TwoGroups, AreWhereTheClearestSplitIs) {
  const auto groups = two_groups(std::vector<double>{5.001, 1, 1.001, 5, 0.999}, 1e-6, 0.01);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->upper, 2u);
  EXPECT_NEAR(groups->distance, 4.0005, 1e-9);
  EXPECT_LT(groups->p, 0.001);
}

TEST(TwoGroups, OfEvenlySpreadValuesAreChance) {
  EXPECT_GT(two_groups(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}, 1e-6, 1)->p, 0.05);
  EXPECT_GT(two_groups(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}, 1e-6, 0.01)->p, 0.01) << "and no more";
  EXPECT_GT(two_groups(std::vector<double>(5, 1.0), 1e-6, 1)->p, 0.99);
  EXPECT_FALSE(two_groups(std::vector<double>{1, 1, 2, 2}, 1e-6, 1));
}

}  // namespace
}  // namespace graphbench::model
