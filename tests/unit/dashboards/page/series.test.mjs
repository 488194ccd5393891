import assert from "node:assert/strict";
import test from "node:test";

import { axis_batches, axis_ratios, axis_times, choices_of, GAIN, log_range, METRICS, series_of, told }
  from "../../../../dashboards/page/series.mjs";
import { plots_of } from "../../../../dashboards/page/cells.mjs";
import { cell, skipped } from "./cells_of.mjs";

const variant = "mlp / tiny / fp32 / forward";
const latency = { warmup: 0, metric: "launches[].latency_seconds" };
const values_of = ({ numbers }) => numbers.map((number) => number?.value ?? null);

test("a line a mode over all batches, with holes where nothing was measured", () => {
  const series = series_of([
    cell({ batch: 16, p50: 4 }), cell({ batch: 2, p50: 2 }), cell({ batch: 2, p50: 1, mode: "whole" }),
    skipped({ batch: 16, mode: "whole" }), skipped({ batch: 2, mode: "piecewise" }),
  ], latency);
  assert.deepEqual(series.batches, [2, 16]);
  assert.deepEqual(series.lines.map((line) => [line.mode, values_of(line)]),
    [["eager", [2, 4]], ["whole", [1, null]]]);
});

test("other warmups stay out of a plot", () => {
  const series = series_of([cell({ p50: 1 }), cell({ p50: 5, warmup: 3 })], latency);
  assert.deepEqual(series.lines.map(values_of), [[1]]);
});

test("the metric is the one that was chosen, with its interval", () => {
  const cells = [cell({ p50: 2, low: 1, high: 3 })];
  const [latency_number] = series_of(cells, latency).lines[0].numbers;
  assert.deepEqual([latency_number.low, latency_number.high], [1, 3]);
  const submit = series_of(cells, { ...latency, metric: "launches[].submit_seconds" }).lines[0];
  assert.deepEqual(submit.numbers, [cells[0].row["launches[].submit_seconds"]]);
});

test("gains come first; a mode without one has no line", () => {
  assert.equal(Object.keys(METRICS)[0], GAIN);
  const cells = [cell({ row: { [GAIN]: { text: "1.00x", value: 1 } } }), cell({ mode: "whole" }),
    cell({ mode: "piecewise", row: { [GAIN]: undefined } })];
  const { lines } = series_of(cells, { ...latency, metric: GAIN });
  assert.deepEqual(lines.map((line) => [line.mode, values_of(line)]), [["eager", [1]], ["whole", [1.5]]]);
  assert.deepEqual(axis_ratios(0.7, 2.5), [0.8, 1, 1.2, 1.5, 2]);
});

test("what a logarithm cannot show is left out", () => {
  assert.deepEqual(series_of([cell({ p50: 0 })], latency).lines, []);
});

test("a choice that is gone gives way to the first one", () => {
  const cells = plots_of(
    [cell({ warmup: 10 }), cell({ warmup: 3 }), cell({ workload: "conv", warmup: 1 })]);
  const conv = "conv / tiny / fp32 / forward";
  assert.deepEqual(choices_of(cells, "gone"), { variants: [conv, variant], variant: conv, warmups: [1] });
  assert.deepEqual(choices_of(cells, variant).warmups, [3, 10]);
  assert.deepEqual(choices_of(new Map(), ""), { variants: [], variant: undefined, warmups: [] });
});

test("a range holds every value with room, one value alone too", () => {
  const [low, high] = log_range([1, null, 64]);
  assert.ok(low < 1 && low > 0.5 && high > 64 && high < 128);
  const [below, above] = log_range([8]);
  assert.ok(below > 0 && below < 8 && above > 8);
  assert.deepEqual(log_range([null]), [1, 10]);
});

test("an axis keeps measured batches alone, as many as fit", () => {
  const batches = [1, 2, 4, 8, 16, 32, 64, 128, 256];
  assert.deepEqual(axis_batches(batches, 20), batches);
  assert.deepEqual(axis_batches(batches, 5), [1, 4, 16, 64, 256]);
  assert.ok(axis_batches(batches, 1).length <= 2);
});

test("times on an axis are round and inside of it", () => {
  assert.deepEqual(axis_times(30e-6, 600e-6), [50e-6, 100e-6, 200e-6, 500e-6]);
  assert.deepEqual(axis_times(1e-6, 1e-2), [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]);
});

test("the plot can be told in words", () => {
  const series = series_of([cell({ batch: 2 }), skipped({ batch: 4 })], latency);
  assert.equal(told(series, "latency"), "Plot of latency over batch. eager: 43us at batch 2.");
  assert.equal(told(series_of([], latency), "latency"), "Nothing to plot yet.");
});
