// What a comparison says of a pair of cells without statistics: metrics that are listed, and counts that
// differ. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "harness/judge/compare/facts.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::compare {

inline constexpr std::int64_t all_launches = std::numeric_limits<std::int64_t>::max();

// One number a launch that has the metric, of launches with an index below `end`.
std::vector<double> times_of(const DocumentCell& cell, model::Metric metric, std::int64_t end = all_launches);

// Fills in `listed`, of these metrics, and `changed`.
void describe_untested(const DocumentCell& base, const DocumentCell& now,
                       const std::vector<model::Metric>& listed, model::CellComparison& cell);

}  // namespace graphbench::compare
