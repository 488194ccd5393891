// Reads a sweep's submit times against the launches they are made of. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::floors {

// What submitting one step of this cell costs at best: its graph launches, each as dear as a graph of
// one empty kernel, and its eager ops, each as dear as one empty kernel. The first finds an idle stream, the
// others a busy one, where that is the cheaper. Absent where the floors or the cell's counts are.
std::optional<double> submit_floor(const model::Floors& floors, const model::CellResult& cell);

// Fills in `summary.submit_over_floor` of every cell that has both.
void add_submit_over_floor(const model::Floors& floors, std::vector<model::CellResult>& cells);

}  // namespace graphbench::floors
