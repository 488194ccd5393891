// Tables with known effects.
#include "harness/judge/compare/two_way.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace graphbench::statistics {
namespace {

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
