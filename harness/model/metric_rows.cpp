// The table of metrics: its times, what the summary makes of them, and the order of the document, into which
// the rows of graphs and of memory come from their own files. Lists with an order of their own say so in the
// row.
#include "harness/model/metric_rows.hpp"

#include <iterator>

namespace graphbench::model {
namespace {

constexpr auto count = MetricKind::count;
constexpr auto ratio = MetricKind::ratio;

constexpr MetricRow times[] = {
    {.name = "prepare_seconds",
     .help = "Time of looking up and choosing kernels and plans; runs no step.",
     .value = &Setup::prepare_seconds,
     .addition = true,
     .family = {5, "graphbench_prepare_seconds"}},
    {.name = "warmup_seconds",
     .help = "Time of the eager steps before capture, or before the first sample.",
     .value = &Setup::warmup_seconds,
     .family = {6, "graphbench_warmup_seconds"}},
    {.name = "capture_seconds",
     .help = "Time of capturing the step's graphs.",
     .value = &Setup::capture_seconds,
     .graphs_only = true,
     .family = {7, "graphbench_capture_seconds"},
     .compared = {4, "capture"},
     .listed = true},
    {.name = "instantiate_seconds",
     .help = "Time of instantiating the step's graphs.",
     .value = &Setup::instantiate_seconds,
     .graphs_only = true,
     .family = {8, "graphbench_instantiate_seconds"},
     .compared = {7, "instantiate"},
     .listed = true},
    {.name = "upload_seconds",
     .help = "Time of uploading the step's graphs to the device.",
     .value = &Setup::upload_seconds,
     .graphs_only = true,
     .family = {9, "graphbench_upload_seconds"},
     .compared = {8, "upload"},
     .listed = true},
    {.name = "first_step_seconds",
     .help = "Time of the first step after the setup.",
     .value = &Setup::first_step_seconds,
     .family = {10, "graphbench_first_step_seconds"}},

    {.name = "submit_seconds",
     .help = "Host time of submitting a step: its CPU overhead.",
     .value = &Launch::submit_seconds,
     .estimate = &CellSummary::submit_seconds,
     .family = {2, "graphbench_submit_seconds"},
     .compared = {2, "submit"},
     .baseline_help = "The baseline's median submit time.",
     .column = {1, "submit"},
     .column_help = "enqueueing a step"},
    {.name = "latency_seconds",
     .help = "Time of a step from the start of its submission to its completion.",
     .value = &Launch::latency_seconds,
     .estimate = &CellSummary::latency_seconds,
     .family = {1, "graphbench_latency_seconds"},
     .compared = {1, "latency"},
     .baseline_help = "The baseline's median latency.",
     .column = {2, "latency"},
     .column_help = "until the host sees it done"},
    {.name = "device_seconds",
     .help = "Device time of a step, from a pass of its own.",
     .value = &Launch::device_seconds,
     .estimate = &CellSummary::device_seconds,
     .family = {3, "graphbench_device_seconds"},
     .compared = {3, "device"},
     .baseline_help = "The baseline's median device time.",
     .column = {3, "device"},
     .column_help = "between events"},
    {.name = "throughput_steps_per_second",
     .kind = MetricKind::rate,
     .unit = "steps per second",
     .help = "Steps a second, back to back, from a pass of its own.",
     .value = &Launch::throughput_steps_per_second,
     .family = {4, "graphbench_throughput_steps_per_second"},
     .compared = {9, "throughput"},
     .listed = true},

    {.name = "latency_seconds",
     .help = "Latency of a step under load: back to back until clock and power were steady.",
     .value = &Sustained::latency_seconds,
     .addition = true,
     .on_request = true,
     .family = {19, "graphbench_sustained_latency_seconds"},
     .compared = {5, "sustained"},
     .column = {7, "loaded"},
     .column_help = "latency without rests, clock and power steady"},
    {.name = "device_seconds",
     .help = "Device time of a step under load.",
     .value = &Sustained::device_seconds,
     .addition = true,
     .on_request = true,
     .family = {20, "graphbench_sustained_device_seconds"}},
    {.name = "sm_clock_hz",
     .kind = MetricKind::rate,
     .unit = "hertz",
     .help = "The device's clock under load.",
     .value = &Sustained::sm_clock_hz,
     .addition = true,
     .on_request = true,
     .family = {21, "graphbench_sustained_sm_clock_hertz"}},
    {.name = "power_watts",
     .kind = MetricKind::rate,
     .unit = "watts",
     .help = "The device's power under load.",
     .value = &Sustained::power_watts,
     .addition = true,
     .on_request = true,
     .family = {22, "graphbench_sustained_power_watts"}},
    {.name = "seconds_to_steady",
     .help = "Time under load until clock and power were steady.",
     .value = &Sustained::seconds_to_steady,
     .addition = true,
     .on_request = true},
};

constexpr MetricRow summaries[] = {
    {.name = "speedup_over_eager",
     .kind = ratio,
     .unit = "ratio",
     .help = "Latency of the same step in mode eager over this one's.",
     .value = &CellSummary::speedup_over_eager,
     .family = {15, "graphbench_speedup_over_eager_ratio"},
     .column = {4, "gain"},
     .column_help = "eager's latency over this one"},
    {.name = "breakeven_steps",
     .kind = count,
     .unit = "steps",
     .help = "Replays that pay capture, instantiate and upload back.",
     .value = &CellSummary::breakeven_steps,
     .family = {16, "graphbench_breakeven_steps"},
     .column = {6, "even"},
     .column_help = "replays after which the capture is paid back"},
    {.name = "steady_after",
     .kind = count,
     .unit = "steps",
     .help = "Steps after which the latency stays in its steady band.",
     .value = &CellSummary::steady_after,
     .addition = true,
     .family = {17, "graphbench_steady_after_steps"}},
    {.name = "submit_over_floor",
     .kind = ratio,
     .unit = "ratio",
     .help = "Submit over the least that its launches cost on this machine.",
     .value = &CellSummary::submit_over_floor,
     .addition = true,
     .left_out = true,
     .family = {18, "graphbench_submit_over_floor_ratio"}},

    {.name = "setup_seconds",
     .help = "Time of capturing, instantiating and uploading the step's graphs.",
     .value = DerivedMetric::setup_seconds,
     .graphs_only = true,
     .compared = {6, "setup"},
     .column = {5, "setup"},
     .column_help = "capture + instantiate + upload"},
};

}  // namespace

MetricRow row(std::string_view name, MetricKind kind, std::string_view unit, MetricValue value,
              MetricPlace family, std::string_view help) {
  return {.name = name,
          .kind = kind,
          .unit = unit,
          .help = help,
          .value = value,
          .on_request = true,
          .family = family};
}

std::vector<MetricRow> metric_rows() {
  std::vector<MetricRow> rows(std::begin(times), std::end(times));
  for (const auto& more : {startup_metric_rows(), graph_metric_rows(), walk_metric_rows(),
                           memory_metric_rows(), cache_metric_rows(), package_metric_rows()})
    rows.insert(rows.end(), more.begin(), more.end());
  rows.insert(rows.end(), std::begin(summaries), std::end(summaries));
  return rows;
}

}  // namespace graphbench::model
