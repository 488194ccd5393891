// Collects the logarithms of a metric's times by mode, cell and launch, and compares their means over the
// cells of a mode, and how far launches spread.
#include "harness/judge/compare/means.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/resample.hpp"

namespace graphbench::judge {
namespace {

using model::CellValues;
using model::LaunchValue;
using model::Metric;

// The log times of one metric, for those cells of a mode that have the metric on both sides.
struct Table {
  CellValues base;
  CellValues now;
  CellValues differences;  // NEW minus BASE per launch index, if all cells can be paired
};

struct Mode {
  std::string name;
  std::vector<const Pair*> pairs;
  bool paired = false;
};

std::vector<Mode> modes_of(std::span<const Pair> pairs, bool interleaved) {
  std::vector<Mode> modes;
  for (const Pair& pair : pairs) {
    std::string name = model::mode_of(pair.base->id);
    if (name.empty()) continue;
    auto mode = std::ranges::find(modes, name, &Mode::name);
    if (mode == modes.end()) mode = modes.insert(mode, {std::move(name), {}, interleaved});
    mode->pairs.push_back(&pair);
    mode->paired = mode->paired && can_be_paired(pair);
  }
  return modes;
}

std::vector<LaunchValue> values_of(const DocumentCell& cell, Metric metric, std::int64_t end) {
  std::vector<LaunchValue> values;
  for (const LaunchTimes& launch : cell.launches) {
    if (launch.index < end && launch[metric] > 0)
      values.push_back({key_of(launch), std::log(launch[metric])});
  }
  return values;
}

// Fills `base` and `now` with the launches whose index both sides have, and returns the differences.
std::vector<LaunchValue> paired_differences_of(const Pair& pair, Metric metric, std::int64_t end,
                                               std::vector<LaunchValue>& base,
                                               std::vector<LaunchValue>& now) {
  std::vector<LaunchValue> differences;
  base.clear();
  now.clear();
  for (const LaunchTimes& before : pair.base->launches) {
    const auto after = std::ranges::find(pair.now->launches, before.index, &LaunchTimes::index);
    if (after == pair.now->launches.end() || before.index >= end) continue;
    if (before[metric] <= 0 || (*after)[metric] <= 0) continue;
    base.push_back({before.index, std::log(before[metric])});
    now.push_back({before.index, std::log((*after)[metric])});
    differences.push_back({before.index, now.back().value - base.back().value});
  }
  return differences;
}

// Leaves out cells with one launch, which show no spread, if another cell has more launches.
Table table_of(const Mode& mode, Metric metric, std::int64_t end) {
  Table all;
  Table with_spread;
  for (const Pair* pair : mode.pairs) {
    std::vector<LaunchValue> base = values_of(*pair->base, metric, end);
    std::vector<LaunchValue> now = values_of(*pair->now, metric, end);
    std::vector<LaunchValue> differences;
    if (mode.paired) differences = paired_differences_of(*pair, metric, end, base, now);
    if (base.empty() || now.empty()) continue;
    for (Table* table : {&all, &with_spread}) {
      if (table == &with_spread && std::min(base.size(), now.size()) < 2) continue;
      table->base.push_back(base);
      table->now.push_back(now);
      if (mode.paired) table->differences.push_back(differences);
    }
  }
  return with_spread.base.empty() ? all : with_spread;
}

double mean_of(const CellValues& cells) {
  double mean = 0;
  for (const std::vector<LaunchValue>& cell : cells) {
    double sum = 0;
    for (const LaunchValue& each : cell) sum += each.value;
    mean += sum / static_cast<double>(cell.size() * cells.size());
  }
  return mean;
}

std::int64_t most_launches(const CellValues& cells) {
  const auto most = std::ranges::max_element(cells, {}, &std::vector<LaunchValue>::size);
  return std::ssize(*most);
}

// What a launch adds to the values of cells: how far it lies from each cell's mean.
struct Effect {
  double sum = 0;  // over its cells
  std::int64_t cells = 0;
};

std::map<std::int64_t, Effect> effects_of(const CellValues& cells) {
  std::map<std::int64_t, Effect> effects;
  for (const std::vector<LaunchValue>& cell : cells) {
    double mean = 0;
    for (const LaunchValue& each : cell) mean += each.value / static_cast<double>(cell.size());
    for (const LaunchValue& each : cell) {
      Effect& effect = effects[each.launch];
      effect.sum += each.value - mean;
      ++effect.cells;
    }
  }
  return effects;
}

// For the trial, which asks how launches of several modes go together.
void add_sums(const CellValues& cells, std::vector<double>& sums) {
  for (const auto& [launch, effect] : effects_of(cells)) sums.push_back(effect.sum);
}

Trial measure_mean(Metric metric, const Table& table, const model::MetricSettings& settings,
                   model::MetricComparison& result) {
  const double base = mean_of(table.base);
  const double now = mean_of(table.now);
  result.metric = metric;
  result.paired = !table.differences.empty();
  result.base_launches = most_launches(table.base);
  result.new_launches = most_launches(table.now);
  result.base_seconds = std::exp(base);
  result.new_seconds = std::exp(now);
  result.ratio = std::exp(now - base);
  result.floor_seconds = settings.floor_seconds;
  // The clock's resolution causes an independent error in each cell, so the error of the mean over n cells
  // is smaller by the factor sqrt(n).
  const double step = settings.floor_seconds / std::sqrt(static_cast<double>(table.base.size()));
  result.margin = std::max(settings.margin, step / std::min(result.base_seconds, result.new_seconds));
  Trial trial{result};
  trial.difference = result.paired ? model::paired_over_cells(table.differences)
                                   : model::welch_over_cells(table.base, table.now);
  if (result.paired) {
    add_sums(table.differences, trial.effects);
  } else {
    add_sums(table.base, trial.effects);
    add_sums(table.now, trial.effects);
  }
  return trial;
}

// For the spread of launches, of which those with fewer than half of the cells are left out: theirs is a mean
// over other cells.
std::vector<double> mean_effects_of(const CellValues& cells) {
  std::vector<double> means;
  for (const auto& [launch, effect] : effects_of(cells)) {
    if (2 * effect.cells >= std::ssize(cells))
      means.push_back(effect.sum / static_cast<double>(effect.cells));
  }
  return means;
}

// NEW is less steady if its launches spread more than BASE's, whatever the distribution, and more than half
// of the margin, below which launches count as steady even if BASE's agree better. So two tests must agree,
// and the larger p counts: an F test against half of the margin, which is known and not estimated, so it has
// infinite degrees of freedom; and, because it is slow only if the first one rejects, a test by permutations
// against BASE.
void measure_spreads(const Table& table, model::MeanComparison& mean) {
  constexpr double infinite = 1e9;
  const std::vector<double> base = mean_effects_of(table.base);
  const std::vector<double> now = mean_effects_of(table.now);
  if (std::ssize(base) < model::steady_launches_min || std::ssize(now) < model::steady_launches_min) return;
  mean.base_spread = std::max(model::standard_deviation(base), model::log_spread_min);
  mean.new_spread = std::max(model::standard_deviation(now), model::log_spread_min);
  const double steady = std::log1p(mean.metric.margin) / 2;
  const double p = p_of_larger({*mean.new_spread * *mean.new_spread, static_cast<double>(now.size()) - 1},
                               {steady * steady, infinite});
  mean.spread_p = p < model::launches_level ? std::max(p, model::p_of_larger_spread(base, now)) : p;
}

}  // namespace

bool can_be_paired(const Pair& pair) {
  const auto unique = [](const std::vector<LaunchTimes>& launches) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (launches[i].index == launches[j].index) return false;
      }
    }
    return true;
  };
  return unique(pair.base->launches) && unique(pair.now->launches);
}

