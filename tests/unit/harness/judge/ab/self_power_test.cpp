// Tests comparisons of a binary with itself: which change they could have found, and the launches they need.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/judge/ab/schedule.hpp"
#include "harness/judge/compare/compare.hpp"

namespace graphbench::judge {
namespace {

struct Noise {
  double sigma = 0.01;
  double slowdown = 0;  // relative; only of the second side's first cell
  std::int64_t launches = 5;
  int cells = 6;
};

// A sum of twelve uniforms is almost normal, and gives the same numbers with every standard library.
double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

Side side(const Noise& noise, double slowdown, std::mt19937_64& random) {
  Side made;
  made.documents = 1;
  made.facts.interleaved = "one run";
  for (int i = 0; i < noise.cells; ++i) {
    model::DocumentCell cell;
    cell.id = "cell " + std::to_string(i);
    for (std::int64_t launch = 0; launch < noise.launches; ++launch) {
      model::LaunchTimes times;
      times.index = launch;
      times[model::Metric::latency] =
          1e-3 * (i == 0 ? 1 + slowdown : 1) * std::exp(noise.sigma * normal(random));
      cell.launches.push_back(times);
    }
    made.cells.push_back(std::move(cell));
  }
  return made;
}

model::Comparison compared(const Noise& noise, std::mt19937_64& random) {
  Side base = side(noise, 0, random);
  return compare(std::move(base), side(noise, noise.slowdown, random), {});
}

model::Comparison itself(const Noise& noise) {
  std::mt19937_64 random(7);
  return compared(noise, random);
}

TEST(SelfPower, AgreesWithTheComparisonAtItsOwnLaunches) {
  for (const std::int64_t launches : {3, 5, 20}) {
    const model::Comparison comparison = itself({.launches = launches});
    ASSERT_TRUE(comparison.slowdown_found.has_value());
    EXPECT_NEAR(*slowdown_found_by(launches, comparison), *comparison.slowdown_found, 1e-4) << launches;
  }
}

TEST(SelfPower, MoreLaunchesFindLess) {
  const model::Comparison comparison = itself({});
  EXPECT_GT(*slowdown_found_by(5, comparison), *slowdown_found_by(10, comparison));
  EXPECT_GT(*slowdown_found_by(10, comparison), *slowdown_found_by(100, comparison));
}

TEST(SelfPower, LaunchesNeededAreTheFewestThatFindIt) {
  const model::Comparison comparison = itself({.sigma = 0.03});
  const std::optional<std::int64_t> needed = launches_to_find(0.05, comparison);
  ASSERT_TRUE(needed.has_value());
  EXPECT_LE(*slowdown_found_by(*needed, comparison), 0.05);
  EXPECT_GT(slowdown_found_by(*needed - 1, comparison).value_or(1), 0.05);
}

TEST(SelfPower, NothingIsKnownWithoutASpread) {
  const model::Comparison comparison = itself({.launches = 1});
  EXPECT_FALSE(slowdown_found_by(1, comparison).has_value());
  EXPECT_FALSE(slowdown_found_by(5, comparison).has_value());
  EXPECT_FALSE(launches_to_find(0.05, comparison).has_value());
}

TEST(SelfPower, WhatTheMarginHidesNoLaunchesFind) {
  EXPECT_FALSE(launches_to_find(0.01, itself({})).has_value()) << "the margin is 2 %";
}

// With the advised number of launches, about nine of ten comparisons find the slowdown.
TEST(SelfPower, LaunchesNeededAreEnough) {
  Noise noise{.sigma = 0.02, .launches = 40};
  noise.launches = launches_to_find(0.05, itself(noise)).value();
  noise.slowdown = 0.05;
  std::mt19937_64 random(8);
  int found = 0;
  for (int i = 0; i < 400; ++i) found += compared(noise, random).counts.slower > 0 ? 1 : 0;
  EXPECT_GE(found, 400 * 0.82);
  EXPECT_LE(found, 400 * 0.99);
}

}  // namespace
}  // namespace graphbench::judge
