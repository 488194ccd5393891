// The table of a cell's metrics. The result document, its schema, Prometheus families, the console's columns
// and what `compare` tests all come from these rows: a new metric is a member of a struct and a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

enum class MetricKind : std::uint8_t { time, count, bytes, ratio, rate };

// The object of the document that a metric stands in, and how its launches combine into one number a cell.
enum class MetricSection : std::uint8_t {
  setup,      // launches[].setup: the median over launches
  startup,    // launches[].startup: likewise; of the worker, the same in all its cells
  launch,     // launches[]: a distribution of samples or one number; the median over launches
  sustained,  // launches[].sustained: likewise, of the p50 of a distribution
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

// What a derived metric is computed as (harness/model/statistics/metric_values.cpp).
enum class DerivedMetric : std::uint8_t { setup_seconds };

// The member that holds the value.
using MetricValue =
    std::variant<std::optional<Summary> Launch::*, std::optional<double> Launch::*,
                 std::optional<Summary> Sustained::*, std::optional<double> Sustained::*, double Setup::*,
                 std::optional<double> Setup::*, double Startup::*, std::optional<double> Startup::*,
                 std::int64_t GraphCounts::*, std::int64_t Io::*, double Io::*, std::int64_t Counters::*,
                 std::int64_t facts::TrainingFacts::*, std::optional<std::int64_t> facts::TrainingFacts::*,
                 std::optional<std::int64_t> Training::*, std::optional<double> Training::*,
                 std::optional<Summary> Evaluation::*, std::int64_t ShapeWalk::*,
                 std::optional<double> ShapeWalk::*, std::int64_t CacheUse::*, double CacheUse::*,
                 std::int64_t PackageUse::*, double PackageUse::*, std::int64_t Memory::*,
                 std::optional<std::int64_t> Memory::*, std::optional<double> CellSummary::*,
                 std::optional<std::int64_t> CellSummary::*, DerivedMetric>;

// A place in a list that has an order of its own; 0: not in it.
struct MetricPlace {
  int order = 0;
  std::string_view name = {};
};

struct MetricRow {
  std::string_view name;  // the key in the document
  MetricKind kind = MetricKind::time;
  std::string_view unit = "seconds";
  std::string_view help;
  MetricValue value;
  // Of a distribution: its estimate over launches, under the same key in `summary`.
  std::optional<Estimate> CellSummary::*estimate = nullptr;
  bool graphs_only = false;             // no number of an eager cell: no series, no column
  bool addition = false;                // came after the contract: documents of older versions lack it
  bool left_out = false;                // where absent, the key is not written (else it is null)
  bool on_request = false;              // measured where asked for: else no column, and not missed
  MetricPlace family = {};              // Prometheus
  MetricPlace compared = {};            // `compare` reads it of launches; the name is what --margin takes
  bool listed = false;                  // of compared: shown with before and after, not tested
  MetricPlace counted = {};             // `compare` says where it changed, without statistics
  double counted_tolerance = 0;         // of counted: a smaller relative change is none
  std::string_view baseline_help = {};  // of its family graphbench_baseline_*; empty: none
  MetricPlace column = {};              // of the console's table and the page
  std::string_view column_help = {};
};

std::span<const MetricRow> metrics();
MetricSection section_of(const MetricRow& row);
bool is_distribution(const MetricRow& row);

// Rows that stand in one section of the document, in its order.
std::vector<const MetricRow*> metrics_in(MetricSection section);
// Rows with a family, those that are compared, those with a column, and those that are counted, each in the
// list's own order.
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
