// Overview: what graphs gain, which cells are CPU-bound, and when the setup is paid back.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { UIDS, frame, toCell } from "./links.mjs";
import { UNITS, bars, number, thresholds } from "./panels.mjs";
import { USUAL, any, hostShare, isHostBound, maxBy, one, p50, select, setupSeconds } from "./queries.mjs";
import { micro, rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const PINNED = [...one("instance", "device", "preset", "dtype", "pass", "warmup"), ...USUAL];
const SHOWN = [...PINNED, ...any("workload")];
const CHOSEN = [...SHOWN, ...any("mode")];
const ROW = ["workload", "batch", "mode"];
const KEPT = ["instance", "device", "preset", "dtype", "pass", "warmup"];

const gain = (...matchers) => select("graphbench_speedup_over_eager_ratio", ...matchers);
const breakeven = (...matchers) => select("graphbench_breakeven_steps", ...matchers);
const GAINS = thresholds("red", [0.98, "text"], [1.02, "green"]);
const HOST_BOUND = thresholds("green", [0.8, "orange"], [1, "red"]);

const eager = 'mode="eager"';
const whole = 'mode="whole"';

function headline(builder) {
  return builder
    .withPanel(number({
      title: "Cells",
      description: "Cells with a measured latency under the variables above.",
      unit: UNITS.count,
    }, `count(${p50("latency", CHOSEN)})`))
    .withPanel(number({
      title: "Host-bound in eager",
      description: "Part of the eager cells whose submit takes as long as their device time, or longer: " +
        "there the CPU is the bottleneck and a graph helps most.",
      unit: UNITS.share,
      decimals: 0,
    }, `avg(${isHostBound(SHOWN, eager)})`))
    .withPanel(number({
      title: "Still host-bound in a graph",
      description: "Part of the whole and piecewise cells whose submit still reaches their device time. " +
        "Look for eager ops between the pieces.",
      unit: UNITS.share,
      decimals: 0,
      thresholds: thresholds("green", [0.01, "orange"], [0.25, "red"]),
    }, `avg(${isHostBound(SHOWN, 'mode!="eager"')})`))
    .withPanel(number({
      title: "Median gain of whole graphs",
      description: "Eager latency over whole-graph latency at the same batch and warmup, median over cells.",
      unit: UNITS.times,
      decimals: 2,
      thresholds: GAINS,
    }, `quantile(0.5, ${gain(SHOWN, whole)})`))
    .withPanel(number({
      title: "CPU time saved a step",
      description: "Eager submit less whole-graph submit at the same batch and warmup, median over cells: " +
        "what the submitting thread has for other work.",
      unit: UNITS.seconds,
    }, `quantile(0.5, ${p50("submit", SHOWN, eager)} - ignoring (mode) ${p50("submit", SHOWN, whole)})`))
    .withPanel(number({
      title: "Median break-even of whole graphs",
      description: "Replays, each waited for, after which warmups, capture, instantiate and upload are " +
        "paid back by the latency saved over eager, median over the cells where they ever are.",
      unit: UNITS.steps,
      decimals: 0,
      noValue: "none",
    }, `quantile(0.5, ${breakeven(SHOWN, whole)})`));
}

function tables(builder) {
  const link = toCell(["workload", "batch"], KEPT);
  const time = (name, expression) => ({ name: `${name}, us`, expression: maxBy(ROW, micro(expression)) });
  const value = (name, expression, more = {}) => ({ name, expression: maxBy(ROW, expression), ...more });
  return builder
    .withPanel(rows({
      title: "Who is host-bound",
      description: "Median times of each cell, the largest submit over device first. From 1 up the device " +
        "waits for the host. Any value links to its cell.",
      unit: UNITS.inColumns, link,
    }, ROW, [
      value("Submit / device", hostShare(CHOSEN), { thresholds: HOST_BOUND }),
      time("Submit", p50("submit", CHOSEN)),
      time("Device", p50("device", CHOSEN)),
      time("Latency", p50("latency", CHOSEN)),
      value("Over floor", select("graphbench_submit_over_floor_ratio", CHOSEN)),
    ], "Submit / device"))
    .withPanel(rows({
      title: "What capture costs, and when it is paid back",
      description: "Costs of each graph cell, in later placements, and the replays that earn them and the " +
        "warmups back. The table below says why some have no break-even.",
      unit: UNITS.inColumns, link,
    }, ROW, [
      time("Setup", setupSeconds(CHOSEN)),
      time("Capture", select("graphbench_capture_seconds", CHOSEN)),
      time("Instantiate", select("graphbench_instantiate_seconds", CHOSEN)),
      time("Upload", select("graphbench_upload_seconds", CHOSEN)),
      value("Gain, x", gain(CHOSEN, 'mode!="eager"'), { thresholds: GAINS }),
      value("Rate gain, x", select("graphbench_throughput_over_eager_ratio", CHOSEN, 'mode!="eager"'),
        { thresholds: GAINS }),
      value("Break-even, steps", breakeven(CHOSEN)),
      value("Pieces", select("graphbench_graph_pieces", CHOSEN)),
      value("Nodes", select("graphbench_graph_nodes", CHOSEN)),
    ], "Setup, us"))
    .withPanel(rows({
      title: "Graph cells without a break-even",
      description: "Never: a replay is no faster than eager. Not told apart: the launches do not say " +
        "whether it is. Eager not swept: there is nothing to compare with.",
      unit: UNITS.inColumns, height: 6, noValue: "none",
    }, ["workload", "mode", "reason"], [{
      name: "Cells",
      expression: `count by (workload, mode, reason) (${select("graphbench_no_breakeven_info", CHOSEN)})`,
    }], "Cells"));
}

/** One row of charts over the batch size a workload. */
function perWorkload(builder) {
  const overBatch = { over: "batch", of: "mode" };
  const over = ["batch", "mode"];
  const named = (part, what) =>
    `label_join(label_replace(${maxBy(over, p50(what, CHOSEN))}, "part", "${part}", "", ""), ` +
    '"time", " ", "mode", "part")';
  return builder
    .withRow(new dashboard.RowBuilder("$workload").repeat("workload"))
    .withPanel(bars({
      title: "Gain over eager by batch",
      description: "Eager latency over this mode's at the same batch and warmup; 1 means no gain.",
      unit: UNITS.times, decimals: 2, span: 8, min: 0,
    }, maxBy(over, gain(CHOSEN)), overBatch))
    .withPanel(bars({
      title: "Latency by batch",
      description: "Median time from the start of a step's submission to its completion. Logarithmic.",
      unit: UNITS.seconds, span: 8, log: true,
    }, maxBy(over, p50("latency", CHOSEN)), overBatch))
    .withPanel(bars({
      title: "Submit against device time by batch",
      description: "Median CPU time of a submission beside the device's time of the same step. Where " +
        "submit is the taller bar, the device waits for the host. Logarithmic.",
      unit: UNITS.seconds, span: 8, log: true,
    }, `${named("submit", "submit")} or ${named("device", "device")}`, { over: "batch", of: "time" }))
    .withPanel(bars({
      title: "Setup cost by batch",
      description: "Capture, instantiate and upload together, paid once for each graph.",
      unit: UNITS.seconds, span: 12, min: 0,
    }, maxBy(over, setupSeconds(CHOSEN)), overBatch))
    .withPanel(bars({
      title: "Break-even by batch",
      description: "Replays, each waited for, after which the latency saved has paid warmups and setup " +
        "back; no bar: it never does, or is not told apart.",
      unit: UNITS.steps, decimals: 0, span: 12, min: 0,
    }, maxBy(over, breakeven(CHOSEN)), overBatch));
}

export function overview() {
  const builder = frame({
    uid: UIDS.overview,
    title: "graphbench / Overview",
    description: "What CUDA graphs buy over eager launching, by workload and batch size, and at what cost.",
    from: "now-24h",
    refresh: "1m",
  });
  builder.withVariable(datasource());
  for (const variable of labels("graphbench_latency_seconds",
    "instance", "device", "preset", "dtype", "pass", "warmup", "workload*", "mode*")) {
    builder.withVariable(variable);
  }
  return perWorkload(tables(headline(builder)));
}
