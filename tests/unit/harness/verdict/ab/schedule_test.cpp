// The order of an A/B run: who is measured when, and beside whom.
#include "harness/verdict/ab/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace graphbench::ab {
namespace {

TEST(Schedule, MeasuresEveryLaunchOfEveryGroupOnBothSidesOnce) {
  const auto runs = make_schedule({7, 5, 3});
  std::set<std::tuple<std::size_t, std::int64_t, Role>> seen;
  for (const auto& run : runs) seen.insert({run.group, run.launch, run.role});
  EXPECT_EQ(runs.size(), 70U);
  EXPECT_EQ(seen.size(), 70U);
}

TEST(Schedule, PutsTheTwoSidesOfALaunchNextToEachOther) {
  const auto runs = make_schedule({7, 5, 3});
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    EXPECT_EQ(runs[i].group, runs[i + 1].group);
    EXPECT_EQ(runs[i].launch, runs[i + 1].launch);
    EXPECT_NE(runs[i].role, runs[i + 1].role);
  }
}

TEST(Schedule, LetsTheSidesOfAGroupTakeTurnsInGoingFirst) {
  const auto runs = make_schedule({6, 4, 11});
  std::set<Role> first_of_all;
  for (std::size_t group = 0; group < 6; ++group) {
    std::vector<Role> firsts;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      if (runs[i].group == group) firsts.push_back(runs[i].role);
    }
    ASSERT_EQ(firsts.size(), 4U);
    for (std::size_t launch = 1; launch < firsts.size(); ++launch)
      EXPECT_NE(firsts[launch], firsts[launch - 1]) << group;
    first_of_all.insert(firsts.front());
  }
  EXPECT_EQ(first_of_all.size(), 2U) << "a coin that always falls the same way";
}

TEST(Schedule, IsAnotherForAnotherSeedAndTheSameForTheSame) {
  EXPECT_EQ(make_schedule({8, 3, 1}), make_schedule({8, 3, 1}));
  EXPECT_NE(make_schedule({8, 3, 1}), make_schedule({8, 3, 2}));
}

TEST(Schedule, OrdersTheGroupsAnewInEveryLaunch) {
  const auto runs = make_schedule({8, 2, 1});
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  for (const auto& run : runs) (run.launch == 0 ? first : second).push_back(run.group);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace graphbench::ab
