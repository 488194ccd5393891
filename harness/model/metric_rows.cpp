// Makes the table of metrics: the rows of times and their summaries, and the order of all rows, which is also
// the order of Prometheus families.
#include "harness/model/metric_rows.hpp"

#include <iterator>

#include "harness/model/statistics/setup_cost.hpp"

namespace graphbench::model {
namespace {

constexpr auto ratio_kind = MetricKind::ratio;

std::optional<double> setup_of(const Launch& launch) {
  return of_later_setups(launch, setup_seconds);
}

template <double Setup::*part>
constexpr MetricValue later() {
  return {.section = MetricSection::setup, .of_launch = [](const Launch& launch) -> std::optional<double> {
            return of_later_setups(launch, [](const Setup& setup) { return setup.*part; });
          }};
}

constexpr MetricRow opened(std::string_view name, MetricValue value, std::string_view help) {
  MetricRow made = row(name, "seconds", value, "", help);
  made.added_later = true;
  return made;
}

constexpr MetricRow launch_rows[] = {
    {.name = "latency_seconds",
     .help = "Time of a step from the start of its submission to its completion.",
     .value = value<&Launch::latency_seconds>(),
     .estimate = &CellSummary::latency_seconds,
     .family = "graphbench_latency_seconds",
     .compared = "latency",
     .baseline_help = "The baseline's latency, the geometric mean over launches.",
     .column = "latency",
     .column_help = "until the host sees the step done"},
    {.name = "submit_seconds",
     .help = "Host time to submit a step: the step's CPU overhead.",
     .value = value<&Launch::submit_seconds>(),
     .estimate = &CellSummary::submit_seconds,
     .family = "graphbench_submit_seconds",
     .compared = "submit",
     .baseline_help = "The baseline's submit time, the geometric mean over launches.",
     .column = "submit",
     .column_help = "enqueueing a step"},
    {.name = "device_seconds",
     .help = "Device time of a step: from its first event to its last, gaps included, in a separate "
             "measuring pass.",
     .value = value<&Launch::device_seconds>(),
     .estimate = &CellSummary::device_seconds,
     .family = "graphbench_device_seconds",
     .compared = "device",
     .baseline_help = "The baseline's device time, the geometric mean over launches.",
     .column = "device",
     .column_help = "first to last event, gaps included",
     .spare_column = true},
    {.name = "throughput_steps_per_second",
     .kind = MetricKind::rate,
     .unit = "steps per second",
     .help = "Steps per second, back to back, from a separate measuring pass.",
     .value = value<&Launch::throughput_steps_per_second>(),
     .family = "graphbench_throughput_steps_per_second",
     .compared = "throughput",
     .listed = true},
    {.name = "measured_unix_seconds",
     .kind = MetricKind::date,
     .unit = "unix seconds",
     .help = "Unix time at which the cell had been timed, the median over launches.",
     .value = value<&Launch::measured_unix_seconds>(),
     .added_later = true,
     .family = "graphbench_measured_timestamp_seconds"},
};

constexpr MetricRow setups[] = {
    {.name = "prepare_seconds",
     .help = "Time to look up and choose kernels and algorithms, without running a step.",
     .value = value<&Setup::prepare_seconds>(),
     .added_later = true,
     .family = "graphbench_prepare_seconds"},
    {.name = "warmup_seconds",
     .help = "Time of the eager steps before capture, or before the first sample.",
     .value = value<&Setup::warmup_seconds>(),
     .family = "graphbench_warmup_seconds"},
    {.name = "capture_seconds",
     .help = "Time to capture the step's graphs.",
     .value = later<&Setup::capture_seconds>(),
     .graphs_only = true,
     .of_setups = true,
     .family = "graphbench_capture_seconds",
     .compared = "capture",
     .listed = true},
    {.name = "break_seconds",
     .help = "Time between captures: a foreign step's pieces and the calls that it breaks at run once.",
     .value = value<&Setup::break_seconds>(),
     .added_later = true,
     .on_request = true},
    {.name = "instantiate_seconds",
     .help = "Time to instantiate the step's graphs.",
     .value = later<&Setup::instantiate_seconds>(),
     .graphs_only = true,
     .of_setups = true,
     .family = "graphbench_instantiate_seconds",
     .compared = "instantiate",
     .listed = true},
    {.name = "upload_seconds",
     .help = "Time to upload the step's graphs to the device.",
     .value = later<&Setup::upload_seconds>(),
     .graphs_only = true,
     .of_setups = true,
     .family = "graphbench_upload_seconds",
     .compared = "upload",
     .listed = true},
    {.name = "first_step_seconds",
     .help = "Time of the first step after the setup.",
     .value = value<&Setup::first_step_seconds>(),
     .family = "graphbench_first_step_seconds"},
    opened("build_seconds", value<&Opening::build_seconds>(),
           "Part of opening a foreign step that eager needs too: making the model."),
    opened("compile_seconds", value<&Opening::compile_seconds>(),
           "Part of opening a foreign step that compiles it for its mode."),
    opened("record_seconds", value<&Opening::record_seconds>(),
           "Part of opening a foreign step in which its mode warms up and records graphs."),
    opened("open_seconds", value<&Opening::open_seconds>(), "The rest of opening a foreign step."),
};

constexpr MetricRow sustained[] = {
    {.name = "latency_seconds",
     .help = "Latency of a step under load, when back-to-back steps have made clock and power steady.",
     .value = value<&Sustained::latency_seconds>(),
     .added_later = true,
     .on_request = true,
     .family = "graphbench_sustained_latency_seconds",
     .compared = "sustained",
     .column = "loaded",
     .column_help = "latency of back-to-back steps, with steady clock and power"},
    {.name = "device_seconds",
     .help = "Device time of a step under load.",
     .value = value<&Sustained::device_seconds>(),
     .added_later = true,
     .on_request = true,
     .family = "graphbench_sustained_device_seconds"},
    {.name = "sm_clock_hz",
     .kind = MetricKind::rate,
     .unit = "hertz",
     .help = "The device's clock under load.",
     .value = value<&Sustained::sm_clock_hz>(),
     .added_later = true,
     .on_request = true,
     .family = "graphbench_sustained_sm_clock_hertz"},
    {.name = "power_watts",
     .kind = MetricKind::rate,
     .unit = "watts",
     .help = "The device's power under load.",
     .value = value<&Sustained::power_watts>(),
     .added_later = true,
     .on_request = true,
     .family = "graphbench_sustained_power_watts"},
    {.name = "seconds_to_steady",
     .help = "Time under load until clock and power are steady.",
     .value = value<&Sustained::seconds_to_steady>(),
     .added_later = true,
     .on_request = true},
};

constexpr MetricRow ranks[] = {
    {.name = "skew_seconds",
     .help = "Time from the earliest to the latest end of a step among the ranks.",
     .value = value<&RankTimes::skew_seconds>(),
     .added_later = true,
     .on_request = true,
     .family = "graphbench_rank_skew_seconds"},
};

constexpr MetricRow summaries[] = {
    {.name = "speedup_over_eager",
     .kind = ratio_kind,
     .unit = "ratio",
     .help = "Latency of the same step in mode eager divided by this cell's latency.",
     .value = value<&CellSummary::speedup_over_eager>(),
     .family = "graphbench_speedup_over_eager_ratio",
     .column = "gain",
     .column_help = "eager's latency over this mode's (?: perhaps none)"},
    {.name = "throughput_over_eager",
     .kind = ratio_kind,
     .unit = "ratio",
     .help = "Steps per second, back to back, divided by those of the same step in mode eager.",
     .value = value<&CellSummary::throughput_over_eager>(),
     .added_later = true,
     .family = "graphbench_throughput_over_eager_ratio",
     .column = "rate",
     .column_help = "back-to-back steps per second over eager's",
     .spare_column = true},
    {.name = "breakeven_steps",
     .kind = MetricKind::count,
     .unit = "steps",
     .help = "Number of synchronous replays whose saved latency pays for warmups and setup.",
     .value = value<&CellSummary::breakeven_steps>(),
     .family = "graphbench_breakeven_steps",
     .column = "even",
     .column_help = "synchronous replays that pay back warmups and setup"},
    {.name = "break_latency_seconds",
     .help = "Latency that piecewise adds to whole's, per break; absent unless the launches show it.",
     .value = value<&CellSummary::break_latency_seconds>(),
     .added_later = true,
     .family = "graphbench_break_latency_seconds",
     .column = "break",
     .column_help = "latency over whole's, per break",
     .spare_column = true},
    {.name = "break_submit_seconds",
     .help = "Submit time that piecewise adds to whole's, per break; absent unless the launches show it.",
     .value = value<&CellSummary::break_submit_seconds>(),
     .added_later = true,
     .family = "graphbench_break_submit_seconds"},
    {.name = "setup_cost_seconds",
     .help = "Cost paid back at break-even: warmups and setup of later placements.",
     .value = value<&CellSummary::setup_cost_seconds>(),
     .added_later = true,
     .family = "graphbench_setup_cost_seconds"},
    {.name = "setup_once_seconds",
     .help =
         "Extra time of the first warmups and setups of all the task's batches, compared with later ones.",
     .value = value<&CellSummary::setup_once_seconds>(),
     .added_later = true,
     .family = "graphbench_setup_once_seconds"},
    {.name = "startup_seconds",
     .help =
         "Time of a process from its first warmup to the end of its last batch's first step, for all batches "
         "of the task.",
     .value = value<&CellSummary::startup_seconds>(),
     .added_later = true,
     .family = "graphbench_startup_seconds"},
    {.name = "steady_after",
     .kind = MetricKind::count,
     .unit = "steps",
     .help = "Number of steps after which the latency stays in its steady band.",
     .value = value<&CellSummary::steady_after>(),
     .added_later = true,
     .family = "graphbench_steady_after_steps"},
    {.name = "submit_over_floor",
     .kind = ratio_kind,
     .unit = "ratio",
     .help = "Submit time divided by the minimum cost of the step's launches on this machine.",
     .value = value<&CellSummary::submit_over_floor>(),
     .added_later = true,
     .family = "graphbench_submit_over_floor_ratio"},
    {.name = "launch_bound",
     .kind = MetricKind::share,
     .unit = "ratio",
     .help =
         "Share of an eager step's latency in which the device is idle: launch-bound from 0.5, device-bound "
         "up to 0.1.",
     .value = value<&CellSummary::launch_bound>(),
     .added_later = true,
     .family = "graphbench_launch_bound_ratio"},
    {.name = "graphed",
     .kind = MetricKind::share,
     .unit = "ratio",
     .help = "Share of a foreign step's kernels that graphs ran, by activity records.",
     .value = value<&CellSummary::graphed>(),
     .graphs_only = true,
     .added_later = true,
     .on_request = true,
     .column = "graphed",
     .column_help = "kernels that ran in graphs",
     .spare_column = true},
    {.name = "predicted_gain",
     .kind = ratio_kind,
     .unit = "ratio",
     .help =
         "Predicted gain of one graph over an eager foreign step, from the records of the step's kernels.",
     .value = value<&CellSummary::predicted_gain>(),
     .added_later = true,
     .family = "graphbench_predicted_gain_ratio"},

    {.name = "setup_seconds",
     .help =
         "Time to capture, instantiate and upload the step's graphs, and between captures; for a library's "
         "own mode also to compile and record.",
     .value = {.of_launch = setup_of},
     .graphs_only = true,
     .of_setups = true,
     .family = "graphbench_setup_seconds",
     .compared = "setup",
     .column = "setup",
     .column_help = "making the graphs"},
};

constexpr MetricRow profiles[] = {
    row("busy_seconds", "seconds", value<&Profile::busy_seconds>(), "",
        "Time of a step in which the device runs some of its kernels and copies, by activity records."),
    row("gap_seconds", "seconds", value<&Profile::gap_seconds>(), "",
        "Time of a step in which the device is idle between its first and last kernel, by activity records."),
    row("kernels", "kernels", value<&Profile::kernels>(), "", "Number of kernels that a step runs."),
    {.name = "slowdown",
     .kind = ratio_kind,
     .unit = "ratio",
     .help = "Device time of a step while it is recorded, divided by its device time without recording.",
     .value = value<&Profile::slowdown>(),
     .on_request = true},
};

}  // namespace

std::vector<MetricRow> metric_rows() {
  std::vector<MetricRow> rows;
  const auto add = [&](const auto& more) { rows.insert(rows.end(), std::begin(more), std::end(more)); };
  add(launch_rows);
  add(setups);
  add(memory_metric_rows());
  add(graph_metric_rows());
  add(summaries);
  add(sustained);
  add(ranks);
  add(step_metric_rows());
  add(process_metric_rows());
  add(profiles);
  return rows;
}

}  // namespace graphbench::model
