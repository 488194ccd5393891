import assert from "node:assert/strict";
import test from "node:test";

import { changes_of, SHOWN_MAX } from "../../../../dashboards/page/changes.mjs";
import { round_ticks } from "../../../../dashboards/page/svg.mjs";

const column = (name, number = true) => ({ name, number });
const columns = [column("cell", false), column("metric", false), column("NEW"), column("ratio"), column("q")];
const row = (id, text, verdict = "slower") => ({ verdict, note: "", values: [{ text: id },
  { text: "latency" }, { text: "104us", value: 104e-6 },
  { text, value: parseFloat(text), low: 1.025, high: 1.055, range: "[1.025, 1.055]" },
  { text: "0.01", value: 0.01 }] });
const section = (title, rows, changes = {}) =>
  ({ title, columns, rows, more: 0, sentences: [], ...changes });
const report = (...sections) => ({ title: "NEW is slower", facts: { verdict: "slower" },
  head: ["BASE: a", "NEW: b"], sections, closing: ["margin 2 %"] });

test("the verdict comes first, then each section with ratios as a figure", () => {
  const slower_rows = [row("a/b8", "1.040x"), row("c/b8", "1.2x")];
  const changes = changes_of(report(section("slower: 2 metrics", slower_rows),
    section("faster: 1 metric", [row("d/b8", "0.500x", "faster")])));
  assert.deepEqual([changes.verdict, changes.headline, changes.sides, changes.said],
    ["slower", "NEW is slower", ["BASE: a", "NEW: b"], ["margin 2 %"]]);
  const [slower, faster] = changes.figures;
  assert.deepEqual([slower.title, faster.title], ["slower: 2 metrics", "faster: 1 metric"]);
  assert.deepEqual(slower.table, { head: ["", "NEW", "ratio", "verdict"],
    rows: [["a/b8 latency", "104us", "1.040x\n[1.025, 1.055]", "slower"],
      ["c/b8 latency", "104us", "1.2x\n[1.025, 1.055]", "slower"]] });
  const { name, value, low, high, tone } = faster.ranges[0];
  assert.deepEqual([name, value, low, high, tone], ["d/b8 latency", 0.5, 1.025, 1.055, "faster"]);
  assert.match(slower.desc, /a\/b8 latency 1\.040x, slower/);
});

test("what has no ratio is a table, and what has no rows its sentences", () => {
  const lost = { title: "lost: 1 cell", columns: [column("cell", false), column("outcome", false)], more: 3,
    rows: [{ verdict: "lost", note: "", values: [{ text: "a/b8" }, { text: "not in NEW" }] }] };
  const differs = section("sides differ", [], { columns: [], sentences: ["device.name: a -> b"] });
  const { figures, tables } = changes_of(report(lost, differs, section("same: 9 metrics", [], { more: 9 })));
  assert.deepEqual(figures, []);
  assert.deepEqual(tables, [
    { title: "lost: 1 cell",
      table: { head: ["", "outcome"], rows: [["a/b8", "not in NEW"], ["3 more", "\u2013"]] } },
    { title: "sides differ", sentences: ["device.name: a -> b"] },
    { title: "same: 9 metrics", sentences: [] }]);
});

test("a figure has room for the worst, its table for more", () => {
  const rows = Array.from({ length: 50 }, (_, index) => row(`c${index}`, "1.1x"));
  const [figure] = changes_of(report(section("slower", rows, { more: 50 }))).figures;
  assert.equal(figure.ranges.length, SHOWN_MAX);
  assert.equal(figure.table.rows.length, 51);
  assert.equal(figure.table.rows.at(-1)[0], "50 more");
});

test("ticks are round, within the range, and few", () => {
  assert.deepEqual(round_ticks(0.93, 1.12), [0.95, 1, 1.05, 1.1]);
  assert.deepEqual(round_ticks(0, 9), [0, 2, 4, 6, 8]);
});
