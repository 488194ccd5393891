// Lists the metric families: those of cells, from the table of metrics, and all others.
#include "harness/sweep/report/families.hpp"

#include <algorithm>
#include <cassert>

#include "harness/model/metrics.hpp"

namespace graphbench::reporters {
namespace {

FamilyRow gauge(std::string name, std::string unit, std::vector<std::string> labels, std::string help) {
  return {std::move(name), "gauge", std::move(unit), std::move(labels), std::move(help)};
}

FamilyRow counter(std::string name, std::string unit, std::vector<std::string> labels, std::string help) {
  return {std::move(name), "counter", std::move(unit), std::move(labels), std::move(help)};
}

const std::vector<FamilyRow>& comparison_rows() {
  static const std::vector<FamilyRow> rows = {
      gauge("graphbench_baseline_comparable", "boolean", {"device"},
            "1 if the last sweep that ended on the device is comparable with the baseline."),
      gauge("graphbench_baseline_mismatch_info", "info", {"device", "field"},
            "A reason why the last sweep is not comparable with the baseline; always 1."),
      gauge("graphbench_baseline_cells", "cells", {"device", "coverage"},
            "Cells of the comparison, by their coverage on both sides."),
      gauge("graphbench_change_ratio", "ratio", {"CELL", "metric"},
            "New over baseline, of the geometric means over launches."),
      gauge("graphbench_verdict_info", "info", {"CELL", "metric", "verdict"},
            "The verdict of the comparison with the baseline; always 1."),
      gauge("graphbench_mean_change_ratio", "ratio", {"device", "mode", "metric"},
            "New over baseline in the mean over the cells of a mode."),
      gauge(
          "graphbench_mean_verdict_info", "info", {"device", "mode", "metric", "verdict"},
          "1: the verdict of the comparison with the baseline on that mean; also whether it is less steady."),
  };
  return rows;
}

const std::vector<FamilyRow>& process_rows() {
  static const std::vector<FamilyRow> rows = {
      gauge("graphbench_sweep_progress_ratio", "ratio", {"device"},
            "Part of the running or last sweep that is done."),
      gauge("graphbench_sweep_running", "boolean", {"device"}, "1 while a sweep runs on the device."),
      gauge("graphbench_last_success_timestamp_seconds", "unix seconds", {"device"},
            "When a sweep last ended complete and without a failed cell, in Unix time."),
      counter("graphbench_cells_total", "cells", {"status"}, "Cells done, by outcome."),
      counter("graphbench_steps_total", "steps", {}, "Steps timed one by one."),
      counter("graphbench_capture_skips_total", "cells", {"reason"},
              "Cells skipped because they cannot be captured."),
      counter("graphbench_sweeps_total", "sweeps", {"status"}, "Sweeps ended, by outcome."),
      gauge("graphbench_queue_sweeps", "sweeps", {}, "Sweeps that wait for a device."),
      gauge("graphbench_queue_capacity_sweeps", "sweeps", {}, "Sweeps that may wait."),
      gauge("graphbench_event_streams", "streams", {}, "Open streams of server-sent events."),
      counter("graphbench_http_requests_total", "requests", {"route", "code"}, "Requests answered."),
      {"graphbench_http_request_duration_seconds",
       "histogram",
       "seconds",
       {"route"},
       "Time to answer a request."},
      gauge("graphbench_build_info", "info", {"version"}, "The graphbench that these numbers are from."),
      gauge("graphbench_device_info", "info",
            {"device", "kind", "name", "uuid", "compute_capability", "driver", "runtime"},
            "A device that was measured, and its driver."),
      gauge("graphbench_library_info", "info", {"device", "name", "version"},
            "A library that the device's kernels come from."),
      gauge("graphbench_note_info", "info", {"device", "code"},
            "A note on the last sweep that ended on the device, trust_high or trust_low among them; 1."),
  };
  return rows;
}

FamilyRow row_of(const model::MetricRow& metric) {
  const bool times = model::is_distribution(metric);
  FamilyRow row{std::string(metric.family),
                times ? "summary" : "gauge",
                std::string(metric.unit),
                {"CELL"},
                std::string(metric.help)};
  if (times) row.labels.emplace_back("quantile");
  return row;
}

}  // namespace

std::string baseline_family(const model::MetricRow& metric) {
  constexpr std::string_view prefix = "graphbench_";
  return "graphbench_baseline_" + std::string(metric.family.substr(prefix.size()));
}

std::vector<FamilyRow> families() {
  std::vector<FamilyRow> rows;
  for (const model::MetricRow* metric : model::family_metrics()) rows.push_back(row_of(*metric));
  rows.push_back(
      gauge(ramp_family, "seconds", {"CELL", "step"}, "Latency of one of the first steps after the setup."));
  rows.push_back(gauge(memory_family, "bytes", {"CELL", "of"},
                       "Device memory of the worker, by use; that of graphs is the cell's own."));
  rows.push_back(gauge(skips_family, "cells", {"CELL", "reason"},
                       "1 if graphs cannot hold the cell's program, by the reason's code."));
  rows.push_back(gauge(walk_family, "steps", {"CELL", "outcome"},
                       "Steps of the walk over a trace of shapes, by outcome."));
  rows.push_back(gauge(
      no_breakeven_family, "info", {"CELL", "reason"},
      "1: the reason why the cell's graphs have no break-even: never, not told apart, eager not swept."));
  const auto& comparison = comparison_rows();
  rows.insert(rows.end(), comparison.begin(), comparison.begin() + 3);
  for (const model::MetricRow* metric : model::compared_metrics()) {
    if (metric->baseline_help.empty()) continue;
    rows.push_back(gauge(baseline_family(*metric), std::string(metric->unit), {"CELL"},
                         std::string(metric->baseline_help)));
  }
  rows.insert(rows.end(), comparison.begin() + 3, comparison.end());
  rows.insert(rows.end(), process_rows().begin(), process_rows().end());
  return rows;
}

const FamilyRow& family_of_process(std::string_view name) {
  const auto row = std::ranges::find(process_rows(), name, &FamilyRow::name);
  assert(row != process_rows().end());
  return *row;
}

}  // namespace graphbench::reporters
