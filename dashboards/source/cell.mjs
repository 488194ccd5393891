// The dashboard Cell: one workload at one batch and warmup, with its modes side by side, now and over time.
import { annotate } from "./annotations.mjs";
import { UIDS, collapsed, frame } from "./links.mjs";
import { UNITS, bars, lines, numbers, thresholds } from "./panels.mjs";
import {
  HERE, any, by, enqueueShare, gain, launchShare, maxBy, one, p50, parts, select, setupSeconds, where,
} from "./queries.mjs";
import { startUp, traceOfShapes } from "./start.mjs";
import { gainColumns, mebi, micro, rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const PINS = ["instance", "device", "workload", "preset", "dtype", "pass", "batch", "warmup"];
const CELLS = [...one(...PINS), ...any("variant")];

const modes = (expression) => maxBy(["mode"], expression);
const family = (name, ...matchers) => select(`graphbench_${name}`, CELLS, ...matchers);
const of = (name, ...matchers) => modes(family(name, ...matchers));
const GAIN = gain(CELLS, 'mode!="eager"');
const column = (name, expression, more = {}) => ({ name, expression: modes(expression), ...more });

function headline(builder) {
  return numbers(builder, { span: 4, name: "{{mode}}" },
    ["Gain over eager", "Eager latency over this mode's at the same batch and warmup.",
      UNITS.times, modes(GAIN), { decimals: 2 }],
    ["Enqueueing", "Part of a step's latency that enqueueing takes: CPU time that a graph frees.",
      UNITS.share, modes(enqueueShare(CELLS)), { decimals: 0 }],
    ["Submit over its floor", "Submit against the least that the same launches cost on this machine.",
      UNITS.times, of("submit_over_floor_ratio"),
      { decimals: 2, thresholds: thresholds("green", [2, "orange"], [5, "red"]) }],
    ["Launch-bound share",
      "Part of eager's latency in which the device is idle: launch-bound from 50 %, device-bound up to 10 %.",
      UNITS.share, modes(launchShare(one(...PINS), 'mode="eager"')), { decimals: 0 }],
    ["Setup", "Time to make the graphs, in later placements; in a library's own mode with compiling.",
      UNITS.seconds, setupSeconds(["mode"], CELLS)],
    ["Memory of graphs",
      "The cell's graphs, where the device says what they take, and the pool that all " +
      "batches share.",
      UNITS.bytes,
      by("sum", ["mode"], family("memory_bytes", 'of=~"graphs|pool"', 'mode!="eager"'))]);
}

function sideBySide(builder) {
  return builder.withPanel(rows({
    title: "Modes side by side",
    description: "Medians of each mode, its graphs and what they cost: the setup of later placements, " +
      "which break-even pays back with the warmups, and by how much a process's first ones take longer. " +
      "A gain is certain where its 95 % interval excludes 1. Rate gain: back to back; predicted gain: from " +
      "the records of a foreign step's eager mode; break: over whole, if launches show it; steady after: " +
      "more steps than the warmup gives say that too few warmups ran; loaded: under --sustained.",
    unit: UNITS.inColumns,
    height: 6,
  }, ["mode"], [
    column("Latency, us", micro(p50("latency", CELLS))),
    column("Submit, us", micro(p50("submit", CELLS))),
    column("Device, us", micro(p50("device", CELLS))),
    column("Steps/s", family("throughput_steps_per_second")),
    ...gainColumns(["mode"], GAIN),
    column("Rate gain, x", family("throughput_over_eager_ratio")),
    { name: "Setup, us", expression: micro(setupSeconds(["mode"], CELLS)) },
    column("Warmups and setup, us", micro(family("setup_cost_seconds"))),
    column("Once, us", micro(family("setup_once_seconds"))),
    column("Break-even, steps", family("breakeven_steps")),
    column("Predicted gain, x", select("graphbench_predicted_gain_ratio", one(...PINS))),
    column("Steady after, steps", family("steady_after_steps")),
    column("Pieces", family("graph_pieces")),
    column("Break, us", micro(family("break_latency_seconds"))),
    column("Break submit, us", micro(family("break_submit_seconds"))),
    column("Nodes", family("graph_nodes")),
    column("Private pools, MiB", mebi(family("pool_private_bytes"))),
    column("Rank skew, us", micro(family("rank_skew_seconds"))),
    column("Loaded latency, us", micro(family("sustained_latency_seconds"))),
    column("Loaded device, us", micro(family("sustained_device_seconds"))),
    column("Loaded clock, MHz", `${family("sustained_sm_clock_hertz")} / 1e6`),
    column("Loaded power, W", family("sustained_power_watts")),
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
  return builder
    .withPanel(bars({
      title: "Setup costs",
      description: "One-time costs: choosing kernels and algorithms (prepare), the eager warmup steps, " +
        "capture, instantiate, upload (of later placements), and the first step after them.",
      unit: UNITS.seconds, span: 8, min: 0, stacked: true,
    }, parts(["mode"], ["prepare", "warmup", "capture", "instantiate", "upload", "first_step"], CELLS),
    { over: "mode", of: "part", numeric: false }))
    .withPanel(bars({
      title: "Memory",
      description: "Device memory of the worker, by use; graphs: the cost of one more exec of each of " +
        "the cell's graphs.",
      unit: UNITS.bytes, span: 8, min: 0,
    }, maxBy(["mode", "of"], family("memory_bytes")),
    { over: "mode", of: "of", numeric: false }))
    .withPanel(bars({
      title: "Ramp",
      description: "Latency of the first steps after the setup, by their number. A tall step 0 is what one " +
        "warmup more would have hidden. Logarithmic.",
      unit: UNITS.seconds, span: 8, log: true, axis: "step",
    }, maxBy(["step", "mode"], family("ramp_seconds")), { over: "step", of: "mode" }));
}

function training(builder) {
  const bytes = (name) => family(`training_${name}_bytes`);
  return builder.withRow(collapsed("Training", rows({
    title: "Training steps",
    description: "The pass training, by form: a step's times; its memory for activations kept for " +
      "backward, gradients and the optimizer's state; the most that activations and gradients take at " +
      "once; and a step of --evaluate.",
    unit: UNITS.inColumns, height: 6,
  }, ["mode"], [
    column("Step, us", where(micro(p50("latency", HERE)), bytes("saved"))),
    column("Submit, us", where(micro(p50("submit", HERE)), bytes("saved"))),
    column("Saved, MiB", mebi(bytes("saved"))),
    column("Gradients, MiB", mebi(bytes("gradient"))),
    column("Optimizer, MiB", mebi(bytes("optimizer"))),
    column("Peak, MiB", mebi(bytes("peak"))),
    column("Copies skipped", family("training_copies_skipped")),
    column("Evaluate, us", micro(family("evaluation_latency_seconds"))),
    ...Object.entries({
      forward: "Forward", backward: "Backward", optimizer: "Optimizer", step: "Phases together",
    }).map(([phase, name]) =>
      column(`${name}, us`, micro(family(`training_${phase}_seconds`)))),
  ], "Step, us")));
}

function caller(builder) {
  const io = (name) => family(`io_${name}`);
  const counter = (name, what) => column(name, family(`counters_${what}`));
  return builder.withRow(collapsed("Callers and captures",
    rows({
      title: "How steps reach their caller",
      description: "One step, by --io: copies, nodes set, graphs that hold an address of the caller's, " +
        "and how often they are recorded, updated, refused and instantiated again.",
      unit: UNITS.inColumns, height: 7,
    }, ["mode"], [
      column("Submit, us", where(micro(p50("submit", HERE)), io("copies"))),
      column("Copies", io("copies")),
      column("Copied, MiB", mebi(io("copy_bytes"))),
      column("Not copied", io("copies_kept")),
      column("Kernel nodes set", io("kernel_nodes_set")),
      column("Copy nodes set", io("copy_nodes_set")),
      column("Graphs touched", io("pieces_touched")),
      column("Execs of sets", io("set_execs")),
      column("Recordings", io("recordings")),
      column("Updates", io("updates")),
      column("Refused", io("updates_refused")),
      column("Instantiations", io("instantiations")),
    ], "Submit, us"),
    rows({
      title: "What having graphs took",
      description: "Setup and first 32 steps of the first placement, in the first launch.",
      unit: UNITS.inColumns, height: 6,
    }, ["mode"], [
      counter("Programs", "programs"),
      counter("Parts a step", "pieces"),
      counter("Capturable", "capturable"),
      counter("Recordings", "captured"),
      counter("Instantiations", "instantiated"),
      counter("Updates", "updated"),
      counter("Kernels prepared", "compilations"),
    ], "Recordings")));
}

function overTime(builder) {
  const times = [
    ["Latency over time", "latency", "Median latency of each sweep's cell."],
    ["Submit over time", "submit", "Median CPU time of a submission in each sweep's cell."],
    ["Device time over time", "device", "Median device time in each sweep's cell."],
  ].map(([title, what, description]) => lines({ title, description, unit: UNITS.seconds, min: 0 },
    [modes(p50(what, CELLS)), "{{mode}}"]));
  return builder.withRow(collapsed("Over time", ...times, lines({
    title: "Gain over time",
    description: "Eager latency over this mode's, sweep by sweep.",
    unit: UNITS.times, decimals: 2, thresholds: thresholds("red", [1, "green"]),
  }, [modes(GAIN), "{{mode}}"])));
}

export function cell() {
  const builder = frame({
    uid: UIDS.cell,
    title: "graphbench / Cell",
    description: "One workload at one batch size and warmup count: its modes side by side.",
    from: "now-7d",
    refresh: "1m",
  });
  annotate(builder, HERE).withVariable(datasource());
  labels("graphbench_latency_seconds", ...PINS, "variant*")
    .forEach((variable) => builder.withVariable(variable));
  caller(overTime(costs(percentiles(sideBySide(headline(builder))))));
  return traceOfShapes(training(startUp(builder, CELLS)), CELLS);
}
