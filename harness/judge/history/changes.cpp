// Finds the cells of a history whose times changed, from their series.
#include <algorithm>
#include <functional>

#include "harness/judge/history/history.hpp"

namespace graphbench::judge {

void add_series(ChangedCells& changed, const CellHistory& series) {
  changed.metric = series.metric;
  changed.points_min = series.points_min;
  if (series.points.empty()) return;
  const bool is_short = static_cast<std::int64_t>(series.points.size()) < series.points_min;
  ++(is_short ? changed.too_short : changed.searched);
  if (series.changes.empty()) return;
  const ChangePoint& newest = series.changes.back();
  changed.cells.push_back({.cell = series.cell,
                           .changes = static_cast<std::int64_t>(series.changes.size()),
                           .since = series.points.at(static_cast<std::size_t>(newest.index)).entry,
                           .ratio = newest.ratio,
                           .p = newest.p});
}

void sort_changes(ChangedCells& changed) {
  std::ranges::stable_sort(changed.cells, std::greater<>{},
                           [](const ChangedCell& each) { return each.since.started_at; });
}

}  // namespace graphbench::judge
