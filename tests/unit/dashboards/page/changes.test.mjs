import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { changes_of, SHOWN_MAX } from "../../../../dashboards/page/changes.mjs";
import { round_ticks } from "../../../../dashboards/page/svg.mjs";

const golden = (name) => JSON.parse(readFileSync(
  new URL(`../../../golden/comparison/json/${name}.json`, import.meta.url), "utf8"));

test("the verdict comes first, then means and cells with their intervals, slower ones first", () => {
  const changes = changes_of(golden("mixed"));
  assert.equal(changes.verdict, "slower");
  const [means, cells] = changes.figures;
  assert.deepEqual(means.table.rows[0],
    ["eager latency", "100 \u00b5s", "104 \u00b5s", "1.040\u00d7\n[1.025, 1.055]", "slower"]);
  const tones = cells.ranges.map(({ tone }) => tone);
  assert.deepEqual([...new Set(tones)], ["slower", "inconclusive", "faster"]);
  assert.match(cells.ranges[0].name, /^BM_Copy.* latency$/);
  assert.match(cells.desc, /12\.500\u00d7, slower/);
});

test("cells of one side and counts that differ are told in words", () => {
  const { remarks, differences } = changes_of(golden("mixed"));
  assert.ok(remarks.some((text) => / failed in NEW: /.test(text)), remarks);
  assert.ok(remarks.some((text) => /nodes \d+ \u2192 \d+/.test(text)), remarks);
  assert.equal(differences[0], "device.name: NVIDIA H100 \u2192 NVIDIA H200");
});

test("library choices are counted", () => {
  const mixed = golden("mixed");
  mixed.differences.push(...["a", "b"].map((key) =>
    ({ field: `library_choices.matmul ${key}`, base: "1", new: "2", blocking: false, allowed: false })));
  assert.equal(changes_of(mixed).differences.at(-1), "2 library choices");
});

test("sides that do not compare have a headline and no figure", () => {
  const changes = changes_of(golden("incomparable"));
  assert.deepEqual([changes.verdict, changes.figures], ["not comparable", []]);
  assert.match(changes.headline, /--allow device.name/);
});

test("a figure has room for the worst, its table for more", () => {
  const one = golden("mixed");
  const [cell] = one.cells;
  one.cells = Array.from({ length: 250 },
    (_, index) => ({ ...cell, id: `c${index}`, metrics: [cell.metrics[0]] }));
  const cells = changes_of(one).figures.at(-1);
  assert.equal(cells.ranges.length, SHOWN_MAX);
  assert.equal(cells.table.rows.length, 201);
  assert.equal(cells.table.rows.at(-1)[0], "50 more");
});

test("ticks are round, within the range, and few", () => {
  assert.deepEqual(round_ticks(0.93, 1.12), [0.95, 1, 1.05, 1.1]);
  assert.deepEqual(round_ticks(0, 9), [0, 2, 4, 6, 8]);
});
