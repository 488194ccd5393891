// Computes a cell's summary from its launches, and gains and break-even from a graph cell and its eager cell.
// All functions are pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// Returns the median over launches, and from three launches on the confidence interval of their geometric
// mean; nullopt without launches.
std::optional<model::Estimate> estimate_over(const std::vector<double>& launches);

// Returns launch.within if it is set, else computes it from the launch's samples.
model::WithinLaunch within_launch(const model::Launch& launch);

// Sets the summaries of all cells that are ok. Gains and break-even compare a cell with the eager cell of the
// same workload, preset, dtype, pass, batch and warmup.
void summarize_cells(std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
