// Writes the series of each metric family of cells and comparisons. Values are medians over launches.
#include "harness/sweep/report/series.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "harness/model/axes.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/families.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::reporters {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

using Labels = std::vector<ClientMetric::Label>;
using Number = std::optional<double>;

constexpr std::array<std::size_t, 7> ramp_steps = {0, 1, 2, 4, 8, 16, 31};

Labels with(Labels labels, const char* name, std::string value) {
  labels.push_back({name, std::move(value)});
  return labels;
}

Number finite(Number value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> median_or_none(std::vector<double> values) {
  return finite(statistics::median_or_absent(std::move(values)));
}

std::optional<ClientMetric::Summary> time_of(const model::CellResult& cell, const model::MetricRow& row) {
  const std::optional<model::Estimate>& estimate = cell.summary.*row.estimate;
  if (!estimate || !std::isfinite(estimate->p50)) return std::nullopt;
  std::vector<model::Summary> launches;
  for (const model::Launch& launch : cell.launches) {
    if (const model::Summary* summary = row.value.summary_of(launch)) launches.push_back(*summary);
  }
  return times_over(estimate->p50, launches, {{0.9, &model::Summary::p90}, {0.99, &model::Summary::p99}});
}

// The median latency of step number `step` (from 0) after the setup, over the launches with this step.
Number ramp_at(const model::CellResult& cell, std::size_t step) {
  std::vector<double> values;
  for (const model::Launch& launch : cell.launches) {
    if (step < launch.latency_samples.size()) values.push_back(launch.latency_samples[step]);
  }
  return median_or_none(std::move(values));
}

std::string line_of(const model::MetricRow& row, const Labels& labels, const model::CellResult& cell) {
  const std::string name(row.family);
  if (model::is_distribution(row)) {
    const auto time = time_of(cell, row);
    if (!time) return "";
    ClientMetric metric;
    metric.label = labels;
    metric.summary = *time;
    return series_text(name, MetricType::Summary, std::move(metric));
  }
  const Number value = statistics::value_of(row, cell);
  return finite(value) ? gauge_text(name, labels, *value) : "";
}

std::string ramp_lines(const Labels& labels, const model::CellResult& cell) {
  std::string lines;
  for (const std::size_t step : ramp_steps) {
    const Number value = ramp_at(cell, step);
    if (value) lines += gauge_text(ramp_family, with(labels, "step", std::to_string(step)), *value);
  }
  return lines;
}

std::string memory_lines(const Labels& labels, const model::CellResult& cell) {
  std::string lines;
  for (const model::MetricRow* row : model::metrics_in(model::MetricSection::memory)) {
    const Number value = row->memory_of.empty() ? std::nullopt : statistics::value_of(*row, cell);
    if (value) lines += gauge_text(memory_family, with(labels, "of", std::string(row->memory_of)), *value);
  }
  return lines;
}

std::string walk_lines(const Labels& labels, const model::CellResult& cell) {
  std::map<std::string, double> steps;
  if (cell.shape_walk && cell.status == model::CellStatus::ok) {
    for (const model::TracedStep& step : cell.shape_walk->traces) ++steps[step.outcome];
  }
  std::string lines;
  for (const auto& [outcome, count] : steps)
    lines += gauge_text(walk_family, with(labels, "outcome", outcome), count);
  return lines;
}

// Collects lines by family, in the order of families().
class Lines {
 public:
  explicit Lines(std::vector<FamilyRow> rows) : rows_(std::move(rows)), lines_(rows_.size()) {}

  void add(std::string_view family, Labels labels, double value) {
    const auto row = std::ranges::find(rows_, family, &FamilyRow::name);
    if (row == rows_.end() || !std::isfinite(value)) return;
    lines_[static_cast<std::size_t>(row - rows_.begin())] += gauge_text(row->name, std::move(labels), value);
  }
  ComparisonLines take() { return std::move(lines_); }

 private:
  std::vector<FamilyRow> rows_;
  ComparisonLines lines_;
};

void add_coverage(Lines& lines, const std::string& on, const model::ComparisonCounts& counts) {
  using model::Coverage;
  for (const auto& [which, count] : {std::pair{Coverage::compared, counts.compared},
                                     {Coverage::base_only, counts.base_only},
                                     {Coverage::new_only, counts.new_only},
                                     {Coverage::failed_now, counts.failed_now},
                                     {Coverage::skipped_now, counts.skipped_now},
                                     {Coverage::recovered, counts.recovered},
                                     {Coverage::neither, counts.neither}}) {
    lines.add("graphbench_baseline_cells", {{"device", on}, {"coverage", name_of(which)}},
              static_cast<double>(count));
  }
}

void add_metric(Lines& lines, const Labels& cell, const model::MetricComparison& metric) {
  // A metric without help for its baseline has no baseline family.
  const model::MetricRow& row = model::row_of(metric.metric);
  if (!row.baseline_help.empty()) lines.add(baseline_family(row), cell, metric.base_seconds);
  const Labels labels = with(cell, "metric", name_of(metric.metric));
  lines.add("graphbench_change_ratio", labels, metric.ratio);
  lines.add("graphbench_verdict_info", with(labels, "verdict", name_of(metric.verdict)), 1);
}

}  // namespace

