// Turns a result's cells into sorted table rows of text. Uses neither the DOM nor the network. A cell's
// numbers are in its `row`, by metric: { text, value, low, high, range }, as the program prints them. The
// page shows `text` and `range`, draws `value`, `low` and `high`, and computes none of them.
import { COLUMNS, MODES } from "./columns.mjs";
import { NOTHING } from "./format.mjs";

const AXES = ["workload", "preset", "dtype", "pass", "batch", "warmup", "mode"];
const STATUSES = ["ok", "skipped", "failed"];

// The name of a plot: a cell's id without batch, warmup and mode, and with the axes that are not at defaults.
export const variant_of = ({ id, workload, preset, dtype, pass }) =>
  [workload, preset, dtype, pass, ...id.split("/").slice(AXES.length)].join(" / ");

// Divides cells into plots by their names. A graph cell whose eager cell has another variant, because an axis
// says nothing about eager, names it as its `reference`; that cell is in the graph's plot too. Cells that are
// all in other plots have none of their own. Plots of several modes come first.
export function plots_of(cells) {
  const plots = new Map();
  const put = (name, cell) => plots.set(name, (plots.get(name) ?? new Set()).add(cell));
  for (const cell of cells) put(variant_of(cell), cell);
  const by_id = new Map(cells.map((cell) => [cell.id, cell]));
  const joined = new Set();
  for (const cell of cells) {
    const reference = by_id.get(cell.reference);
    if (!reference) continue;
    put(variant_of(cell), reference);
    joined.add(reference);
  }
  const alone = (name) => new Set([...plots.get(name)].map(({ mode }) => mode)).size === 1;
  return new Map([...plots.keys()].filter((name) => ![...plots.get(name)].every((cell) => joined.has(cell)))
    .sort((left, right) => alone(left) - alone(right) || (left < right ? -1 : 1))
    .map((name) => [name, [...plots.get(name)].sort(cell_order)]));
}

// Known modes come first, in the order of MODES.
export function mode_order(left, right) {
  const [a, b] = [left, right].map((mode) => (MODES.includes(mode) ? MODES.indexOf(mode) : MODES.length));
  return a - b || (left < right ? -1 : left > right ? 1 : 0);
}

export function cell_order(left, right) {
  const [a, b] = [variant_of(left), variant_of(right)];
  if (a !== b) return a < b ? -1 : 1;
  return left.warmup - right.warmup || left.batch - right.batch || mode_order(left.mode, right.mode);
}

// A number's text, and its interval on a second line.
export const shown = (number) =>
  (number?.text ? [number.text, number.range].filter(Boolean).join("\n") : NOTHING);

// The texts of a row. A row without numbers has a `reason` in their place.
export function row_of(cell) {
  const ok = cell.status === "ok";
  const differs = ok && cell.check?.identical === false;
  const why = cell.reason ? `${cell.reason.code}: ${cell.reason.message}` : "the service gave no reason";
  return {
    id: cell.id,
    variant: variant_of(cell),
    warmup: String(cell.warmup),
    batch: String(cell.batch),
    mode: cell.mode,
    status: STATUSES.includes(cell.status) ? cell.status : "unknown",
    reason: ok ? (differs ? "its output differs from eager's" : "") : why,
    numbers: !ok ? null : COLUMNS.map(({ key }) => shown(cell.row?.[key])),
  };
}

// The number of cells by status: "12 ok, 1 failed".
export function tally(cells) {
  const parts = STATUSES.map((status) => [cells.filter((cell) => cell.status === status).length, status]);
  return parts.filter(([number]) => number > 0).map((part) => part.join(" ")).join(", ");
}

// Converts a report's row to a cell as the service sends it. `columns` name the numbers, which are lists;
// `references` are by the cells' ids.
export function cell_of(columns, [id, status, reason, identical, ...lists], references = {}) {
  const [workload, preset, dtype, pass, batch, warmup, mode] = id.split("/");
  const row = {};
  columns.forEach((key, index) => {
    if (!lists[index]) return;
    const [text, value, low, high, range] = lists[index];
    row[key] = { text, value, low, high, range };
  });
  return { id, status, reason, reference: references[id], check: { identical }, workload, preset, dtype, pass,
    mode, row, batch: Number(batch.slice(1)), warmup: Number(warmup.slice(1)) };
}
