// Fleets that never were: times of GPUs and nodes drawn from a known law, so that it is known who is slow.
#pragma once

#include <cstdint>
#include <string>

namespace graphbench::simulation {

struct FleetScenario {
  std::string name;
  int gpus = 1000;
  int nodes = 125;
  double sigma = 0.015;      // between GPUs, of logarithms of device times
  double node_sigma = 0.03;  // between nodes, of submit times
  double slow_gpu = 0;       // what one GPU takes longer than it would: 0.1 is 10 %
  bool whole_node = false;   // all GPUs of its node too
  double slow_node = 0;      // what one node's submits take longer
  double wild = 0;           // share of cells whose time is a fifth longer, in any document
  bool heavy_tails = false;  // GPUs by Student's t with 5 degrees of freedom, scaled to sigma
  // Promised.
  double alarms_max = 0.01;
  double found_min = 0;
};

// The default sweep with one warmup count and four batch sizes; each time is known to 0.3 %.
inline constexpr int fleet_cells = 36;
inline constexpr double fleet_noise = 0.003;

struct FleetRates {
  double alarms = 0;  // share of fleets in which something was an outlier that is not slow
  double found = 0;   // share of fleets in which all that are slow were outliers
};

// Of `fleets` fleets, on `threads` threads; the numbers depend on `seed` and not on the threads.
FleetRates run(const FleetScenario& scenario, std::int64_t fleets, std::uint64_t seed, int threads);

}  // namespace graphbench::simulation
