// A comparison as a Report, which every format prints, and as its document.
#pragma once

#include <ostream>

#include "harness/model/comparison.hpp"
#include "reporters/report.hpp"

namespace graphbench::judge {

// The sections begin with what fails. Some test of JUnit fails exactly if the comparison has not passed().
reporters::Report report_of(const model::Comparison& comparison);

// Prints the document `graphbench.comparison/1`, one cell per line.
void print_comparison_json(std::ostream& out, const model::Comparison& comparison);

}  // namespace graphbench::judge
