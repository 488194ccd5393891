// Makes a cell's summary from its launches, and gains and break-even from a graph cell and its eager one.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// The median over launches of a launch's value, with its interval; absent without launches.
std::optional<model::Estimate> estimate_over(const std::vector<double>& launches);

// The part of a summary that a launch's samples give; launch.within if it is known.
model::WithinLaunch within_launch(const model::Launch& launch);

// Fills `summary` of every cell from its launches, and gains and break-even from the eager cell of the same
// workload, preset, dtype, pass, batch and warmup.
void summarize_cells(std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
