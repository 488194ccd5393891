// A cell's history from the store: which points belong together, and where they change.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/change_points.hpp"
#include "harness/model/history.hpp"

namespace graphbench::history {

struct SeriesOptions {
  std::string branch;              // of the points; empty: any
  bool every_environment = false;  // else those with the latest point's fingerprint and plan
  std::int64_t last = 200;         // points at most; the test's time grows with their square
  ChangePointOptions changes;
};

// `points` oldest first, as Store::points gives them. Changes are looked for in the logarithms of the
// medians: times vary by factors.
model::CellHistory make_series(std::string cell, model::Metric metric,
                               std::vector<model::HistoryPoint> points, const SeriesOptions& options);

}  // namespace graphbench::history
