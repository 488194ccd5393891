// Compares two sides: facts, coverage, then every metric of every cell that both measured, and a headline.
#pragma once

#include <string>

#include "harness/judge/compare/read_side.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::compare {

// Pure. Where the sides do not compare, only the differences are filled in.
model::Comparison compare(const Side& base, const Side& now, const model::ComparisonSettings& settings);

// Makes the headline from the rest of the comparison.
std::string headline_of(const model::Comparison& comparison);

}  // namespace graphbench::compare
