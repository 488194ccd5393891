// Prints a result on the console, as Markdown or as CSV, and the floors.
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
  int width = 120;  // in terminal columns; three modes need 120; if modes do not fit, each has its own line
  std::string json_path;  // the result's file, for the closing line; empty: not mentioned
  Columns columns = {};   // empty: the columns of the table of metrics
};

// Times are medians; `capture` is capture + instantiate + upload. Failed and skipped cells show the code of
// their reason; their messages follow the table.
void print_table(std::ostream& out, const model::Result& result, const TableOptions& options);

// The text of a metric in a cell: "1.23ms", "~1.05x", "never", "-".
std::string shown(const model::MetricRow& row, const model::CellResult& cell);
// True if cells of the mode have the metric.
bool in_group(const model::MetricRow& row, std::string_view mode);
// The modes of the result's cells, in order of appearance.
std::vector<std::string> modes_of(const model::Result& result);

// A GitHub-flavoured table: one row per workload, batch and other axes that differ, one group of columns per
// mode. An estimate is followed by half the width of its 95 % interval: "1.23ms ±2 %". Names are escaped.
void print_result_markdown(std::ostream& out, const model::Result& result, const Columns& columns);

// One row per cell: axes, status, and each metric in its own unit and full precision. A metric's column is
// named after its path in the document. Two columns after an estimate have the bounds of its interval.
void print_result_csv(std::ostream& out, const model::Result& result, const Columns& columns);

void print_floors(std::ostream& out, const model::Environment& environment, bool colours);

// "submit over its floor: eager 1.21x (1.10x..1.40x), whole ...": the geometric mean, minimum and maximum
// over these cells, per mode. Empty if no cell has a floor.
std::string floor_line(const std::vector<model::CellResult>& cells);

// Prints a line per status, code and message: "failed out_of_memory: ... (2 cells, first mlp/...)".
void print_troubles(std::ostream& out, const model::Result& result, const TableOptions& options);

// Prints each cell's walk of --shape-trace: a row for each of the first 20 steps that needed a new program or
// recording, and the counts of the other steps.
void print_walks(std::ostream& out, const model::Result& result, const TableOptions& options);

// Prints the notes in at most three lines, the number of cells, and the conclusions.
void print_closing(std::ostream& out, const model::Result& result, const TableOptions& options);

// Prints the conclusions, one paragraph per subject. With --quiet, stdout has nothing else.
void print_conclusions(std::ostream& out, const model::Result& result, const TableOptions& options);

}  // namespace graphbench::reporters
