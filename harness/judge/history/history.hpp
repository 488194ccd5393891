// Results kept over time, as plain data: what `graphbench history` stores, lists and plots. Times in
// seconds; empty text means not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/comparison.hpp"

namespace graphbench::model {

// What a person calls a result.
struct HistoryLabel {
  std::string commit;  // of what was measured
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
  std::int64_t launches = 0;  // of the cell that has most
};

// One entry's word about one cell and metric.
struct HistoryPoint {
  HistoryEntry entry;
  double median = 0;  // over launches, of the launch medians
  double lowest = 0;  // the fastest launch's median
  double highest = 0;
  std::int64_t launches = 0;
};

// The series changed its level between two points.
struct ChangePoint {
  std::int64_t index = 0;  // of the first point after the change
  double ratio = 1;        // median after over median before, each up to the neighbouring change
  double p = 1;            // the larger one, of the permutations and of the correlated series
};

// The largest correlation of neighbours for which the promised rate of false changes holds.
constexpr double correlation_max = 0.5;

// One cell's metric over time, oldest first.
struct CellHistory {
  std::string cell;
  Metric metric = Metric::latency;
  std::vector<HistoryPoint> points;
  std::vector<ChangePoint> changes;   // by index
  std::optional<double> correlation;  // of neighbours around their levels; absent in a shorter series
  std::int64_t points_min = 0;        // in a shorter series no change can be found
  std::int64_t left_out = 0;          // points of other environments or plans
  std::int64_t older = 0;             // points before the first one shown
};

}  // namespace graphbench::model

namespace graphbench::codec {

// `graphbench.history/1` and `graphbench.series/1`.
std::string to_json(const std::vector<model::HistoryEntry>& entries);
std::string to_json(const model::CellHistory& history);

}  // namespace graphbench::codec
