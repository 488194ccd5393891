// Results kept over time, as plain data: what `graphbench history` stores, lists and plots, and the changes
// that it finds in them. Times in seconds; empty text means not known.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::model {

// The names that a user gives to a result.
struct HistoryLabel {
  std::string commit;  // the one that was measured
  std::string branch;
  std::string label;  // free text
};

// One stored result document.
struct HistoryEntry {
  std::int64_t id = 0;  // in the order they were added, from 1
  HistoryLabel label;
  std::string started_at;   // RFC 3339, UTC: the order of a history
  std::string fingerprint;  // of the environment
  std::string plan_hash;
  std::string device;  // its name
  std::string tool_version;
  bool complete = true;       // false: an interrupted sweep
  std::int64_t cells = 0;     // that have launches
  std::int64_t launches = 0;  // of the cell that has the most launches
};

// One entry's value for one cell and metric.
struct HistoryPoint {
  HistoryEntry entry;
  double median = 0;  // over launches, of the launch medians
  double lowest = 0;  // the fastest launch's median
  double highest = 0;
  std::int64_t launches = 0;
};

// The series changed its level between two points.
struct ChangePoint {
  std::int64_t index = 0;  // index of the first point after the change
  double ratio = 1;        // median after over median before, each up to the neighbouring change
  double p = 1;            // the larger p: of the permutations, and of the correlated series
};

// The largest correlation of neighbours for which the promised rate of false changes holds.
constexpr double correlation_max = 0.5;

// One cell's metric over time, oldest first.
struct CellHistory {
  std::string cell;
  Metric metric = Metric::latency;
  std::vector<HistoryPoint> points;
  std::vector<ChangePoint> changes;  // by index
  // correlation of neighbours around their levels; absent in a shorter series
  std::optional<double> correlation;
  std::int64_t points_min = 0;  // with fewer points no change can be found
  std::int64_t left_out = 0;    // points of other environments or plans
  std::int64_t older = 0;       // points before the first one shown
};

}  // namespace graphbench::model

namespace graphbench::codec {

// `graphbench.history/1` and `graphbench.series/1`.
std::string to_json(const std::vector<model::HistoryEntry>& entries);
std::string to_json(const model::CellHistory& history);

}  // namespace graphbench::codec

namespace graphbench::reporters {

void print_entries(std::ostream& out, const std::vector<model::HistoryEntry>& entries, bool colours);

struct PlotOptions {
  int width = 80;  // columns, 40 at least
  int rows = 10;
  bool unicode = true;
  bool colours = false;
};

void print_history(std::ostream& out, const model::CellHistory& history, const PlotOptions& options);

}  // namespace graphbench::reporters

namespace graphbench::history {

struct ChangePointOptions {
  double alpha = 0.01;  // the largest chance of a change in a series without one
  // number of permutations and of simulated series; the smallest p value is 1 / (permutations + 1)
  std::int64_t permutations = 999;
  std::int64_t segment_min = 3;  // points on either side of a change
  std::uint64_t seed = 1;
};

struct FoundChange {
  std::int64_t index = 0;  // index of the first value after the change
  double p_value = 1;
};

// The changes that were found in a series.
struct Findings {
  std::vector<FoundChange> changes;   // sorted by index
  std::optional<double> correlation;  // correlation of neighbours around the levels; absent if nothing varies
};

// Hierarchical divisive estimation (E-divisive): Matteson & James, "A Nonparametric Approach for
// Multiple Change Point Analysis of Multivariate Data", JASA 109 (2014), doi:10.1080/01621459.2013.849605,
// sections 2.2, 2.3 and 3.1, with exponent 1. It assumes no distribution, so skewed times and outliers do
// not fool it, and it is what MongoDB gates its CI with (Daly et al., ICPE 2020). But its permutations take
// neighbours as independent, and those of a nightly series are not: a change must also be more than chance
// in series of the correlation that the values may have (series.cpp). Values are used as given; times
// belong on a log scale.
Findings find_changes(const std::vector<double>& values, const ChangePointOptions& options);

// With fewer values the best split has too many equals among the drawn orders for the test to reach `alpha`.
std::int64_t values_min(const ChangePointOptions& options);

struct SeriesOptions {
  std::string branch;  // branch of the points; empty: any
  // true: points of any environment; false: those with the latest point's fingerprint and plan
  bool every_environment = false;
  std::int64_t last = 200;  // points at most; the test's time grows with their square
  ChangePointOptions changes;
};

// `points` are oldest first, as in Store::points. Changes are looked for in the logarithms of the medians,
// because times vary by factors.
model::CellHistory make_series(std::string cell, model::Metric metric,
                               std::vector<model::HistoryPoint> points, const SeriesOptions& options);

}  // namespace graphbench::history
