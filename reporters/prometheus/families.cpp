// Rows of the families that are not of one cell, and those of cells by the table of metrics.
#include "reporters/prometheus/families.hpp"

#include <algorithm>
#include <cassert>

#include "harness/model/metrics.hpp"

namespace graphbench::reporters {
namespace {

const std::vector<FamilyRow>& comparison_rows() {
  static const std::vector<FamilyRow> rows = {
      {"graphbench_baseline_comparable",
       "gauge",
       "boolean",
       {"device"},
       "1 where the last sweep that ended on the device compares with the baseline."},
      {"graphbench_baseline_mismatch_info",
       "gauge",
       "info",
       {"device", "field"},
       "What keeps the last sweep from comparing with the baseline; 1."},
      {"graphbench_baseline_cells",
       "gauge",
       "cells",
       {"device", "coverage"},
       "Cells of the comparison by what both sides have."},
      {"graphbench_change_ratio",
       "gauge",
       "ratio",
       {"CELL", "metric"},
       "New over baseline, of the geometric means over launches."},
      {"graphbench_verdict_info",
       "gauge",
       "info",
       {"CELL", "metric", "verdict"},
       "What the comparison with the baseline says; 1."},
  };
  return rows;
}

const std::vector<FamilyRow>& process_rows() {
  static const std::vector<FamilyRow> rows = {
      {"graphbench_sweep_progress_ratio",
       "gauge",
       "ratio",
       {"device"},
       "Part of the running or last sweep that is done."},
      {"graphbench_sweep_running", "gauge", "boolean", {"device"}, "1 while a sweep runs on the device."},
      {"graphbench_last_success_timestamp_seconds",
       "gauge",
       "unix seconds",
       {"device"},
       "When a sweep last ended complete and without a failed cell, in Unix time."},
      {"graphbench_cells_total", "counter", "cells", {"status"}, "Cells done, by outcome."},
      {"graphbench_steps_total", "counter", "steps", {}, "Steps timed one by one."},
      {"graphbench_capture_skips_total",
       "counter",
       "cells",
       {"reason"},
       "Cells skipped because they cannot be captured."},
      {"graphbench_sweeps_total", "counter", "sweeps", {"status"}, "Sweeps ended, by outcome."},
      {"graphbench_queue_sweeps", "gauge", "sweeps", {}, "Sweeps that wait for a device."},
      {"graphbench_queue_capacity_sweeps", "gauge", "sweeps", {}, "Sweeps that may wait."},
      {"graphbench_event_streams", "gauge", "streams", {}, "Open streams of server-sent events."},
      {"graphbench_http_requests_total", "counter", "requests", {"route", "code"}, "Requests answered."},
      {"graphbench_http_request_duration_seconds",
       "histogram",
       "seconds",
       {"route"},
       "Time to answer a request."},
      {"graphbench_build_info", "gauge", "info", {"version"}, "The graphbench that these numbers are from."},
      {"graphbench_device_info",
       "gauge",
       "info",
       {"device", "kind", "name", "uuid", "compute_capability", "driver", "runtime"},
       "A device that was measured, and what drives it."},
  };
  return rows;
}

FamilyRow row_of(const model::MetricRow& metric) {
  const bool times = model::is_distribution(metric);
  FamilyRow row{std::string(metric.family.name),
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
  return "graphbench_baseline_" + std::string(metric.family.name.substr(prefix.size()));
}

std::vector<FamilyRow> families() {
  std::vector<FamilyRow> rows;
  for (const model::MetricRow* metric : model::family_metrics()) rows.push_back(row_of(*metric));
  rows.push_back({ramp_family,
                  "gauge",
                  "seconds",
                  {"CELL", "step"},
                  "Latency of one of the first steps after the setup."});
  const auto& comparison = comparison_rows();
  rows.insert(rows.end(), comparison.begin(), comparison.begin() + 3);
  for (const model::MetricRow* metric : model::compared_metrics()) {
    if (metric->baseline_help.empty()) continue;
    rows.push_back({baseline_family(*metric),
                    "gauge",
                    std::string(metric->unit),
                    {"CELL"},
                    std::string(metric->baseline_help)});
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
