// Builds the sample comparisons by hand, and counts them as harness/compare does.
#include "tests/golden/format_samples.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace graphbench::samples::formats {
namespace {

using model::CellComparison;
using model::Comparison;
using model::ComparisonSide;
using model::Coverage;
using model::Metric;
using model::MetricComparison;
using model::Verdict;

ComparisonSide side_of(const std::string& source, const std::string& commit) {
  ComparisonSide side;
  side.source = source;
  side.tool_version = "0.1.0";
  side.tool_commit = commit;
  side.started_at = "2026-11-20T02:00:00Z";
  side.device_kind = "cuda";
  side.device_name = "NVIDIA H200";
  side.driver = "580.159.04";
  side.fingerprint = "ba788eb7";
  side.plan_hash = "c258425e";
  side.launches_min = 5;
  side.launches_max = 5;
  side.cells = 9;
  return side;
}

Comparison comparison_of_two_runs() {
  Comparison comparison;
  comparison.base = side_of("base.json", "720fef342ab4");
  comparison.now = side_of("new.json", "e82fdc8aa001");
  comparison.now.started_at = "2026-11-21T02:00:00Z";
  return comparison;
}

MetricComparison metric_of(Metric metric, double base_seconds, double ratio, Verdict verdict) {
  MetricComparison result;
  result.metric = metric;
  result.base_seconds = base_seconds;
  result.new_seconds = base_seconds * ratio;
  result.base_launches = 5;
  result.new_launches = 5;
  result.ratio = ratio;
  result.ratio_ci95_low = ratio * 0.99;
  result.ratio_ci95_high = ratio * 1.01;
  result.p = verdict == Verdict::slower || verdict == Verdict::faster ? 0.00003 : 0.4;
  result.q = std::min(1.0, *result.p * 8);
  result.detectable = 0.034;
  result.margin = 0.02;
  result.floor_seconds = 200e-9;
  result.verdict = verdict;
  if (verdict == Verdict::inconclusive) {
    result.why = "the interval reaches past the margin: about 12 launches a side would tell";
  }
  return result;
}

CellComparison lost_cell(const std::string& id, Coverage coverage, const std::string& reason,
                         bool regression) {
  CellComparison cell;
  cell.id = id;
  cell.coverage = coverage;
  cell.reason = reason;
  cell.regression = regression;
  return cell;
}

void count(Comparison& comparison) {
  model::ComparisonCounts& counts = comparison.counts;
  counts = {};
  for (const CellComparison& cell : comparison.cells) {
    ++(counts.*model::coverage_counts.at(static_cast<std::size_t>(cell.coverage)));
    if (cell.regression) ++counts.coverage_regressions;
    if (!cell.lost.empty()) ++counts.cells_lacking;
    counts.metrics_lost += static_cast<std::int64_t>(cell.lost.size());
    counts.metrics_gained += static_cast<std::int64_t>(cell.gained.size());
    for (const MetricComparison& metric : cell.metrics) {
      ++(counts.*model::verdict_counts.at(static_cast<std::size_t>(metric.verdict)));
      if (metric.q) ++comparison.tests;
    }
  }
  comparison.verdict = model::verdict_of(counts);
}

CellComparison cell_of(const std::string& id, std::vector<MetricComparison> metrics) {
  CellComparison cell;
  cell.id = id;
  cell.metrics = std::move(metrics);
  return cell;
}

CellComparison cell_with_gaps(const std::string& id, std::vector<Metric> lost, std::vector<Metric> gained) {
  CellComparison cell = cell_of(id, {metric_of(Metric::latency, 125e-6, 0.9991, Verdict::same)});
  cell.regression = !lost.empty();
  cell.lost = std::move(lost);
  cell.gained = std::move(gained);
  return cell;
}

}  // namespace

