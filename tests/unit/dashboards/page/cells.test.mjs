import assert from "node:assert/strict";
import test from "node:test";

import { cell_order, row_of, setup_seconds, tally, with_interval }
  from "../../../../dashboards/page/cells.mjs";
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

test("a row holds every number with its unit", () => {
  const row = row_of(cell({ mode: "whole", batch: 8, warmup: 3 }));
  assert.deepEqual(row.numbers,
    ["4.29 \u00b5s", "42.9 \u00b5s", "21.4 \u00b5s", "1.50\u00d7", "1.25\u00d7", "3.00 \u00b5s", "7"]);
  assert.deepEqual([row.variant, row.warmup, row.batch, row.mode, row.status, row.reason],
    ["mlp / tiny / fp32 / forward", "3", "8", "whole", "ok", ""]);
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

test("setup is the median over launches of what the graphs cost; eager has none", () => {
  const launch = (capture_seconds) =>
    ({ setup: { capture_seconds, instantiate_seconds: 1, upload_seconds: 1 } });
  assert.equal(setup_seconds(cell({ mode: "whole", launches: [launch(9), launch(1), launch(2)] })), 4);
  assert.equal(setup_seconds(cell({ mode: "whole", launches: [launch(1), launch(3)] })), 4);
  assert.equal(setup_seconds(cell({ mode: "whole", launches: [] })), null);
  assert.equal(setup_seconds(cell({ mode: "eager" })), null);
});

test("setup is that of later placements, or of later launches where each has one", () => {
  const setup = (capture_seconds) => ({ capture_seconds, instantiate_seconds: 1, upload_seconds: 1 });
  const launch = (index, ...captures) =>
    ({ index, setup: setup(captures[0]), setups: captures.map(setup) });
  const of = (...launches) => setup_seconds(cell({ mode: "whole", launches }));
  assert.equal(of(launch(0, 90, 1, 2, 80)), 4);
  assert.equal(of(launch(0, 90), launch(1, 1), launch(2, 3)), 4);
  assert.equal(of(launch(0, 90)), 92);
});

test("a cell without a break-even says why", () => {
  const of = cell({ mode: "whole" });
  of.summary = { ...of.summary, breakeven_steps: null, no_breakeven: "not told apart" };
  assert.equal(row_of(of).numbers.at(-1), "not told apart");
});

test("an interval stands below the median where launches were repeated", () => {
  assert.equal(with_interval({ p50: 2e-3, ci95: [1e-3, 3e-3] }), "2.00 ms\n[1.00 ms, 3.00 ms]");
  assert.equal(with_interval({ p50: 2e-3, ci95: null }), "2.00 ms");
  assert.equal(with_interval(undefined), NOTHING);
});

test("the tally counts only what there is", () => {
  assert.equal(tally([cell(), cell({ batch: 2 }), skipped({ mode: "whole" })]), "2 ok, 1 skipped");
  assert.equal(tally([]), "");
});

test("a gain says how well it is known", () => {
  const gain = (interval, mode = "whole") => {
    const of = cell({ mode });
    of.summary = { ...of.summary, speedup_over_eager_ci95: interval };
    return row_of(of).numbers[3];
  };
  assert.equal(gain([1.4, 1.6]), "1.50\u00d7\n[1.40\u00d7, 1.60\u00d7]");
  assert.equal(gain([0.9, 2]), "1.50\u00d7?\n[0.90\u00d7, 2.00\u00d7]");
  assert.equal(gain(null), "~1.50\u00d7");
  assert.equal(gain(undefined), "1.50\u00d7");
  assert.equal(gain(null, "eager"), "1.50\u00d7");
  const of = cell({ mode: "whole" });
  of.summary = { ...of.summary, throughput_over_eager: 0.5, throughput_over_eager_ci95: [0.4, 0.6] };
  assert.equal(row_of(of).numbers[4], "0.50\u00d7\n[0.40\u00d7, 0.60\u00d7]");
});
