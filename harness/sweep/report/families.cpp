// Lists the metric families: those of cells and comparisons, and those of sweeps and services.
#include "harness/sweep/report/families.hpp"

#include <algorithm>
#include <cassert>

#include "harness/sweep/report/series.hpp"

namespace graphbench::sweep {
namespace {

reporters::FamilyRow counter_row(std::string name, std::string unit, std::vector<std::string> labels,
                                 std::string help) {
  return {std::move(name), "counter", std::move(unit), std::move(labels), std::move(help)};
}

const std::vector<reporters::FamilyRow>& process_rows() {
  static const std::vector<reporters::FamilyRow> rows = {
      reporters::gauge_row("graphbench_sweep_progress_ratio", "ratio", {"device"},
                           "Finished share of the running or last sweep."),
      reporters::gauge_row("graphbench_sweep_running", "boolean", {"device"},
                           "1 while a sweep runs on the device."),
      reporters::gauge_row("graphbench_last_success_timestamp_seconds", "unix seconds", {"device"},
                           "Unix time at which a complete sweep without a failed cell last ended."),
      counter_row("graphbench_cells_total", "cells", {"status"}, "Number of finished cells, by outcome."),
      counter_row("graphbench_cells_dropped_total", "cells", {},
                  "Number of cells that are no longer shown, because cells measured later took their place."),
      counter_row("graphbench_steps_total", "steps", {}, "Number of steps that were timed one by one."),
      counter_row("graphbench_capture_skips_total", "cells", {"reason"},
                  "Number of cells skipped because they cannot be captured, and of graphs that a library did "
                  "not take."),
      counter_row("graphbench_sweeps_total", "sweeps", {"status"}, "Number of finished sweeps, by outcome."),
      reporters::gauge_row("graphbench_queue_sweeps", "sweeps", {},
                           "Number of sweeps that wait for a device."),
      reporters::gauge_row("graphbench_queue_capacity_sweeps", "sweeps", {},
                           "Maximum number of waiting sweeps."),
      reporters::gauge_row("graphbench_event_streams", "streams", {},
                           "Number of open streams of server-sent events."),
      counter_row("graphbench_http_requests_total", "requests", {"route", "code"}, "Requests answered."),
      {"graphbench_http_request_duration_seconds",
       "histogram",
       "seconds",
       {"route"},
       "Time to answer an HTTP request."},
      reporters::gauge_row("graphbench_build_info", "info", {"version"},
                           "Version and build of the graphbench that made these numbers."),
      reporters::gauge_row("graphbench_device_info", "info",
                           {"device", "kind", "name", "uuid", "compute_capability", "driver", "runtime"},
                           "A measured device and its driver."),
      reporters::gauge_row("graphbench_library_info", "info", {"device", "name", "version"},
                           "A library that provides kernels for the device."),
      reporters::gauge_row(
          "graphbench_note_info", "info", {"device", "code"},
          "Always 1; a label gives a note on the device's last finished sweep, such as trust_high or "
          "trust_low."),
  };
  return rows;
}

}  // namespace

std::vector<reporters::FamilyRow> families() {
  std::vector<reporters::FamilyRow> rows;
  const auto add = [&](const auto& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  add(cell_families());
  add(coverage_families());
  add(change_families());
  add(mean_families());
  add(process_rows());
  return rows;
}

const reporters::FamilyRow& family_of_process(std::string_view name) {
  const auto row = std::ranges::find(process_rows(), name, &reporters::FamilyRow::name);
  assert(row != process_rows().end());
  return *row;
}

}  // namespace graphbench::sweep
