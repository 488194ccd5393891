// Absent is not zero: what one side does not tell has not changed.
#include "harness/judge/compare/untested.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "harness/model/metrics.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::compare {
namespace {

double median_or_zero(std::vector<double> values) {
  return values.empty() ? 0 : statistics::median(std::move(values));
}

bool differs(const model::MetricRow& row, std::int64_t base, std::int64_t now) {
  const auto difference = static_cast<double>(std::abs(now - base));
  return difference > row.counted_tolerance * static_cast<double>(std::max(base, now));
}

std::vector<model::Change> changes_of(const DocumentCell& base, const DocumentCell& now) {
  std::vector<model::Change> changes;
  const auto& counted = model::counted_metrics();
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const std::int64_t before = base.counts[i];
    const std::int64_t after = now.counts[i];
    if (before == DocumentCell::absent_count || after == DocumentCell::absent_count) continue;
    if (!differs(*counted[i], before, after)) continue;
    changes.push_back({std::string(counted[i]->counted), std::to_string(before), std::to_string(after)});
  }
  if (!base.paths.empty() && !now.paths.empty() && base.paths != now.paths)
    changes.push_back({"paths", base.paths, now.paths});
  return changes;
}

}  // namespace

std::vector<double> times_of(const DocumentCell& cell, model::Metric metric, std::int64_t end) {
  std::vector<double> times;
  times.reserve(cell.launches.size());
  for (const LaunchTimes& launch : cell.launches) {
    if (launch.index < end && launch[metric] > 0) times.push_back(launch[metric]);
  }
  return times;
}

void describe_untested(const DocumentCell& base, const DocumentCell& now,
                       const std::vector<model::Metric>& listed, model::CellComparison& cell) {
  for (const model::Metric metric : listed) {
    const double before = median_or_zero(times_of(base, metric));
    const double after = median_or_zero(times_of(now, metric));
    if (before > 0 || after > 0) cell.listed.push_back({metric, before, after});
  }
  cell.changed = changes_of(base, now);
}

}  // namespace graphbench::compare
