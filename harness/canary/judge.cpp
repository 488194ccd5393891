// The test of a floor, and what a comparison says in one line.
#include "harness/canary/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "graphs/base/text.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/findings/groups.hpp"
#include "reporters/format.hpp"

namespace graphbench::canary {
namespace {

double quantile(std::vector<double> values, double fraction) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(std::lround(fraction * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The standard deviation of a normal distribution with the same median distance from the median. Processes in
// which all launches take longer, one in eight on some machines, must not widen it.
double spread_of(std::vector<double> logs) {
  const double middle = quantile(logs, 0.5);
  for (double& each : logs) each = std::abs(each - middle);
  return quantile(std::move(logs), 0.5) * 1.4826;
}

std::vector<double> logs_of(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

// A pair of clock reads takes as long.
constexpr double resolution_seconds = 25e-9;

double z_of(double probability) {
  return boost::math::quantile(boost::math::normal(), 1 - probability);
}

std::string percent(double fraction) {
  return fmt::format("{:.0f} %", std::ceil(100 * fraction));
}

// What the test finds in the logarithms of two sides.
struct Tested {
  double middle;  // the median of all differences
  double low;     // its lower bound
  double margin;
};

// Returns the smallest d so that more than `rank` of the differences AFTER - BEFORE are at most d. Both sides
// are ascending: then counting takes one walk over both, while all pairs would take gigabytes.
double nth_difference(const std::vector<double>& before, const std::vector<double>& after, std::size_t rank) {
  const auto at_most = [&](double limit) {
    std::size_t count = 0, others = 0;
    for (const double one : before) {
      while (others < after.size() && after[others] - one <= limit) ++others;
      count += others;
    }
    return count;
  };
  double low = after.front() - before.back(), high = after.back() - before.front();
  if (at_most(low) > rank) return low;
  for (int halved = 0; halved < 200; ++halved) {  // so often only towards 0
    const double middle = std::midpoint(low, high);
    if (middle <= low || middle >= high) break;
    (at_most(middle) > rank ? high : low) = middle;
  }
  return high;
}

Tested test_of(std::vector<double> before, std::vector<double> after, const TestSettings& settings) {
  std::ranges::sort(before);
  std::ranges::sort(after);
  const std::size_t pairs = before.size() * after.size();
  const double deviation =
      std::sqrt(static_cast<double>(pairs) * static_cast<double>(before.size() + after.size() + 1) / 12);
  // The number of smallest differences that lie below the bound.
  const double below = std::floor(static_cast<double>(pairs) / 2 - 0.5 - z_of(settings.alpha) * deviation);
  const double low = nth_difference(before, after, static_cast<std::size_t>(std::max(0.0, below)));
  const double spread = std::expm1(std::max(spread_of(before), spread_of(after)));
  return {nth_difference(before, after, pairs / 2), low, std::max(settings.margin_min, spread)};
}

std::vector<double> resampled(const std::vector<double>& values, std::mt19937_64& random) {
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[random() % values.size()];
  return drawn;
}

const FloorRow& row_of(const std::string& name) {
  return *std::ranges::find(floor_rows(), name, &FloorRow::name);
}

// "graph launch 1.93x, node 1.31x": the largest first.
std::string slower_text(std::vector<const CanaryFloor*> slower) {
  std::ranges::sort(slower, std::greater(), [](const CanaryFloor* floor) { return floor->change->ratio; });
  return join(slower, ", ", [](const CanaryFloor* floor) {
    return fmt::format("{} {:.2f}x", row_of(floor->name).label, floor->change->ratio);
  });
}

}  // namespace

const std::vector<FloorRow>& floor_rows() {
  static const std::vector<FloorRow> rows = {
      {"kernel_launch", "kernel launch", "seconds"},
      {"graph_launch", "graph launch", "seconds", 0.05, true},
      {"busy_graph_launch", "graph launch on a busy stream", "seconds"},
      {"long_graph_launch", "launch of 1,024 nodes", "seconds", 0.05, true},
      {"node", "run per node", "seconds"},
      {"instantiate", "instantiate", "seconds", 0.05, true},
      {"update", "update", "seconds", 0.05, true},
      {"upload", "upload", "seconds", 0.05, true},
      // The driver takes memory in quanta, of which a process sees twenty.
      {"node_memory", "memory per node", "bytes", 0.1},
  };
  return rows;
}

std::optional<Change> change_of(const std::vector<double>& base, const std::vector<double>& now,
                                const TestSettings& settings) {
  if (std::min(base.size(), now.size()) < processes_min) return std::nullopt;
  const std::vector<double> before = logs_of(base), after = logs_of(now);
  const Tested tested = test_of(before, after, settings);
  std::mt19937_64 random(1);
  std::vector<double> needed;
  for (int i = 0; i < settings.resamples; ++i) {
    const Tested again = test_of(resampled(before, random), resampled(after, random), settings);
    needed.push_back(std::log1p(again.margin) - again.low + tested.middle);
  }
  // Resamples of few values spread less than values do: of 8 processes, the quantile alone was found in 89 of
  // 100 draws (tests/simulation).
  const double of_few = 1 + 5.0 / static_cast<double>(std::min(base.size(), now.size()));
  const double visible = needed.empty() ? 0 : std::expm1(of_few * quantile(std::move(needed), 0.99));
  return Change{std::exp(tested.middle), std::exp(tested.low), tested.margin, visible,
                std::exp(tested.low) > 1 + tested.margin};
}

void compare(const Canary& base, Canary& now, int resamples) {
  now.against = Base{base.measured_at, base.tool_version, base.environment.device.driver, base.processes};
  std::vector<const CanaryFloor*> slower;
  std::vector<std::string> lost, blind, not_compared;
  double visible = 0;
  bool any = false;
  const double alpha = family_alpha / static_cast<double>(floor_rows().size());
  for (const FloorRow& row : floor_rows()) {
    const auto before = std::ranges::find(base.floors, row.name, &CanaryFloor::name);
    const auto after = std::ranges::find(now.floors, row.name, &CanaryFloor::name);
    if (before == base.floors.end()) {  // the device has no such floor, or BASE's graphbench had not
      if (after != now.floors.end()) not_compared.emplace_back(row.label);
      continue;
    }
    const bool is_coarse = row.is_one_call && !before->values.empty();
    const double finest = is_coarse ? resolution_seconds / quantile(before->values, 0.5) : 0;
    if (after != now.floors.end())
      after->change =
          change_of(before->values, after->values, {alpha, std::max(row.margin_min, finest), resamples});
    if (after == now.floors.end() || !after->change) {
      blind.push_back(fmt::format("{}: too few values", row.label));
      continue;
    }
    any = true;
    if (after->change->slower) slower.push_back(&*after);
    visible = std::max(visible, after->change->visible);
    if (after->change->visible > blind_above)
      blind.push_back(fmt::format("{}: would have seen {}", row.label, percent(after->change->visible)));
  }
  for (Probe& probe : now.probes) {
    const auto before = std::ranges::find(base.probes, probe.name, &Probe::name);
    const std::string said = probe.name + (probe.reason.empty() ? "" : " (" + probe.reason + ")");
    if (before != base.probes.end()) {
      probe.before = before->answer;
    } else if (probe.name == every_process) {
      probe.before = Answer::yes;  // of a BASE that was made before there was this probe
    } else {
      if (probe.answer == Answer::no) blind.push_back(said + ": no, and BASE did not ask");
      continue;
    }
    if (probe.before == Answer::yes && probe.answer != Answer::yes) lost.push_back(said);
  }
  for (const Probe& probe : base.probes) {
    if (probe.answer == Answer::yes &&
        std::ranges::find(now.probes, probe.name, &Probe::name) == now.probes.end())
      not_compared.push_back(probe.name);
  }
  if (now.hang) return describe_alone(now);
  if (!any) blind.emplace_back("no floor has values on both sides");
  if (!slower.empty() || !lost.empty()) {
    now.verdict = slower.empty() ? Verdict::broken : Verdict::slower;
    now.sentence = slower.empty() ? "" : "slower: " + slower_text(slower);
    if (!lost.empty()) now.sentence += (slower.empty() ? "" : "; ") + ("broken: " + join(lost, ", "));
  } else if (!blind.empty()) {
    now.verdict = Verdict::blind;
    now.sentence = "blind: " + join(blind);
  } else {
    now.verdict = Verdict::same;
    now.sentence = "same (would have seen " + percent(visible) + ")";
  }
  if (!not_compared.empty()) now.sentence += "; not compared: " + join(not_compared);
}

void describe_alone(Canary& canary) {
  if (canary.hang) {
    canary.verdict = Verdict::hung;
    canary.sentence = fmt::format("hung: {}, {:.0f} s", canary.hang->call, canary.hang->seconds);
    return;
  }
  const auto crashed = std::ranges::find_if(canary.probes, [](const Probe& probe) {
    return probe.name == every_process && probe.answer == Answer::no;
  });
  if (crashed != canary.probes.end()) {
    canary.verdict = Verdict::broken;
    canary.sentence =
        fmt::format("broken: {} ({}, after {})", crashed->name, crashed->reason, canary.processes);
    return;
  }
  canary.verdict = Verdict::measured;
  const bool few = canary.processes < static_cast<std::int64_t>(processes_min);
  canary.sentence = fmt::format(
      "measured: {}; {}", model::plural(canary.processes, "process"),
      few ? fmt::format("a comparison needs {}", processes_min) : "compare later ones with --against");
}

int exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::measured:
    case Verdict::same:
      return model::exit_done;
    case Verdict::slower:
    case Verdict::broken:
      return model::exit_slower;
    case Verdict::blind:
      return model::exit_inconclusive;
    case Verdict::other_card:
      return model::exit_not_comparable;
    case Verdict::hung:
      return model::exit_hung;
  }
  return model::exit_error;
}

}  // namespace graphbench::canary
