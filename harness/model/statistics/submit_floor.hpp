// Compares a sweep's submit times with the cost of the launches that they consist of. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The least cost of submitting one step of this cell: its graph launches, each at the cost of a graph of one
// empty kernel, and its eager ops, each at the cost of one empty kernel. The first launch finds an idle
// stream, the others a busy one, if that is cheaper. Absent if the floors or the cell's counts are absent.
std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell);

// Fills in `summary.submit_over_floor` of every cell that has both.
void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
