// The dashboard Ladder: captured sizes and rivals under one traffic: hits, padding, start-up, memory,
// latency.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { annotate } from "./annotations.mjs";
import { UIDS, frame } from "./links.mjs";
import { UNITS, bars, lines, numbers, thresholds } from "./panels.mjs";
import { any, maxBy, one, select } from "./queries.mjs";
import { mebi, micro, rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const PINS = ["instance", "device", "workload", "preset", "dtype", "pass", "warmup", "traffic"];
const LADDERS = [...one(...PINS), ...any("role")];
const ASKED = [...one(...PINS), 'role="asked"'];

const of = (metric, ...matchers) => select(`graphbench_ladder_${metric}`, ...matchers);
const byMode = (metric, ...matchers) => maxBy(["mode"], of(metric, ASKED, ...matchers));

function headline(builder) {
  return numbers(builder, { span: 6, name: "{{mode}}" },
    ["Hits", "Steps that a captured graph served, exactly or padded, over all steps.",
      UNITS.share,
      byMode("hit_ratio"), { decimals: 1, thresholds: thresholds("red", [0.9, "orange"], [0.99, "green"]) }],
    ["Padding waste", "Share of padding among all rows that ran in graphs.",
      UNITS.share, byMode("padding_waste_ratio"),
      { decimals: 1, thresholds: thresholds("green", [0.1, "orange"], [0.3, "red"]) }],
    ["Start-up", "Preparing, warming up, capturing, instantiating and uploading all sizes.",
      UNITS.seconds, `sum by (mode) (${of("startup_seconds", ASKED)})`, { decimals: 2 }],
    ["Stalls", "Time that requests waited for captures, where these are lazy.",
      UNITS.seconds,
      byMode("stall_seconds"), { decimals: 2, thresholds: thresholds("green", [0.001, "orange"]) }]);
}

function sideBySide(builder) {
  const row = ["role", "mode", "batch", "ladder"];
  const column = (name, expression) => ({ name, expression: maxBy(row, expression) });
  const quantile = (metric, at) => micro(of(metric, LADDERS, `quantile="${at}"`));
  return builder.withPanel(rows({
    title: "Ladders and rivals",
    description: "The same steps from each ladder: the one asked for, every step eager, every size " +
      "captured, an engine's sizes, a suggestion. Batch is the largest captured size.",
    unit: UNITS.inColumns,
    height: 7,
  }, row, [
    column("Busy, s", of("busy_seconds", LADDERS)),
    column("Latency p50, us", quantile("latency_seconds", "0.5")),
    column("Latency p99, us", quantile("latency_seconds", "0.99")),
    column("Submit p50, us", quantile("submit_seconds", "0.5")),
    column("Rows/s", of("rows_per_second", LADDERS)),
    column("Hits", of("hit_ratio", LADDERS)),
    column("Waste", of("padding_waste_ratio", LADDERS)),
    column("Pool, MiB", mebi(of("memory_bytes", LADDERS, 'of="pool"'))),
  ], "Busy, s"));
}

function parts(builder) {
  const bar = (title, description, unit, metric, label) => bars({
    title, description, unit, span: 8, min: 0, stacked: true,
  }, maxBy(["mode", label], of(metric, ASKED)), { over: "mode", of: label, numeric: false });
  return builder
    .withPanel(bar("Steps", "Number of steps, by how they were served. Each is counted once.", UNITS.count,
      "steps", "how"))
    .withPanel(bar("Start-up by stage", "One-time costs of all sizes.", UNITS.seconds, "startup_seconds",
      "stage"))
    .withPanel(bar("Memory", "The pool that captures share, instantiated graphs, static buffers and scratch.",
      UNITS.bytes, "memory_bytes", "of"));
}

const BILL_PINS = PINS.filter((each) => each !== "traffic");
const billOf = (metric, ...matchers) =>
  select(`graphbench_bill_${metric}`, ...one(...BILL_PINS), ...matchers);

function bill(builder) {
  builder.withRow(new dashboard.RowBuilder("Bill: what captured sizes take"));
  const bar = (title, description, unit, metric, label) => bars({
    title, description, unit, span: 9, min: 0, stacked: true,
  }, maxBy(["mode", label], billOf(metric, 'how="predicted"')), { over: "mode", of: label, numeric: false });
  numbers(builder, { span: 3, name: "{{mode}}" },
    ["Reserve", "Device memory that must be free before the first capture.", UNITS.bytes,
      maxBy(["mode"], billOf("reserve_bytes")), { decimals: 2 }],
    ["Error", "Predicted memory over measured memory, less 1.", UNITS.share,
      maxBy(["mode"], billOf("error_ratio", 'by="captures"')), { decimals: 2 }]);
  return builder
    .withPanel(bar("Predicted memory", "Memory of all captured sizes, by cause.", UNITS.bytes, "bytes",
      "of"))
    .withPanel(bar("Predicted time", "Time to set all captured sizes up, by stage.", UNITS.seconds,
      "seconds", "stage"));
}

function overTime(builder) {
  builder.withRow(new dashboard.RowBuilder("Over time"));
  for (const [title, metric, at, description] of [
    ["Median latency over time", "latency", "0.5", "The latency of the steps that the ladder served."],
    ["p99 latency over time", "latency", "0.99", "The latency of the steps that the ladder served."],
    ["p99 response over time", "response", "0.99", "From the intended arrival to the end (--arrivals)."],
  ]) {
    builder.withPanel(lines({ title, description, unit: UNITS.seconds, min: 0, span: 8 },
      [byMode(`${metric}_seconds`, `quantile="${at}"`), "{{mode}}"]));
  }
  return builder;
}

export function ladder() {
  const builder = frame({
    uid: UIDS.ladder,
    title: "graphbench / Ladder",
    description: "Captured sizes under one traffic, beside their rivals.",
    from: "now-7d",
    refresh: "1m",
  });
  annotate(builder, one("instance")).withVariable(datasource());
  labels("graphbench_ladder_hit_ratio", ...PINS, "role*").forEach((each) => builder.withVariable(each));
  return overTime(bill(parts(sideBySide(headline(builder)))));
}
