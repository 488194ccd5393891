// Pairs cells by id, records each cell's coverage (compared, lost or new), and judges the pairs.
#include "harness/judge/compare/compare.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/judge/compare/facts.hpp"
#include "harness/judge/compare/judge.hpp"
#include "harness/judge/compare/means.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/moments.hpp"

namespace graphbench::judge {
namespace {

std::optional<double> mean_or_absent(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(model::geometric_mean(std::move(values)));
}

// True if the count changed by more than the coarser of both sides' resolutions; false if one is unknown.
bool differ(const model::Count& base, const model::Count& now) {
  return base.resolution && now.resolution &&
         std::abs(now.number - base.number) > std::max(*base.resolution, *now.resolution);
}

std::vector<model::Change> changes_of(const DocumentCell& base, const DocumentCell& now) {
  std::vector<model::Change> changes;
  for (const model::MetricRow* row : model::counted_metrics()) {
    const auto before = base.counts.find(row->counted);
    const auto after = now.counts.find(row->counted);
    if (before == base.counts.end() || after == now.counts.end()) continue;
    if (!differ(before->second, after->second)) continue;
    changes.push_back({std::string(row->counted), std::to_string(before->second.number),
                       std::to_string(after->second.number)});
  }
  if (!base.paths.empty() && !now.paths.empty() && base.paths != now.paths)
    changes.push_back({"paths", base.paths, now.paths});
  return changes;
}

std::vector<double> times_of(const DocumentCell& cell, model::Metric metric,
                             std::int64_t end = Launches().end) {
  std::vector<double> times;
  times.reserve(cell.launches.size());
  for (const LaunchTimes& launch : cell.launches) {
    if (launch.index < end && launch[metric] > 0) times.push_back(launch[metric]);
  }
  return times;
}

void describe_untested(const DocumentCell& base, const DocumentCell& now,
                       const std::vector<model::Metric>& listed, model::CellComparison& cell) {
  for (const model::Metric metric : listed) {
    const std::optional<double> before = mean_or_absent(times_of(base, metric));
    const std::optional<double> after = mean_or_absent(times_of(now, metric));
    if (before || after) cell.listed.push_back({metric, before, after});
  }
  cell.changed = changes_of(base, now);
}

using model::CellComparison;
using model::Coverage;
using model::Metric;
using model::Verdict;

Coverage coverage_of(const DocumentCell& base, const DocumentCell& now) {
  if (base.state == CellStatus::ok) {
    if (now.state == CellStatus::failed) return Coverage::failed_now;
    return now.state == CellStatus::skipped ? Coverage::skipped_now : Coverage::compared;
  }
  return now.state == CellStatus::ok ? Coverage::recovered : Coverage::neither;
}

// The trials, and the metrics that only one side has, in the order of the pairs.
struct Trials {
  std::vector<Trial> trials;
  struct Lack {
    std::size_t cell = 0;
    Metric metric = Metric::latency;
    bool lost = false;  // true: BASE has the metric; false: NEW has it
  };
  std::vector<Lack> lacks;
};

// Returns the launches that have the metric; a side without the metric is empty. In an interleaved run,
// returns only the launches whose index both sides have. If no index is on both sides, returns all launches
// and sets `partnerless`.
Replicates replicates_of(const DocumentCell& base, const DocumentCell& now, Metric metric,
                         const Launches& launches) {
  Replicates all{times_of(base, metric, launches.end), times_of(now, metric, launches.end)};
  if (!launches.interleaved || all.base.empty() || all.now.empty()) return all;
  Replicates replicates;
  replicates.paired = true;
  replicates.base.reserve(base.launches.size());
  replicates.now.reserve(base.launches.size());
  for (const LaunchTimes& launch : base.launches) {
    const auto partner = std::ranges::find(now.launches, launch.index, &LaunchTimes::index);
    if (partner == now.launches.end() || launch.index >= launches.end) continue;
    if (launch[metric] <= 0 || (*partner)[metric] <= 0) continue;
    replicates.base.push_back(launch[metric]);
    replicates.now.push_back((*partner)[metric]);
  }
  if (!replicates.base.empty()) return replicates;
  all.partnerless = true;
  return all;
}

// Makes the trials. Writes metrics directly into `cells`, so that they are not kept in memory twice.
Trials measure_all(std::span<const Pair> pairs, const model::ComparisonSettings& settings,
                   const Launches& launches, std::vector<CellComparison>& cells) {
  const std::vector<Metric> tested = model::tested_metrics();
  Trials measured;
  measured.trials.reserve(pairs.size() * tested.size());
  std::vector<std::pair<Metric, Replicates>> found;
  for (const Pair& pair : pairs) {
    const bool in_pairs = launches.interleaved && can_be_paired(pair);
    found.clear();
    for (const Metric metric : tested) {
      Replicates replicates = replicates_of(*pair.base, *pair.now, metric, {in_pairs, launches.end});
      if (!replicates.base.empty() && !replicates.now.empty())
        found.emplace_back(metric, std::move(replicates));
      else if (replicates.base.empty() != replicates.now.empty())
        measured.lacks.push_back({pair.cell, metric, replicates.now.empty()});
    }
    std::vector<model::MetricComparison>& results = cells[pair.cell].metrics;
    results = std::vector<model::MetricComparison>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& [metric, replicates] = found[i];
      Trial& trial =
          measured.trials.emplace_back(measure(metric, replicates, settings.of(metric), results[i]));
      trial.cell = static_cast<std::uint32_t>(pair.cell);
    }
  }
  return measured;
}

// Sets the indices of each trial's family and task: distinct names are numbered from 0, in the order of first
// use.
void place(Trials& measured, const std::vector<CellComparison>& cells) {
  using Numbers = std::unordered_map<std::string, std::uint32_t>;
  const auto number_of = [](const std::string& name, Numbers& numbers) {
    return numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  Numbers families;
  Numbers tasks;
  const Trial* earlier = nullptr;
  for (Trial& trial : measured.trials) {
    const bool same_cell = earlier != nullptr && trial.cell == earlier->cell;
    const CellComparison& cell = cells[trial.cell];
    trial.family = same_cell ? earlier->family : number_of(cell.family, families);
    trial.task = same_cell ? earlier->task : number_of(model::id_without("batch", cell.id), tasks);
    earlier = &trial;
  }
}

void describe_pairs(std::span<const Pair> pairs, bool throttling_told, model::Comparison& comparison) {
  const std::vector<Metric> listed = model::listed_metrics();
  for (const Pair& pair : pairs) {
    CellComparison& cell = comparison.cells[pair.cell];
    describe_untested(*pair.base, *pair.now, listed, cell);
    if (!throttling_told) continue;
    cell.base_throttle = pair.base->throttled;
    cell.new_throttle = pair.now->throttled;
  }
}

CellComparison& add_cell(model::Comparison& comparison, const DocumentCell& named, Coverage coverage,
                         const std::string& reason) {
  CellComparison& cell = comparison.cells.emplace_back();
  cell.id = named.id;
  cell.family = model::id_without("warmup", named.id);
  if (cell.family.empty()) cell.family = named.id;
  cell.coverage = coverage;
  cell.reason = reason;
  return cell;
}

// Adds each cell with its coverage to the comparison. Returns the pairs whose metrics are compared.
std::vector<Pair> pair_cells(const Side& base, const Side& now, model::Comparison& comparison) {
  const bool common = comparison.settings.common;
  std::unordered_map<std::string_view, const DocumentCell*> partners;  // NEW's cells that have no pair yet
  partners.reserve(now.cells.size());
  for (const DocumentCell& cell : now.cells) partners.emplace(cell.id, &cell);
  std::vector<Pair> pairs;
  pairs.reserve(base.cells.size());
  comparison.cells.reserve(base.cells.size());
  for (const DocumentCell& before : base.cells) {
    const auto partner = partners.extract(before.id);
    if (partner.empty()) {
      if (common) continue;
      add_cell(comparison, before, Coverage::base_only, before.reason).regression =
          before.state == CellStatus::ok;
      continue;
    }
    const DocumentCell& after = *partner.mapped();
    const Coverage coverage = coverage_of(before, after);
    CellComparison& cell =
        add_cell(comparison, before, coverage, after.state == CellStatus::ok ? before.reason : after.reason);
    cell.regression = coverage == Coverage::failed_now || coverage == Coverage::skipped_now;
    if (coverage == Coverage::compared) pairs.push_back({&before, &after, comparison.cells.size() - 1});
  }
  if (common) return pairs;
  for (const DocumentCell& cell : now.cells) {
    if (partners.contains(cell.id)) add_cell(comparison, cell, Coverage::new_only, cell.reason);
  }
  return pairs;
}

void count_cell(const CellComparison& cell, model::ComparisonCounts& counts) {
  ++(counts.*model::coverage_counts.at(static_cast<std::size_t>(cell.coverage)));
  if (cell.regression) ++counts.coverage_regressions;
  if (!cell.lost.empty()) ++counts.cells_lacking;
  counts.metrics_lost += static_cast<std::int64_t>(cell.lost.size());
  counts.metrics_gained += static_cast<std::int64_t>(cell.gained.size());
  counts.changed += static_cast<std::int64_t>(cell.changed.size());
  counts.cells_changed += cell.changed.empty() ? 0 : 1;
  for (const model::MetricComparison& metric : cell.metrics) {
    ++(counts.*model::verdict_counts.at(static_cast<std::size_t>(metric.verdict)));
  }
}

model::ComparisonSide describe(const Side& side) {
  model::ComparisonSide described;
  described.source = side.source;
  described.documents = side.documents;
  described.tool_version = side.facts.tool_version;
  described.tool_commit = side.facts.tool_commit;
  described.started_at = side.facts.started_at;
  described.complete = side.facts.complete;
  described.device_kind = side.facts.field("device.kind");
  described.device_name = side.facts.field("device.name");
  described.driver = side.facts.field("device.driver");
  described.fingerprint = side.facts.field("fingerprint");
  described.plan_hash = side.facts.field("plan");
  described.cells = static_cast<std::int64_t>(side.cells.size());
  for (const DocumentCell& cell : side.cells) {
    if (cell.state != CellStatus::ok) continue;
    const auto launches = static_cast<std::int64_t>(cell.launches.size());
    described.launches_max = std::max(described.launches_max, launches);
    described.launches_min =
        described.launches_min == 0 ? launches : std::min(described.launches_min, launches);
  }
  return described;
}

void note_lacks(const std::vector<Trials::Lack>& lacks, model::Comparison& comparison) {
  for (const Trials::Lack& lack : lacks) {
    if (model::row_of(lack.metric).on_request) continue;
    CellComparison& cell = comparison.cells[lack.cell];
    (lack.lost ? cell.lost : cell.gained).push_back(lack.metric);
    cell.regression = cell.regression || lack.lost;
  }
}

}  // namespace

model::Comparison compare(const Side& base, const Side& now, const model::ComparisonSettings& settings) {
  model::Comparison comparison;
  comparison.base = describe(base);
  comparison.now = describe(now);
  comparison.settings = settings;
  std::vector<std::string> allow = settings.allow;
  if (settings.common) allow.emplace_back("plan");
  comparison.differences = differences_of(base.facts, now.facts, allow);
  comparison.comparable = comparable(comparison.differences);
  if (!comparison.comparable) {
    comparison.headline = headline_of(comparison);
    return comparison;
  }
  const bool interleaved = !base.facts.interleaved.empty() && base.facts.interleaved == now.facts.interleaved;
  const std::vector<Pair> pairs = pair_cells(base, now, comparison);
  const bool throttling_told = base.facts.clocks.launches > 0 && now.facts.clocks.launches > 0;
  describe_pairs(pairs, throttling_told, comparison);
  // Repeats every look of an `ab --until-decided` run, with the launches that had been made at that look.
  std::vector<std::int64_t> looks;
  if (interleaved && base.facts.looks == now.facts.looks) looks = base.facts.looks;
  Looks judged(settings, looks);
  Looks judged_means(settings, looks);
  for (std::size_t i = 0; i + 1 < looks.size(); ++i) {
    Trials early = measure_all(pairs, settings, {interleaved, looks[i]}, comparison.cells);
    place(early, comparison.cells);
    judged.judge(early.trials);
    std::vector<Trial> early_means =
        measure_means(pairs, settings, {interleaved, looks[i]}, comparison.means);
    judged_means.judge(early_means);
  }
  Trials measured = measure_all(pairs, settings, {interleaved}, comparison.cells);
  place(measured, comparison.cells);
  note_lacks(measured.lacks, comparison);
  const Tests tests = judged.judge(measured.trials);
  comparison.tests = tests.tests;
  comparison.families = tests.families;
  comparison.slowdown_found = judged.slowdown_found(measured.trials);
  std::vector<Trial> means = measure_means(pairs, settings, {interleaved}, comparison.means);
  judged_means.judge(means);
  judge_steadiness(comparison.means);
  comparison.odd_launches = odd_launches(pairs, settings);
  comparison.two_states = two_states(pairs, settings);
  for (const CellComparison& cell : comparison.cells) count_cell(cell, comparison.counts);
  for (const model::MeanComparison& mean : comparison.means) {
    ++(comparison.counts.*model::mean_counts.at(static_cast<std::size_t>(mean.metric.verdict)));
    comparison.counts.means_less_steady += mean.less_steady ? 1 : 0;
  }
  comparison.verdict = model::verdict_of(comparison.counts);
  comparison.headline = headline_of(
      comparison, interleaved ? "" : disturbance_of(base.facts, now.facts, comparison.differences));
  return comparison;
}

}  // namespace graphbench::judge
