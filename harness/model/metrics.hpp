// The table of a cell's metrics. The result document, its schema, Prometheus families, the console's columns
// and what `compare` tests all come from these rows: a new metric is a member of a struct and a row.
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

enum class MetricKind : std::uint8_t { time, count, bytes, ratio, rate };

// The object of the document that a metric stands in, and how its launches combine into one number a cell.
enum class MetricSection : std::uint8_t {
  setup,      // the median over launches of launches[].setup, or of launches[].setups if there are several
  startup,    // launches[].startup: the same median; all cells of a worker have the same
  launch,     // launches[]: a distribution of samples or one number; the median over launches
  sustained,  // launches[].sustained: the same median, of a distribution's p50
  graph,      // graph: of the cell
  io,         // io: of the cell
  counters,   // counters: of the cell
  training,   // training: of the cell
  evaluated,  // training.evaluation: of the cell
  walk,       // shape_walk: of the cell
  cache,      // cache: of the cell
  package,    // package: of the cell
  memory,     // memory: of the cell
  summary,    // summary: over launches already
  derived     // not in the document: computed from other metrics
};

// The place of the value: in a launch or in a cell, so one of the two functions is null.
struct MetricValue {
  MetricSection section = MetricSection::derived;
  std::optional<double> (*of_launch)(const Launch& launch) = nullptr;
  std::optional<double> (*of_cell)(const CellResult& cell) = nullptr;
  // the Summary whose p50 is of_launch; null if the metric is a number
  const Summary* (*summary_of)(const Launch& launch) = nullptr;
};

struct MetricRow {
  std::string_view name;  // the key in the document
  MetricKind kind = MetricKind::time;
  std::string_view unit = "seconds";
  std::string_view help;
  MetricValue value;
  // A distribution's estimate over launches, under the same key in `summary`.
  std::optional<Estimate> CellSummary::*estimate = nullptr;
  bool graphs_only = false;  // no number of an eager cell: no series, no column
  // median of later setups (statistics/setup_cost.hpp), which first launches may lack
  bool of_setups = false;
  bool addition = false;    // came after the contract: documents of older versions lack it
  bool on_request = false;  // measured where asked for: else no column, and not missed
  // The name in each list that it is in; empty: it is not.
  std::string_view family = {};    // Prometheus
  std::string_view compared = {};  // `compare` reads it of launches, and --margin takes the name
  bool listed = false;             // a compared metric that is shown with before and after, but not tested
  std::string_view counted = {};   // `compare` says where it changed, without statistics
  MetricValue resolution = {};     // for a counted metric: smaller differences do not count; null: all count
  std::string_view baseline_help = {};  // help of its family graphbench_baseline_*; empty: no such family
  std::string_view memory_of = {};      // its label `of` in graphbench_memory_bytes; empty: not in it
  std::string_view column = {};         // name of its column in the console's table and on the page
  std::string_view column_help = {};
  bool spare_column = false;  // left out where the table would not fit its width with it
};

std::span<const MetricRow> metrics();
inline MetricSection section_of(const MetricRow& row) {
  return row.value.section;
}
// The key of the section's object in a cell, or in a launch: "training.evaluation"; empty: it is that itself.
std::string_view key_of(MetricSection section);
// The row's path below its cell or its launch: "graph.nodes".
std::string path_below(const MetricRow& row);
// The path below its cell: "launches[].setup.capture_seconds". No two rows have the same path.
std::string path_of(const MetricRow& row);
// Its name in tables and lists: its column, or its key if it has no column.
std::string_view heading_of(const MetricRow& row);
// The rows that `words` name, each by its column, its path or the end of its path. Throws InputError, which
// begins with `where`, for a word that names none or several.
std::vector<const MetricRow*> metrics_named(const std::string& where, const std::vector<std::string>& words);

inline bool is_distribution(const MetricRow& row) {
  return row.estimate != nullptr;
}

// Rows of one section of the document.
std::vector<const MetricRow*> metrics_in(MetricSection section);
// Rows with a family, those that are compared, those with a column, and those that are counted, in the order
// of the table but for the rows that metrics.cpp names.
const std::vector<const MetricRow*>& family_metrics();
const std::vector<const MetricRow*>& compared_metrics();
const std::vector<const MetricRow*>& column_metrics();
const std::vector<const MetricRow*>& counted_metrics();

const MetricRow& row_of(Metric metric);

// For tests: adds a row to the table for as long as it lives. Not thread-safe.
class PlantedMetric {
 public:
  explicit PlantedMetric(const MetricRow& row);
  ~PlantedMetric();
  PlantedMetric(const PlantedMetric&) = delete;
  PlantedMetric& operator=(const PlantedMetric&) = delete;
};

}  // namespace graphbench::model
