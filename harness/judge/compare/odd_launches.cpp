// Finds launches that are far from the others of their side, alone or in a group. The distance is a median
// over cells.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/judge/compare/means.hpp"
#include "harness/model/statistics/moments.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::judge {
namespace {

using model::Metric;
using model::OddLaunch;

// With fewer launches, the spread of the other launches is unknown.
constexpr std::size_t launches_min = 3;

// The largest number of cells of a launch. A launch with less than half of this number may be far off by
// chance.
std::int64_t most_cells(const std::vector<OddLaunch>& launches) {
  return std::ranges::max_element(launches, {}, &OddLaunch::cells)->cells;
}

// The launches of one side. In each cell, launches[i] has a distance: its log time minus the mean log time of
// the cell's launches. effects[i] is the median of these distances, so that a few cells do not decide.
struct Effects {
  std::vector<OddLaunch> launches;
  std::vector<double> effects;
};

Effects effects_of(std::span<const Pair> pairs, const DocumentCell* Pair::*side, Metric metric) {
  std::map<std::int64_t, OddLaunch> launches;
  std::map<std::int64_t, std::vector<double>> distances;
  for (const Pair& pair : pairs) {
    std::vector<double> logs;
    for (const LaunchTimes& launch : (pair.*side)->launches) {
      if (launch[metric] > 0) logs.push_back(std::log(launch[metric]));
    }
    if (logs.size() < 2) continue;
    for (const LaunchTimes& launch : (pair.*side)->launches) {
      if (launch[metric] <= 0) continue;
      OddLaunch& known = launches[key_of(launch)];
      known.in_new = side == &Pair::now;
      known.document = launch.document;
      known.launch = launch.index;
      known.metric = metric;
      ++known.cells;
      distances[key_of(launch)].push_back(std::log(launch[metric]) - model::mean_of(logs));
    }
  }
  Effects found;
  for (const auto& [key, launch] : launches) {
    found.launches.push_back(launch);
    found.effects.push_back(model::median(std::move(distances[key])));
  }
  return found;
}

// How far launches may differ, as a fraction: the margin, or if larger, --floor divided by the mean time.
double margin_of(std::span<const Pair> pairs, const DocumentCell* Pair::*side, Metric metric,
                 const model::MetricSettings& settings) {
  std::vector<double> logs;
  for (const Pair& pair : pairs) {
    for (const LaunchTimes& launch : (pair.*side)->launches) {
      if (launch[metric] > 0) logs.push_back(std::log(launch[metric]));
    }
  }
  const double mean = logs.empty() ? 1 : std::exp(model::mean_of(logs));
  return std::max(settings.margin, settings.floor_seconds / mean);
}

void hold_against_others(Effects& side, double log_margin) {
  if (side.launches.size() < launches_min) return;
  const std::int64_t most = most_cells(side.launches);
  for (std::size_t i = 0; i < side.launches.size(); ++i) {
    if (2 * side.launches[i].cells < most) continue;
    std::vector<double> others = side.effects;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto count = static_cast<double>(others.size());
    const double mean = model::mean_of(others);
    const double spread = std::max(model::standard_deviation(others), model::log_spread_min);
    const model::MeanDifference apart{side.effects[i] - mean, spread * std::sqrt(1 + 1 / count), count - 1};
    side.launches[i].ratio = std::exp(apart.mean);
    side.launches[i].p = model::p_beyond(apart, log_margin);
  }
}

}  // namespace

std::vector<OddLaunch> odd_launches(std::span<const Pair> pairs, const model::ComparisonSettings& settings) {
  std::vector<OddLaunch> odd;
  std::vector<OddLaunch> odd_now;
  for (const Metric metric : model::mean_metrics) {
    std::vector<OddLaunch> all;
    for (const DocumentCell* Pair::*side : {&Pair::base, &Pair::now}) {
      Effects effects = effects_of(pairs, side, metric);
      hold_against_others(effects, std::log1p(margin_of(pairs, side, metric, settings.of(metric))));
      all.insert(all.end(), effects.launches.begin(), effects.launches.end());
    }
    for (OddLaunch& launch : all) {
      launch.p = std::min(1.0, launch.p * static_cast<double>(all.size()));
      if (launch.p < model::launches_level) (launch.in_new ? odd_now : odd).push_back(launch);
    }
  }
  odd.insert(odd.end(), odd_now.begin(), odd_now.end());
  return odd;
}

std::vector<model::TwoStates> two_states(std::span<const Pair> pairs,
                                         const model::ComparisonSettings& settings) {
  std::vector<model::TwoStates> found;
  constexpr auto tests = static_cast<double>(2 * model::mean_metrics.size());
  for (const DocumentCell* Pair::*side : {&Pair::base, &Pair::now}) {
    for (const Metric metric : model::mean_metrics) {
      const Effects effects = effects_of(pairs, side, metric);
      if (effects.launches.empty()) continue;
      std::vector<double> values;
      const std::int64_t most = most_cells(effects.launches);
      for (std::size_t i = 0; i < effects.launches.size(); ++i) {
        if (2 * effects.launches[i].cells >= most) values.push_back(effects.effects[i]);
      }
      const double margin = std::log1p(margin_of(pairs, side, metric, settings.of(metric)));
      const auto groups = model::two_groups(values, model::log_spread_min, model::launches_level / tests);
      if (!groups || groups->distance <= margin || groups->p * tests >= model::launches_level) continue;
      found.push_back({.in_new = side == &Pair::now,
                       .metric = metric,
                       .slower = static_cast<std::int64_t>(groups->upper),
                       .launches = std::ssize(values),
                       .ratio = std::exp(groups->distance),
                       .p = groups->p * tests});
      break;  // the side's other metrics follow the first
    }
  }
  return found;
}

}  // namespace graphbench::judge