Comparison mixed_comparison() {
  Comparison comparison = comparison_of_two_runs();
  comparison.base.documents = 2;
  comparison.base.launches_min = 4;
  comparison.now.complete = false;
  comparison.settings.allow = {"device.name"};
  comparison.differences = {{"device.name", "NVIDIA H100", "NVIDIA H200", true, true},
                            {"device.driver", "570.86", "580.159.04", false, false},
                            {"device.libraries.cudnn", "", "9.14.0", false, false}};
  const std::string mlp = "mlp/base/bf16/forward/";
  comparison.cells = {
      cell_of(mlp + "b1/w3/eager", {metric_of(Metric::latency, 125e-6, 1.001, Verdict::same),
                                    metric_of(Metric::submit, 77.3e-6, 0.9993, Verdict::same)}),
      cell_of(mlp + "b8/w3/whole", {metric_of(Metric::latency, 112e-6, 1.052, Verdict::slower),
                                    metric_of(Metric::submit, 0.98e-6, 1.3, Verdict::inconclusive),
                                    metric_of(Metric::device, 110e-6, 1.124, Verdict::slower),
                                    metric_of(Metric::capture, 1.9e-3, 0.87, Verdict::faster)}),
      cell_of("BM_Copy<float, 'a'|\"b\">/`8`/@team #12 100%::warning::x & co",
              {metric_of(Metric::latency, 1.5, 12.5, Verdict::slower)}),
      cell_of(mlp + "b64/w3/piecewise", {metric_of(Metric::latency, 140e-6, 1.019, Verdict::inconclusive)}),
      lost_cell(mlp + "b256/w3/whole", Coverage::failed_now,
                "capture_failed: line one\nline two | **bold**\x01", true),
      lost_cell(mlp + "b256/w3/piecewise", Coverage::skipped_now, "cannot_capture: op 3 runs on the host",
                true),
      lost_cell(mlp + "b512/w3/eager", Coverage::base_only, "", true),
      lost_cell(mlp + "b512/w3/whole", Coverage::base_only, "out_of_memory: 3 GB of 2 GB", false),
      lost_cell(mlp + "b1/w3/whole", Coverage::recovered, "worker_crashed: signal 11", false),
      lost_cell(mlp + "b2/w3/whole", Coverage::neither, "out_of_memory: 9 GB", false),
      lost_cell("conv/base/bf16/forward/b1/w3/eager", Coverage::new_only, "", false),
      cell_with_gaps(mlp + "b3/w3/whole", {Metric::submit, Metric::device}, {Metric::capture}),
      cell_with_gaps(mlp + "b4/w3/whole", {}, {Metric::device})};
  count(comparison);
  comparison.headline =
      "2 of 6 cells slower (worst: BM_Copy<float>/8 latency 12.5x), 3 cells lost, 2 metrics of 1 cell lost";
  return comparison;
}

Comparison unchanged_comparison() {
  Comparison comparison = comparison_of_two_runs();
  for (const char* batch : {"b1", "b8", "b64"}) {
    const std::string id = std::string("mlp/base/bf16/forward/") + batch + "/w3/whole";
    comparison.cells.push_back(cell_of(id, {metric_of(Metric::latency, 112e-6, 1.0004, Verdict::same),
                                            metric_of(Metric::device, 110e-6, 0.998, Verdict::same)}));
  }
  count(comparison);
  comparison.headline = "3 cells unchanged within 2 %";
  return comparison;
}

Comparison incomparable_comparison() {
  Comparison comparison = comparison_of_two_runs();
  comparison.comparable = false;
  comparison.differences = {{"device.name", "NVIDIA H100", "NVIDIA H200", true, false},
                            {"device.driver", "570.86", "580.159.04", false, false}};
  comparison.headline = "not comparable: device.name differs (NVIDIA H100, NVIDIA H200)";
  return comparison;
}

Comparison single_launch_comparison() {
  Comparison comparison = comparison_of_two_runs();
  comparison.settings.strict = true;
  for (ComparisonSide* side : {&comparison.base, &comparison.now}) {
    side->launches_min = side->launches_max = 1;
    side->cells = 1;
  }
  MetricComparison latency = metric_of(Metric::latency, 112e-6, 1.4, Verdict::inconclusive);
  latency.base_launches = latency.new_launches = 1;
  latency.ratio_ci95_low = latency.ratio_ci95_high = latency.p = latency.q = latency.detectable = {};
  latency.why = "one launch a side: repeat both with --launches 5";
  comparison.cells = {cell_of("mlp/base/bf16/forward/b8/w3/whole", {latency})};
  count(comparison);
  comparison.headline = "1 of 1 cells inconclusive: one launch a side";
  return comparison;
}

Comparison large_comparison(std::int64_t cells) {
  Comparison comparison = comparison_of_two_runs();
  for (std::int64_t i = 0; i < cells; ++i) {
    const std::string id = "mlp/base/bf16/forward/b" + std::to_string(i) + "/w3/whole";
    const double ratio = 1.03 + 0.0001 * static_cast<double>(i % 997);
    comparison.cells.push_back(cell_of(id, {metric_of(Metric::latency, 112e-6, ratio, Verdict::slower),
                                            metric_of(Metric::submit, 1e-6, 1.0, Verdict::same),
                                            metric_of(Metric::device, 110e-6, 1.01, Verdict::inconclusive)}));
    comparison.cells.push_back(
        lost_cell(id + "/" + std::string(60, '|'), Coverage::failed_now, std::string(70, '@'), true));
  }
  count(comparison);
  comparison.headline = std::string(600, '@');
  return comparison;
}

}  // namespace graphbench::samples::formats
