// The arithmetic over floor points.
#include "harness/measure/floor/slope.hpp"

#include <gtest/gtest.h>

namespace graphbench::floors {
namespace {

TEST(Line, HasSlopeAndOffset) {
  EXPECT_DOUBLE_EQ(line_of({1, 2, 4, 8}, {7, 9, 13, 21}).slope, 2.0);
  EXPECT_DOUBLE_EQ(line_of({1, 2, 4, 8}, {7, 9, 13, 21}).at_zero, 5.0);
}

TEST(Line, MinimisesSquaresOverScatterAndIsLevelForOnePoint) {
  // By hand: means 2 and 3, sum of products 3, sum of squares 2.
  EXPECT_DOUBLE_EQ(line_of({1, 2, 3}, {2, 2, 5}).slope, 1.5);
  EXPECT_EQ(line_of({4}, {9}).slope, 0.0);
  EXPECT_EQ(line_of({4}, {9}).at_zero, 9.0);
}

TEST(WithLine, SaysHowFarEachPointLiesBesideIt) {
  const model::ExecMemoryFloor floor = with_line({{1, 2000, 0}, {2, 2000, 0}, {3, 5000, 0}});
  EXPECT_DOUBLE_EQ(floor.bytes_per_node, 1500);
  EXPECT_DOUBLE_EQ(floor.bytes_at_zero, 0);
  EXPECT_DOUBLE_EQ(floor.points[0].residual_bytes, 500);
  EXPECT_DOUBLE_EQ(floor.points[1].residual_bytes, -1000);
  EXPECT_DOUBLE_EQ(floor.points[2].residual_bytes, 500);
}

TEST(SmallestStep, IgnoresEqualValuesAndRounding) {
  EXPECT_DOUBLE_EQ(smallest_step({3e-6, 1e-6, 1e-6, 1e-6 + 1e-12, 1.5e-6}), 1.5e-6 - (1e-6 + 1e-12));
  EXPECT_EQ(smallest_step({2e-6, 2e-6}), 0.0);
}

}  // namespace
}  // namespace graphbench::floors
