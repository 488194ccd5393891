// The rows of the simulation, and how often each rule said what.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/simulation/sweep_model.hpp"

namespace graphbench::simulation {

// Shares of comparisons (any_slower) and of planted cells (found).
struct Rates {
  double any_slower = 0;
  double found = 0;
};

struct Row {
  Scenario scenario;
  bool held = true;  // false: shown to say what no procedure, or not this one, can promise
  Rates ours;
  Rates mann_whitney;
  Rates threshold;
};

// Without rates.
std::vector<Row> scenarios();

// Fills in the rates from `comparisons` simulated ones, on `threads` threads; the numbers depend on
// `seed` and not on the threads.
void run(Row& row, std::int64_t comparisons, std::uint64_t seed, int threads);

}  // namespace graphbench::simulation
