// The rows of the simulation, and how often what was said.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/simulation/sweep_model.hpp"

namespace graphbench::simulation {

struct Row {
  Scenario scenario;
  bool held = true;      // false: shown to say what no procedure, or not this one, can promise
  double found_min = 0;  // promised of planted cells
  // Shares, of comparisons and of planted cells.
  double any_slower = 0;
  double found = 0;
  // Of runs until decided, the launches until it was found, in half of the comparisons; absent: never.
  std::optional<std::int64_t> launches_median = {};
};

// Without rates.
std::vector<Row> scenarios();

// Fills in the rates from `comparisons` simulated ones, on `threads` threads; the numbers depend on
// `seed` and not on the threads.
void run(Row& row, std::int64_t comparisons, std::uint64_t seed, int threads);

}  // namespace graphbench::simulation
