// The dashboard Overview: the gains of graphs, which cells are CPU-bound, and when the setup is paid back.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { annotate } from "./annotations.mjs";
import { UIDS, frame, toCell } from "./links.mjs";
import { UNITS, bars, numbers, thresholds } from "./panels.mjs";
import {
  HERE, LAUNCH_BOUND, any, boundWithoutGain, by, gain, gainAndLow, launchShare, maxBy, one, p50, parts,
  select, setupSeconds, where,
} from "./queries.mjs";
import { CERTAIN_GAIN, gainColumns, mebi, micro, rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const PINS = ["instance", "device", "preset", "dtype", "pass", "warmup"];
// Some axes apply only to graph modes. Eager's cells have the defaults of these axes, so their variants
// differ from the variants of graph modes.
const EAGER = [...one(...PINS), ...any("workload"), 'mode="eager"'];
const SHOWN = [...one(...PINS), ...any("variant", "workload")];
const CHOSEN = [...SHOWN, ...any("mode")];
const ROW = ["workload", "batch", "mode"];

const breakeven = (...matchers) => select("graphbench_breakeven_steps", ...matchers);
const LOW = { "whole low": "super-light-green", "piecewise low": "super-light-blue" };
const IDLE = thresholds("green", [0.1, "text"], [LAUNCH_BOUND, "orange"]);

const memory = (of, ...matchers) => select("graphbench_memory_bytes", ...matchers, `of="${of}"`);

const whole = 'mode="whole"';
const graphs = 'mode!="eager"';

function headline(builder) {
  return numbers(builder, { span: 3 },
    ["Cells", "Cells with a measured latency under the variables above.",
      UNITS.count, `count(${p50("latency", CHOSEN)})`],
    ["Launch-bound in eager",
      "Part of the eager cells whose device idles for half of their latency, or longer: there a graph " +
      "helps most. Of eager cells without records and without mode whole nothing is known.",
      UNITS.share, `avg(${launchShare(EAGER)} >= bool ${LAUNCH_BOUND})`, { decimals: 0, noValue: "unknown" }],
    ["Launch-bound, no certain gain",
      "Launch-bound eager cells of which no graph mode is certain to gain, or none was measured: see what " +
      "stops the capture. Below three launches no gain is certain.",
      UNITS.count, `count(${boundWithoutGain(EAGER)}) or vector(0)`,
      { decimals: 0, thresholds: thresholds("green", [1, "red"]) }],
    ["Median gain of whole graphs",
      "Eager latency over whole-graph latency at the same batch and warmup, median over cells.",
      UNITS.times, `quantile(0.5, ${gain(SHOWN, whole)})`, { decimals: 2 }],
    ["CPU time saved per step",
      "Submit of eager less that of whole graphs, medians over cells: what the submitting " +
      "thread has for other work.",
      UNITS.seconds,
      `quantile(0.5, ${p50("submit", EAGER)}) - quantile(0.5, ${p50("submit", SHOWN, whole)})`],
    ["Graphs that pay back",
      "Part of the graph cells whose warmups and setup the latency saved over eager pays back.",
      UNITS.share,
      `(count(${breakeven(SHOWN, graphs)}) or vector(0)) / count(${gain(SHOWN, graphs)})`, { decimals: 0 }],
    ["Setup of whole graphs",
      "Time to make the graphs of all cells of mode whole, in later placements.",
      UNITS.seconds, setupSeconds(["instance"], SHOWN, whole)],
    ["Memory of whole graphs",
      "All graphs of mode whole together, where the device says what they take, and the pools " +
      "that the batches of a workload share.",
      UNITS.bytes, `sum(max by (workload, variant) (${memory("pool", SHOWN, whole)})) + ` +
        `(sum(${memory("graphs", SHOWN, whole)}) or vector(0))`, { noValue: "unknown" }]);
}

/** The graph mode with the largest gain at each batch, and its cost. */
function whichMode(builder) {
  const best = `topk by (workload, batch, variant) (1, ${gain(CHOSEN, graphs)})`;
  const of = (name, expression) => ({ name, expression: maxBy(ROW, where(expression, best)) });
  const sizes = ["workload", "mode"];
  return builder
    .withPanel(rows({
      title: "Which mode at this batch",
      description: "The graph mode with the largest gain over eager at each batch. The gain is certain " +
        "where its 95 % interval excludes 1, which takes three launches. Where it is not above 1, launch " +
        "eagerly.",
      unit: UNITS.inColumns, span: 12, link: toCell(["workload", "batch"], [...PINS, "variant"]),
    }, ROW, [
      ...gainColumns(ROW, best),
      of("Latency, us", micro(p50("latency", HERE))),
      of("Break-even, steps", breakeven(HERE)),
    ], CERTAIN_GAIN))
    .withPanel(rows({
      title: "What the graphs of all batches cost",
      description: "Time to make the graphs (in a library's own mode also to compile and record), and " +
        "their memory, of all batches together; and the pool that they share.",
      unit: UNITS.inColumns, span: 12,
    }, sizes, [
      { name: "Batches", expression: by("count", sizes, select("graphbench_capture_seconds", CHOSEN)) },
      { name: "Setup, ms", expression: `1e3 * ${setupSeconds(sizes, CHOSEN)}` },
      { name: "Graphs, MiB", expression: mebi(by("sum", sizes, memory("graphs", CHOSEN))) },
      { name: "Pool, MiB", expression: mebi(maxBy(sizes, select("graphbench_pool_bytes", CHOSEN, graphs))) },
    ], "Setup, ms"));
}

function tables(builder) {
  const link = toCell(["workload", "batch"], [...PINS, "variant"]);
  const time = (name, expression) => ({ name: `${name}, us`, expression: maxBy(ROW, micro(expression)) });
  const value = (name, expression, more = {}) => ({ name, expression: maxBy(ROW, expression), ...more });
  return builder
    .withPanel(rows({
      title: "Who is launch-bound",
      description: "Median times of each cell, eager cells with the most idle device first: launch-bound " +
        "from a share of 0.5 of eager's latency, device-bound up to 0.1. Device time includes gaps. " +
        "Age: since the cell was measured. Any value links to its cell.",
      unit: UNITS.inColumns, link,
    }, ROW, [
      value("Device idles", launchShare(EAGER), { thresholds: IDLE }),
      time("Submit", p50("submit", CHOSEN)),
      time("Device", p50("device", CHOSEN)),
      time("Latency", p50("latency", CHOSEN)),
      value("Over floor", select("graphbench_submit_over_floor_ratio", CHOSEN)),
      value("Age, h", `(time() - ${select("graphbench_measured_timestamp_seconds", CHOSEN)}) / 3600`),
    ], "Device idles"))
    .withPanel(rows({
      title: "What capture costs, and when it is paid back",
      description: "Costs of each graph cell, in later placements, and the replays that earn them and the " +
        "warmups back. The table below says why some have no break-even.",
      unit: UNITS.inColumns, link,
    }, ROW, [
      { name: "Setup, us", expression: micro(setupSeconds(ROW, CHOSEN)) },
      time("Capture", select("graphbench_capture_seconds", CHOSEN)),
      time("Instantiate", select("graphbench_instantiate_seconds", CHOSEN)),
      time("Upload", select("graphbench_upload_seconds", CHOSEN)),
      ...gainColumns(ROW, gain(CHOSEN, graphs)),
      value("Rate gain, x", select("graphbench_throughput_over_eager_ratio", CHOSEN, graphs)),
      value("Break-even, steps", breakeven(CHOSEN)),
      value("Pieces", select("graphbench_graph_pieces", CHOSEN)),
      value("Nodes", select("graphbench_graph_nodes", CHOSEN)),
    ], "Setup, us"))
    .withPanel(rows({
      title: "Is the setup paid back?",
      description: "Cells by answer. Never: a replay is not faster than eager. Not told apart: the " +
        "launches do not say whether it is. Eager not swept: there is nothing to compare with.",
      unit: UNITS.inColumns, height: 6,
    }, ["workload", "mode", "reason"], [{
      name: "Cells",
      expression: by("count", ["workload", "mode", "reason"],
        `(label_replace(${breakeven(CHOSEN)}, "reason", "paid back", "", "") or ` +
        `${select("graphbench_no_breakeven_info", CHOSEN)})`),
    }], "Cells"));
}

/* One row per workload, with charts over the batch size. */
function perWorkload(builder) {
  const overBatch = { over: "batch", of: "mode" };
  const over = ["batch", "mode"];
  return builder
    .withRow(new dashboard.RowBuilder("$workload").repeat("workload"))
    .withPanel(bars({
      title: "Gain over eager by batch",
      description: "Eager latency over this mode's at the same batch and warmup; 1 means no gain. Low: the " +
        "lower end of its 95 % interval, from three launches on; above 1 the gain is certain.",
      unit: UNITS.times, decimals: 2, span: 8, min: 0, colors: LOW,
    }, `label_join(${gainAndLow(over, CHOSEN)}, "bar", "", "mode", "end")`, { over: "batch", of: "bar" }))
    .withPanel(bars({
      title: "Latency by batch",
      description: "Median time from the start of a step's submission to its completion. Logarithmic.",
      unit: UNITS.seconds, span: 8, log: true,
    }, maxBy(over, p50("latency", CHOSEN)), overBatch))
    .withPanel(bars({
      title: "Submit against device time by batch",
      description: "Median CPU time of a submission beside the device's time of the same step, from its " +
        "first event to its last, gaps included. Logarithmic.",
      unit: UNITS.seconds, span: 8, log: true,
    }, `label_join(${parts(over, ["submit", "device"], CHOSEN, 'quantile="0.5"')}, ` +
      '"time", " ", "mode", "part")', { over: "batch", of: "time" }))
    .withPanel(bars({
      title: "Setup cost by batch",
      description: "Capture, breaks, instantiate and upload together, paid once for each graph; in a " +
        "library's own mode also compiling and recording.",
      unit: UNITS.seconds, span: 8, min: 0,
    }, setupSeconds(over, CHOSEN), overBatch))
    .withPanel(bars({
      title: "Break-even by batch",
      description: "Replays, each waited for, after which the latency saved has paid warmups and setup " +
        "back; no bar: it never does, or is not told apart.",
      unit: UNITS.steps, decimals: 0, span: 8, min: 0,
    }, maxBy(over, breakeven(CHOSEN)), overBatch))
    .withPanel(bars({
      title: "Launch-bound share by batch",
      description: "Part of eager's latency in which the device is idle: launch-bound from 50 %, " +
        "device-bound up to 10 %.",
      unit: UNITS.share, span: 8, min: 0, max: 1,
    }, maxBy(over, launchShare(EAGER)), overBatch));
}

export function overview() {
  const builder = frame({
    uid: UIDS.overview,
    title: "graphbench / Overview",
    description: "What CUDA graphs buy over eager launching, by workload and batch size, and at what cost.",
    from: "now-24h",
    refresh: "1m",
  });
  annotate(builder, one("instance")).withVariable(datasource());
  const pins = PINS.map((pin) => (pin === "warmup" ? "warmup!" : pin));
  for (const variable of labels("graphbench_latency_seconds", ...pins, "variant*", "workload*", "mode*")) {
    builder.withVariable(variable);
  }
  return perWorkload(tables(whichMode(headline(builder))));
}
