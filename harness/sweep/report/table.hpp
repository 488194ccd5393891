// What the console shows of a result and of floors; below the table stand cells that are not ok, notes on
// how far the numbers can be trusted, and last the conclusions.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

struct TableOptions {
  bool colours = false;
  int width = 120;        // columns of the terminal; three modes need 120, else each gets its own line
  std::string json_path;  // where the result was written; empty: it is not mentioned
};

// Times are medians; `capture` is capture + instantiate + upload. Failed and skipped cells show their
// reason's code in place and are listed below the table with their messages.
void print_table(std::ostream& out, const model::Result& result, const TableOptions& options);

// Uses the environment's device and floors.
void print_floors(std::ostream& out, const model::Environment& environment, bool colours);

// "submit over its floor: eager 1.21x (1.10x..1.40x), whole ..." over these cells, geometric mean and
// extremes a mode; empty where no cell knows its floor.
std::string floor_line(const std::vector<const model::CellResult*>& cells);

// One entry for all cells of one status, code and message: "failed out_of_memory: ... (2 cells: ...)".
void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options);

// The notes on what is printed, in at most three lines; how many cells there are; the conclusions.
void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options);

// A paragraph for each subject: what --quiet leaves.
void print_conclusions(std::ostream& out, const model::Result& result, const TableOptions& options);

}  // namespace graphbench::reporters
