// What stands below the table: cells that are not ok, warnings that say what to do, the closing lines.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/model/result.hpp"
#include "reporters/console/table.hpp"

namespace graphbench::reporters {

// One entry for all cells of one status, code and message: "failed out_of_memory: ... (2 cells: ...)".
void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options);

// Pure: what a reader of these numbers should know, each a sentence with advice.
std::vector<std::string> warnings_of(const model::Result& result);

void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options);

}  // namespace graphbench::reporters
