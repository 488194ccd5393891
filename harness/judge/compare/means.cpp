// Collects the logarithms of a metric's times by mode, cell and launch, and compares their means.
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
  Table known;
  for (const Pair* pair : mode.pairs) {
    std::vector<LaunchValue> base = values_of(*pair->base, metric, end);
    std::vector<LaunchValue> now = values_of(*pair->now, metric, end);
    std::vector<LaunchValue> differences;
    if (mode.paired) differences = paired_differences_of(*pair, metric, end, base, now);
    if (base.empty() || now.empty()) continue;
    for (Table* table : {&all, &known}) {
      if (table == &known && std::min(base.size(), now.size()) < 2) continue;
      table->base.push_back(base);
      table->now.push_back(now);
      if (mode.paired) table->differences.push_back(differences);
    }
  }
  return known.base.empty() ? all : known;
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

// Adds what each launch adds to the mean over cells.
void add_effects_over_cells(const CellValues& cells, std::vector<double>& effects) {
  std::map<std::int64_t, double> sums;
  for (const std::vector<LaunchValue>& cell : cells) {
    double mean = 0;
    for (const LaunchValue& each : cell) mean += each.value / static_cast<double>(cell.size());
    for (const LaunchValue& each : cell) sums[each.launch] += each.value - mean;
  }
  for (const auto& [launch, sum] : sums) effects.push_back(sum);
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
    add_effects_over_cells(table.differences, trial.effects);
  } else {
    add_effects_over_cells(table.base, trial.effects);
    add_effects_over_cells(table.now, trial.effects);
  }
  return trial;
}

// What each launch adds to the mean over cells. A launch with fewer than half of the cells is left out: its
// mean is another.
std::vector<double> effects_of(const CellValues& cells) {
  struct Sum {
    double value = 0;
    std::int64_t cells = 0;
  };
  std::map<std::int64_t, Sum> sums;
  for (const std::vector<LaunchValue>& cell : cells) {
    double mean = 0;
    for (const LaunchValue& each : cell) mean += each.value / static_cast<double>(cell.size());
    for (const LaunchValue& each : cell) {
      sums[each.launch].value += each.value - mean;
      ++sums[each.launch].cells;
    }
  }
  std::vector<double> effects;
  for (const auto& [launch, sum] : sums) {
    if (2 * sum.cells >= std::ssize(cells)) effects.push_back(sum.value / static_cast<double>(sum.cells));
  }
  return effects;
}

// NEW is less steady if its launches spread more than BASE's, whatever the distribution, and more than half
// of the margin, below which launches count as steady even if BASE's agree better.
void measure_spreads(const Table& table, model::MeanComparison& mean) {
  const std::vector<double> base = effects_of(table.base);
  const std::vector<double> now = effects_of(table.now);
  if (std::ssize(base) < model::steady_launches_min || std::ssize(now) < model::steady_launches_min) return;
  mean.base_spread = std::max(model::standard_deviation(base), model::log_spread_min);
  mean.new_spread = std::max(model::standard_deviation(now), model::log_spread_min);
  const double steady = std::log1p(mean.metric.margin) / 2;
  // Half of the margin is known, and not estimated.
  constexpr double known = 1e9;
  const double p = p_of_larger({*mean.new_spread * *mean.new_spread, static_cast<double>(now.size()) - 1},
                               {steady * steady, known});
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
