// Orders the runs of `ab`. Shuffles them with its own loop, because std::shuffle gives different orders in
// different standard libraries. Computes which slowdown could be found, from the measured spread and the
// number of pairs of launches.
#include "harness/judge/ab/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "graphs/base/digest.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/mean_difference.hpp"

namespace graphbench::judge {
model::Plan one_cell_a_task(model::Plan plan) {
  const auto has_several = [](const model::WorkerTask& task) { return task.batches.size() > 1; };
  if (std::ranges::none_of(plan.tasks, has_several)) return plan;
  std::vector<model::WorkerTask> tasks;
  for (const model::WorkerTask& task : plan.tasks) {
    for (const std::int64_t batch : task.batches) tasks.emplace_back(task).batches = {batch};
  }
  plan.tasks = std::move(tasks);
  plan.facts.cell_processes = true;
  plan.facts.hash = sha256_hex(plan.facts.hash + "\ncell-processes=true\n");
  return plan;
}

std::vector<Run> make_schedule(std::size_t groups, std::int64_t launches, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(groups);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<bool> base_first(groups);
  for (std::size_t group = 0; group < groups; ++group) base_first[group] = random() % 2 == 0;

  std::vector<Run> runs;
  for (std::int64_t launch = 0; launch < launches; ++launch) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t group : order) {
      const bool base_now = base_first[group] == (launch % 2 == 0);
      runs.push_back({group, launch, base_now ? Role::base : Role::now});
      runs.push_back({group, launch, base_now ? Role::now : Role::base});
    }
  }
  return runs;
}

namespace {

using model::MetricComparison;
using model::Verdict;

bool is_slower(const MetricComparison& metric) {
  return metric.verdict == Verdict::slower;
}

std::string look_ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3fx", ratio);
  return text;
}

const MetricComparison* find_metric(const model::Comparison& comparison, const std::string& id,
                                    model::Metric metric) {
  const auto cell = std::ranges::find(comparison.cells, id, &model::CellComparison::id);
  if (cell == comparison.cells.end()) return nullptr;
  const auto found = std::ranges::find(cell->metrics, metric, &MetricComparison::metric);
  return found == cell->metrics.end() ? nullptr : &*found;
}

const MetricComparison* find_mean(const model::Comparison& comparison, const model::MeanComparison& mean) {
  const auto found = std::ranges::find_if(comparison.means, [&](const model::MeanComparison& each) {
    return each.mode == mean.mode && each.metric.metric == mean.metric.metric;
  });
  return found == comparison.means.end() ? nullptr : &found->metric;
}

bool take_back(MetricComparison& metric, const MetricComparison* again) {
  if (again != nullptr && is_slower(*again)) return false;
  metric.verdict = Verdict::inconclusive;
  metric.why = "slower at first (" + look_ratio_text(metric.ratio) + "), but ";
  metric.why += again != nullptr ? "not when measured again (" + look_ratio_text(again->ratio) + ")"
                                 : "the cell could not be measured again";
  return true;
}

}  // namespace

std::vector<bool> undecided_groups(const std::vector<model::WorkerTask>& groups,
                                   const model::Comparison& comparison) {
  std::set<std::string> undecided;
  for (const model::CellComparison& cell : comparison.cells) {
    const auto is_undecided = [](const MetricComparison& metric) {
      return metric.p && metric.verdict == Verdict::inconclusive;
    };
    if (std::ranges::any_of(cell.metrics, is_undecided)) undecided.insert(cell.id);
  }
  std::vector<bool> go_on;
  for (const model::WorkerTask& group : groups) {
    go_on.push_back(std::ranges::any_of(group.batches, [&](std::int64_t batch) {
      return undecided.contains(model::id_of(model::cell_of(group, batch)));
    }));
  }
  return go_on;
}

model::Plan plan_to_confirm(const model::Plan& plan, const model::Comparison& first) {
  std::set<std::string> modes;
  for (const model::MeanComparison& mean : first.means) {
    if (is_slower(mean.metric)) modes.insert(mean.mode);
  }
  std::set<std::string> slower;
  for (const model::CellComparison& cell : first.cells) {
    if (std::ranges::any_of(cell.metrics, is_slower)) slower.insert(cell.id);
  }
  model::Plan again = plan;
  std::erase_if(again.tasks, [&](const model::WorkerTask& task) {
    return !modes.contains(task.mode) && std::ranges::none_of(task.batches, [&](std::int64_t batch) {
      return slower.contains(model::id_of(model::cell_of(task, batch)));
    });
  });
  return again;
}

void apply_confirmation(model::Comparison& first, const model::Comparison& again) {
  for (model::CellComparison& cell : first.cells) {
    for (MetricComparison& metric : cell.metrics) {
      if (!is_slower(metric) || !take_back(metric, find_metric(again, cell.id, metric.metric))) continue;
      --first.counts.slower;
      ++first.counts.inconclusive;
    }
  }
  for (model::MeanComparison& mean : first.means) {
    if (!is_slower(mean.metric) || !take_back(mean.metric, find_mean(again, mean))) continue;
    --first.counts.means_slower;
    ++first.counts.means_inconclusive;
  }
  first.verdict = model::verdict_of(first.counts);
  first.headline = headline_of(first);
}

std::optional<double> slowdown_found_by(std::int64_t launches, const model::Comparison& itself) {
  if (launches < 2) return std::nullopt;
  const auto pairs = static_cast<double>(launches);
  const double threshold =
      itself.settings.alpha / static_cast<double>(std::max<std::int64_t>(itself.tests, 1));
  std::vector<model::Power> powers;
  for (const model::CellComparison& cell : itself.cells) {
    for (const model::MetricComparison& metric : cell.metrics) {
      if (metric.metric != model::Metric::latency || !metric.spread) continue;
      const auto seen = static_cast<double>(std::min(metric.base_launches, metric.new_launches));
      powers.push_back(model::power_of(
          {0, *metric.spread * std::sqrt(2 / pairs), *metric.freedom * (pairs - 1) / (seen - 1)},
          std::log1p(metric.margin), threshold));
    }
  }
  const std::optional<double> found = model::found_in_any(powers, std::log1p(model::slowdown_max));
  return found ? std::optional(std::expm1(*found)) : std::nullopt;
}

std::optional<std::int64_t> launches_to_find(double slowdown, const model::Comparison& itself) {
  const auto is_enough = [&](std::int64_t launches) {
    const std::optional<double> found = slowdown_found_by(launches, itself);
    return found && *found <= slowdown;
  };
  if (!is_enough(launches_max)) return std::nullopt;
  std::int64_t too_few = 1;
  std::int64_t enough = launches_max;
  while (enough - too_few > 1) {
    const std::int64_t middle = (too_few + enough) / 2;
    (is_enough(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace graphbench::judge
