// Reads the values of a sweep's axes from the options.
#pragma once

#include "harness/options/options.hpp"

namespace graphbench::config {

// Reads the first grid. An axis is empty if the device or the workloads decide the default. Throws
// InputError.
model::Axes read_axes(const RawOptions& raw, const model::AxisTable& table);

// Returns the axes of each --grid: those of the first grid, changed by the grid's text ("warmup=0,1").
std::vector<model::Axes> read_grids(const RawOptions& raw, const model::AxisTable& table);

}  // namespace graphbench::config
