// Judges an `ab --until-decided` run look by look. Each look judges all trials again, at a smaller alpha.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "harness/judge/compare/judge.hpp"

namespace graphbench::judge {
namespace {

using model::MetricComparison;
using model::Verdict;

double spent(double alpha, std::int64_t launches) {
  const double share =
      std::min(1.0, static_cast<double>(launches) / static_cast<double>(planned_looks.back()));
  return alpha * std::log1p((std::numbers::e - 1) * share);
}

std::string undecided_text(const MetricComparison& result) {
  const std::int64_t launches = std::min(result.base_launches, result.new_launches);
  std::string text = fmt::format("undecided after {} launches per side", launches);
  if (result.detectable90)
    text += fmt::format(": the launches would have found a change of {:.2g} % in nine cases of ten",
                        100 * *result.detectable90);
  return text;
}

}  // namespace

double level_at(double alpha, std::span<const std::int64_t> looks, std::size_t at, bool goes_on) {
  const double before = at == 0 ? 0 : spent(alpha, looks[at - 1]);
  const bool last = at + 1 >= looks.size();
  return (last && !goes_on ? alpha : spent(alpha, looks[at])) - before;
}

Looks::Looks(const model::ComparisonSettings& settings, std::vector<std::int64_t> looks)
    : settings_(settings), looks_(std::move(looks)) {}

Tests Looks::judge(std::span<Trial> trials) {
  const double level =
      looks_.empty() ? settings_.alpha : level_at(settings_.alpha, looks_, next_, settings_.more_looks);
  ++next_;
  const Tests tests = judge::judge(trials, level);
  if (looks_.empty()) return tests;
  for (Trial& trial : trials) {
    MetricComparison& result = trial.result;
    if (!result.p) continue;
    for (std::optional<double>* q : {&result.q, &result.family_q})
      *q = std::min(1.0, **q * settings_.alpha / level);
    const std::pair key(trial.cell, result.metric);
    if (const auto earlier = decided_.find(key); earlier != decided_.end()) {
      result = earlier->second;
    } else if (result.verdict != Verdict::inconclusive) {
      decided_.emplace(key, result);
    } else {
      result.why = undecided_text(result);
    }
  }
  return tests;
}

std::optional<double> Looks::slowdown_found(std::span<const Trial> trials) const {
  if (looks_.empty()) return judge::slowdown_found(trials);
  std::vector<Trial> undecided;
  std::ranges::copy_if(trials, std::back_inserter(undecided), [](const Trial& trial) {
    return trial.result.verdict == Verdict::inconclusive && trial.result.metric == model::Metric::latency;
  });
  return undecided.empty() ? 0 : judge::slowdown_found(undecided);
}

}  // namespace graphbench::judge
