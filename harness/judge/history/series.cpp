// Finds changes in series. Permutations give candidates. A parametric bootstrap then tests each candidate
// against autocorrelated series (a sieve of order one: Buehlmann, Bernoulli 3, 1997). The bootstrap divides
// the statistic by the spread, because real values have any spread and simulated ones have variance 1.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "graphs/base/error.hpp"
#include "harness/judge/history/history.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/resample.hpp"

namespace graphbench::judge {
namespace {

struct Split {
  std::size_t at = 0;    // index of the first value after the split
  double statistic = 0;  // equation 7 of the paper that history.hpp names
};

// Prefix sums of the distances between values, so that the statistic of a split takes constant time.
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

  // The sum of distances over all pairs (a, b) with a in [begin, middle) and b in [middle, end).
  double between(std::size_t begin, std::size_t middle, std::size_t end) const {
    return box(begin, middle, end) - box(begin, middle, middle);
  }
  // The sum of distances over all unordered pairs in [begin, end).
  double within(std::size_t begin, std::size_t end) const {
    return (box(begin, end, end) - box(begin, end, begin)) / 2;
  }

 private:
  // The sum of distances in rows [begin, end) and columns [0, column).
  double box(std::size_t begin, std::size_t end, std::size_t column) const {
    return sums_[end * (count_ + 1) + column] - sums_[begin * (count_ + 1) + column];
  }

  std::size_t count_;
  std::vector<double> sums_;
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

// The split with the largest statistic. Its right side may end before the segment ends (kappa in the paper):
// a later return to the old level would otherwise hide the change.
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

// The best split of all segments. `boundaries` are their ends, from 0 to the number of values.
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

std::vector<double> around_means(const std::vector<double>& values,
                                 const std::vector<std::size_t>& boundaries) {
  std::vector<double> rest = values;
  for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
    double sum = 0;
    for (std::size_t i = boundaries[k]; i < boundaries[k + 1]; ++i) sum += values[i];
    const double mean = sum / static_cast<double>(boundaries[k + 1] - boundaries[k]);
    for (std::size_t i = boundaries[k]; i < boundaries[k + 1]; ++i) rest[i] -= mean;
  }
  return rest;
}

// The statistic of the best split, divided by the mean absolute deviation that remains after the split.
double over_spread(const std::vector<double>& values, std::vector<std::size_t> boundaries,
                   std::size_t segment_min) {
  const auto split = best_over_segments(values, boundaries, segment_min);
  if (!split) return 0;
  boundaries.insert(std::ranges::upper_bound(boundaries, split->at), split->at);
  double deviation = 0;
  for (const double rest : around_means(values, boundaries)) deviation += std::abs(rest);
  deviation /= static_cast<double>(values.size());
  return deviation > 0 ? split->statistic / deviation : std::numeric_limits<double>::infinity();
}

// Simulates each segment as a stationary series of variance 1, with this lag-one autocorrelation.
void simulate(std::vector<double>& values, const std::vector<std::size_t>& boundaries, double correlation,
              std::mt19937_64& random) {
  const double innovation = std::sqrt(1 - correlation * correlation);
  for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
    values[boundaries[k]] = model::normal(random);
    for (std::size_t i = boundaries[k] + 1; i < boundaries[k + 1]; ++i)
      values[i] = correlation * values[i - 1] + innovation * model::normal(random);
  }
}

// The lag-one autocorrelation of the values around the means of their segments; absent if nothing varies.
// Corrects the bias from estimating the means (Marriott & Pope, Kendall, Biometrika 41, 1954).
std::optional<double> lag_one_correlation(const std::vector<double>& values,
                                          const std::vector<std::size_t>& boundaries) {
  const std::vector<double> rest = around_means(values, boundaries);
  double products = 0;
  double squared = 0;
  for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
    for (std::size_t i = boundaries[k]; i < boundaries[k + 1]; ++i) {
      squared += rest[i] * rest[i];
      if (i > boundaries[k]) products += rest[i] * rest[i - 1];
    }
  }
  if (!(squared > 0)) return std::nullopt;
  // Estimating the mean of n values lowers the autocorrelation rho by (1 + 4 rho) / n.
  const double segments = static_cast<double>(boundaries.size() - 1) /
                          static_cast<double>(std::max<std::size_t>(values.size(), 1));
  return std::clamp((products / squared + segments) / (1 - std::min(0.75, 4 * segments)), -0.99, 0.99);
}

// The autocorrelation that the test assumes: the measured one plus three standard errors, clamped between 0
// and correlation_max. In a short series the error is large: 0.2 with 24 values, so the result is
// nearly always correlation_max. A lower assumption would let more false changes pass, because splits found
// by chance make the values around the segments' means look uncorrelated.
double measured_at_most(const std::vector<double>& values, const std::vector<std::size_t>& boundaries) {
  const double error = 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(values.size(), 1)));
  return std::clamp(lag_one_correlation(values, boundaries).value_or(0) + 3 * error, 0.0, correlation_max);
}

// The share of simulated series, with the same segments and this lag-one autocorrelation, whose best split is
// not worse than the best split of `values`. Stops when the share can no longer reach alpha.
double p_of_correlated(const std::vector<double>& values, const std::vector<std::size_t>& boundaries,
                       double correlation, const ChangePointOptions& options, std::mt19937_64& random) {
  const double observed = over_spread(values, boundaries, options.segment_min);
  const double orders = static_cast<double>(options.permutations + 1);
  std::int64_t as_good = 0;
  std::vector<double> simulated(values.size());
  for (std::int64_t i = 0; i < options.permutations && std::isfinite(observed); ++i) {
    simulate(simulated, boundaries, correlation, random);
    if (over_spread(simulated, boundaries, options.segment_min) >= observed) ++as_good;
    if (static_cast<double>(as_good + 1) / orders > options.alpha) break;
  }
  return static_cast<double>(as_good + 1) / orders;
}

