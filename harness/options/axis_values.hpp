// The values of a sweep's axes, as their options give them.
#pragma once

#include "harness/options/options.hpp"

namespace graphbench::config {

// Axes that the device or the workloads decide stay empty where the person gave nothing. Throws InputError
// for the first value that is wrong.
model::Axes read_axes(const RawOptions& raw, const model::AxisTable& table);

}  // namespace graphbench::config
