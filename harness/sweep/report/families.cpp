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
            "1 if the device's last finished sweep is comparable with the baseline, else 0."),
      gauge("graphbench_baseline_mismatch_info", "info", {"device", "field"},
            "Always 1; a label gives a reason why the last sweep is not comparable with the baseline."),
      gauge("graphbench_baseline_cells", "cells", {"device", "coverage"},
            "Number of compared cells, by coverage on the two sides."),
      gauge("graphbench_change_ratio", "ratio", {"CELL", "metric"},
            "The metric in the last sweep divided by the metric in the baseline, from geometric means over "
            "launches."),
      gauge("graphbench_verdict_info", "info", {"CELL", "metric", "verdict"},
            "Always 1; a label gives the verdict of the comparison with the baseline."),
      gauge("graphbench_mean_change_ratio", "ratio", {"device", "mode", "metric"},
            "The metric in the last sweep divided by the metric in the baseline, as mean over the cells of a "
            "mode."),
      gauge("graphbench_mean_verdict_info", "info", {"device", "mode", "metric", "verdict"},
            "Always 1; labels give the verdict on the mean over a mode's cells, and whether launches are "
            "less steady than the baseline's."),
  };
  return rows;
}

const std::vector<FamilyRow>& process_rows() {
  static const std::vector<FamilyRow> rows = {
      gauge("graphbench_sweep_progress_ratio", "ratio", {"device"},
            "Finished share of the running or last sweep."),
      gauge("graphbench_sweep_running", "boolean", {"device"}, "1 while a sweep runs on the device."),
      gauge("graphbench_last_success_timestamp_seconds", "unix seconds", {"device"},
            "Unix time at which a complete sweep without a failed cell last ended."),
      counter("graphbench_cells_total", "cells", {"status"}, "Number of finished cells, by outcome."),
      counter("graphbench_steps_total", "steps", {}, "Number of steps that were timed one by one."),
      counter("graphbench_capture_skips_total", "cells", {"reason"},
              "Number of cells skipped because they cannot be captured."),
      counter("graphbench_sweeps_total", "sweeps", {"status"}, "Number of finished sweeps, by outcome."),
      gauge("graphbench_queue_sweeps", "sweeps", {}, "Number of sweeps that wait for a device."),
      gauge("graphbench_queue_capacity_sweeps", "sweeps", {}, "Maximum number of waiting sweeps."),
      gauge("graphbench_event_streams", "streams", {}, "Number of open streams of server-sent events."),
      counter("graphbench_http_requests_total", "requests", {"route", "code"}, "Requests answered."),
      {"graphbench_http_request_duration_seconds",
       "histogram",
       "seconds",
       {"route"},
       "Time to answer an HTTP request."},
      gauge("graphbench_build_info", "info", {"version"},
            "Version and build of the graphbench that made these numbers."),
      gauge("graphbench_device_info", "info",
            {"device", "kind", "name", "uuid", "compute_capability", "driver", "runtime"},
            "A measured device and its driver."),
      gauge("graphbench_library_info", "info", {"device", "name", "version"},
            "A library that provides kernels for the device."),
      gauge("graphbench_note_info", "info", {"device", "code"},
            "Always 1; a label gives a note on the device's last finished sweep, such as trust_high or "
            "trust_low."),
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
      gauge(ramp_family, "seconds", {"CELL", "step"}, "Latency of each of the first steps after the setup."));
  rows.push_back(gauge(memory_family, "bytes", {"CELL", "of"},
                       "Device memory of the worker, by use; memory of graphs is only this cell's."));
  rows.push_back(gauge(skips_family, "cells", {"CELL", "reason"},
                       "1 if the cell's program cannot be captured, by the reason's code."));
  rows.push_back(gauge(walk_family, "steps", {"CELL", "outcome"},
                       "Number of steps in the walk over a shape trace, by outcome."));
  rows.push_back(gauge(no_breakeven_family, "info", {"CELL", "reason"},
                       "Always 1; the label `reason` says why the cell's graphs have no break-even: `never` "
                       "(slower than eager), `not told apart` (the saving may be 0), `eager not swept`."));
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
