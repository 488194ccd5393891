// From the launches of a cell to its summary, and from a graph cell and its eager one to what graphs buy.
// Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::statistics {

// What a graph costs once: capture, instantiation and upload.
double setup_seconds(const model::Setup& setup);
// The median over the cell's launches; absent where it has none.
std::optional<double> setup_seconds(const model::CellResult& cell);

// The median over launches of what each measured, with its interval; absent for none.
std::optional<model::Estimate> estimate_over(const std::vector<double>& launches);

// What a summary takes from the launch's samples; launch.within where that is known.
model::WithinLaunch within_launch(const model::Launch& launch);

// Fills `summary` of every cell from its launches, and speedup and break-even from the eager cell of
// the same workload, preset, dtype, pass, batch and warmup.
void summarize_cells(std::vector<model::CellResult>& cells);

}  // namespace graphbench::statistics
