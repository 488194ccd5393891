// Plain data of `graphbench history`: stored results, their series over time, and the changes found in a
// series. Times are in seconds. Empty text means unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"
#include "reporters/report.hpp"

namespace graphbench::judge {

struct HistoryLabel {
  std::string commit;
  std::string branch;
  std::string label;  // free text
};

struct HistoryEntry {
  std::int64_t id = 0;  // counts the added entries from 1
  HistoryLabel label;
  std::string started_at;   // RFC 3339, UTC; orders the history
  std::string fingerprint;  // digest of the environment
  std::string plan_hash;
  std::string device;  // name of the device
  std::string tool_version;
  bool complete = true;       // false: an interrupted sweep
  std::int64_t cells = 0;     // number of cells that have launches
  std::int64_t launches = 0;  // the most launches of any cell
};

// One entry's value for one cell and metric.
struct HistoryPoint {
  HistoryEntry entry;
  double median = 0;  // median of the launch medians
  double lowest = 0;  // the fastest launch's median
  double highest = 0;
  std::int64_t launches = 0;
};

struct ChangePoint {
  std::int64_t index = 0;  // index of the first point after the change
  double ratio = 1;        // median after / median before, each over the points up to the adjacent change
  double p = 1;            // the larger p of the two tests that find_changes() describes
};

// Up to this lag-one autocorrelation of the points, a series shows a false change with probability <= alpha.
constexpr double correlation_max = 0.5;

// One cell's metric over time, oldest first.
struct CellHistory {
  std::string cell;
  model::Metric metric = model::Metric::latency;
  std::vector<HistoryPoint> points;
  std::vector<ChangePoint> changes;  // sorted by index
  // Findings::correlation of the log medians; absent in a constant or too short series
  std::optional<double> correlation;
  std::int64_t points_min = 0;  // a series with fewer points cannot show a change
  std::int64_t left_out = 0;    // number of points of other environments or plans, which are not shown
  std::int64_t older = 0;       // number of points before the first point that is shown
};

// A cell whose series has a change: the newest one.
struct ChangedCell {
  std::string cell;
  std::int64_t changes = 0;  // number of changes in the series
  HistoryEntry since;        // the first entry after the newest change
  double ratio = 1;
  double p = 1;
};

// What was found in the series of several cells.
struct ChangedCells {
  model::Metric metric = model::Metric::latency;
  std::vector<ChangedCell> cells;  // by the time of the newest change, newest first
  std::int64_t searched = 0;       // number of series that are long enough for a change
  std::int64_t too_short = 0;      // number of series that are not
  std::int64_t points_min = 0;
  double alpha = 0;  // the probability of a false change in one series
};

// `graphbench.history/1`, `graphbench.series/1` and `graphbench.changes/1`.
std::string entries_to_json(const std::vector<HistoryEntry>& entries);
std::string series_to_json(const CellHistory& history);
std::string changes_to_json(const ChangedCells& changed);

reporters::Report report_of(const std::vector<HistoryEntry>& entries);
// One row per point, and the changes as sentences.
reporters::Report report_of(const CellHistory& history);

// One row per cell that has a change.
reporters::Report report_of(const ChangedCells& changed);

struct PlotOptions {
  int width = 80;  // columns, 40 at least
  int rows = 10;
  bool unicode = true;
  bool colours = false;
};

// Plots the points for a terminal, above the sentences of the Report.
void print_history(std::ostream& out, const CellHistory& history, const PlotOptions& options);

struct ChangePointOptions {
  double alpha = 0.01;  // the largest probability of a false change in a series
  // number of permutations and of simulated series; the smallest p value is 1 / (permutations + 1)
  std::int64_t permutations = 999;
  std::size_t segment_min = 3;  // the fewest points on either side of a change
  std::uint64_t seed = 1;
};

struct Findings {
  std::vector<ChangePoint> changes;  // sorted by index; without ratios
  // lag-one autocorrelation of the values around the means of their segments; absent if nothing varies
  std::optional<double> correlation;
};

// Hierarchical divisive estimation (E-divisive): Matteson & James, "A Nonparametric Approach for Multiple
// Change Point Analysis of Multivariate Data", JASA 109 (2014), doi:10.1080/01621459.2013.849605, sections
// 2.2, 2.3 and 3.1, with exponent 1. MongoDB uses this method in its CI (Daly et al., ICPE 2020). The method
// assumes no distribution, so it tolerates skewed times and outliers. Its permutations assume independence,
// but successive values of nightly series correlate. So a second test compares each change with simulated
// autocorrelated series (series.cpp). Values are not transformed: pass logarithms of times.
Findings find_changes(const std::vector<double>& values, const ChangePointOptions& options);

// The fewest values in which a change can reach `alpha`. With fewer values, too many permutations have a
// split that is just as good.
std::int64_t values_min(const ChangePointOptions& options);

struct SeriesOptions {
  std::string branch;  // branch of the points; empty: any
  // true: points of any environment; false: those with the latest point's fingerprint and plan
  bool every_environment = false;
  std::int64_t last = 200;  // maximum number of points; the time of the test grows with its square
  ChangePointOptions changes;
};

// Makes the series of a cell from its `points`, oldest first. Searches the logarithms of the medians for
// changes, because times vary by factors.
CellHistory make_series(std::string cell, model::Metric metric, std::vector<HistoryPoint> points,
                        const SeriesOptions& options);

// Adds a cell's series. A series without points is left out.
void add_series(ChangedCells& changed, const CellHistory& series);
// Sorts the cells when all series are added.
void sort_changes(ChangedCells& changed);

}  // namespace graphbench::judge
