// A walk over the comparison's cells fills in the lines of their families.
#include "reporters/prometheus/comparison_series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/model/metrics.hpp"
#include "reporters/prometheus/families.hpp"
#include "reporters/prometheus/line_text.hpp"

namespace graphbench::reporters {
namespace {

using Labels = std::vector<prometheus::ClientMetric::Label>;

// Its lines by family, in the order of families().
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
    lines.add("graphbench_baseline_cells", {{"device", on}, {"coverage", name_of(which)}},
              static_cast<double>(count));
  }
}

void add_metric(Lines& lines, const Labels& cell, const model::MetricComparison& metric) {
  // Metrics whose row has no help for a baseline have no such family.
  lines.add(baseline_family(model::row_of(metric.metric)), cell, metric.base_seconds);
  const Labels labels = with(cell, "metric", name_of(metric.metric));
  lines.add("graphbench_change_ratio", labels, metric.ratio);
  lines.add("graphbench_verdict_info", with(labels, "verdict", name_of(metric.verdict)), 1);
}

}  // namespace

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
  return lines.take();
}

}  // namespace graphbench::reporters
