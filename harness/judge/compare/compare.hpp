// Compares two sides: first facts and coverage, then every metric of every cell that both sides measured.
#pragma once

#include <string>

#include "harness/judge/compare/read_side.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::judge {

// Pure. If the sides are not comparable, fills in only the sides, settings, differences and headline.
model::Comparison compare(const Side& base, const Side& now, const model::ComparisonSettings& settings);

// `disturbance` is that of disturbance_of(); empty for sides that were measured in turn.
std::string headline_of(const model::Comparison& comparison, const std::string& disturbance = {});

}  // namespace graphbench::judge
