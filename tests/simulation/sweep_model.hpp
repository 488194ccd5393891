// Sweeps that never ran: launch medians and samples drawn from a known law, so that it is known what a
// comparison of them should say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/verdict/compare/judge.hpp"

namespace graphbench::simulation {

struct Scenario {
  std::string name;
  double sigma = 0.01;          // standard deviation between launches, of logarithms
  double within_sigma = 0.005;  // between the samples of a launch
  std::int64_t launches = 10;   // a side
  double drift = 0;             // from the first launch of the run to the last, common to all cells
  bool interleaved = false;     // ABBA, compared in pairs; else BASE before NEW
  double odd_share = 0;         // of launches that are slower by odd_change, as where memory lies unluckily
  double odd_change = 0;
  int planted_cells = 0;  // whose latency and device time are slower in NEW by
  double planted_change = 0;
};

inline constexpr int cells = 48;
inline constexpr int samples_a_launch = 100;

// What the rules said about one comparison.
struct Outcome {
  bool any_slower = false;  // of cells that did not change
  int found = 0;            // of the planted cells
};

struct Outcomes {
  Outcome ours;
  Outcome mann_whitney;  // on the pooled samples of latency, p < 0.05 and the median slower
  Outcome threshold;     // the median of latency slower by 5 %
};

// One comparison of two sweeps of 48 cells, 32 of which capture; deterministic in the seed.
Outcomes simulate(const Scenario& scenario, std::uint64_t seed);

// Two-sided p of the rank-sum test in its normal approximation; pools as naive tools do. `base` and
// `now` are sorted.
double mann_whitney_p(const std::vector<double>& base, const std::vector<double>& now);

}  // namespace graphbench::simulation
