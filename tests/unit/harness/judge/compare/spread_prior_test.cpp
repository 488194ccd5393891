// Tests spreads from known distributions, and Smyth's formulas against values worked out by hand.
#include <gtest/gtest.h>

#include <boost/random/chi_squared_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <cmath>
#include <vector>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::judge {
namespace {

// `count` sample variances of 8 degrees of freedom. The true variances are 4, or, if `prior` is given, they
// scatter about 4 with `prior` degrees of freedom.
std::vector<model::Spread> drawn(int count, double prior = 0) {
  boost::random::mt19937_64 random(3);
  boost::random::chi_squared_distribution<> chi(8);
  boost::random::chi_squared_distribution<> of_prior(prior > 0 ? prior : 1);
  std::vector<model::Spread> spreads;
  for (int i = 0; i < count; ++i) {
    const double truth = prior > 0 ? 4 * prior / of_prior(random) : 4;
    spreads.push_back({truth * chi(random) / 8, 8});
  }
  return spreads;
}

TEST(SpreadPrior, FindsTheLawThatSpreadsAreDrawnFrom) {
  const model::Spread common = common_spread(drawn(20000, 6));
  EXPECT_NEAR(common.variance, 4, 0.1);
  EXPECT_NEAR(common.freedom, 6, 0.3);
}

TEST(SpreadPrior, SpreadsThatAreAlikeTellMuchOfEachOther) {
  const model::Spread common = common_spread(drawn(2000));
  EXPECT_NEAR(common.variance, 4, 0.15);
  EXPECT_GT(common.freedom, 100);
  EXPECT_TRUE(std::isinf(common_spread({{4, 8}, {4, 8}, {4, 8}}).freedom));
}

TEST(SpreadPrior, MembersAreHeldToTheirOwnGroup) {
  const std::vector<model::Spread> all = drawn(2000);
  std::vector<std::vector<model::Spread>> groups;
  for (std::size_t i = 0; i + 4 <= all.size(); i += 4) {
    std::vector<model::Spread>& group = groups.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                                                            all.begin() + static_cast<std::ptrdiff_t>(i + 4));
    for (model::Spread& each : group) each.variance *= i % 8 == 0 ? 100 : 1;
  }
  EXPECT_GT(common_freedom(groups), 50);
  std::vector<model::Spread> flat;
  for (const std::vector<model::Spread>& group : groups) flat.insert(flat.end(), group.begin(), group.end());
  EXPECT_LT(common_freedom(std::vector<std::vector<model::Spread>>{flat}), 2);
}

TEST(SpreadPrior, OneSpreadTellsNothingOfOthers) {
  EXPECT_EQ(common_spread({{4, 8}}).freedom, 0);
  EXPECT_EQ(common_spread({}).freedom, 0);
  EXPECT_EQ(common_freedom(std::vector<std::vector<model::Spread>>{{{4, 8}}, {{1, 8}}}), 0);
  const model::Spread own = moderated({4, 8}, {});
  EXPECT_EQ(own.variance, 4);
  EXPECT_EQ(own.freedom, 8);
}

TEST(SpreadPrior, BothAreWeightedByTheirFreedom) {
  const model::Spread both = moderated({4, 8}, {7, 4});
  EXPECT_DOUBLE_EQ(both.variance, (8 * 4 + 4 * 7) / 12.0);
  EXPECT_EQ(both.freedom, 12);
}

// The 99th percentile of F with 8 and 20 degrees of freedom is 3.564 in any table.
TEST(SpreadPrior, WhatSpreadsMoreThanChanceExplainsCountsAlone) {
  EXPECT_FALSE(exceeds({3.56, 8}, {1, 20}));
  EXPECT_TRUE(exceeds({3.57, 8}, {1, 20}));
  EXPECT_EQ(moderated({3.57, 8}, {1, 20}).freedom, 8);
  EXPECT_EQ(moderated({3.56, 8}, {1, 20}).freedom, 28);
  for (const double freedom : {1.0, 2.0, 4.0, 9.0, 38.0, 1000.0})
    EXPECT_FALSE(exceeds({1 + 2 * std::sqrt(2 / freedom), freedom}, {1, 1e9})) << freedom;
}

}  // namespace
}  // namespace graphbench::judge
