// The table of a cell's metrics. The result document, its schema, Prometheus families, the console's columns
// and the tests of `compare` use the table's rows. A new metric needs a member of a struct and a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

// A share is a part of a whole, from 0 to 1; a date is in seconds since 1970.
enum class MetricKind : std::uint8_t { time, count, bytes, ratio, rate, share, date };

// The object of the document that has the metric. The first five are in launches[]: the cell's number is the
// median over launches. The others are in the cell, which has one number.
enum class MetricSection : std::uint8_t {
  setup,      // launches[].setup, or launches[].setups if there are several
  startup,    // launches[].startup: all cells of a worker have equal values
  launch,     // launches[]: one number, or a distribution of samples, whose p50 counts
  sustained,  // launches[].sustained: one number, or a distribution of samples, whose p50 counts
  ranks,      // launches[].ranks, if several ranks run the step: values like those of `sustained`
  graph,
  io,  // caller_io
  counters,
  training,
  evaluated,  // training.evaluation
  walk,       // shape_walk
  cache,
  package,
  memory,
  profile,
  summary,  // numbers that are already computed over launches
  derived   // not in the document: computed from other metrics
};

// Reads the value from a launch (of_launch) or from a cell (of_cell). The other pointer is null.
struct MetricValue {
  MetricSection section = MetricSection::derived;
  std::optional<double> (*of_launch)(const Launch& launch) = nullptr;
  std::optional<double> (*of_cell)(const CellResult& cell) = nullptr;
  // Returns the Summary whose p50 is the value of `of_launch`. Null for a metric without a distribution.
  const Summary* (*summary_of)(const Launch& launch) = nullptr;
};

struct MetricRow {
  std::string_view name;  // the key in the document
  MetricKind kind = MetricKind::time;
  std::string_view unit = "seconds";
  std::string_view help;
  MetricValue value;
  // The estimate over launches in the cell's summary, under the key `name`. Null: no distribution.
  std::optional<Estimate> CellSummary::*estimate = nullptr;
  bool graphs_only = false;  // eager cells have no series and no column
  bool of_setups = false;    // the median of later setups (statistics/setup_cost.hpp), if a launch has these
  bool added_later = false;  // documents of older versions lack the metric
  bool on_request = false;   // absent unless an option requests the measurement
  // The metric's name in each list; empty: the metric is not in the list.
  std::string_view family = {};         // Prometheus families
  std::string_view compared = {};       // metrics of `compare` and --margin
  bool listed = false;                  // `compare` shows the compared metric without a test
  std::string_view counted = {};        // counts whose changes `compare` shows without statistics
  MetricValue resolution = {};          // `compare` hides changes of `counted` up to this; null: hides none
  std::string_view baseline_help = {};  // help of the family graphbench_baseline_*; empty: no such family
  std::string_view memory_of = {};      // label `of` in graphbench_memory_bytes; empty: no such series
  std::string_view column = {};         // heading in the console's table and on the page; empty: no column
  std::string_view column_help = {};
  bool spare_column = false;  // the console leaves the column out if the table would be too wide
};

std::span<const MetricRow> metrics();
inline MetricSection section_of(const MetricRow& row) {
  return row.value.section;
}
// Returns the section's key in a cell or launch: "training.evaluation". Empty: the cell or launch itself.
std::string_view key_of(MetricSection section);
// Returns the metric's path in the cell or launch: "graph.nodes".
std::string path_below(const MetricRow& row);
// Returns the metric's path in the cell, which is unique: "launches[].setup.capture_seconds".
std::string path_of(const MetricRow& row);
// Returns the metric's name in tables and lists: its column, or its key if it has no column.
std::string_view heading_of(const MetricRow& row);
// Returns one row per word. A word is a column, a path or the end of a path. Throws InputError for a word
// that matches no row or several rows; the message begins with `where`.
std::vector<const MetricRow*> metrics_named(const std::string& where, const std::vector<std::string>& words);

inline bool is_distribution(const MetricRow& row) {
  return row.estimate != nullptr;
}

std::vector<const MetricRow*> metrics_in(MetricSection section);
// The rows with a family, compared rows, rows with a column, and counted rows. metrics.cpp names the first
// rows of each list but family_metrics(). The other rows follow in the table's order.
const std::vector<const MetricRow*>& family_metrics();
const std::vector<const MetricRow*>& compared_metrics();
const std::vector<const MetricRow*>& column_metrics();
const std::vector<const MetricRow*>& counted_metrics();

const MetricRow& row_of(Metric metric);

}  // namespace graphbench::model
