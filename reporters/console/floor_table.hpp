// `graphbench floor` as a table, and what a sweep's table says of floors.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

// Uses the environment's device and floors.
void print_floors(std::ostream& out, const model::Environment& environment, bool colours);

// "submit over its floor: eager 1.21x (1.10x..1.40x), whole ..." over these cells, geometric mean and
// extremes a mode; empty where no cell knows its floor.
std::string floor_line(const std::vector<const model::CellResult*>& cells);

}  // namespace graphbench::reporters
