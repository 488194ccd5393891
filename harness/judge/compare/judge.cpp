// Judges by the rules of docs/reference/statistics.md: a change is beyond the margin, within the margin, or
// inconclusive. Variances are per launch, so that trials with different numbers of launches are comparable.
#include "harness/judge/compare/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "harness/model/statistics/moments.hpp"

namespace graphbench::judge {
namespace {

using model::Spread;

Spread spread_of(const Trial& trial) {
  const model::MeanDifference& difference = *trial.difference;
  return {difference.error * difference.error / difference.share, difference.freedom};
}

Spread pooled(const std::vector<Spread>& members) {
  Spread family;
  for (const Spread& own : members) {
    family.freedom += own.freedom;
    family.variance += (own.variance - family.variance) * own.freedom / family.freedom;
  }
  return family;
}

template <typename T>
T& at(std::vector<T>& values, std::size_t place) {
  if (place >= values.size()) values.resize(place + 1);
  return values[place];
}

// Does for the trials of one metric what share_spreads() below describes.
void share_spread(const std::vector<Trial*>& trials, double shared) {
  std::vector<double> tasks;
  std::vector<std::vector<Spread>> families;
  for (const Trial* trial : trials) {
    const Spread own = spread_of(*trial);
    at(families, trial->family).push_back(own);
    double& freedom = at(tasks, trial->task);
    freedom = std::max(freedom, own.freedom);
  }
  const auto count = static_cast<double>(std::ranges::count_if(tasks, [](double each) { return each > 0; }));
  const double known = std::accumulate(tasks.begin(), tasks.end(), 0.0) / (1 + (count - 1) * shared);
  std::vector<Spread> spreads;  // one per family
  std::ranges::transform(families, std::back_inserter(spreads), pooled);
  std::vector<Spread> measured = spreads;
  std::erase_if(measured, [](const Spread& family) { return family.freedom == 0; });
  const Spread common = common_spread(measured);
  for (Spread& family : spreads) {
    if (family.freedom == 0) continue;
    family.freedom = std::min(family.freedom, known);
    family = moderated(family, {common.variance, std::min(common.freedom, known - family.freedom)});
  }
  const double alike = common_freedom(families);
  for (Trial* trial : trials) {
    Spread own = spread_of(*trial);
    const Spread& family = spreads[trial->family];
    const double others = family.freedom - own.freedom;
    if (families[trial->family].size() > 1)
      own = moderated(own, {family.variance, std::min(alike, others)});
    else
      own = family;
    trial->difference->error = std::sqrt(std::max(own.variance, family.variance) * trial->difference->share);
    trial->difference->freedom = own.freedom;
  }
}

// Replaces the error and the degrees of freedom of each difference by estimates that also use the metric's
// other cells. First each family's spread moves toward the spread of all families, then each member's spread
// toward its family's. The less the spreads differ beyond chance, the further they move (common_freedom). A
// member's spread is never below its family's, because a few launches may agree by chance. Cells of one task
// share processes, so a task counts its degrees of freedom once, and tasks that share effects of launches
// count together as fewer. Returns the mean of shared_by_tasks() over metrics.
double share_spreads(std::span<Trial> trials) {
  std::map<model::Metric, std::vector<Trial*>> tested;
  for (Trial& trial : trials) {
    if (trial.difference) tested[trial.result.metric].push_back(&trial);
  }
  // Handles one metric at a time, because each needs memory for every family. Threads save no time here.
  double sum = 0;
  for (const auto& [metric, same] : tested) {
    const double shared = shared_by_tasks(same);
    share_spread(same, shared);
    sum += shared;
  }
  return tested.empty() ? 0 : sum / static_cast<double>(tested.size());
}

using model::MetricComparison;
using model::Verdict;

// Keeps exp() of a half width finite, because two launches may differ by any factor.
constexpr double half_width_max = 600;
// More launches than this times those of the comparison are not advised.
constexpr double launches_factor_max = 10;
constexpr double interval_alpha = 0.05;  // for ratio_ci95

void add_effects(const std::vector<double>& logs, std::vector<double>& effects) {
  const double mean = model::mean_of(logs);
  for (const double each : logs) effects.push_back(each - mean);
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs(values.size());
  std::ranges::transform(values, logs.begin(), [](double value) { return std::log(value); });
  return logs;
}

std::string launches_text(double launches, double wanted) {
  if (!(wanted <= launches_factor_max * launches))
    return fmt::format("not even {:.0f} launches per side would decide at this spread",
                       launches_factor_max * launches);
  return fmt::format("about {:.0f} launches per side would decide", std::ceil(wanted));
}

std::string too_few(const MetricComparison& result, bool partnerless) {
  if (partnerless) {
    return "both sides come from one interleaved run, but share no launch index: compare the run's two "
           "complete documents";
  }
  if (result.paired) return "one pair of launches: repeat with --launches 5";
  if (result.base_launches > 1) return "NEW has one launch: repeat NEW with --launches 5";
  if (result.new_launches > 1) return "BASE has one launch: repeat BASE with --launches 5";
  return "one launch per side: repeat both with --launches 5";
}

// Says how many launches per side would have separated the change from the margin, at this spread.
std::string undecided(const Trial& trial, double half_width) {
  const double distance = std::abs(std::abs(trial.difference->mean) - trial.log_margin());
  const auto launches = static_cast<double>(std::min(trial.result.base_launches, trial.result.new_launches));
  if (std::abs(trial.difference->mean) > trial.log_margin()) {
    const double wanted = trial.power.critical * trial.difference->error / distance;
    return fmt::format("the change is beyond the margin, but may be chance (q {:.2g}): {}", *trial.result.q,
                       launches_text(launches, launches * wanted * wanted));
  }
  const double wanted = half_width / distance;
  return "the interval reaches past the margin: " + launches_text(launches, launches * wanted * wanted);
}

void give_verdict(Trial& trial, double alpha) {
  MetricComparison& result = trial.result;
  if (!trial.difference) {
    result.why = too_few(result, trial.partnerless);
    return;
  }
  const model::MeanDifference& difference = *trial.difference;
  trial.power = model::power_of(difference, trial.log_margin(), trial.threshold);
  const auto found = [&](double quantile) {
    const double change = std::expm1(trial.power.centre + quantile * trial.power.scale);
    return change <= model::slowdown_max ? std::optional(change) : std::nullopt;
  };
  result.detectable = found(model::four_of_five);
  result.detectable90 = found(model::nine_of_ten);
  // Two one-sided tests at alpha/2 each: `same` if the interval at level 1 - alpha lies within the margin.
  const double critical =
      alpha == interval_alpha ? trial.interval_critical : model::t_critical(alpha / 2, difference.freedom);
  const double half_width = critical * difference.error;
  if (*result.q < alpha) {
    result.verdict = difference.mean > 0 ? Verdict::slower : Verdict::faster;
  } else if (std::abs(difference.mean) + half_width < trial.log_margin()) {
    result.verdict = Verdict::same;
  } else {
    result.why = undecided(trial, half_width);
  }
}

void test(Trial& trial) {
  if (!trial.difference) return;
  MetricComparison& result = trial.result;
  const model::MeanDifference& difference = *trial.difference;
  trial.interval_critical = model::t_critical(interval_alpha / 2, difference.freedom);
  const double half_width = std::min(trial.interval_critical * difference.error, half_width_max);
  result.ratio_ci95_low = std::exp(difference.mean - half_width);
  result.ratio_ci95_high = std::exp(difference.mean + half_width);
  result.spread = difference.error / std::sqrt(difference.share);
  result.freedom = difference.freedom;
  result.p = model::p_beyond(difference, trial.log_margin());
}

}  // namespace

Trial measure(model::Metric metric, const Replicates& replicates, const model::MetricSettings& settings,
              MetricComparison& result) {
  Trial trial{result};
  result.metric = metric;
  result.base_launches = std::ssize(replicates.base);
  result.new_launches = std::ssize(replicates.now);
  result.paired = replicates.paired;
  result.base_seconds = model::geometric_mean(replicates.base);
  result.new_seconds = model::geometric_mean(replicates.now);
  result.floor_seconds = settings.floor_seconds;
  // Divides by the shorter time, so that swapping the sides gives the mirrored verdict.
  result.margin =
      std::max(settings.margin, settings.floor_seconds / std::min(result.base_seconds, result.new_seconds));

  const std::vector<double> base = logs_of(replicates.base);
  const std::vector<double> now = logs_of(replicates.now);
  trial.partnerless = replicates.partnerless;
  if (!trial.partnerless)
    trial.difference = replicates.paired ? model::paired(base, now) : model::welch(base, now);
  result.ratio = std::exp(model::mean_of(now) - model::mean_of(base));
  if (!trial.difference) return trial;
  if (replicates.paired) {
    std::vector<double> differences(now.size());
    std::ranges::transform(now, base, differences.begin(), std::minus());
    add_effects(differences, trial.effects);
  } else {
    add_effects(base, trial.effects);
    add_effects(now, trial.effects);
  }
  return trial;
}

Tests judge(std::span<Trial> trials, double alpha) {
  const double shared = share_spreads(trials);
  for (Trial& trial : trials) test(trial);
  std::vector<double> p;
  std::vector<std::uint32_t> families;
  std::map<std::pair<std::uint32_t, model::Metric>, std::uint32_t> numbers;  // by first use
  for (const Trial& trial : trials) {
    if (!trial.result.p) continue;
    p.push_back(*trial.result.p);
    const auto next = static_cast<std::uint32_t>(numbers.size());
    families.push_back(numbers.try_emplace({trial.family, trial.result.metric}, next).first->second);
  }
  const FamilyTests tests = test_families(p, families, alpha, shared);
  const double threshold = model::next_threshold(tests.family_q, alpha) / tests.times;
  std::size_t at = 0;
  for (Trial& trial : trials) {
    if (!trial.result.p) continue;
    const std::uint32_t family = families[at];
    trial.result.q = tests.q[at++];
    trial.result.family_p = tests.family_p[family];
    trial.result.family_q = tests.family_q[family];
    trial.threshold = threshold / static_cast<double>(tests.members[family]);
  }
  for (Trial& trial : trials) give_verdict(trial, alpha);
  return {static_cast<std::int64_t>(p.size()), static_cast<std::int64_t>(tests.family_p.size())};
}

std::optional<double> slowdown_found(std::span<const Trial> trials) {
  std::vector<model::Power> powers;
  for (const Trial& trial : trials) {
    if (trial.result.p && trial.result.metric == model::Metric::latency) powers.push_back(trial.power);
  }
  const std::optional<double> found = model::found_in_any(powers, std::log1p(model::slowdown_max));
  return found ? std::optional(std::expm1(*found)) : std::nullopt;
}

}  // namespace graphbench::judge
