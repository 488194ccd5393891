// The series of a sweep's comparison with the baseline: which of its numbers become metrics, and under
// which names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"
#include "reporters/prometheus/cell_series.hpp"

namespace graphbench::reporters {

// As CellLines, of one device's comparison.
using ComparisonLines = std::vector<std::string>;

// `cells`: by id, those of the device whose numbers stand in /metrics. Others have no series here either: a
// change of what is not shown could not be read. A comparison that is none (`comparable` false) has only
// what says so.
ComparisonLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                         const model::Comparison& comparison);

}  // namespace graphbench::reporters
