// Makes the series of each metric family of cells and comparisons. Values are medians over launches.
#include "harness/sweep/report/series.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/model/axes.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::sweep {
namespace {

using model::CellComparison;
using model::CellResult;
using model::CellStatus;
using model::Comparison;
using model::MeanComparison;
using prometheus::ClientMetric;
using SeriesList = std::vector<reporters::Series>;

constexpr std::array<std::size_t, 7> ramp_steps = {0, 1, 2, 4, 8, 16, 31};

SeriesList times_of(const CellResult& cell, const model::MetricRow& row) {
  const std::optional<model::Estimate>& estimate = cell.summary.*row.estimate;
  if (!estimate) return {};
  std::vector<model::Summary> launches;
  for (const model::Launch& launch : cell.launches) {
    if (const model::Summary* summary = row.value.summary_of(launch)) launches.push_back(*summary);
  }
  return {{{},
           estimate->p50,
           times_over(estimate->p50, launches, {{0.9, &model::Summary::p90}, {0.99, &model::Summary::p99}})}};
}

reporters::Family<CellResult> family_of(const model::MetricRow& metric) {
  reporters::FamilyRow row = reporters::gauge_row(std::string(metric.family), std::string(metric.unit),
                                                  {"CELL"}, std::string(metric.help));
  if (!model::is_distribution(metric)) {
    return {std::move(row), [&metric](const CellResult& cell) -> SeriesList {
              const auto value = model::value_of(metric, cell);
              if (cell.status != CellStatus::ok || !value) return {};
              return {{{}, *value}};
            }};
  }
  row.type = "summary";
  row.labels.emplace_back("quantile");
  return {std::move(row), [&metric](const CellResult& cell) {
            return cell.status == CellStatus::ok ? times_of(cell, metric) : SeriesList();
          }};
}

// The median latency of some of the steps (from 0) after the setup, each over the launches with this step.
SeriesList ramp_of(const CellResult& cell) {
  SeriesList series;
  if (cell.status != CellStatus::ok) return series;
  for (const std::size_t step : ramp_steps) {
    std::vector<double> values;
    for (const model::Launch& launch : cell.launches) {
      if (step < launch.latency_samples.size()) values.push_back(launch.latency_samples[step]);
    }
    if (const auto value = model::median_or_absent(std::move(values)))
      series.push_back({{std::to_string(step)}, *value});
  }
  return series;
}

SeriesList memory_of(const CellResult& cell) {
  SeriesList series;
  if (cell.status != CellStatus::ok) return series;
  for (const model::MetricRow* row : model::metrics_in(model::MetricSection::memory)) {
    const auto value = row->memory_of.empty() ? std::nullopt : model::value_of(*row, cell);
    if (value) series.push_back({{std::string(row->memory_of)}, *value});
  }
  return series;
}

SeriesList skips_of(const CellResult& cell) {
  SeriesList series;
  if (!cell.counters) return series;
  for (const auto& [reason, count] : cell.counters->skips)
    series.push_back({{reason}, static_cast<double>(count)});
  return series;
}

SeriesList walk_series(const CellResult& cell) {
  std::map<std::string, double> steps;
  if (cell.shape_walk && cell.status == CellStatus::ok) {
    for (const model::TracedStep& step : cell.shape_walk->traces) ++steps[step.outcome];
  }
  SeriesList series;
  for (const auto& [outcome, count] : steps) series.push_back({{outcome}, count});
  return series;
}

// The 95 % interval of a gain, which boards and alerts ask whether it excludes 1.
reporters::Family<CellResult> gain_family(std::string_view end, std::string_view help,
                                          std::optional<double> model::CellSummary::*member) {
  return {reporters::gauge_row("graphbench_speedup_over_eager_" + std::string(end) + "_ratio", "ratio",
                               {"CELL"}, std::string(help)),
          [member](const CellResult& cell) -> SeriesList {
            const std::optional<double>& value = cell.summary.*member;
            if (cell.status != CellStatus::ok || !value) return {};
            return {{{}, *value}};
          }};
}

SeriesList mismatches_of(const Comparison& comparison) {
  SeriesList series;
  if (comparison.comparable) return series;
  for (const model::Difference& difference : comparison.differences) {
    if (difference.blocking && !difference.allowed) series.push_back({{difference.field}, 1});
  }
  return series;
}

SeriesList coverage_of(const Comparison& comparison) {
  using model::Coverage;
  SeriesList series;
  if (!comparison.comparable) return series;
  const model::ComparisonCounts& counts = comparison.counts;
  for (const auto& [which, count] : {std::pair{Coverage::compared, counts.compared},
                                     {Coverage::base_only, counts.base_only},
                                     {Coverage::new_only, counts.new_only},
                                     {Coverage::failed_now, counts.failed_now},
                                     {Coverage::skipped_now, counts.skipped_now},
                                     {Coverage::recovered, counts.recovered},
                                     {Coverage::neither, counts.neither}})
    series.push_back({{name_of(which)}, static_cast<double>(count)});
  return series;
}

reporters::Family<CellComparison> baseline_family(const model::MetricRow& metric) {
  constexpr std::string_view prefix = "graphbench_";
  return {reporters::gauge_row("graphbench_baseline_" + std::string(metric.family.substr(prefix.size())),
                               std::string(metric.unit), {"CELL"}, std::string(metric.baseline_help)),
          [&metric](const CellComparison& cell) {
            SeriesList series;
            for (const model::MetricComparison& each : cell.metrics) {
              if (&model::row_of(each.metric) == &metric) series.push_back({{}, each.base_seconds});
            }
            return series;
          }};
}

}  // namespace

