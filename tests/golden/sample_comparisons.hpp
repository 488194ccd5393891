// Fixed comparisons that tests of formats share: one with everything in it, and extreme ones.
#pragma once

#include "harness/model/comparison.hpp"

namespace graphbench::samples {

// Has every verdict and coverage state, differences between the sides, and names that need escaping.
model::Comparison mixed_comparison();
model::Comparison same_comparison();
model::Comparison single_launch_comparison();
model::Comparison incomparable_comparison();
// Has `cells` slower cells, and `cells` lost cells with long names and reasons.
model::Comparison large_comparison(std::int64_t cells);

}  // namespace graphbench::samples