Labels labels_of(const CellKey& key) {
  Labels labels;
  for (auto& [axis, value] : model::axis_values(key.cell)) {
    if (!key.cell.more_axes.contains(axis)) labels.push_back({std::move(axis), std::move(value)});
  }
  if (!key.cell.more_axes.empty()) labels.push_back({"variant", model::variant_of(key.cell)});
  labels.push_back({"device", key.device});
  return labels;
}

ClientMetric::Summary times_over(double p50, const std::vector<model::Summary>& launches,
                                 const Percentiles& percentiles) {
  ClientMetric::Summary time;
  for (const model::Summary& summary : launches) {
    time.sample_count += static_cast<std::uint64_t>(summary.count);
    time.sample_sum += summary.mean * static_cast<double>(summary.count);
  }
  time.quantile.push_back({0.5, p50});
  for (const auto& [quantile, member] : percentiles) {
    // Leaves out launches that have too few samples for the percentile.
    std::vector<double> known;
    for (const model::Summary& summary : launches) {
      if (summary.*member) known.push_back(*(summary.*member));
    }
    if (const Number value = median_or_none(std::move(known))) time.quantile.push_back({quantile, *value});
  }
  return time;
}

CellLines lines_of(const CellKey& key, const model::CellResult& cell) {
  const std::size_t before_skips = model::family_metrics().size() + 2;
  CellLines lines;
  const Labels labels = labels_of(key);
  if (cell.status == model::CellStatus::ok) {
    for (const model::MetricRow* row : model::family_metrics()) lines.push_back(line_of(*row, labels, cell));
    lines.push_back(ramp_lines(labels, cell));
    lines.push_back(memory_lines(labels, cell));
  }
  lines.resize(before_skips);
  std::string& skips = lines.emplace_back();
  if (cell.counters) {
    for (const auto& [reason, count] : cell.counters->skips)
      skips += gauge_text(skips_family, with(labels, "reason", reason), static_cast<double>(count));
  }
  lines.push_back(walk_lines(labels, cell));
  const std::optional<model::NoBreakeven>& reason = cell.summary.no_breakeven;
  lines.push_back(
      reason ? gauge_text(no_breakeven_family, with(labels, "reason", std::string(name_of(*reason))), 1)
             : "");
  return lines;
}

ComparisonLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                         const model::Comparison& comparison) {
  Lines lines(families());
  lines.add("graphbench_baseline_comparable", {{"device", device}}, comparison.comparable ? 1 : 0);
  if (!comparison.comparable) {
    for (const model::Difference& difference : comparison.differences) {
      if (!difference.blocking || difference.allowed) continue;
      lines.add("graphbench_baseline_mismatch_info", {{"device", device}, {"field", difference.field}}, 1);
    }
    return lines.take();
  }
  add_coverage(lines, device, comparison.counts);
  for (const model::CellComparison& one : comparison.cells) {
    const auto cell = cells.find(one.id);
    if (cell == cells.end()) continue;
    const Labels labels = labels_of({device, cell->second});
    for (const model::MetricComparison& metric : one.metrics) add_metric(lines, labels, metric);
  }
  for (const model::MeanComparison& mean : comparison.means) {
    const Labels labels = {{"device", device}, {"mode", mean.mode}, {"metric", name_of(mean.metric.metric)}};
    lines.add("graphbench_mean_change_ratio", labels, mean.metric.ratio);
    lines.add("graphbench_mean_verdict_info", with(labels, "verdict", name_of(mean.metric.verdict)), 1);
    if (mean.less_steady)
      lines.add("graphbench_mean_verdict_info", with(labels, "verdict", model::less_steady_word), 1);
  }
  return lines.take();
}

}  // namespace graphbench::reporters