const std::vector<reporters::Family<CellResult>>& cell_families() {
  static const std::vector<reporters::Family<CellResult>> all = [] {
    std::vector<reporters::Family<CellResult>> families;
    for (const model::MetricRow* metric : model::family_metrics()) families.push_back(family_of(*metric));
    families.push_back({reporters::gauge_row("graphbench_ramp_seconds", "seconds", {"CELL", "step"},
                                             "Latency of each of the first steps after the setup."),
                        ramp_of});
    families.push_back(
        {reporters::gauge_row("graphbench_memory_bytes", "bytes", {"CELL", "of"},
                              "Device memory of the worker, by use; memory of graphs is only this cell's."),
         memory_of});
    families.push_back(
        {reporters::gauge_row("graphbench_counters_skips", "cells", {"CELL", "reason"},
                              "1 if the cell's program cannot be captured, by the reason's code."),
         skips_of});
    families.push_back({reporters::gauge_row("graphbench_shape_walk_steps", "steps", {"CELL", "outcome"},
                                             "Number of steps in the walk over a shape trace, by outcome."),
                        walk_series});
    families.push_back(gain_family("low",
                                   "Lower end of the gain's 95 % interval: above 1 the gain is certain. "
                                   "Absent below three launches.",
                                   &model::CellSummary::speedup_ci95_low));
    families.push_back(gain_family("high",
                                   "Upper end of the gain's 95 % interval: below 1 the loss is certain. "
                                   "Absent below three launches.",
                                   &model::CellSummary::speedup_ci95_high));
    families.push_back(
        {reporters::gauge_row(
             "graphbench_no_breakeven_info", "info", {"CELL", "reason"},
             "Always 1; the label `reason` says why the cell's graphs have no break-even: `never` "
             "(slower than eager), `not told apart` (the saving may be 0), `eager not swept`."),
         [](const CellResult& cell) {
           const std::optional<model::NoBreakeven>& reason = cell.summary.no_breakeven;
           return reason ? SeriesList{{{std::string(name_of(*reason))}, 1}} : SeriesList();
         }});
    return families;
  }();
  return all;
}

