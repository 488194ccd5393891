// Reads the values of a sweep's axes from the options.
#pragma once

#include "harness/options/options.hpp"

namespace graphbench::config {

// Leaves an axis empty if its default depends on the device or the workloads. Throws InputError.
model::Axes read_axes(const RawOptions& raw, const model::AxisTable& table);

// Returns the axes of each --grid: the plan's, except for the axes in the grid's text ("warmup=0,1").
std::vector<model::Axes> read_grids(const RawOptions& raw, const model::AxisTable& table);

}  // namespace graphbench::config
