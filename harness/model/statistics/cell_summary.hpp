// From the launches of a cell to its summary, and from a graph cell and its eager one to what graphs buy.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The median over launches of what each measured, with its interval; absent for none.
std::optional<model::Estimate> estimate_over(const std::vector<double>& launches);

// What a summary takes from the launch's samples; launch.within where that is known.
model::WithinLaunch within_launch(const model::Launch& launch);

// Fills `summary` of every cell from its launches, and gains and break-even from the eager cell of the same
// workload, preset, dtype, pass, batch and warmup.
void summarize_cells(std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
