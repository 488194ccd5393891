import assert from "node:assert/strict";
import test from "node:test";

import { cell_of } from "../../../../dashboards/page/cells.mjs";
import { sections_of } from "../../../../dashboards/page/figures.mjs";
import { bytes } from "../../../../dashboards/page/format.mjs";
import { cell } from "./cells_of.mjs";

const sections = (cells, more = {}) => Object.fromEntries(
  sections_of({ result: { environment: {}, cells, ...more } }).sections
    .map(({ title, figures }) => [title.split(" ")[0], figures]));

test("a cell is what its row says, at the paths of its columns", () => {
  assert.deepEqual(cell_of(["summary.latency_seconds.p50", "summary.latency_seconds.ci95.0",
    "launches.0.setup.capture_seconds", "profile.gap_seconds"],
  ["mlp/base/bf16/forward/b8/w3/whole/io=copy_in", "ok", 2e-6, 1e-6, 3e-6]), {
    id: "mlp/base/bf16/forward/b8/w3/whole/io=copy_in", status: "ok", workload: "mlp", preset: "base",
    dtype: "bf16", pass: "forward", batch: 8, warmup: 3, mode: "whole",
    summary: { latency_seconds: { p50: 2e-6, ci95: [1e-6] } },
    launches: [{ setup: { capture_seconds: 3e-6 } }],
  });
});

test("cells with other axes are another workload's", () => {
  const whole = cell({ mode: "whole" });
  const cells = [whole, cell({ mode: "whole", batch: 2 })];
  cells.push(...cells.map((each) => ({ ...each, id: `${each.id}/io=move` })));
  assert.deepEqual(sections(cells).Gain.map(({ title }) => title),
    ["mlp / tiny / fp32 / forward, warmup 0", "mlp / tiny / fp32 / forward / io=move, warmup 0"]);
});

test("a line has a point per batch, with its interval in the table", () => {
  const cells = [1, 2].flatMap((batch) => ["eager", "whole"].map((mode) =>
    cell({ batch, mode, p50: batch * 1e-5, ci95: [0.9e-5 * batch, 1.1e-5 * batch] })));
  const [latency] = sections(cells).Latency;
  assert.deepEqual(latency.lines.map(({ name, points }) => [name, points.map(({ value }) => value)]),
    [["eager", [1e-5, 2e-5]], ["whole", [1e-5, 2e-5]]]);
  assert.deepEqual(latency.table, { head: ["batch", "eager", "whole"],
    rows: [["1", "10.0 \u00b5s\n[9.00 \u00b5s, 11.0 \u00b5s]", "10.0 \u00b5s\n[9.00 \u00b5s, 11.0 \u00b5s]"],
      ["2", "20.0 \u00b5s\n[18.0 \u00b5s, 22.0 \u00b5s]", "20.0 \u00b5s\n[18.0 \u00b5s, 22.0 \u00b5s]"]] });
});

test("submit has the floor of its launches", () => {
  const whole = cell({ mode: "whole", p50: 1e-5 });
  whole.summary.submit_over_floor = 2;
  const [submit] = sections([whole, cell({ mode: "whole", batch: 2, p50: 2e-5 })]).Submit;
  assert.deepEqual(submit.table, { head: ["batch", "whole", "whole's floor"],
    rows: [["1", "1.00 \u00b5s", "500 ns"], ["2", "2.00 \u00b5s", "\u2013"]] });
});

test("warmups are compared at the batch that has most of them", () => {
  const cells = [0, 3].map((warmup) => cell({ mode: "whole", warmup, batch: 8,
    launches: [{ setup: { first_step_seconds: 1e-3 / (warmup + 1) } }] }));
  const [warmups] = sections([...cells, cell({ batch: 16 })]).How;
  assert.match(warmups.title, /batch 8/);
  assert.deepEqual(warmups.table.rows,
    [["0", "1.00 ms", "42.9 \u00b5s"], ["3", "250 \u00b5s", "42.9 \u00b5s"]]);
});

test("where a step's time goes is shown of profiles alone, and memory adds execs up", () => {
  const profiled = cell({ mode: "whole", profile: { busy_seconds: 8e-6, gap_seconds: 2e-6 },
    memory: { pool_bytes: 4e6, exec_bytes: 5e5 } });
  const other = cell({ mode: "whole", batch: 2, memory: { pool_bytes: 4e6, exec_bytes: 5e5 } });
  const { Where: [profile], Memory: [memory] } = sections([profiled, other]);
  assert.deepEqual(profile.table.rows, [["whole b1", "8.00 \u00b5s", "2.00 \u00b5s", "4.29 \u00b5s"]]);
  assert.deepEqual(memory.table.rows[0].slice(-2), ["4.00 MB", "1.00 MB"]);
  assert.equal(sections([other]).Where, undefined);
});

test("only so many workloads are drawn, and the others are counted", () => {
  const cells = Array.from({ length: 30 }, (_, index) =>
    cell({ workload: `w${index >> 1}`, batch: 1 + index % 2 }));
  const { sections: [gain], left_out } = sections_of({ result: { environment: {}, cells } });
  assert.deepEqual([gain.figures.length, left_out], [12, 3]);
});

test("bytes have three digits and a unit", () => {
  assert.deepEqual([0, 999, 4194304, 1.5e9, null].map(bytes),
    ["0 B", "999 B", "4.19 MB", "1.50 GB", "\u2013"]);
});
