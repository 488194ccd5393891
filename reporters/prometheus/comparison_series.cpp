// One table of families; a walk over the comparison's cells fills in their lines.
#include "reporters/prometheus/comparison_series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reporters/prometheus/line_text.hpp"

namespace graphbench::reporters {
namespace {

using Labels = std::vector<prometheus::ClientMetric::Label>;
using model::Metric;

enum Family : std::size_t { comparable, mismatch, coverage, latency, submit, device, change, verdict };

struct FamilyText {
  const char* name;
  const char* help;
};

constexpr std::array<FamilyText, comparison_families> families{{
    {"graphbench_baseline_comparable",
     "1 where the last sweep that ended on the device compares with the baseline."},
    {"graphbench_baseline_mismatch_info", "What keeps the last sweep from comparing with the baseline; 1."},
    {"graphbench_baseline_cells", "Cells of the comparison by what both sides have."},
    {"graphbench_baseline_latency_seconds", "The baseline's median latency."},
    {"graphbench_baseline_submit_seconds", "The baseline's median submit time."},
    {"graphbench_baseline_device_seconds", "The baseline's median device time."},
    {"graphbench_change_ratio", "New over baseline, of the geometric means over launches."},
    {"graphbench_verdict_info", "What the comparison with the baseline says; 1."},
}};

class Lines {
 public:
  void add(Family family, Labels labels, double value) {
    if (std::isfinite(value)) lines_[family] += gauge_text(families[family].name, std::move(labels), value);
  }
  ComparisonLines take() { return std::move(lines_); }

 private:
  ComparisonLines lines_;
};

Labels with(Labels labels, const char* name, std::string value) {
  labels.push_back({name, std::move(value)});
  return labels;
}

void add_coverage(Lines& lines, const std::string& on, const model::ComparisonCounts& counts) {
  using model::Coverage;
  for (const auto& [which, count] : {std::pair{Coverage::compared, counts.compared},
                                     {Coverage::base_only, counts.base_only},
                                     {Coverage::new_only, counts.new_only},
                                     {Coverage::failed_now, counts.failed_now},
                                     {Coverage::skipped_now, counts.skipped_now},
                                     {Coverage::recovered, counts.recovered},
                                     {Coverage::neither, counts.neither}}) {
    lines.add(coverage, {{"device", on}, {"coverage", name_of(which)}}, static_cast<double>(count));
  }
}

void add_metric(Lines& lines, const Labels& cell, const model::MetricComparison& metric) {
  // Of capture there is no base time: its cost is no time of a step.
  if (metric.metric == Metric::latency) lines.add(latency, cell, metric.base_seconds);
  if (metric.metric == Metric::submit) lines.add(submit, cell, metric.base_seconds);
  if (metric.metric == Metric::device) lines.add(device, cell, metric.base_seconds);
  const Labels labels = with(cell, "metric", name_of(metric.metric));
  lines.add(change, labels, metric.ratio);
  lines.add(verdict, with(labels, "verdict", name_of(metric.verdict)), 1);
}

}  // namespace

ComparisonLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                         const model::Comparison& comparison) {
  Lines lines;
  lines.add(comparable, {{"device", device}}, comparison.comparable ? 1 : 0);
  if (!comparison.comparable) {
    for (const model::Difference& difference : comparison.differences) {
      if (!difference.blocking || difference.allowed) continue;
      lines.add(mismatch, {{"device", device}, {"field", difference.field}}, 1);
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
  return lines.take();
}

void append_families(std::string& text, const std::map<std::string, ComparisonLines>& comparisons) {
  for (std::size_t i = 0; i < comparison_families; ++i) {
    if (std::ranges::all_of(comparisons, [i](const auto& each) { return each.second[i].empty(); })) continue;
    text += head_text(families[i].name, families[i].help, prometheus::MetricType::Gauge);
    for (const auto& [name, lines] : comparisons) text += lines[i];
  }
}

}  // namespace graphbench::reporters
