// Latency is drawn sample by sample, so that all rules see the same data; the other metrics launch by
// launch. Boost's generators give the same numbers on every platform.
#include "tests/simulation/sweep_model.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>

namespace graphbench::simulation {
namespace {

using compare::Replicates;
using compare::Trial;

constexpr double time_seconds = 100e-6;  // far above the floor, which must not help
constexpr int capturing_cells = 32;

// What a launch measured of one cell.
struct DrawnLaunch {
  double metric_seconds[4] = {};  // by model::Metric
  std::vector<double> latency_samples;
};

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Machine {
 public:
  Machine(const Scenario& scenario, std::uint64_t seed) : scenario_(scenario), random_(seed) {}

  // `change` is of the logarithm of latency and device time, `drifted` of all.
  DrawnLaunch launch(double change, double drifted) {
    DrawnLaunch drawn;
    for (int metric = 0; metric < 4; ++metric) {
      const bool changes = metric == static_cast<int>(model::Metric::latency) ||
                           metric == static_cast<int>(model::Metric::device);
      drawn.metric_seconds[metric] =
          time_seconds * std::exp(drifted + (changes ? change : 0) + launch_effect());
    }
    const double centre = drawn.metric_seconds[0];
    drawn.latency_samples.resize(samples_a_launch);
    for (double& sample : drawn.latency_samples) {
      sample = centre * std::exp(scenario_.within_sigma * normal_(random_));
    }
    drawn.metric_seconds[0] = median_of(drawn.latency_samples);
    return drawn;
  }

 private:
  double launch_effect() {
    const double effect = scenario_.sigma * normal_(random_);
    if (scenario_.odd_share <= 0) return effect;
    boost::random::bernoulli_distribution<> odd(scenario_.odd_share);
    return odd(random_) ? effect + std::log1p(scenario_.odd_change) : effect;
  }

  const Scenario& scenario_;
  boost::random::mt19937_64 random_;
  boost::random::normal_distribution<> normal_;
};

// When launch i of a side runs, from 0 (the first of the run) to 1 (the last): ABBA or one after the other.
double moment(const Scenario& scenario, bool now, std::int64_t i) {
  const std::int64_t last = 2 * scenario.launches - 1;
  std::int64_t at = now ? scenario.launches + i : i;
  if (scenario.interleaved) at = 2 * i + ((i % 2 == 0) == now ? 1 : 0);
  return static_cast<double>(at) / static_cast<double>(last);
}

using DrawnSide = std::vector<DrawnLaunch>;

DrawnSide draw(Machine& machine, const Scenario& scenario, bool now, bool planted) {
  DrawnSide side;
  const double change = now && planted ? std::log1p(scenario.planted_change) : 0;
  for (std::int64_t i = 0; i < scenario.launches; ++i) {
    side.push_back(machine.launch(change, std::log1p(scenario.drift) * moment(scenario, now, i)));
  }
  return side;
}

std::vector<double> pooled(const DrawnSide& side) {
  std::vector<double> samples;
  for (const DrawnLaunch& launch : side) {
    samples.insert(samples.end(), launch.latency_samples.begin(), launch.latency_samples.end());
  }
  std::ranges::sort(samples);
  return samples;
}

void count(bool slower, bool planted, Outcome& outcome) {
  if (!slower) return;
  if (planted) {
    ++outcome.found;
  } else {
    outcome.any_slower = true;
  }
}

void ask_rivals(const DrawnSide& base, const DrawnSide& now, bool planted, Outcomes& outcomes) {
  const std::vector<double> before = pooled(base);
  const std::vector<double> after = pooled(now);
  const double ratio = after[after.size() / 2] / before[before.size() / 2];
  count(ratio > 1 && mann_whitney_p(before, after) < 0.05, planted, outcomes.mann_whitney);
  count(ratio > 1.05, planted, outcomes.threshold);
}

}  // namespace

double mann_whitney_p(const std::vector<double>& base, const std::vector<double>& now) {
  const auto m = static_cast<double>(base.size());
  const auto n = static_cast<double>(now.size());
  double below = 0;  // pairs in which base is the smaller; drawn from continuous laws there are no ties
  std::size_t smaller = 0;
  for (const double value : now) {
    while (smaller < base.size() && base[smaller] < value) ++smaller;
    below += static_cast<double>(smaller);
  }
  const double z = (below - m * n / 2) / std::sqrt(m * n * (m + n + 1) / 12);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
}

Outcomes simulate(const Scenario& scenario, std::uint64_t seed) {
  Machine machine(scenario, seed);
  Outcomes outcomes;
  std::vector<Trial> trials;
  std::vector<int> cells_of_trials;
  for (int cell = 0; cell < cells; ++cell) {
    const bool planted = cell < scenario.planted_cells;
    const DrawnSide base = draw(machine, scenario, false, planted);
    const DrawnSide now = draw(machine, scenario, true, planted);
    ask_rivals(base, now, planted, outcomes);
    for (const model::Metric metric :
         {model::Metric::latency, model::Metric::submit, model::Metric::device, model::Metric::capture}) {
      if (metric == model::Metric::capture && cell >= capturing_cells) continue;
      Replicates replicates;
      replicates.paired = scenario.interleaved;
      const auto index = static_cast<std::size_t>(metric);
      for (const DrawnLaunch& launch : base) replicates.base.push_back(launch.metric_seconds[index]);
      for (const DrawnLaunch& launch : now) replicates.now.push_back(launch.metric_seconds[index]);
      trials.push_back(compare::measure(metric, replicates, model::MetricSettings{}));
      cells_of_trials.push_back(cell);
    }
  }
  compare::judge(trials, model::ComparisonSettings{}.alpha);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const bool planted = cells_of_trials[i] < scenario.planted_cells;
    const model::Metric metric = trials[i].result.metric;
    // A planted cell is found by its latency; its submit and capture did not change.
    const bool changed = planted && (metric == model::Metric::latency || metric == model::Metric::device);
    if (changed && metric != model::Metric::latency) continue;
    count(trials[i].result.verdict == model::Verdict::slower, changed, outcomes.ours);
  }
  return outcomes;
}

}  // namespace graphbench::simulation
