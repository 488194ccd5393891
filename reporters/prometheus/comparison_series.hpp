// The series of a sweep's comparison with the baseline: which of its numbers become metrics, and under
// which names.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"
#include "reporters/prometheus/cell_series.hpp"

namespace graphbench::reporters {

inline constexpr std::size_t comparison_families = 8;  // the table in comparison_series.cpp

// The lines of one device's comparison in each family's text, rendered once.
using ComparisonLines = std::array<std::string, comparison_families>;

// `cells`: by id, those of the device whose numbers stand in /metrics. Others have no series here either: a
// change of what is not shown could not be read. A comparison that is none (`comparable` false) has only
// what says so.
ComparisonLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                         const model::Comparison& comparison);

// Appends each family that has a series, with its help and type; devices in the order of their names.
void append_families(std::string& text, const std::map<std::string, ComparisonLines>& comparisons);

}  // namespace graphbench::reporters