const std::vector<reporters::Family<Comparison>>& coverage_families() {
  static const std::vector<reporters::Family<Comparison>> all = {
      {reporters::gauge_row("graphbench_baseline_comparable", "boolean", {"device"},
                            "1 if the device's last finished sweep is comparable with the baseline, else 0."),
       [](const Comparison& of) {
         return SeriesList{{{}, of.comparable ? 1.0 : 0.0}};
       }},
      {reporters::gauge_row(
           "graphbench_baseline_mismatch_info", "info", {"device", "field"},
           "Always 1; a label gives a reason why the last sweep is not comparable with the baseline."),
       mismatches_of},
      {reporters::gauge_row("graphbench_baseline_cells", "cells", {"device", "coverage"},
                            "Number of compared cells, by coverage on the two sides."),
       coverage_of}};
  return all;
}

const std::vector<reporters::Family<CellComparison>>& change_families() {
  static const std::vector<reporters::Family<CellComparison>> all = [] {
    std::vector<reporters::Family<CellComparison>> families;
    for (const model::MetricRow* metric : model::compared_metrics()) {
      if (!metric->baseline_help.empty()) families.push_back(baseline_family(*metric));
    }
    families.push_back(
        {reporters::gauge_row("graphbench_change_ratio", "ratio", {"CELL", "metric"},
                              "The metric in the last sweep divided by the metric in the baseline, from "
                              "geometric means over launches."),
         [](const CellComparison& cell) {
           SeriesList series;
           for (const model::MetricComparison& metric : cell.metrics)
             series.push_back({{name_of(metric.metric)}, metric.ratio});
           return series;
         }});
    families.push_back(
        {reporters::gauge_row("graphbench_verdict_info", "info", {"CELL", "metric", "verdict"},
                              "Always 1; a label gives the verdict of the comparison with the baseline."),
         [](const CellComparison& cell) {
           SeriesList series;
           for (const model::MetricComparison& metric : cell.metrics)
             series.push_back({{name_of(metric.metric), name_of(metric.verdict)}, 1});
           return series;
         }});
    return families;
  }();
  return all;
}

const std::vector<reporters::Family<MeanComparison>>& mean_families() {
  static const std::vector<reporters::Family<MeanComparison>> all = {
      {reporters::gauge_row(
           "graphbench_mean_change_ratio", "ratio", {"device", "mode", "metric"},
           "The metric in the last sweep divided by the metric in the baseline, as mean over the cells "
           "of a mode."),
       [](const MeanComparison& mean) {
         return SeriesList{{{}, mean.metric.ratio}};
       }},
      {reporters::gauge_row(
           "graphbench_mean_verdict_info", "info", {"device", "mode", "metric", "verdict"},
           "Always 1; labels give the verdict on the mean over a mode's cells, and whether launches are "
           "less steady than the baseline's."),
       [](const MeanComparison& mean) {
         SeriesList series = {{{name_of(mean.metric.verdict)}, 1}};
         if (mean.less_steady) series.push_back({{model::less_steady_word}, 1});
         return series;
       }}};
  return all;
}

reporters::Labels labels_of(const CellKey& key) {
  reporters::Labels labels;
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
    const auto value = model::median_or_absent(std::move(known));
    if (value && std::isfinite(*value)) time.quantile.push_back({quantile, *value});
  }
  return time;
}

reporters::FamilyLines lines_of(const CellKey& key, const CellResult& cell) {
  reporters::FamilyLines lines;
  reporters::add_lines(lines, cell_families(), labels_of(key), cell);
  return lines;
}

reporters::FamilyLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                                const Comparison& comparison) {
  reporters::FamilyLines lines;
  reporters::add_lines(lines, coverage_families(), {{"device", device}}, comparison);
  if (!comparison.comparable) return lines;
  for (const CellComparison& one : comparison.cells) {
    if (const auto cell = cells.find(one.id); cell != cells.end())
      reporters::add_lines(lines, change_families(), labels_of({device, cell->second}), one);
  }
  for (const MeanComparison& mean : comparison.means)
    reporters::add_lines(lines, mean_families(),
                         {{"device", device}, {"mode", mean.mode}, {"metric", name_of(mean.metric.metric)}},
                         mean);
  return lines;
}

}  // namespace graphbench::sweep
