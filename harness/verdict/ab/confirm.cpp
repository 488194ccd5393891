// Pure: looks cells up by id, metrics by name.
#include "harness/verdict/ab/confirm.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "harness/model/axes.hpp"
#include "harness/verdict/compare/headline.hpp"

namespace graphbench::ab {
namespace {

using model::MetricComparison;
using model::Verdict;

bool is_slower(const MetricComparison& metric) {
  return metric.verdict == Verdict::slower;
}

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3fx", ratio);
  return text;
}

const MetricComparison* find(const model::Comparison& comparison, const std::string& id,
                             model::Metric metric) {
  const auto cell = std::ranges::find(comparison.cells, id, &model::CellComparison::id);
  if (cell == comparison.cells.end()) return nullptr;
  const auto found = std::ranges::find(cell->metrics, metric, &MetricComparison::metric);
  return found == cell->metrics.end() ? nullptr : &*found;
}

void confirm(MetricComparison& metric, const MetricComparison* again, model::ComparisonCounts& counts) {
  if (again != nullptr && is_slower(*again)) return;
  metric.verdict = Verdict::inconclusive;
  metric.why = "slower at first (" + ratio_text(metric.ratio) + "), but ";
  metric.why += again != nullptr ? "not when measured again (" + ratio_text(again->ratio) + ")"
                                 : "it could not be measured again";
  --counts.slower;
  ++counts.inconclusive;
}

// As harness/compare has it: the first of slower, inconclusive, faster, same that occurs.
Verdict verdict_of(const model::ComparisonCounts& counts) {
  if (counts.slower > 0) return Verdict::slower;
  if (counts.inconclusive > 0) return Verdict::inconclusive;
  if (counts.faster > 0) return Verdict::faster;
  return counts.same > 0 ? Verdict::same : Verdict::inconclusive;
}

}  // namespace

model::Plan plan_to_confirm(const model::Plan& plan, const model::Comparison& first) {
  std::set<std::string> slower;
  for (const model::CellComparison& cell : first.cells) {
    if (std::ranges::any_of(cell.metrics, is_slower)) slower.insert(cell.id);
  }
  model::Plan again = plan;
  std::erase_if(again.tasks, [&](const model::WorkerTask& task) {
    return std::ranges::none_of(task.batches, [&](std::int64_t batch) {
      return slower.contains(model::id_of(model::cell_of(task, batch)));
    });
  });
  return again;
}

void apply_confirmation(model::Comparison& first, const model::Comparison& again) {
  for (model::CellComparison& cell : first.cells) {
    for (MetricComparison& metric : cell.metrics) {
      if (is_slower(metric)) confirm(metric, find(again, cell.id, metric.metric), first.counts);
    }
  }
  first.verdict = verdict_of(first.counts);
  first.headline = compare::headline_of(first);
}

}  // namespace graphbench::ab
