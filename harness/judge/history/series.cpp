// Candidates from permutations, then each against chance in a series whose neighbours correlate.
#include "harness/judge/history/series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <utility>

#include "graphs/base/error.hpp"
#include "harness/judge/history/correlation.hpp"
#include "harness/judge/history/split.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::history {
namespace {

// Fisher-Yates, written out: std::shuffle may differ between standard libraries, and what a history
// shows must not.
void shuffle(double* values, std::size_t count, std::mt19937_64& random) {
  for (std::size_t i = count; i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

// How often the values, in random order within each segment, can be split as well as `statistic`.
// Stops early once the p value cannot come down to alpha any more.
double p_value_of(double statistic, std::vector<double> values, const std::vector<std::size_t>& boundaries,
                  const ChangePointOptions& options, std::mt19937_64& random) {
  const double orders = static_cast<double>(options.permutations + 1);
  std::int64_t as_good = 0;
  for (std::int64_t i = 0; i < options.permutations; ++i) {
    for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
      shuffle(values.data() + boundaries[k], boundaries[k + 1] - boundaries[k], random);
    }
    const auto split = best_over_segments(values, boundaries, static_cast<std::size_t>(options.segment_min));
    // Sums in another order differ in their last bits; an equal split must count as equal.
    if (split && split->statistic >= statistic * (1 - 1e-9)) ++as_good;
    if (static_cast<double>(as_good + 1) / orders > options.alpha) break;
  }
  return static_cast<double>(as_good + 1) / orders;
}

void divide(std::vector<std::size_t>& boundaries, const FoundChange& change) {
  const auto at = static_cast<std::size_t>(change.index);
  boundaries.insert(std::ranges::upper_bound(boundaries, at), at);
}

double median_between(const std::vector<model::HistoryPoint>& points, std::size_t begin, std::size_t end) {
  std::vector<double> medians;
  for (std::size_t i = begin; i < end; ++i) medians.push_back(points[i].median);
  return statistics::median(std::move(medians));
}

// In the order in which they divide best, as long as fewer than alpha of the permutations divide as well.
std::vector<FoundChange> candidates_of(const std::vector<double>& values, const ChangePointOptions& options) {
  std::vector<FoundChange> found;
  std::vector<std::size_t> boundaries = {0, values.size()};
  std::mt19937_64 random(options.seed);
  while (const auto split =
             best_over_segments(values, boundaries, static_cast<std::size_t>(options.segment_min))) {
    if (split->statistic <= 0) break;
    const double p_value = p_value_of(split->statistic, values, boundaries, options, random);
    if (p_value > options.alpha) break;
    found.push_back({static_cast<std::int64_t>(split->at), p_value});
    divide(boundaries, found.back());
  }
  return found;
}

// Simulated series do not depend on the values: from one seed, all histories of a length would be held
// against the same thousand, and share their error.
std::uint64_t digest_of(const std::vector<double>& values) {
  std::uint64_t digest = 0;
  for (const double value : values) digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
  return digest;
}

void add_changes(model::CellHistory& history, const ChangePointOptions& options) {
  const std::vector<model::HistoryPoint>& points = history.points;
  if (static_cast<std::int64_t>(points.size()) < history.points_min) return;
  std::vector<double> logs;
  for (const model::HistoryPoint& point : points) logs.push_back(std::log(point.median));
  const Findings findings = find_changes(logs, options);
  const std::vector<FoundChange>& found = findings.changes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : static_cast<std::size_t>(found[i - 1].index);
    const auto at = static_cast<std::size_t>(found[i].index);
    const std::size_t end =
        i + 1 == found.size() ? points.size() : static_cast<std::size_t>(found[i + 1].index);
    const double ratio = median_between(points, at, end) / median_between(points, begin, at);
    history.changes.push_back({found[i].index, ratio, found[i].p_value});
  }
  history.correlation = findings.correlation;
}

}  // namespace

// The candidates, as long as chance in a correlated series does not divide as well.
Findings find_changes(const std::vector<double>& values, const ChangePointOptions& options) {
  const std::vector<FoundChange> candidates = candidates_of(values, options);
  std::vector<std::size_t> boundaries = {0, values.size()};
  for (const FoundChange& each : candidates) divide(boundaries, each);
  const CorrelatedTest test{measured_at_most(values, boundaries),
                            static_cast<std::size_t>(options.segment_min), options.permutations,
                            options.alpha};
  Findings findings;
  boundaries = {0, values.size()};
  std::mt19937_64 random(options.seed ^ digest_of(values));
  for (FoundChange each : candidates) {
    each.p_value = std::max(each.p_value, p_of_correlated(values, boundaries, test, random));
    if (each.p_value > options.alpha) break;
    findings.changes.push_back(each);
    divide(boundaries, each);
  }
  std::ranges::sort(findings.changes, {}, &FoundChange::index);
  findings.correlation = lag_one_correlation(values, boundaries);
  return findings;
}

std::int64_t values_min(const ChangePointOptions& options) {
  GRAPHBENCH_ASSERT(options.alpha * static_cast<double>(options.permutations + 1) >= 1);
  // A perfect step in halves is what so few values can show best. Of ten, 2 of C(10, 5) = 252 orders divide
  // as well; drawn at random, these orders come up more or less often: so the test itself is asked.
  std::vector<double> step(static_cast<std::size_t>(2 * options.segment_min));
  for (;; step.emplace_back()) {
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = i < step.size() / 2 ? 0 : 1;
    if (!candidates_of(step, options).empty()) return static_cast<std::int64_t>(step.size());
  }
}

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
  history.points = std::move(points);
  add_changes(history, options.changes);
  return history;
}

}  // namespace graphbench::history