// Shuffles the values within their segments, again and again. Returns the share of shuffles whose best split
// has at least this statistic. Stops when the share can no longer reach alpha.
double p_value_of(double statistic, std::vector<double> values, const std::vector<std::size_t>& boundaries,
                  const ChangePointOptions& options, std::mt19937_64& random) {
  const double orders = static_cast<double>(options.permutations + 1);
  std::int64_t as_good = 0;
  for (std::int64_t i = 0; i < options.permutations; ++i) {
    for (std::size_t k = 0; k + 1 < boundaries.size(); ++k) {
      model::shuffle(std::span(values).subspan(boundaries[k], boundaries[k + 1] - boundaries[k]), random);
    }
    const auto split = best_over_segments(values, boundaries, options.segment_min);
    // The tolerance makes equally good splits equal: the order of additions changes the last bits of a sum.
    if (split && split->statistic >= statistic * (1 - 1e-9)) ++as_good;
    if (static_cast<double>(as_good + 1) / orders > options.alpha) break;
  }
  return static_cast<double>(as_good + 1) / orders;
}

void divide(std::vector<std::size_t>& boundaries, const ChangePoint& change) {
  const auto at = static_cast<std::size_t>(change.index);
  boundaries.insert(std::ranges::upper_bound(boundaries, at), at);
}

double median_between(const std::vector<HistoryPoint>& points, std::size_t begin, std::size_t end) {
  std::vector<double> medians;
  for (std::size_t i = begin; i < end; ++i) medians.push_back(points[i].median);
  return model::median(std::move(medians));
}

// Splits the segments again and again, each time at the best split, until the p value is above alpha.
std::vector<ChangePoint> candidates_of(const std::vector<double>& values, const ChangePointOptions& options) {
  std::vector<ChangePoint> found;
  std::vector<std::size_t> boundaries = {0, values.size()};
  std::mt19937_64 random(options.seed);
  while (const auto split = best_over_segments(values, boundaries, options.segment_min)) {
    if (split->statistic <= 0) break;
    const double p = p_value_of(split->statistic, values, boundaries, options, random);
    if (p > options.alpha) break;
    found.push_back({.index = static_cast<std::int64_t>(split->at), .p = p});
    divide(boundaries, found.back());
  }
  return found;
}

// A seed from the values: with a fixed seed, all series of one length would share one sampling error.
std::uint64_t digest_of(const std::vector<double>& values) {
  std::uint64_t digest = 0;
  for (const double value : values) digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
  return digest;
}

void add_changes(CellHistory& history, const ChangePointOptions& options) {
  const std::vector<HistoryPoint>& points = history.points;
  if (static_cast<std::int64_t>(points.size()) < history.points_min) return;
  std::vector<double> logs;
  for (const HistoryPoint& point : points) logs.push_back(std::log(point.median));
  Findings findings = find_changes(logs, options);
  std::vector<ChangePoint>& found = findings.changes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : static_cast<std::size_t>(found[i - 1].index);
    const auto at = static_cast<std::size_t>(found[i].index);
    const std::size_t end =
        i + 1 == found.size() ? points.size() : static_cast<std::size_t>(found[i + 1].index);
    found[i].ratio = median_between(points, at, end) / median_between(points, begin, at);
  }
  history.changes = std::move(found);
  history.correlation = findings.correlation;
}

}  // namespace

// Keeps the candidates before the first one that is not significant against autocorrelated series.
Findings find_changes(const std::vector<double>& values, const ChangePointOptions& options) {
  const std::vector<ChangePoint> candidates = candidates_of(values, options);
  std::vector<std::size_t> boundaries = {0, values.size()};
  for (const ChangePoint& each : candidates) divide(boundaries, each);
  const double correlation = measured_at_most(values, boundaries);
  Findings findings;
  boundaries = {0, values.size()};
  std::mt19937_64 random(options.seed ^ digest_of(values));
  for (ChangePoint each : candidates) {
    each.p = std::max(each.p, p_of_correlated(values, boundaries, correlation, options, random));
    if (each.p > options.alpha) break;
    findings.changes.push_back(each);
    divide(boundaries, each);
  }
  std::ranges::sort(findings.changes, {}, &ChangePoint::index);
  findings.correlation = lag_one_correlation(values, boundaries);
  return findings;
}

std::int64_t values_min(const ChangePointOptions& options) {
  GRAPHBENCH_ASSERT(options.alpha * static_cast<double>(options.permutations + 1) >= 1);
  // Runs the test on the clearest change, a step in the middle. The smallest size is not computed (with ten
  // values, 2 of C(10, 5) = 252 orders split at least as well), because the test draws orders at random.
  std::vector<double> step(2 * options.segment_min);
  for (;; step.emplace_back()) {
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = i < step.size() / 2 ? 0 : 1;
    if (!candidates_of(step, options).empty()) return static_cast<std::int64_t>(step.size());
  }
}

CellHistory make_series(std::string cell, model::Metric metric, std::vector<HistoryPoint> points,
                        const SeriesOptions& options) {
  CellHistory history;
  history.cell = std::move(cell);
  history.metric = metric;
  history.points_min = values_min(options.changes);
  std::erase_if(points, [&](const HistoryPoint& point) {
    return point.median <= 0 || (!options.branch.empty() && point.entry.label.branch != options.branch);
  });
  if (!points.empty() && !options.every_environment) {
    const HistoryEntry latest = points.back().entry;
    history.left_out = static_cast<std::int64_t>(std::erase_if(points, [&](const HistoryPoint& point) {
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

}  // namespace graphbench::judge
