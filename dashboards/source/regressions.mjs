// The dashboard Regressions: the last sweep against its baseline, and which cells got slower since when.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { annotate } from "./annotations.mjs";
import { UIDS, frame, toCell } from "./links.mjs";
import { UNITS, bars, lines, numbers, thresholds } from "./panels.mjs";
import { CELL, any, by, maxBy, one, p50, select } from "./queries.mjs";
import { rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const HERE = one("instance", "device");
const CELLS = [...HERE, ...any("preset", "dtype", "pass", "warmup", "variant", "workload", "mode")];
const COMPARED = [...CELLS, ...any("metric")];
const CHANGE = `${select("graphbench_change_ratio", COMPARED)} - 1`;
// Launches on one machine differ by up to a few percent. More than ten percent is a change.
const CHANGES = thresholds("green", [0.02, "orange"], [0.1, "red"]);

function headline(builder) {
  const cells = (verdict) =>
    `count(${select("graphbench_verdict_info", COMPARED, `verdict="${verdict}"`)}) or vector(0)`;
  const covered = (coverage) =>
    `sum(${select("graphbench_baseline_cells", HERE, `coverage="${coverage}"`)}) or vector(0)`;
  return numbers(builder, { span: 4 },
    ["Slower", "Metrics of cells that are slower by more than the margin, and not by chance.",
      UNITS.count, cells("slower"), { thresholds: thresholds("green", [1, "red"]) }],
    ["Faster", "Metrics of cells that are faster by more than the margin, and not by chance.",
      UNITS.count, cells("faster"), { thresholds: thresholds("text", [1, "blue"]) }],
    ["Inconclusive", "Comparisons with too little evidence for a verdict. More launches a side help.",
      UNITS.count, cells("inconclusive"), { thresholds: thresholds("green", [1, "orange"]) }],
    ["Worst change", "The largest increase of a median over the baseline's, significant or not.",
      UNITS.share, `max(${CHANGE})`, { decimals: 1, thresholds: CHANGES }],
    ["Cells without a number now",
      "Cells of the baseline that failed, were skipped or are missing in the last sweep. What " +
      "is not measured cannot regress: treat this as a failure.",
      UNITS.count, `sum(${select("graphbench_baseline_cells", HERE,
        'coverage=~"base_only|failed_now|skipped_now"')}) or vector(0)`,
      { thresholds: thresholds("green", [1, "red"]) }],
    ["Cells compared", "Cells that both the baseline and the last sweep have.",
      UNITS.count, covered("compared"), { thresholds: thresholds("red", [1, "text"]) }]);
}

function worst(builder) {
  const row = ["workload", "batch", "mode", "warmup", "preset", "dtype", "pass", "metric", "verdict"];
  const withVerdict = (expression) =>
    `(${expression}) * ignoring (verdict) group_left (verdict) ` +
    select("graphbench_verdict_info", one("instance"), any("verdict"));
  return builder.withPanel(rows({
    title: "Worst cells",
    description: "Each comparison with the baseline, the largest increase first. The verdict weighs the " +
      "change against the spread between launches; without it a large change may be noise. Of cells that " +
      "differ in no column but Change, the worst is shown.",
    unit: UNITS.share,
    decimals: 1,
    height: 12,
    link: toCell(row.filter((label) => CELL.includes(label) && label !== "mode"),
      ["instance", "device", "variant"]),
  }, row, [
    { name: "Change", expression: maxBy(row, withVerdict(CHANGE)), thresholds: CHANGES },
  ], "Change"));
}

/* One row per mean and verdict, because a mean can have the verdict `less steady` and a second one. */
function means(builder) {
  const row = ["mode", "metric", "verdict"];
  const here = [...HERE, ...any("mode", "metric")];
  const change = `(${select("graphbench_mean_change_ratio", here)} - 1) * ignoring (verdict) ` +
    `group_right () ${select("graphbench_mean_verdict_info", here)}`;
  return builder.withPanel(rows({
    title: "Means over the cells of a mode",
    description: "Latency, submit and setup in the geometric mean over all cells of a mode: what slows " +
      "each of them by less than its launches spread shows here. less steady: launches spread more than " +
      "the baseline's.",
    unit: UNITS.share,
    decimals: 1,
    height: 8,
  }, row, [
    { name: "Change", expression: maxBy(row, change), thresholds: CHANGES },
  ], "Change"));
}

function spread(builder) {
  return builder
    .withPanel(bars({
      title: "Typical change by workload",
      description: "Geometric mean of new over baseline, less one, over the cells of a workload and metric.",
      unit: UNITS.share, decimals: 1,
    }, `exp(avg by (workload, metric) (ln(${select("graphbench_change_ratio", COMPARED)}))) - 1`,
    { over: "workload", of: "metric", numeric: false }))
    .withPanel(bars({
      title: "Coverage of the baseline",
      description: "compared: in both; base_only: not swept now; new_only: not in the baseline; failed_now " +
        "and skipped_now: had a number, have none; recovered: the other way round; neither: no number in " +
        "either.",
      unit: UNITS.count, min: 0,
    }, maxBy(["coverage", "device"], select("graphbench_baseline_cells", HERE)),
    { over: "coverage", of: "device", numeric: false }));
}

/** A sweep that is not comparable has no verdicts, and an empty dashboard would look like good news. */
function comparability(builder) {
  const row = ["device", "field"];
  const comparable = maxBy(["device"], select("graphbench_baseline_comparable", one("instance")));
  const mismatch = maxBy(row, select("graphbench_baseline_mismatch_info", one("instance")));
  return builder.withPanel(rows({
    title: "Does the last sweep compare?",
    description: "Each device that was swept, and what keeps its last sweep from comparing with the " +
      "baseline: another device or plan, or on the host another CPU. Then nothing else here is of that " +
      "sweep.",
    unit: UNITS.count, height: 5,
    mappings: [{ type: "value", options: { 0: { text: "no" }, 1: { text: "yes" } } }],
  }, row, [
    { name: "Compares", thresholds: thresholds("red", [1, "green"]),
      expression: `label_replace(${comparable} == 1, "field", "none", "", "") or 0 * ${mismatch}` },
  ], "Compares"));
}

/** The graph modes' medians and the baseline's medians, each as a mean over a workload's batches. */
function againstBaseline(what, title, description, span = 12) {
  const graphs = [...CELLS, 'mode!="eager"'];
  const mean = (expression) => by("avg", ["workload", "mode"], expression);
  const before = select(`graphbench_baseline_${what}_seconds`, graphs);
  return lines({
    title: `${title} against baseline`,
    description: `${description} Graph modes, mean over batches, beside the same of the baseline.`,
    unit: UNITS.seconds, min: 0, span,
  }, [mean(p50(what, graphs)), "{{workload}} {{mode}}"], [mean(before), "{{workload}} {{mode}} baseline"]);
}

function trend(builder) {
  return builder
    .withRow(new dashboard.RowBuilder("Trend"))
    .withPanel(lines({
      title: "Worst change by workload and mode",
      description: "The largest increase over the baseline among a workload's cells, for each metric.",
      unit: UNITS.share, decimals: 1, thresholds: CHANGES,
    }, [maxBy(["workload", "mode", "metric"], CHANGE), "{{workload}} {{mode}} {{metric}}"]))
    .withPanel(lines({
      title: "Verdicts",
      description: "Comparisons by verdict, sweep by sweep.",
      unit: UNITS.count, min: 0, stacked: true,
    }, [`count by (verdict) (${select("graphbench_verdict_info", COMPARED)})`, "{{verdict}}"]))
    .withPanel(againstBaseline("latency", "Latency", "Median latency."))
    .withPanel(againstBaseline("submit", "Submit", "Median CPU time of a submission."))
    .withPanel(againstBaseline("device", "Device time", "Median device time. A change here and in no " +
      "submit is the kernels', the clocks' or the driver's.", 24));
}

export function regressions() {
  const builder = frame({
    uid: UIDS.regressions,
    title: "graphbench / Regressions",
    description: "The last sweep against the recorded baseline: worst cells, trend, coverage.",
    from: "now-30d",
    refresh: "5m",
  });
  annotate(builder, one("instance")).withVariable(datasource());
  // instance and device are from a family that exists even if no sweep is comparable with the baseline, which
  // the dashboard can then show. The other variables are from the verdicts.
  const found = labels("graphbench_baseline_comparable", "instance", "device");
  const compared = labels("graphbench_verdict_info", "instance", "device", "preset*", "dtype*", "pass*",
    "warmup*", "variant*", "workload*", "mode*", "metric*", "verdict*");
  for (const variable of [...found, ...compared.slice(found.length)]) builder.withVariable(variable);
  return trend(spread(means(worst(comparability(headline(builder))))));
}
