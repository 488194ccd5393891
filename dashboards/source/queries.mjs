// PromQL in one place: the labels of a cell, the selectors that the dashboards' variables make, and the
// expressions that several panels share.

/** The labels that every cell has, in the order of the metrics. */
export const CELL = ["workload", "preset", "dtype", "pass", "batch", "warmup", "mode", "device"];

/** `metric{a="$a", b=~"$b"}` from a list of matchers, ready for more of them. */
export function select(metric, ...matchers) {
  return `${metric}{${matchers.flat().join(", ")}}`;
}

/* Several families of seconds in one selector: `names` are the parts in which their names differ. */
export const selectSeconds = (names, ...matchers) =>
  select("", `__name__=~"graphbench_(${names.join("|")})_seconds"`, ...matchers);

/** A variable with one value is matched exactly, one with many by a regular expression. */
export const one = (...labels) => labels.map((label) => `${label}="$${label}"`);
// Values of `variant` are patterns: the cells at all defaults lack the label.
export const any = (...labels) =>
  labels.map((label) => `${label}=~"${label === "variant" ? "${variant:pipe}" : `$${label}`}"`);

// An operator that matches all labels needs matchers on its left side only.
export const HERE = one("instance");

/** The median of a time that is published as quantiles. */
export const p50 = (what, ...matchers) =>
  select(`graphbench_${what}_seconds`, ...matchers, 'quantile="0.5"');

/* The mode and its axes away from their defaults are one name in legends and rows: "whole/io=copy_in". */
const named = (expression) =>
  `label_replace(label_join(${expression}, "mode", "/", "mode", "variant"), "mode", "$1", "mode", "(.*)/")`;

export const by = (operator, labels, expression) =>
  `${operator} by (${labels.join(", ")}) (${labels.includes("mode") ? named(expression) : expression})`;
export const maxBy = (labels, expression) => by("max", labels, expression);

/* Submit over device time: at 1 and above the step waits for the host. */
export const hostShare = (...matchers) => `${p50("submit", ...matchers)} / ${p50("device", HERE)}`;
export const isHostBound = (...matchers) => `${p50("submit", ...matchers)} >= bool ${p50("device", HERE)}`;

/* The share of eager's latency that launches take: the device's idle share where records have it, else
 * submit over latency. */
export const launchShare = (...matchers) =>
  `(${select("graphbench_launch_bound_ratio", HERE)} or ignoring (quantile) ` +
  `${p50("submit", HERE)} / ${p50("latency", HERE)}) and ignoring (quantile) ` +
  select("graphbench_warmup_seconds", ...matchers);

/* The cost of graphs before their first replay, summed over cells that differ in no label of `labels`. */
const SETUP = ["capture", "instantiate", "upload"];
export const setupSeconds = (labels, ...matchers) => by("sum", labels, selectSeconds(SETUP, ...matchers));

/* Several families of seconds, told apart by the label `part`: the part in which their names differ. */
export const parts = (labels, names, ...matchers) =>
  maxBy([...labels, "part"], `label_replace(${selectSeconds(names, ...matchers)}, ` +
    '"part", "$1", "__name__", "graphbench_(.*)_seconds")');

/* A cell's value of one family, if the cell also has a value of the other family. */
export const where = (expression, having) => `${expression} and ignoring (quantile) ${having}`;
