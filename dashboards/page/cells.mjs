// Turns a result's cells into sorted table rows of text. Uses neither the DOM nor the network.
import { COLUMNS, MODES } from "./columns.mjs";
import { count, NOTHING, ratio, seconds } from "./format.mjs";

const AXES = ["workload", "preset", "dtype", "pass", "batch", "warmup", "mode"];
const STATUSES = ["ok", "skipped", "failed"];

// The name of a plot: a cell's id without batch, warmup and mode, and with the axes that are not at defaults.
export const variant_of = ({ id, workload, preset, dtype, pass }) =>
  [workload, preset, dtype, pass, ...id.split("/").slice(AXES.length)].join(" / ");

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

function median(values) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const cost = (setup) => setup.capture_seconds + setup.instantiate_seconds + setup.upload_seconds;
const has_one = ({ setups }) => (setups ?? []).length < 2;
const of_later = (launch) =>
  (has_one(launch) ? cost(launch.setup) : median(launch.setups.slice(1).map(cost)));

// The median over launches of a setup stage's time.
export const setup_part = (cell, key) =>
  median((cell.launches ?? []).map(({ setup }) => setup?.[key]).filter((value) => Number.isFinite(value)));

// The cost of making a cell's graphs: capture, instantiate and upload. It is the median over launches of each
// launch's median over its later placements. A launch with only one placement counts with that placement, but
// launch 0 does so only if there is no other launch.
export function setup_seconds(cell) {
  if (cell.mode === "eager") return null;
  const launches = (cell.launches ?? []).filter(({ setup }) => setup);
  const later = launches.filter((launch) => !has_one(launch) || launch.index > 0);
  return median((later.length > 0 ? later : launches).map(of_later));
}

// The median and, if launches were repeated, its 95 % interval on a second line.
export function with_interval(estimate) {
  if (!estimate || estimate.p50 === null || estimate.p50 === undefined) return NOTHING;
  const [low, high] = estimate.ci95 ?? [];
  const interval = estimate.ci95 ? `\n[${seconds(low)}, ${seconds(high)}]` : "";
  return seconds(estimate.p50) + interval;
}

// With three or more launches, a gain has an interval. "~" marks a gain without an interval, "?" a gain whose
// interval contains 1. Gains in documents of older versions have no mark.
function gain(value, interval, mode) {
  const text = ratio(value);
  if (text === NOTHING || mode === "eager" || interval === undefined) return text;
  if (interval === null) return `~${text}`;
  const [low, high] = interval;
  return `${text}${low <= 1 && high >= 1 ? "?" : ""}\n[${ratio(low)}, ${ratio(high)}]`;
}

const FORMATS = { time: seconds, ratio, count };

const GAINS = ["speedup_over_eager", "throughput_over_eager"];

// Functions that compute the columns that a cell's summary does not have.
const COMPUTED = { setup_seconds };

function text_of({ key, kind, distribution }, summary, cell) {
  if (distribution) return with_interval(summary[key]);
  if (GAINS.includes(key)) return gain(summary[key], summary[`${key}_ci95`], cell.mode);
  if (key === "breakeven_steps" && summary.no_breakeven) return summary.no_breakeven;
  const value = COMPUTED[key] ? COMPUTED[key](cell) : summary[key];
  return (FORMATS[kind] ?? count)(value);
}

// The texts of a row. A row without numbers has a `reason` in their place.
export function row_of(cell) {
  const summary = cell.summary ?? {};
  const ok = cell.status === "ok";
  const differs = ok && cell.check && cell.check.identical === false;
  const why = cell.reason ? `${cell.reason.code}: ${cell.reason.message}` : "the service gave no reason";
  return {
    id: cell.id,
    variant: variant_of(cell),
    warmup: count(cell.warmup),
    batch: count(cell.batch),
    mode: cell.mode,
    status: STATUSES.includes(cell.status) ? cell.status : "unknown",
    reason: ok ? (differs ? "its output differs from eager's" : "") : why,
    numbers: !ok ? null : COLUMNS.map((column) => text_of(column, summary, cell)),
  };
}

// The number of cells by status: "12 ok, 1 failed".
export function tally(cells) {
  const parts = STATUSES.map((status) => [cells.filter((cell) => cell.status === status).length, status]);
  return parts.filter(([number]) => number > 0).map((part) => part.join(" ")).join(", ");
}

function set_at(target, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  const holder = keys.reduce((at, key, index) =>
    (at[key] ??= /^\d+$/.test(keys[index + 1] ?? last) ? [] : {}), target);
  holder[last] = value;
}

// Converts a report's row to a cell as in result documents. `columns` are the paths of the row's numbers.
export function cell_of(columns, [id, status, ...values]) {
  const cell = { id, status };
  const parts = id.split("/");
  AXES.forEach((axis, index) => { cell[axis] = parts[index]; });
  for (const axis of ["batch", "warmup"]) cell[axis] = Number(cell[axis].slice(1));
  columns.forEach((path, index) => {
    if (values[index] !== null && values[index] !== undefined) set_at(cell, path, values[index]);
  });
  return cell;
}
