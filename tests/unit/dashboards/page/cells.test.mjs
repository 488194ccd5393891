import assert from "node:assert/strict";
import test from "node:test";

import { cell_of, cell_order, plots_of, row_of, shown, tally } from "../../../../dashboards/page/cells.mjs";
import { NOTHING } from "../../../../dashboards/page/format.mjs";
import { cell, skipped } from "./cells_of.mjs";

test("rows go by workload, warmup, batch as a number, and modes in their order", () => {
  const cells = [
    cell({ workload: "mlp", batch: 16 }), cell({ workload: "mlp", batch: 2, mode: "piecewise" }),
    cell({ workload: "mlp", batch: 2, mode: "odd" }), cell({ workload: "mlp", batch: 2, mode: "whole" }),
    cell({ workload: "conv", batch: 2, warmup: 3 }), cell({ workload: "mlp", batch: 2 }),
    cell({ workload: "conv", batch: 8, warmup: 0 }),
  ];
  assert.deepEqual(cells.sort(cell_order).map(({ id }) => id.replace("tiny/fp32/forward/", "")), [
    "conv/b8/w0/eager", "conv/b2/w3/eager", "mlp/b2/w0/eager", "mlp/b2/w0/whole", "mlp/b2/w0/piecewise",
    "mlp/b2/w0/odd", "mlp/b16/w0/eager",
  ]);
});

test("a row holds each number's text, and a dash where there is none", () => {
  const row = row_of(cell({ mode: "whole", batch: 8, warmup: 3, p50: 40, low: 30, high: 50 }));
  assert.deepEqual(row.numbers,
    ["4.29us", "40us\n\u00b110", "21.4us", "~1.50x", NOTHING, "3.00us", "7", NOTHING]);
  assert.deepEqual([row.variant, row.warmup, row.batch, row.mode, row.status, row.reason],
    ["mlp / tiny / fp32 / forward", "3", "8", "whole", "ok", ""]);
});

test("a text without a number is shown too", () => {
  const row = row_of(cell({ row: { "summary.breakeven_steps": { text: "never" } } }));
  assert.equal(row.numbers.at(-2), "never");
  assert.equal(shown(undefined), NOTHING);
  assert.equal(shown({ text: "1.50x?", value: 1.5, range: "0.90-2.00" }), "1.50x?\n0.90-2.00");
});

test("a cell without numbers says why", () => {
  const row = row_of(skipped({ mode: "whole" }));
  assert.equal(row.numbers, null);
  assert.equal(row.status, "skipped");
  assert.equal(row.reason, "not_capturable: op host_copy runs on the host");
  assert.equal(row_of(skipped({ reason: null })).reason, "the service gave no reason");
});

test("an output that differs from eager's is told, though the cell has numbers", () => {
  const row = row_of(cell({ mode: "whole", check: { identical: false } }));
  assert.match(row.reason, /differs from eager/);
  assert.notEqual(row.numbers, null);
});

test("a status of a newer service is not shown as one of ours", () => {
  assert.equal(row_of(cell({ status: "<b>odd</b>" })).status, "unknown");
});

test("the tally counts only what there is", () => {
  assert.equal(tally([cell(), cell({ batch: 2 }), skipped({ mode: "whole" })]), "2 ok, 1 skipped");
  assert.equal(tally([]), "");
});

test("a report's row is a cell as the service sends it", () => {
  const columns = ["launches[].latency_seconds", "summary.breakeven_steps", "setup_seconds"];
  const number = ["2.00us", 2e-6, 1e-6, 3e-6, "\u00b150 %"];
  const id = "mlp/base/bf16/forward/b8/w3/whole/io=copy_in";
  const reference = "mlp/base/bf16/forward/b8/w3/eager";
  const row = [id, "ok", null, false, number, null, ["3ns", 3e-9]];
  assert.deepEqual(cell_of(columns, row, { [id]: reference }), {
    id, status: "ok", reason: null, reference,
    check: { identical: false }, workload: "mlp", preset: "base", dtype: "bf16", pass: "forward", batch: 8,
    warmup: 3, mode: "whole", row: {
      "launches[].latency_seconds":
        { text: "2.00us", value: 2e-6, low: 1e-6, high: 3e-6, range: "\u00b150 %" },
      "setup_seconds": { text: "3ns", value: 3e-9, low: undefined, high: undefined, range: undefined },
    },
  });
});

const PLAIN = "mlp / tiny / fp32 / forward";
const eager_at = (batch) => `mlp/tiny/fp32/forward/b${batch}/w0/eager`;
const copying = (batch) => {
  const made = cell({ mode: "whole", batch });
  return { ...made, id: `${made.id}/io=copy_in`, reference: eager_at(batch) };
};
const drawn = (cells) => [...plots_of(cells)].map(([name, plot]) => [name, plot.map(({ id }) => id)]);

test("other workloads, dtypes, passes and presets have plots of their own", () => {
  const cells = [cell({}), cell({ workload: "conv" }), cell({ dtype: "bf16" }), cell({ pass: "training" }),
    cell({ preset: "base" })];
  assert.equal(plots_of(cells).size, 5);
  assert.deepEqual(plots_of(cells).get(PLAIN), [cells[0]]);
});

test("graphs join the eager that they are compared with, whatever axis names them otherwise", () => {
  const [eager, graph] = [cell({ batch: 2 }), copying(2)];
  assert.deepEqual(drawn([graph, eager]), [[`${PLAIN} / io=copy_in`, [eager.id, graph.id]]]);
  const plain = cell({ mode: "whole", batch: 2 });
  assert.deepEqual(drawn([eager, plain, graph]),
    [[PLAIN, [eager.id, plain.id]], [`${PLAIN} / io=copy_in`, [eager.id, graph.id]]]);
});

test("eager that no graph refers to keeps its plot, behind those of several modes", () => {
  const [eager, other, graph] = [cell({ batch: 2 }), cell({ batch: 4 }), copying(2)];
  assert.deepEqual(drawn([eager, other, graph]),
    [[`${PLAIN} / io=copy_in`, [eager.id, graph.id]], [PLAIN, [eager.id, other.id]]]);
});
