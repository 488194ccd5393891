// Chooses the points, asks find_changes, and says how large each change is.
#include "harness/history/series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/statistics/quantiles.hpp"

namespace graphbench::history {
namespace {

double median_between(const std::vector<model::HistoryPoint>& points, std::size_t begin, std::size_t end) {
  std::vector<double> medians;
  for (std::size_t i = begin; i < end; ++i) medians.push_back(points[i].median);
  return statistics::median(std::move(medians));
}

std::vector<model::ChangePoint> changes_of(const std::vector<model::HistoryPoint>& points,
                                           const ChangePointOptions& options) {
  std::vector<double> logs;
  for (const model::HistoryPoint& point : points) logs.push_back(std::log(point.median));
  const std::vector<FoundChange> found = find_changes(logs, options);
  std::vector<model::ChangePoint> changes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : static_cast<std::size_t>(found[i - 1].index);
    const auto at = static_cast<std::size_t>(found[i].index);
    const std::size_t end =
        i + 1 == found.size() ? points.size() : static_cast<std::size_t>(found[i + 1].index);
    const double ratio = median_between(points, at, end) / median_between(points, begin, at);
    changes.push_back({found[i].index, ratio, found[i].p_value});
  }
  return changes;
}

}  // namespace

model::CellHistory make_series(std::string cell, model::Metric metric,
                               std::vector<model::HistoryPoint> points, const SeriesOptions& options) {
  model::CellHistory history;
  history.cell = std::move(cell);
  history.metric = metric;
  history.points_min = values_min(options.changes);
  std::erase_if(points, [&](const model::HistoryPoint& point) {
    return point.median <= 0 || (!options.branch.empty() && point.entry.label.branch != options.branch);
  });
  if (!points.empty() && !options.every_environment) {
    const model::HistoryEntry latest = points.back().entry;
    history.left_out = static_cast<std::int64_t>(std::erase_if(points, [&](const model::HistoryPoint& point) {
      return point.entry.fingerprint != latest.fingerprint || point.entry.plan_hash != latest.plan_hash;
    }));
  }
  const auto last = static_cast<std::size_t>(options.last);
  if (points.size() > last) {
    history.older = static_cast<std::int64_t>(points.size() - last);
    points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(last));
  }
  history.changes = changes_of(points, options.changes);
  history.points = std::move(points);
  return history;
}

}  // namespace graphbench::history
