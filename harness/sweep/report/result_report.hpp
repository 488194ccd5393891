// A result and the floors of a machine as Reports, which every format prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/metrics.hpp"
#include "harness/model/result.hpp"
#include "reporters/report.hpp"

namespace graphbench::sweep {

using Columns = std::vector<const model::MetricRow*>;

// One row per cell, and per section the cells that differ only in batch, warmups and mode. `asked`: the
// columns; empty: the console's, of which pages have the most important ones, and in CSV all that a cell has.
// `json_path`: the result's file, for the closing lines; empty: not mentioned.
reporters::Report report_of(const model::Result& result, const Columns& asked = {},
                            const std::string& json_path = "");

reporters::Report report_of(const model::Environment& environment);

// The metrics that pages show of a cell: the table's columns, and the stages of a setup.
const Columns& page_metrics();
// The number of a cell as every format shows it.
reporters::Value number_of(const model::MetricRow& metric, const model::CellResult& cell);

// "device cuda: NVIDIA H200"
std::string device_text(const model::Result& result);

// Adds notes, which ladders and bills have too.
void add_notes(reporters::Report& report, const model::Result& result);
// Adds a table of kernels for each cell that --profile recorded.
void add_profiles(reporters::Report& report, const model::Result& result);
// Adds the other text below the cells: walks of --shape-trace; cells without numbers, notes, the number of
// cells, and the conclusions, one card per subject.
void add_walks(reporters::Report& report, const model::Result& result);
void add_closing(reporters::Report& report, const model::Result& result, const std::string& json_path);

// The modes of the result's cells, in order of appearance.
std::vector<std::string> modes_of(const model::Result& result);

}  // namespace graphbench::sweep
