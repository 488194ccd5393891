// What a comparison says of a pair of cells without statistics: metrics that are listed, and counts that
// differ. Pure.
#pragma once

#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/verdict/compare/facts.hpp"

namespace graphbench::compare {

// One number a launch that has the metric.
std::vector<double> times_of(const DocumentCell& cell, model::Metric metric);

// Fills in `listed`, of these metrics, and `changed`.
void describe_untested(const DocumentCell& base, const DocumentCell& now,
                       const std::vector<model::Metric>& listed, model::CellComparison& cell);

}  // namespace graphbench::compare
