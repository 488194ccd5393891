// Fixed comparisons that tests of their formats share: one with everything in it, and the ends.
#pragma once

#include "harness/model/comparison.hpp"

namespace graphbench::samples {

// Every verdict and coverage state, differences, and names that want escaping.
model::Comparison mixed_comparison();
// Everything within the margin.
model::Comparison same_comparison();
// One launch a side.
model::Comparison single_launch_comparison();
// Another device.
model::Comparison incomparable_comparison();
// As many cells as asked for, all slower, and as many lost with long reasons and names.
model::Comparison large_comparison(std::int64_t cells);

}  // namespace graphbench::samples
