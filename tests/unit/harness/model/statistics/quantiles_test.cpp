// Tests the median and the nearest rank against values worked out by hand.
#include "harness/model/statistics/quantiles.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace graphbench::model {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7, 1}), 4);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({HUGE_VAL, 1}), HUGE_VAL);
  EXPECT_EQ(median({HUGE_VAL, 1, 2}), 2);
  EXPECT_THROW(median({}), std::out_of_range);
  EXPECT_EQ(median_or_absent({}), std::nullopt);
  EXPECT_EQ(median_or_absent({1, 2}), 1.5);
}

TEST(NearestRank, IsTheSmallestSampleThatCoversTheFraction) {
  EXPECT_EQ(nearest_rank({1, 2, 3, 4}, 0.5), 2);
  EXPECT_EQ(nearest_rank({1, 2, 3, 4}, 0.51), 3);
  EXPECT_EQ(nearest_rank({1, 2, 3, 4, 5}, 0.5), 3);
  EXPECT_EQ(nearest_rank({1, 2, 3, 4}, 1), 4);
  EXPECT_EQ(nearest_rank({1, 2, 3, 4}, 1e-9), 1);
  EXPECT_EQ(nearest_rank({7}, 0.01), 7);
}

}  // namespace
}  // namespace graphbench::model
