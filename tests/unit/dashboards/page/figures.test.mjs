import assert from "node:assert/strict";
import test from "node:test";

import { sections_of } from "../../../../dashboards/page/figures.mjs";
import { cell } from "./cells_of.mjs";

const number = (text, value) => ({ text, value });
const sections = (cells, more = {}) => Object.fromEntries(
  sections_of({ result: { environment: {}, cells, ...more } }).sections
    .map(({ title, figures }) => [title.split(" ")[0], figures]));

test("cells with other axes are another workload's", () => {
  const whole = cell({ mode: "whole" });
  const cells = [whole, cell({ mode: "whole", batch: 2 })];
  cells.push(...cells.map((each) => ({ ...each, id: `${each.id}/io=move` })));
  assert.deepEqual(sections(cells).Gain.map(({ title }) => title),
    ["mlp / tiny / fp32 / forward, warmup 0", "mlp / tiny / fp32 / forward / io=move, warmup 0"]);
});

test("a line has a point per batch, with its interval in the table", () => {
  const cells = [1, 2].flatMap((batch) => ["eager", "whole"].map((mode) =>
    cell({ batch, mode, p50: batch * 10, low: 9 * batch, high: 11 * batch })));
  const [latency] = sections(cells).Latency;
  assert.deepEqual(latency.lines.map(({ name, points }) => [name, points.map(({ value }) => value)]),
    [["eager", [10, 20]], ["whole", [10, 20]]]);
  assert.deepEqual(latency.table, { head: ["batch", "eager", "whole"],
    rows: [["1", "10us\n\u00b11", "10us\n\u00b11"], ["2", "20us\n\u00b12", "20us\n\u00b12"]] });
});

test("submit has the floor of its launches, and latency that of one kernel", () => {
  const cells = [cell({ mode: "whole", row: { submit_floor: number("500ns", 5e-7) } }),
    cell({ mode: "whole", batch: 2 })];
  const { Submit: [submit], Latency: [latency] } = sections(cells, { one_kernel: number("9.00us", 9e-6) });
  assert.deepEqual(submit.table, { head: ["batch", "whole", "whole's floor"],
    rows: [["1", "4.29us", "500ns"], ["2", "4.29us", "\u2013"]] });
  assert.deepEqual(latency.table.rows, [["1", "43us", "9.00us"], ["2", "43us", "9.00us"]]);
});

test("warmups are compared at the batch that has most of them", () => {
  const first = "launches[].setup.first_step_seconds";
  const cells = [0, 3].map((warmup) => cell({ mode: "whole", warmup, batch: 8,
    row: { [first]: number(`${warmup + 1}.00ms`, (warmup + 1) * 1e-3) } }));
  const [warmups] = sections([...cells, cell({ batch: 16 })]).How;
  assert.match(warmups.title, /batch 8/);
  assert.deepEqual(warmups.table.rows, [["0", "1.00ms", "43us"], ["3", "4.00ms", "43us"]]);
});

test("where a step's time goes is shown of profiles alone", () => {
  const row = { busy: number("8.00us", 8e-6), gaps: number("2.00us", 2e-6) };
  const profiled = cell({ mode: "whole", row });
  const other = cell({ mode: "whole", batch: 2 });
  assert.deepEqual(sections([profiled, other]).Where[0].table.rows,
    [["whole b1", "8.00us", "2.00us", "4.29us"]]);
  assert.equal(sections([other]).Where, undefined);
});

test("memory is that of the worker which has a shown cell", () => {
  const cells = [cell({ mode: "whole" }), cell({ mode: "whole", batch: 2 })];
  const values = [number("4.19 MB", 4194304), number("-1 kB", -1000)];
  const workers = [{ cell: "other/id", values }, { cell: cells[0].id, values }];
  const [memory] = sections(cells, { memory: { parts: ["pool", "unaccounted"], workers } }).Memory;
  assert.deepEqual(memory.table,
    { head: ["", "pool", "unaccounted"], rows: [["whole", "4.19 MB", "-1 kB"]] });
});

test("ladders and suggestions have their numbers in one table", () => {
  const [step, memory, startup] = [number("10.0us", 1e-5), number("1.00 MB", 1e6), number("2.00ms", 2e-3)];
  const served = { id: "L1", role: "every", sizes: 3, step, memory, startup };
  const suggestion = { workload: "mlp", why_none: "", sizes: 2, step, memory, startup,
    frontier: [{ sizes: 1, step }, { sizes: 2, step }] };
  const [ladders] = sections([], { ladders: [served, { id: "L2", role: "lazy", sizes: 1 }],
    suggestions: [suggestion] }).Ladders;
  assert.deepEqual(ladders.table.rows, [["mlp, suggested", "2", "10.0us", "1.00 MB", "2.00ms"],
    ["every (L1)", "3", "10.0us", "1.00 MB", "2.00ms"]]);
  assert.deepEqual(ladders.xs, [1, 2, 3]);
});

test("a series is drawn with its changes", () => {
  const names = ["started", "commit", "median", "lowest", "highest"];
  const row = (day, note) => ({ note, values: [{ text: `2026-01-0${day}T00:00:00Z` }, { text: "abc" },
    number("10.0us", 1e-5), number("9.00us", 9e-6), number("11.0us", 1.1e-5)] });
  const report = { sections: [{ title: "mlp  latency", columns: names.map((name) => ({ name })),
    rows: [row(1, ""), row(2, "+25.0 %")] }] };
  const { sections: [{ figures: [figure] }] } = sections_of({ series: [report, { sections: [] }] });
  assert.deepEqual(figure.verticals, [{ x: 1, text: "+25.0 %" }]);
  assert.deepEqual(figure.table.rows[1],
    ["2026-01-02", "abc", "10.0us\n9.00us to 11.0us", "+25.0 %"]);
  assert.deepEqual([figure.lines[0].points[0].low, figure.lines[0].points[0].high], [9e-6, 1.1e-5]);
});

test("only so many workloads are drawn, and the others are counted", () => {
  const cells = Array.from({ length: 30 }, (_, index) =>
    cell({ workload: `w${index >> 1}`, batch: 1 + index % 2 }));
  const { sections: [gain], left_out } = sections_of({ result: { environment: {}, cells } });
  assert.deepEqual([gain.figures.length, left_out], [12, 3]);
});
