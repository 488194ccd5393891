// Cell: one workload at one batch and warmup, its modes side by side, now and over time.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { UIDS, frame } from "./links.mjs";
import { UNITS, bars, lines, number, thresholds } from "./panels.mjs";
import { USUAL, hostShare, maxBy, one, p50, parts, select, setupSeconds } from "./queries.mjs";
import { startUp, traceOfShapes } from "./start.mjs";
import { mebi, micro, rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const PINS = ["instance", "device", "workload", "preset", "dtype", "pass", "batch", "warmup"];
const ALL = one(...PINS);
const CELLS = [...ALL, ...USUAL];

const modes = (expression) => maxBy(["mode"], expression);
const of = (metric, ...matchers) => modes(select(`graphbench_${metric}`, CELLS, ...matchers));
const GAINS = thresholds("red", [0.98, "text"], [1.02, "green"]);

function headline(builder) {
  const byMode = (about, expression) => number({ span: 4, ...about }, expression, "{{mode}}");
  return builder
    .withPanel(byMode({
      title: "Gain over eager",
      description: "Eager latency over this mode's at the same batch and warmup.",
      unit: UNITS.times, decimals: 2, thresholds: GAINS,
    }, of("speedup_over_eager_ratio", 'mode!="eager"')))
    .withPanel(byMode({
      title: "Submit over device time",
      description: "Median CPU time of a submission over the device's time: from 1 up the device waits.",
      unit: UNITS.times, decimals: 2, thresholds: thresholds("green", [0.8, "orange"], [1, "red"]),
    }, modes(hostShare(CELLS))))
    .withPanel(byMode({
      title: "Submit over its floor",
      description: "Submit against the least that the same launches cost on this machine.",
      unit: UNITS.times, decimals: 2, thresholds: thresholds("green", [2, "orange"], [5, "red"]),
    }, of("submit_over_floor_ratio")))
    .withPanel(byMode({
      title: "Device idle in eager",
      description: "Share of a foreign step's eager latency in which its device has nothing to do.",
      unit: UNITS.share, decimals: 0,
    }, of("launch_bound_ratio")))
    .withPanel(byMode({
      title: "Predicted gain",
      description: "From the eager step's records alone, before anything is captured.",
      unit: UNITS.times, decimals: 2,
    }, of("predicted_gain_ratio")))
    .withPanel(byMode({
      title: "Steady after",
      description: "Steps after which the latency stays within its steady band. More than the warmup gives " +
        "says that too few warmups ran.",
      unit: UNITS.steps, decimals: 0,
    }, of("steady_after_steps")));
}

function sideBySide(builder) {
  const time = (name, what) => ({ name: `${name}, us`, expression: modes(micro(p50(what, CELLS))) });
  const column = (name, metric, more = {}) => ({ name, expression: of(metric), ...more });
  const cost = (name, metric) =>
    ({ name, expression: modes(micro(select(`graphbench_setup_${metric}_seconds`, CELLS))) });
  const loaded = (name, metric, unit) =>
    ({ name, expression: modes(unit(select(`graphbench_sustained_${metric}`, CELLS))) });
  return builder.withPanel(rows({
    title: "Modes side by side",
    description: "Medians of each mode, its graphs and what they cost: the setup of later placements, " +
      "which break-even pays back with the warmups, and by how much a process's first ones take longer. " +
      "Rate gain: back to back; loaded: under --sustained.",
    unit: UNITS.inColumns,
    height: 6,
  }, ["mode"], [
    time("Latency", "latency"),
    time("Submit", "submit"),
    time("Device", "device"),
    column("Steps/s", "throughput_steps_per_second"),
    column("Gain, x", "speedup_over_eager_ratio", { thresholds: GAINS }),
    column("Rate gain, x", "throughput_over_eager_ratio", { thresholds: GAINS }),
    { name: "Setup, us", expression: modes(micro(setupSeconds(CELLS))) },
    cost("Warmups and setup, us", "cost"),
    cost("Once, us", "once"),
    column("Break-even, steps", "breakeven_steps"),
    column("Pieces", "graph_pieces"),
    column("Nodes", "graph_nodes"),
    { name: "Pool, MiB", expression: modes(mebi(select("graphbench_pool_bytes", CELLS))) },
    loaded("Loaded latency, us", "latency_seconds", micro),
    loaded("Loaded device, us", "device_seconds", micro),
    loaded("Loaded clock, MHz", "sm_clock_hertz", (hertz) => `${hertz} / 1e6`),
    loaded("Loaded power, W", "power_watts", (watts) => watts),
  ], "Latency, us"));
}

function percentiles(builder) {
  for (const [what, meaning] of [
    ["latency", "from the start of the submission to the completion seen by the host"],
    ["submit", "from entering the submission to its last enqueue returning: the CPU overhead"],
    ["device", "event time around the step, from a pass of its own"],
  ]) {
    builder.withPanel(bars({
      title: `${what[0].toUpperCase()}${what.slice(1)} percentiles`,
      description: `Time ${meaning}. A percentile is there only with enough samples for it (p99: 459).`,
      unit: UNITS.seconds, span: 8, height: 8, min: 0, axis: "quantile",
    }, maxBy(["quantile", "mode"], select(`graphbench_${what}_seconds`, CELLS)),
    { over: "quantile", of: "mode", numeric: false }));
  }
  return builder;
}

function costs(builder) {
  const metric = (name) => select(`graphbench_${name}`, CELLS);
  return builder
    .withPanel(bars({
      title: "Setup costs",
      description: "One-time costs: choosing kernels and plans (prepare), the eager warmup steps, capture, " +
        "instantiate, upload (of later placements), and the first step after them.",
      unit: UNITS.seconds, span: 8, min: 0, stacked: true,
    }, parts(["mode"], {
      prepare: metric("prepare_seconds"),
      warmup: metric("warmup_seconds"),
      capture: metric("capture_seconds"),
      instantiate: metric("instantiate_seconds"),
      upload: metric("upload_seconds"),
      "first step": metric("first_step_seconds"),
    }), { over: "mode", of: "part", numeric: false }))
    .withPanel(bars({
      title: "Pool memory",
      description: "Device memory of the pool that the batch sizes share, beside what private pools of the " +
        "same captures would take together.",
      unit: UNITS.bytes, span: 8, min: 0,
    }, parts(["mode"], { shared: metric("pool_bytes"), private: metric("pool_private_bytes") }),
    { over: "mode", of: "part", numeric: false }))
    .withPanel(bars({
      title: "Ramp",
      description: "Latency of the first steps after the setup, by their number. A tall step 0 is what one " +
        "warmup more would have hidden. Logarithmic.",
      unit: UNITS.seconds, span: 8, log: true, axis: "step",
    }, maxBy(["step", "mode"], select("graphbench_ramp_seconds", CELLS)), { over: "step", of: "mode" }));
}

function training(builder) {
  const bytes = (name) => select(`graphbench_training_${name}_bytes`, ALL);
  const form = ["mode", "optimizer", "backward", "optimizer_in"];
  const column = (name, expression) => ({ name, expression: maxBy(form, expression) });
  builder.withRow(new dashboard.RowBuilder("Training"));
  return builder.withPanel(rows({
    title: "Training steps",
    description: "Of the pass training, by form: a step's times, and what it holds: activations kept for " +
      "backward, gradients, the optimizer's state, and the most that activations and gradients take at " +
      "once; and a step of --evaluate.",
    unit: UNITS.inColumns, height: 6,
  }, form, [
    column("Step, us", `${micro(p50("latency", ALL))} and ignoring (quantile) ${bytes("saved")}`),
    column("Submit, us", `${micro(p50("submit", ALL))} and ignoring (quantile) ${bytes("saved")}`),
    column("Saved, MiB", mebi(bytes("saved"))),
    column("Gradients, MiB", mebi(bytes("gradient"))),
    column("Optimizer, MiB", mebi(bytes("optimizer"))),
    column("Peak, MiB", mebi(bytes("peak"))),
    column("Copies skipped", select("graphbench_training_copies_skipped", ALL)),
    column("Evaluate, us", micro(select("graphbench_evaluation_latency_seconds", ALL))),
    ...Object.entries({
      forward: "Forward", backward: "Backward", optimizer: "Optimizer", step: "Phases together",
    }).map(([phase, name]) =>
      column(`${name}, us`, micro(select(`graphbench_training_${phase}_seconds`, ALL)))),
  ], "Step, us"));
}

function caller(builder) {
  const io = (metric) => select(`graphbench_io_${metric}`, ALL);
  const ofForm = (name, expression) => ({ name, expression: maxBy(["mode", "io"], expression) });
  const counter = (name, metric) => ({ name, expression: of(`counters_${metric}`) });
  return builder
    .withPanel(rows({
      title: "How steps reach their caller",
      description: "Of one step, by --io: copies, nodes set, graphs that hold an address of the caller's, " +
        "and how often they are recorded, updated, refused and instantiated again.",
      unit: UNITS.inColumns, height: 7,
    }, ["mode", "io"], [
      ofForm("Submit, us", `${micro(p50("submit", ALL))} and ignoring (quantile) ${io("copies")}`),
      ofForm("Copies", io("copies")),
      ofForm("Copied, MiB", mebi(io("copy_bytes"))),
      ofForm("Not copied", io("copies_kept")),
      ofForm("Kernel nodes set", io("kernel_nodes_set")),
      ofForm("Copy nodes set", io("copy_nodes_set")),
      ofForm("Graphs touched", io("pieces_touched")),
      ofForm("Execs of sets", io("set_execs")),
      ofForm("Recordings", io("recordings")),
      ofForm("Updates", io("updates")),
      ofForm("Refused", io("updates_refused")),
      ofForm("Instantiations", io("instantiations")),
    ], "Submit, us"))
    .withPanel(rows({
      title: "What having graphs took",
      description: "Of the first placement of the first launch: its setup and its first 32 steps.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      counter("Programs", "programs"),
      counter("Parts a step", "pieces"),
      counter("Capturable", "capturable"),
      counter("Recordings", "captured"),
      counter("Instantiations", "instantiated"),
      counter("Updates", "updated"),
      counter("Kernels prepared", "compilations"),
    ], "Recordings"));
}

function overTime(builder) {
  builder.withRow(new dashboard.RowBuilder("Over time"));
  for (const [title, what, description] of [
    ["Latency over time", "latency", "Median latency of each sweep's cell."],
    ["Submit over time", "submit", "Median CPU time of a submission in each sweep's cell."],
    ["Device time over time", "device", "Median device time in each sweep's cell."],
  ]) {
    builder.withPanel(lines({ title, description, unit: UNITS.seconds, min: 0 },
      [modes(p50(what, CELLS)), "{{mode}}"]));
  }
  return builder.withPanel(lines({
    title: "Gain over time",
    description: "Eager latency over this mode's, sweep by sweep.",
    unit: UNITS.times, decimals: 2, thresholds: thresholds("red", [1, "green"]),
  }, [of("speedup_over_eager_ratio", 'mode!="eager"'), "{{mode}}"]));
}

export function cell() {
  const builder = frame({
    uid: UIDS.cell,
    title: "graphbench / Cell",
    description: "One workload at one batch size and warmup count: its modes side by side.",
    from: "now-7d",
    refresh: "1m",
  });
  builder.withVariable(datasource());
  labels("graphbench_latency_seconds", ...PINS).forEach((variable) => builder.withVariable(variable));
  startUp(caller(costs(percentiles(sideBySide(headline(builder))))), CELLS);
  return overTime(traceOfShapes(training(builder), ALL));
}
