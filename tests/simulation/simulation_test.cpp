// A short run of the simulation with the promised rates. The full table: graphbench_verdict_simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tests/simulation/power.hpp"
#include "tests/simulation/scenarios.hpp"

namespace graphbench::simulation {
namespace {

constexpr std::uint64_t seed = 7;

TEST(VerdictSimulation, CriesWolfInAtMostOneComparisonInAHundred) {
  for (Row& row : scenarios()) {
    if (!row.held) continue;
    run(row, 100, seed, 2);
    EXPECT_LE(row.ours.any_slower, 0.01)
        << row.scenario.name << ", sigma " << row.scenario.sigma << ", " << row.scenario.launches;
  }
}

TEST(VerdictSimulation, FindsWhatWasPlantedAtTenLaunches) {
  bool looked = false;
  for (Row& row : scenarios()) {
    if (row.scenario.planted_cells == 0 || row.scenario.launches != 10) continue;
    looked = true;
    run(row, 100, seed, 2);
    EXPECT_GE(row.ours.found, 0.95);
  }
  EXPECT_TRUE(looked);
}

TEST(VerdictSimulation, PoolingSamplesCriesWolfInEverySweep) {
  Row row = scenarios()[1];
  run(row, 20, seed, 2);
  EXPECT_GE(row.mann_whitney.any_slower, 0.95);
}

// The spread of few launches is itself uncertain: what is printed is optimistic, less so with more launches.
TEST(VerdictSimulation, WhatItSaysItFindsIsFoundAboutAsOften) {
  EXPECT_NEAR(power_of_detectable(5, 4000, seed), 0.68, 0.03);
  EXPECT_NEAR(power_of_detectable(10, 4000, seed), 0.74, 0.03);
  EXPECT_NEAR(power_of_detectable(30, 4000, seed), 0.77, 0.03);
}

TEST(VerdictSimulation, ManyLaunchesOfTwoSpeedsAreTold) {
  bool looked = false;
  for (Row& row : scenarios()) {
    if (row.scenario.odd_share < 0.2 || row.scenario.launches != 10) continue;
    looked = true;
    run(row, 50, seed, 2);
    EXPECT_LE(row.ours.any_slower, 0.02) << row.scenario.name;
  }
  EXPECT_TRUE(looked);
}

TEST(VerdictSimulation, RatesDoNotDependOnTheThreads) {
  Row one = scenarios().back();
  Row three = scenarios().back();
  run(one, 10, seed, 1);
  run(three, 10, seed, 3);
  EXPECT_EQ(one.ours.found, three.ours.found);
  EXPECT_EQ(one.threshold.found, three.threshold.found);
}

// U = 17 of 20 pairs, z = 7 / sqrt(20 * 10 / 12): the normal approximation by hand.
TEST(VerdictSimulation, TheRivalIsMannWhitneys) {
  EXPECT_NEAR(mann_whitney_p({1.1, 2.2, 3.3, 4.4}, {2.5, 3.5, 4.5, 5.5, 6.5}), 0.08641073297370015, 1e-9);
}

}  // namespace
}  // namespace graphbench::simulation
