// The table of a cell's metrics. The result document, its schema, Prometheus families, the console's columns
// and the tests of `compare` all use its rows. A new metric needs a member of a struct and a row.
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

// The object of the document that has the metric, and how launches combine into one number per cell.
enum class MetricSection : std::uint8_t {
  setup,      // the median over launches of launches[].setup, or of launches[].setups if there are several
  startup,    // launches[].startup: the median over launches; all cells of a worker have equal values
  launch,     // launches[]: one number, or a distribution of samples; the median over launches
  sustained,  // launches[].sustained: the median over launches; a distribution counts with its p50
  graph,      // graph: of the cell
  io,         // caller_io: of the cell
  counters,   // counters: of the cell
  training,   // training: of the cell
  evaluated,  // training.evaluation: of the cell
  walk,       // shape_walk: of the cell
  cache,      // cache: of the cell
  package,    // package: of the cell
  memory,     // memory: of the cell
  summary,    // summary: of the cell, already over launches
  derived     // not in the document: computed from other metrics
};

// Reads the value from a launch or from a cell, so one of of_launch and of_cell is null.
struct MetricValue {
  MetricSection section = MetricSection::derived;
  std::optional<double> (*of_launch)(const Launch& launch) = nullptr;
  std::optional<double> (*of_cell)(const CellResult& cell) = nullptr;
  // the Summary whose p50 is of_launch; null if the metric is one number
  const Summary* (*summary_of)(const Launch& launch) = nullptr;
};

struct MetricRow {
  std::string_view name;  // the key in the document
  MetricKind kind = MetricKind::time;
  std::string_view unit = "seconds";
  std::string_view help;
  MetricValue value;
  // The member of `summary` with a distribution's estimate over launches. Its key is `name`.
  std::optional<Estimate> CellSummary::*estimate = nullptr;
  bool graphs_only = false;  // eager cells have no series and no column
  // the median of later setups (statistics/setup_cost.hpp); a first launch may have none
  bool of_setups = false;
  bool addition = false;    // added later: documents of older versions lack the metric
  bool on_request = false;  // measured only on request, so it may be missing
  // The metric's name in each list; empty: the metric is not in the list.
  std::string_view family = {};         // Prometheus
  std::string_view compared = {};       // in `compare` and --margin
  bool listed = false;                  // compared, but only shown and not tested
  std::string_view counted = {};        // in `compare`, which shows changes without statistics
  MetricValue resolution = {};          // a counted metric ignores smaller differences; null: ignores none
  std::string_view baseline_help = {};  // help of graphbench_baseline_*; empty: no such family
  std::string_view memory_of = {};      // label `of` in graphbench_memory_bytes; empty: not there
  std::string_view column = {};         // in the console's table and on the page
  std::string_view column_help = {};
  bool spare_column = false;  // left out if the table would be too wide
};

std::span<const MetricRow> metrics();
inline MetricSection section_of(const MetricRow& row) {
  return row.value.section;
}
// Returns the section's key in a cell or launch: "training.evaluation". Empty: the object itself.
std::string_view key_of(MetricSection section);
// Returns the path in the cell or launch: "graph.nodes".
std::string path_below(const MetricRow& row);
// Returns the path in the cell, which is unique: "launches[].setup.capture_seconds".
std::string path_of(const MetricRow& row);
// Returns the name in tables and lists: the column, or the key if there is none.
std::string_view heading_of(const MetricRow& row);
// Returns the rows for `words`: columns, paths or ends of paths. Throws InputError, which begins with
// `where`, for a word that matches no row or several.
std::vector<const MetricRow*> metrics_named(const std::string& where, const std::vector<std::string>& words);

inline bool is_distribution(const MetricRow& row) {
  return row.estimate != nullptr;
}

std::vector<const MetricRow*> metrics_in(MetricSection section);
// The rows with a family, the compared rows, those with a column, and the counted rows. The first rows of
// each list are named in metrics.cpp. The others are in the table's order.
const std::vector<const MetricRow*>& family_metrics();
const std::vector<const MetricRow*>& compared_metrics();
const std::vector<const MetricRow*>& column_metrics();
const std::vector<const MetricRow*>& counted_metrics();

const MetricRow& row_of(Metric metric);

// For tests: adds a row to the table during its lifetime. Not thread-safe.
class PlantedMetric {
 public:
  explicit PlantedMetric(const MetricRow& row);
  ~PlantedMetric();
  PlantedMetric(const PlantedMetric&) = delete;
  PlantedMetric& operator=(const PlantedMetric&) = delete;
};

}  // namespace graphbench::model
