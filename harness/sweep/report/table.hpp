// Prints a result and floors on the console. Below the table come cells that are not ok, notes on how far the
// numbers can be trusted, and last the conclusions.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/metrics.hpp"
#include "harness/model/result.hpp"

namespace graphbench::reporters {

using Columns = std::vector<const model::MetricRow*>;

struct TableOptions {
  bool colours = false;
  int width = 120;        // columns of the terminal; three modes need 120, else each gets its own line
  std::string json_path;  // where the result was written; empty: it is not mentioned
  Columns columns = {};   // empty: those of the table of metrics
};

// Times are medians; `capture` is capture + instantiate + upload. Failed and skipped cells show their
// reason's code in place and are listed below the table with their messages.
void print_table(std::ostream& out, const model::Result& result, const TableOptions& options);

// The text of a metric in a cell: "1.23ms", "~1.05x", "never", "-".
std::string shown(const model::MetricRow& row, const model::CellResult& cell);
// Whether cells of a mode have the metric.
bool in_group(const model::MetricRow& row, std::string_view mode);
// The modes of a result's cells, in their order.
std::vector<std::string> modes_of(const model::Result& result);

// A GitHub-flavoured table: one row per workload and batch (and what else differs between cells), the columns
// of each mode side by side, estimates with half of their 95 % interval. Names are escaped.
void print_result_markdown(std::ostream& out, const model::Result& result, const Columns& columns);

// One row per cell: its axes, its status, and each metric in its own unit, at full precision, under its path;
// an estimate's interval beside it.
void print_result_csv(std::ostream& out, const model::Result& result, const Columns& columns);

// Uses the environment's device and floors.
void print_floors(std::ostream& out, const model::Environment& environment, bool colours);

// "submit over its floor: eager 1.21x (1.10x..1.40x), whole ..." over these cells, geometric mean and
// extremes per mode; empty if no cell knows its floor.
std::string floor_line(const std::vector<const model::CellResult*>& cells);

// One entry for all cells of one status, code and message: "failed out_of_memory: ... (2 cells: ...)".
void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options);

// The walks of --shape-trace: a row for each step that had something made for it, and how many replayed.
void print_walks(std::ostream& out, const model::Result& result, const TableOptions& options);

// The notes on what is printed, in at most three lines; how many cells there are; the conclusions.
void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options);

// One paragraph per subject. --quiet prints only these.
void print_conclusions(std::ostream& out, const model::Result& result, const TableOptions& options);

}  // namespace graphbench::reporters
