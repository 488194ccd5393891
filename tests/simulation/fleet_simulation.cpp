// graphbench_fleet_simulation [FLEETS [SEED]]: false alarms of `fleet` and what it finds. The table in
// docs/fleet.md is its output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/simulation/fleet_model.hpp"

namespace {

using graphbench::simulation::FleetScenario;

const FleetScenario rows[] = {
    {.name = "no slow one"},
    {.name = "one GPU 5 % slow", .slow_gpu = 0.05},
    {.name = "one GPU 8 % slow", .slow_gpu = 0.08},
    {.name = "one GPU 10 % slow", .slow_gpu = 0.1, .found_min = 0.98},
    {.name = "one GPU 1.5x", .slow_gpu = 0.5, .found_min = 1},
    {.name = "no slow one", .sigma = 0.004},
    {.name = "one GPU 5 % slow", .sigma = 0.004, .slow_gpu = 0.05, .found_min = 0.99},
    {.name = "all 8 GPUs of a node 15 % slow", .slow_gpu = 0.15, .whole_node = true, .found_min = 0.98},
    {.name = "a node 30 % slower to submit", .slow_node = 0.3, .found_min = 0.98},
    {.name = "no slow one, 5 % of times wild", .wild = 0.05},
    {.name = "no slow one, 64 GPUs, 8 nodes", .gpus = 64, .nodes = 8},
    {.name = "no slow one, 8 GPUs, 8 nodes", .gpus = 8, .nodes = 8},
    {.name = "one GPU 1.5x, 8 GPUs, 8 nodes", .gpus = 8, .nodes = 8, .slow_gpu = 0.5, .found_min = 0.98},
    {.name = "no slow one, heavy tails (*)", .heavy_tails = true, .alarms_max = 1},
};

// What a rate may miss its limit by, because so many fleets know it no better.
double doubt(double limit, long fleets) {
  return 2.33 * std::sqrt(limit * (1 - limit) / static_cast<double>(fleets));
}

}  // namespace

int main(int argc, char** argv) {
  const long fleets = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  const long seed = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1;
  if (fleets <= 0 || seed < 0 || argc > 3) {
    std::fputs("usage: graphbench_fleet_simulation [FLEETS [SEED]]\n", stderr);
    return 2;
  }
  fmt::print("{} fleets a row, seed {}; 1,000 GPUs on 125 nodes where nothing else is said\n\n", fleets,
             seed);
  fmt::print("| fleet | sigma of GPUs | fleets with a false alarm | found |\n| --- | --- | --- | --- |\n");
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool held = true;
  for (const FleetScenario& row : rows) {
    const auto rates = graphbench::simulation::run(row, fleets, static_cast<std::uint64_t>(seed), threads);
    const bool holds = rates.alarms <= row.alarms_max + doubt(row.alarms_max, fleets) &&
                       rates.found >= row.found_min - doubt(row.found_min, fleets);
    const bool planted = row.slow_gpu > 0 || row.slow_node > 0;
    fmt::print("| {} | {:.1f} % | {:.2f} % | {} |{}\n", row.name, 100 * row.sigma, 100 * rates.alarms,
               planted ? fmt::format("{:.1f} %", 100 * rates.found) : "", holds ? "" : " NOT HELD");
    std::fflush(stdout);
    held = held && holds;
  }
  fmt::print("\n(*) not promised: see docs/fleet.md\n{}\n", held ? "held" : "NOT HELD");
  return held ? 0 : 1;
}
