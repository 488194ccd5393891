// The arithmetic over floor points.
#include "harness/floor/slope.hpp"

#include <gtest/gtest.h>

namespace graphbench::floors {
namespace {

TEST(Slope, IsThatOfALineWhateverItsOffset) {
  EXPECT_DOUBLE_EQ(slope_of({1, 2, 4, 8}, {7, 9, 13, 21}), 2.0);
}

TEST(Slope, MinimisesSquaresOverScatter) {
  // By hand: means 2 and 3, sum of products 3, sum of squares 2.
  EXPECT_DOUBLE_EQ(slope_of({1, 2, 3}, {2, 2, 5}), 1.5);
}

TEST(Slope, OfOnePointIsZero) {
  EXPECT_EQ(slope_of({4}, {9}), 0.0);
}

TEST(SmallestStep, IgnoresEqualValuesAndRounding) {
  EXPECT_DOUBLE_EQ(smallest_step({3e-6, 1e-6, 1e-6, 1e-6 + 1e-12, 1.5e-6}), 1.5e-6 - (1e-6 + 1e-12));
  EXPECT_EQ(smallest_step({2e-6, 2e-6}), 0.0);
}

}  // namespace
}  // namespace graphbench::floors
