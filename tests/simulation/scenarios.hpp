// The rows of the simulation's table: scenarios, and the rates of the verdicts on them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/simulation/sweep_model.hpp"

namespace graphbench::simulation {

struct Row {
  Scenario scenario;
  bool held = true;      // false: the row shows what no procedure, or not this one, can promise
  double found_min = 0;  // the promised minimum of `found`
  // The share of comparisons with a false alarm, and the share of planted cells that are found.
  double any_slower = 0;
  double found = 0;
  // The median of the launches until the change was found; absent if half of the comparisons missed it.
  std::optional<std::int64_t> launches_median = {};
};

// All rows, without rates.
std::vector<Row> scenarios();

// Simulates on `threads` threads, on which the rates do not depend.
void run(Row& row, std::int64_t comparisons, std::uint64_t seed, int threads);

}  // namespace graphbench::simulation
