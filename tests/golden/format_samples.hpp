// Comparisons with fixed numbers that the formats' golden files are made from: no machine's, chosen so that
// every verdict, coverage state and missing value occurs.
#pragma once

#include <cstdint>

#include "harness/model/comparison.hpp"

namespace graphbench::samples::formats {

// Every verdict and coverage state, differences, and names that want escaping.
model::Comparison mixed_comparison();

// All metrics of three cells `same`.
model::Comparison unchanged_comparison();

// Another device that --allow does not name: nothing was judged.
model::Comparison incomparable_comparison();

// One launch a side: everything inconclusive, with --strict.
model::Comparison single_launch_comparison();

// As many cells as asked for, all slower and with long reasons in their names.
model::Comparison large_comparison(std::int64_t cells);

}  // namespace graphbench::samples::formats
