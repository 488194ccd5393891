// Runs harness/verdict/compare over the rounds: what is checked is the judgement that CI relies on.
#include "harness/verdict/selfcheck/self_check.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "harness/statistics/mean_difference.hpp"
#include "harness/statistics/quantiles.hpp"
#include "harness/verdict/compare/compare.hpp"

namespace graphbench::selfcheck {
namespace {

using model::Metric;
using model::MetricComparison;
using model::Verdict;

constexpr double confidence = 0.95;

// What one cell's metric showed, round after round.
struct Seen {
  std::vector<double> detectable;
  std::vector<double> spreads;   // of one pair
  std::vector<double> freedoms;  // that each is known to, of a pair beyond the first
  double margin = 0;             // in force, the largest: the floor may have raised it
};

using SeenCells = std::map<std::string, Seen>;

void take(const MetricComparison& metric, const std::string& cell, model::MetricCheck& check,
          SeenCells& cells) {
  ++check.tests;
  check.slower += metric.verdict == Verdict::slower ? 1 : 0;
  check.faster += metric.verdict == Verdict::faster ? 1 : 0;
  check.same += metric.verdict == Verdict::same ? 1 : 0;
  check.inconclusive += metric.verdict == Verdict::inconclusive ? 1 : 0;
  Seen& seen = cells[cell];
  seen.margin = std::max(seen.margin, metric.margin);
  if (metric.detectable) seen.detectable.push_back(*metric.detectable);
  if (!metric.spread) return;
  seen.spreads.push_back(*metric.spread * std::sqrt(2.0));
  const auto pairs = static_cast<double>(std::min(metric.base_launches, metric.new_launches));
  seen.freedoms.push_back(*metric.freedom / (pairs - 1));
}

// Variances average, spreads do not.
double pooled(const std::vector<double>& spreads) {
  double squares = 0;
  for (const double spread : spreads) squares += spread * spread;
  return std::sqrt(squares / static_cast<double>(spreads.size()));
}

void add_detectable(const SeenCells& cells, model::MetricCheck& check) {
  std::vector<double> all;
  for (const auto& [id, seen] : cells) {
    if (seen.detectable.empty()) continue;
    all.push_back(statistics::median(seen.detectable));
    if (all.back() > check.detectable_worst.value_or(-1)) {
      check.detectable_worst = all.back();
      check.worst_cell = id;
    }
  }
  if (!all.empty()) check.detectable_median = statistics::median(all);
}

// `threshold`: what the first of so many p values must fall below.
void add_launches(const SeenCells& cells, double threshold, model::MetricCheck& check) {
  std::vector<double> spreads;
  std::vector<double> launches;
  for (const auto& [id, seen] : cells) {
    if (seen.spreads.empty()) continue;
    spreads.push_back(pooled(seen.spreads));
    const auto needed = launches_needed({spreads.back(), statistics::median(seen.freedoms)},
                                        std::log1p(seen.margin), threshold);
    launches.push_back(needed ? static_cast<double>(*needed) : HUGE_VAL);
  }
  if (spreads.empty()) return;
  check.spread_median = statistics::median(spreads);
  check.spread_worst = std::ranges::max(spreads);
  std::ranges::sort(launches);
  const auto count_of = [](double count) {
    return std::isfinite(count) ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
  };
  check.launches_median = count_of(std::ceil(statistics::median(launches)));
  check.launches_worst = count_of(launches.back());
}

void count(const model::Comparison& comparison, model::AlarmCount& alarms) {
  ++alarms.comparisons;
  alarms.slower += comparison.counts.slower > 0 ? 1 : 0;
  alarms.faster += comparison.counts.faster > 0 ? 1 : 0;
}

// The round with the sides of the launches in `exchanged` exchanged, in every cell: one launch of a sweep
// is one event, which all its cells share.
Round renamed(const Round& round, std::uint64_t exchanged) {
  Round other = round;
  std::map<std::string, codec::DocumentCell*> now;
  for (codec::DocumentCell& cell : other.second.cells) now[cell.id] = &cell;
  for (codec::DocumentCell& cell : other.first.cells) {
    const auto partner = now.find(cell.id);
    if (partner == now.end()) continue;
    for (codec::LaunchTimes& launch : cell.launches) {
      if (launch.index >= 64 || (exchanged >> launch.index & 1U) == 0) continue;
      const auto same =
          std::ranges::find(partner->second->launches, launch.index, &codec::LaunchTimes::index);
      if (same != partner->second->launches.end()) std::swap(launch, *same);
    }
  }
  return other;
}

// Which launches to exchange: all ways where there are few, drawn otherwise. Exchanging the others
// instead mirrors the comparison, so the last launch stays as it is; exchanging none is the round itself.
std::vector<std::uint64_t> renamings(std::int64_t launches, const CheckOptions& options,
                                     std::uint64_t round) {
  const std::int64_t free = std::clamp<std::int64_t>(launches - 1, 0, 62);
  const std::uint64_t ways = std::uint64_t{1} << free;
  std::vector<std::uint64_t> chosen;
  if (ways <= static_cast<std::uint64_t>(options.renamings_max)) {
    for (std::uint64_t way = 1; way < ways; ++way) chosen.push_back(way);
    return chosen;
  }
  std::mt19937_64 random(options.seed + round);
  std::set<std::uint64_t> drawn;
  while (drawn.size() < static_cast<std::size_t>(options.renamings_max)) {
    if (const std::uint64_t way = random() % ways; way != 0) drawn.insert(way);
  }
  return {drawn.begin(), drawn.end()};
}

double upper_bound(const model::AlarmCount& alarms) {
  if (alarms.slower >= alarms.comparisons) return 1;
  const boost::math::beta_distribution<> distribution(
      static_cast<double>(alarms.slower + 1), static_cast<double>(alarms.comparisons - alarms.slower));
  return boost::math::quantile(distribution, confidence);
}

std::int64_t launches_of(const Round& round) {
  std::size_t most = 0;
  for (const codec::DocumentCell& cell : round.first.cells) most = std::max(most, cell.launches.size());
  return static_cast<std::int64_t>(most);
}

}  // namespace

std::optional<std::int64_t> launches_needed(const PairSpread& spread, double log_margin, double threshold) {
  for (std::int64_t launches = 2; launches <= launches_max; ++launches) {
    const auto pairs = static_cast<double>(launches);
    const statistics::MeanDifference difference{0, spread.deviation / std::sqrt(pairs),
                                                spread.freedom * (pairs - 1)};
    if (statistics::detectable_difference(difference, log_margin, threshold) <= 2 * log_margin)
      return launches;
  }
  return std::nullopt;
}

model::SelfCheck check_rounds(const std::vector<Round>& rounds, const CheckOptions& options) {
  model::SelfCheck check;
  check.settings = options.settings;
  check.rounds = static_cast<std::int64_t>(rounds.size());
  std::map<Metric, model::MetricCheck> metrics;
  std::map<Metric, SeenCells> seen;
  std::int64_t tests = 1;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const model::Comparison comparison =
        compare::compare(rounds[i].first, rounds[i].second, options.settings);
    check.cells = std::max(check.cells, comparison.counts.compared);
    check.launches = std::max(check.launches, launches_of(rounds[i]));
    tests = std::max(tests, comparison.tests);
    count(comparison, check.measured);
    for (const model::CellComparison& cell : comparison.cells) {
      for (const MetricComparison& metric : cell.metrics)
        take(metric, cell.id, metrics[metric.metric], seen[metric.metric]);
    }
    for (const std::uint64_t way : renamings(launches_of(rounds[i]), options, i)) {
      const Round other = renamed(rounds[i], way);
      count(compare::compare(other.first, other.second, options.settings), check.renamed);
    }
  }
  const double threshold = options.settings.alpha / static_cast<double>(tests);
  for (auto& [metric, found] : metrics) {
    found.metric = metric;
    found.cells = static_cast<std::int64_t>(seen[metric].size());
    found.margin = options.settings.of(metric).margin;
    add_detectable(seen[metric], found);
    add_launches(seen[metric], threshold, found);
    check.metrics.push_back(found);
  }
  check.slower_rate_max = upper_bound(check.measured);
  return check;
}

}  // namespace graphbench::selfcheck
