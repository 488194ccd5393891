// A short run of the simulation, which fixed seeds make deterministic. The full table:
// graphbench_fleet_simulation.
#include <gtest/gtest.h>

#include "tests/simulation/fleet_model.hpp"

namespace graphbench::simulation {
namespace {

constexpr std::uint64_t seed = 7;

TEST(FleetSimulation, FleetsWithoutASlowOneRaiseFewAlarms) {
  EXPECT_LE(run({.gpus = 64, .nodes = 8}, 100, seed, 2).alarms, 0.03);
  EXPECT_LE(run({.gpus = 8, .nodes = 8}, 300, seed, 2).alarms, 0.02);
  EXPECT_LE(run({.gpus = 64, .nodes = 8, .wild = 0.05}, 50, seed, 2).alarms, 0.04);
}

TEST(FleetSimulation, SlowGpusOfAThousandAreFound) {
  EXPECT_GE(run({.slow_gpu = 0.1}, 10, seed, 2).found, 0.9);
  EXPECT_EQ(run({.slow_gpu = 0.5}, 2, seed, 2).found, 1);
  EXPECT_EQ(run({.sigma = 0.004, .slow_gpu = 0.05}, 4, seed, 2).found, 1);
}

TEST(FleetSimulation, SlowNodesAreToldFromSlowGpus) {
  const FleetRates node = run({.gpus = 200, .nodes = 25, .slow_node = 0.5}, 10, seed, 2);
  EXPECT_EQ(node.found, 1);
  EXPECT_EQ(node.alarms, 0) << "its GPUs are not slow";
  const FleetRates gpus = run({.gpus = 200, .nodes = 25, .slow_gpu = 0.5, .whole_node = true}, 10, seed, 2);
  EXPECT_EQ(gpus.found, 1);
  EXPECT_EQ(gpus.alarms, 0) << "its CPU is not slow";
}

TEST(FleetSimulation, RatesDoNotDependOnTheThreads) {
  const FleetScenario scenario{.gpus = 40, .nodes = 5, .slow_gpu = 0.07};
  const FleetRates one = run(scenario, 20, seed, 1);
  EXPECT_EQ(one.found, run(scenario, 20, seed, 3).found);
  EXPECT_GT(one.found, 0);
  EXPECT_LT(one.found, 1);
}

}  // namespace
}  // namespace graphbench::simulation
