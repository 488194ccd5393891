// Draws sweeps and judges them. Boost's generators give the same numbers on every platform.
#include "tests/simulation/sweep_model.hpp"

#include <array>
#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <cmath>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::simulation {
namespace {

using judge::Trial;
using model::Metric;

constexpr double time_seconds = 100e-6;  // far above --floor's default, which must hide no false alarm
constexpr std::array metrics = {Metric::latency, Metric::submit, Metric::device, Metric::setup};

// When launch i of a side runs, from 0 (the run's first launch) to 1 (its last): ABBA, or BASE before NEW.
double moment(const Scenario& scenario, bool now, std::int64_t i) {
  const std::int64_t last = 2 * scenario.launches - 1;
  std::int64_t at = now ? scenario.launches + i : i;
  if (scenario.interleaved) at = 2 * i + ((i % 2 == 0) == now ? 1 : 0);
  return static_cast<double>(at) / static_cast<double>(last);
}

class Luck {
 public:
  Luck(const Scenario& scenario, std::uint64_t seed) : scenario_(scenario), random_(seed) {}

  // Draws a random number with variance 1.
  double effect() { return scenario_.heavy_tails ? student_(random_) / std::sqrt(3.0) : normal_(random_); }
  double unevenness() { return scenario_.uneven > 0 ? std::exp(scenario_.uneven * normal_(random_)) : 1; }
  double oddity() {
    if (scenario_.odd_share <= 0) return 0;
    boost::random::bernoulli_distribution<> odd(scenario_.odd_share);
    return odd(random_) ? std::log1p(scenario_.odd_change) : 0;
  }

 private:
  const Scenario& scenario_;
  boost::random::mt19937_64 random_;
  boost::random::normal_distribution<> normal_;
  boost::random::student_t_distribution<> student_{3};
};

}  // namespace

Sweep::Sweep(const Scenario& scenario, std::uint64_t seed) {
  Luck luck(scenario, seed);
  std::vector<double> of_launches;
  for (std::int64_t run = 0; scenario.machine_wide && run < 2 * scenario.launches; ++run)
    of_launches.push_back(luck.effect());
  for (int task = 0; task < groups * members; ++task) {
    const int group = task / members;
    const std::size_t first = metrics_.size();
    std::vector<double> sigmas;
    for (int batch = 0; batch < batches; ++batch) {
      for (const Metric metric : metrics) {
        if (metric == Metric::setup && group >= capturing_groups) continue;
        metrics_.push_back({metric,
                            static_cast<std::uint32_t>(task * batches + batch),
                            static_cast<std::uint32_t>(group * batches + batch),
                            static_cast<std::uint32_t>(task),
                            {{}, {}, scenario.interleaved},
                            {}});
        sigmas.push_back(scenario.sigma * luck.unevenness());
      }
    }
    for (std::int64_t run = 0; run < 2 * scenario.launches; ++run) {
      const bool now = run % 2 == 1;
      const double common =
          std::sqrt(task_share) *
          (scenario.machine_wide ? of_launches[static_cast<std::size_t>(run)] : luck.effect());
      const double drifted = std::log1p(scenario.drift) * moment(scenario, now, run / 2) + luck.oddity();
      double of_cell = 0;
      for (std::size_t i = first; i < metrics_.size(); ++i) {
        Drawn& drawn = metrics_[i];
        if (drawn.metric == Metric::latency) of_cell = std::sqrt(cell_share) * luck.effect();
        const double own = std::sqrt(1 - task_share - cell_share) * luck.effect();
        const double change = now && changed(scenario, drawn) ? std::log1p(scenario.planted_change) : 0;
        const double effect = sigmas[i - first] * (common + of_cell + own);
        (now ? drawn.replicates.now : drawn.replicates.base)
            .push_back(time_seconds * std::exp(drifted + change + effect));
      }
    }
  }
}

std::vector<Trial> Sweep::trials(const std::vector<std::int64_t>& launches) {
  std::vector<Trial> trials;
  trials.reserve(metrics_.size());
  for (Drawn& drawn : metrics_) {
    const auto count = static_cast<std::size_t>(launches[drawn.task]);
    judge::Replicates replicates = drawn.replicates;
    replicates.base.resize(count);
    replicates.now.resize(count);
    drawn.result = {};
    Trial& trial = trials.emplace_back(judge::measure(drawn.metric, replicates, {}, drawn.result));
    trial.cell = drawn.cell;
    trial.family = drawn.family;
    trial.task = drawn.task;
  }
  return trials;
}

namespace {

void note(const Scenario& scenario, const std::vector<Trial>& trials, std::int64_t launches,
          Outcome& outcome) {
  outcome.found = 0;
  for (const Trial& trial : trials) {
    if (trial.result.verdict != model::Verdict::slower) continue;
    if (!changed(scenario, {trial.result.metric, trial.cell, trial.family, trial.task})) {
      outcome.any_slower = true;
    } else if (trial.result.metric == Metric::latency) {  // its device time would count the cell twice
      ++outcome.found;
    }
  }
  if (outcome.found > 0 && outcome.launches == 0) outcome.launches = launches;
}

}  // namespace

Outcome simulate(const Scenario& scenario, std::uint64_t seed) {
  Sweep sweep(scenario, seed);
  const model::ComparisonSettings settings;
  std::vector<std::int64_t> planned = {scenario.launches};
  if (scenario.until_decided) planned.assign(judge::planned_looks.begin(), judge::planned_looks.end());
  judge::Looks looks(settings, scenario.until_decided ? planned : std::vector<std::int64_t>());
  std::vector<std::int64_t> launches(groups * members, 0);
  std::vector<bool> going(launches.size(), true);
  Outcome outcome;
  for (const std::int64_t look : planned) {
    for (std::size_t task = 0; task < launches.size(); ++task) {
      if (going[task]) launches[task] = look;
    }
    std::vector<Trial> trials = sweep.trials(launches);
    looks.judge(trials);
    note(scenario, trials, look, outcome);
    going.assign(going.size(), false);
    for (const Trial& trial : trials) {
      if (trial.result.verdict == model::Verdict::inconclusive) going[trial.task] = true;
    }
  }
  return outcome;
}

double power_of_detectable(std::int64_t launches, std::int64_t comparisons, std::uint64_t seed) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < comparisons; ++i) {
    Scenario scenario{.launches = launches, .planted_cells = 1};
    Sweep sweep(scenario, seed + static_cast<std::uint64_t>(2 * i));
    std::vector<Trial> before = sweep.trials(std::vector(groups * members, launches));
    judge::judge(before, model::ComparisonSettings{}.alpha);
    scenario.planted_change = *before.front().result.detectable;
    found += simulate(scenario, seed + static_cast<std::uint64_t>(2 * i + 1)).found;
  }
  return static_cast<double>(found) / static_cast<double>(comparisons);
}

}  // namespace graphbench::simulation