std::int64_t key_of(const LaunchTimes& launch) {
  return launch.document * (std::int64_t{1} << 32) + launch.index;
}

std::vector<Trial> measure_means(std::span<const Pair> pairs, const model::ComparisonSettings& settings,
                                 const Launches& launches, std::vector<model::MeanComparison>& means) {
  const std::vector<Mode> modes = modes_of(pairs, launches.interleaved);
  std::vector<Trial> trials;
  means.clear();
  means.reserve(modes.size() * model::mean_metrics.size());
  for (std::size_t at = 0; at < modes.size(); ++at) {
    for (const Metric metric : model::mean_metrics) {
      const Table table = table_of(modes[at], metric, launches.end);
      if (table.base.size() < 2) continue;
      model::MeanComparison& mean = means.emplace_back();
      mean.mode = modes[at].name;
      mean.cells = static_cast<std::int64_t>(table.base.size());
      Trial& trial = trials.emplace_back(measure_mean(metric, table, settings.of(metric), mean.metric));
      measure_spreads(table, mean);
      // Each mode is a family of its own, with one task of one cell.
      trial.family = trial.task = trial.cell = static_cast<std::uint32_t>(at);
    }
  }
  return trials;
}

void judge_steadiness(std::vector<model::MeanComparison>& means) {
  const auto tests =
      std::ranges::count_if(means, [](const auto& mean) { return static_cast<bool>(mean.spread_p); });
  for (model::MeanComparison& mean : means) {
    if (!mean.spread_p) continue;
    mean.spread_p = std::min(1.0, *mean.spread_p * static_cast<double>(tests));
    mean.less_steady = *mean.spread_p < model::launches_level;
  }
}

}  // namespace graphbench::judge
