// Checks the promised rates in short runs of the simulations, which a fixed seed makes deterministic.
// graphbench_verdict_simulation and graphbench_series_simulation print the full tables.
#include <gtest/gtest.h>

#include "tests/simulation/gain_model.hpp"
#include "tests/simulation/rivals.hpp"
#include "tests/simulation/scenarios.hpp"
#include "tests/simulation/series_model.hpp"

namespace graphbench::simulation {
namespace {

constexpr std::uint64_t seed = 7;

// False alarms are most likely with few launches, so rows of five launches have the most comparisons.
TEST(VerdictSimulation, CriesWolfInAtMostOneComparisonInAHundred) {
  int looked = 0;
  for (Row& row : scenarios()) {
    if (!row.held || row.scenario.planted_cells > 0) continue;
    ++looked;
    run(row, row.scenario.launches == 5 ? 80 : row.scenario.until_decided ? 3 : 8, seed, 2);
    EXPECT_LE(row.any_slower, 0.01) << row.scenario.name << ", sigma " << row.scenario.sigma << ", "
                                    << row.scenario.launches;
  }
  EXPECT_GT(looked, 40);
}

TEST(VerdictSimulation, FindsWhatWasPlanted) {
  int looked = 0;
  for (Row& row : scenarios()) {
    if (row.found_min == 0) continue;
    ++looked;
    run(row, row.scenario.until_decided ? 20 : 50, seed, 2);
    EXPECT_GE(row.found, row.found_min) << row.scenario.name << ", " << row.scenario.launches;
    EXPECT_LE(row.any_slower, 0.01) << row.scenario.name << ", " << row.scenario.launches;
    if (row.scenario.until_decided) {
      EXPECT_LE(row.launches_median.value_or(99), 12);
    }
  }
  EXPECT_EQ(looked, 10);
}

TEST(VerdictSimulation, PoolingSamplesCriesWolfInEverySweep) {
  EXPECT_GE(rival_alarms(0.01, 20, seed).mann_whitney, 0.95);
}

TEST(VerdictSimulation, WhatItSaysItFindsIsFoundAboutAsOften) {
  EXPECT_NEAR(power_of_detectable(5, 150, seed), 0.8, 0.08);
  EXPECT_NEAR(power_of_detectable(10, 100, seed), 0.8, 0.08);
}

TEST(VerdictSimulation, RatesDoNotDependOnTheThreads) {
  Row one;
  one.scenario.launches = 5;
  one.scenario.planted_cells = 1;
  one.scenario.planted_change = 0.05;
  Row three = one;
  run(one, 10, seed, 1);
  run(three, 10, seed, 3);
  EXPECT_EQ(one.found, three.found);
  EXPECT_GT(one.found, 0);
  EXPECT_LT(one.found, 1);
}

// U = 17 of 20 pairs, z = 7 / sqrt(20 * 10 / 12): the normal approximation by hand.
TEST(VerdictSimulation, TheRivalIsMannWhitneys) {
  EXPECT_NEAR(mann_whitney_p({1.1, 2.2, 3.3, 4.4}, {2.5, 3.5, 4.5, 5.5, 6.5}), 0.08641073297370015, 1e-9);
}

TEST(GainSimulation, SlowLaunchesOfEagerAreNoGain) {
  for (const int launches : {5, 10}) {
    const GainRates rates = gain_rates(Noise::third_slow, launches, 4000, seed);
    EXPECT_GE(rates.covered, 0.9) << launches;
    EXPECT_LE(rates.certain, 0.025) << launches;
  }
}

TEST(GainSimulation, IntervalsHoldTheGainAndAreNotMuchWider) {
  for (const Noise noise : all_noises()) {
    for (const int launches : {3, 4, 5, 8, 10}) {
      const GainRates rates = gain_rates(noise, launches, 1000, seed);
      EXPECT_EQ(rates.outside, 0) << name_of(noise) << ", " << launches;
      if (noise != Noise::normal) continue;
      EXPECT_GE(rates.covered, 0.93) << launches;
      EXPECT_GE(rates.even_covered, 0.93) << launches;
      EXPECT_LE(rates.width, 1.5) << launches;
    }
  }
}

TEST(SeriesSimulation, CorrelatedNeighboursAreNotChanges) {
  for (const double correlation : {0.0, 0.3, 0.5}) {
    const SeriesRates rates = rates_of({24, correlation}, 200, seed, 2);
    EXPECT_LE(rates.changed, 0.02) << correlation;
    EXPECT_NEAR(rates.correlation, correlation, 0.1);
  }
}

TEST(SeriesSimulation, AStepOfFiveSpreadsIsFound) {
  for (const double correlation : {0.0, 0.3, 0.5})
    EXPECT_GE(rates_of({24, correlation, 0.05, 12}, 60, seed, 2).found, 0.9) << correlation;
}

TEST(SeriesSimulation, RatesOfSeriesDoNotDependOnTheThreads) {
  const NightlySeries series = {24, 0.7};
  EXPECT_EQ(rates_of(series, 40, seed, 1).changed, rates_of(series, 40, seed, 3).changed);
}

}  // namespace
}  // namespace graphbench::simulation
