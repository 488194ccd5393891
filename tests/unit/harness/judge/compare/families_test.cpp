// Tests families of hypotheses against values worked out by hand.
#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "harness/judge/compare/judge.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::judge {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double tolerance = 1e-12;

// Simes' p of p(1) <= ... <= p(4): the smallest of 4 p(1), 4/2 p(2), 4/3 p(3), p(4). It is not their mean.
TEST(Families, ThePOfAFamilyIsSimes) {
  const std::vector<double> p = {0.30, 0.01, 0.03, 0.9, 0.02, 0.021, 0.022, 0.023};
  const std::vector<std::uint32_t> family = {0, 0, 0, 0, 1, 1, 1, 1};
  const FamilyTests tests = test_families(p, family, 0.05);
  EXPECT_THAT(tests.family_p, ElementsAre(DoubleNear(0.04, tolerance), DoubleNear(0.023, tolerance)));
  EXPECT_THAT(tests.family_q, ElementsAre(DoubleNear(0.04, tolerance), DoubleNear(0.04, tolerance)));
  EXPECT_THAT(tests.members, ElementsAre(4, 4));
}

// Two of three families are significant, so the level for tests within them is 0.05 * 2 / 3.
TEST(Families, MembersOfFoundFamiliesAreHeldToTheShareThatWasFound) {
  const std::vector<double> p = {0.001, 0.6, 0.002, 0.018, 0.9, 0.8};
  const std::vector<std::uint32_t> family = {0, 0, 1, 1, 2, 2};
  const FamilyTests tests = test_families(p, family, 0.05);
  EXPECT_NEAR(tests.q[0], 0.004 * 3 / 2, tolerance) << "no member comes before its family";
  EXPECT_NEAR(tests.q[1], 0.6 * 3 / 2, tolerance);
  EXPECT_NEAR(tests.q[3], 0.018 * 3 / 2, tolerance);
  EXPECT_LT(tests.q[3], 0.05);
  EXPECT_GE(test_families(std::vector<double>{0.001, 0.6, 0.9, 0.018, 0.9, 0.8}, family, 0.05).q[3], 0.05)
      << "its family is not found by itself";
}

TEST(Families, NoMemberIsFoundWhereItsFamilyIsNot) {
  const FamilyTests tests =
      test_families(std::vector<double>{0.04, 0.9, 0.9}, std::vector<std::uint32_t>{0, 0, 1}, 0.05);
  EXPECT_GE(tests.family_q[0], 0.05);
  EXPECT_GE(tests.q[0], 0.05);
}

TEST(Families, FamiliesOfOneAreBenjaminiHochbergs) {
  const std::vector<double> p = {0.04, 0.001, 0.03};
  EXPECT_EQ(test_families(p, std::vector<std::uint32_t>{0, 1, 2}, 0.05).q, model::benjamini_hochberg(p));
  EXPECT_TRUE(test_families({}, {}, 0.05).q.empty());
}

// The upper 5 and 1 % points of F with 4 and 4 degrees of freedom, from any table.
TEST(Families, ALargerVarianceHasFsTail) {
  EXPECT_NEAR(p_of_larger({6.388, 4}, {1, 4}), 0.05, 1e-5);
  EXPECT_NEAR(p_of_larger({2 * 15.977, 4}, {2, 4}), 0.01, 1e-5);
}

}  // namespace
}  // namespace graphbench::judge
