// A short run of the simulation of series. The full table: graphbench_series_simulation.
#include <gtest/gtest.h>

#include "tests/simulation/series_model.hpp"

namespace graphbench::simulation {
namespace {

constexpr std::uint64_t seed = 7;

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
