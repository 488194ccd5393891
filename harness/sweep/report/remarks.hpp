// What stands below the table: cells that are not ok, warnings about the numbers and the machine, each with
// what to do about it, the closing lines.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/model/result.hpp"
#include "harness/sweep/report/table.hpp"

namespace graphbench::reporters {

// One entry for all cells of one status, code and message: "failed out_of_memory: ... (2 cells: ...)".
void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options);

// Pure: what a reader of these numbers should know, each a sentence with advice.
std::vector<std::string> warnings_of(const model::Result& result);

void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options);

// Pure: from what the instruments wrote into the result.
std::vector<std::string> instrument_warnings(const model::Result& result);

// Of them, those about the CPU: governor, load, quota, pinning.
std::vector<std::string> cpu_warnings(const model::Environment& environment);

// What the two witnesses of a profiled sweep say of each other: the cell in which they differ most, and
// what recording does to the steps. Empty where nothing was profiled.
std::string witness_line(const model::Result& result);

}  // namespace graphbench::reporters
