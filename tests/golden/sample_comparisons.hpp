// Fixed comparisons that tests of their formats share: one with everything in it, and the ends.
#pragma once

#include "harness/model/comparison.hpp"

namespace graphbench::samples {

// Slower, faster, same, inconclusive; lost, new, failed and skipped cells; differences.
model::Comparison mixed_comparison();
// Everything within the margin.
model::Comparison same_comparison();
// One launch a side.
model::Comparison single_launch_comparison();
// Another device.
model::Comparison incomparable_comparison();

}  // namespace graphbench::samples
