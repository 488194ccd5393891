// The statistic of every split comes from one table of summed distances, in constant time each.
#include "harness/history/series.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "graphs/ir/error.hpp"
#include "harness/statistics/quantiles.hpp"

namespace graphbench::history {
namespace {

// Summed distances between the values of any two runs of a segment.
class Distances {
 public:
  explicit Distances(const double* values, std::size_t count)
      : count_(count), sums_((count + 1) * (count + 1)) {
    for (std::size_t i = 0; i < count; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < count; ++j) {
        row += std::abs(values[i] - values[j]);
        sums_[(i + 1) * (count + 1) + j + 1] = sums_[i * (count + 1) + j + 1] + row;
      }
    }
  }

  // Over all pairs (a, b), a in [begin, middle), b in [middle, end).
  double between(std::size_t begin, std::size_t middle, std::size_t end) const {
    return box(begin, middle, end) - box(begin, middle, middle);
  }
  // Over all unordered pairs in [begin, end).
  double within(std::size_t begin, std::size_t end) const {
    return (box(begin, end, end) - box(begin, end, begin)) / 2;
  }

 private:
  // Rows [begin, end), columns [0, column).
  double box(std::size_t begin, std::size_t end, std::size_t column) const {
    return sums_[end * (count_ + 1) + column] - sums_[begin * (count_ + 1) + column];
  }

  std::size_t count_;
  std::vector<double> sums_;
};

struct Split {
  std::size_t at = 0;
  double statistic = 0;
};

// Equation 7 of the paper: the divergence of [0, middle) from [middle, end), scaled by mn / (m + n).
double statistic_of(const Distances& distances, std::size_t middle, std::size_t end) {
  const auto left = static_cast<double>(middle);
  const auto right = static_cast<double>(end - middle);
  const double between = 2 * distances.between(0, middle, end) / (left * right);
  const double inside_left = 2 * distances.within(0, middle) / (left * (left - 1));
  const double inside_right = 2 * distances.within(middle, end) / (right * (right - 1));
  return left * right / (left + right) * (between - inside_left - inside_right);
}

// The split that divides the segment best. The right side may end before the segment does (kappa in
// the paper): otherwise a level that returns later would hide the change.
std::optional<Split> best_split(const double* values, std::size_t count, std::size_t segment_min) {
  if (count < 2 * segment_min) return std::nullopt;
  const Distances distances(values, count);
  Split best;
  best.statistic = -std::numeric_limits<double>::infinity();
  for (std::size_t middle = segment_min; middle + segment_min <= count; ++middle) {
    for (std::size_t end = middle + segment_min; end <= count; ++end) {
      const double statistic = statistic_of(distances, middle, end);
      if (statistic > best.statistic) best = {middle, statistic};
    }
  }
  return best;
}

// The best split over all segments; boundaries are the segments' ends, from 0 to the number of values.
std::optional<Split> best_over_segments(const std::vector<double>& values,
                                        const std::vector<std::size_t>& boundaries, std::size_t segment_min) {
  std::optional<Split> best;
  for (std::size_t i = 0; i + 1 < boundaries.size(); ++i) {
    const std::size_t begin = boundaries[i];
    auto split = best_split(values.data() + begin, boundaries[i + 1] - begin, segment_min);
    if (!split || (best && split->statistic <= best->statistic)) continue;
    split->at += begin;
    best = split;
  }
  return best;
}

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

std::vector<FoundChange> find_changes(const std::vector<double>& values, const ChangePointOptions& options) {
  std::vector<FoundChange> found;
  std::vector<std::size_t> boundaries = {0, values.size()};
  std::mt19937_64 random(options.seed);
  while (const auto split =
             best_over_segments(values, boundaries, static_cast<std::size_t>(options.segment_min))) {
    if (split->statistic <= 0) break;
    const double p_value = p_value_of(split->statistic, values, boundaries, options, random);
    if (p_value > options.alpha) break;
    found.push_back({static_cast<std::int64_t>(split->at), p_value});
    boundaries.insert(std::ranges::upper_bound(boundaries, split->at), split->at);
  }
  std::ranges::sort(found, {}, &FoundChange::index);
  return found;
}

std::int64_t values_min(const ChangePointOptions& options) {
  GRAPHBENCH_ASSERT(options.alpha * static_cast<double>(options.permutations + 1) >= 1);
  // A perfect step in halves is what so few values can show best. Of ten, 2 of C(10, 5) = 252 orders divide
  // as well; drawn at random, these orders come up more or less often: so the test itself is asked.
  std::vector<double> step(static_cast<std::size_t>(2 * options.segment_min));
  for (;; step.emplace_back()) {
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = i < step.size() / 2 ? 0 : 1;
    if (!find_changes(step, options).empty()) return static_cast<std::int64_t>(step.size());
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
  history.changes = changes_of(points, options.changes);
  history.points = std::move(points);
  return history;
}

}  // namespace graphbench::history
