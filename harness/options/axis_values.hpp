// The values of a sweep's axes, as their options give them.
#pragma once

#include "harness/options/options.hpp"

namespace graphbench::config {

// Axes that the device or the workloads decide may stay empty. Throws InputError for the first wrong value.
model::Axes read_axes(const RawOptions& raw, const model::AxisTable& table);

// The axes of each --grid: the plan's values, except on the axes that its text ("warmup=0,1") names.
std::vector<model::Axes> read_grids(const RawOptions& raw, const model::AxisTable& table);

}  // namespace graphbench::config
