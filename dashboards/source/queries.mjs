// PromQL in one place: the labels of a cell, selectors from the dashboards' variables, and expressions that
// several panels share.

/** The labels that every cell has, in the order of the metrics. */
export const CELL = ["workload", "preset", "dtype", "pass", "batch", "warmup", "mode", "device"];

/** `metric{a="$a", b=~"$b"}` from matchers and lists of matchers. */
export function select(metric, ...matchers) {
  return `${metric}{${matchers.flat().join(", ")}}`;
}

/* Selects several families graphbench_NAME_seconds; `names` are their NAMEs. */
export const selectSeconds = (names, ...matchers) =>
  select("", `__name__=~"graphbench_(${names.join("|")})_seconds"`, ...matchers);

/** Matches variables with one value exactly; any() matches variables with many values as patterns. */
export const one = (...labels) => labels.map((label) => `${label}="$${label}"`);
// Values of `variant` are patterns, because cells at all defaults do not have the label.
export const any = (...labels) =>
  labels.map((label) => `${label}=~"${label === "variant" ? "${variant:pipe}" : `$${label}`}"`);

// Matchers for one side of an operator that matches all labels: the other side has the remaining matchers.
export const HERE = one("instance");

/** The median of a time that is published as quantiles. */
export const p50 = (what, ...matchers) =>
  select(`graphbench_${what}_seconds`, ...matchers, 'quantile="0.5"');

/* Joins the mode and its axes that are not at defaults into one name: "whole/io=copy_in". */
const named = (expression) =>
  `label_replace(label_join(${expression}, "mode", "/", "mode", "variant"), "mode", "$1", "mode", "(.*)/")`;

export const by = (operator, labels, expression) =>
  `${operator} by (${labels.join(", ")}) (${labels.includes("mode") ? named(expression) : expression})`;
export const maxBy = (labels, expression) => by("max", labels, expression);

/* The share of eager's latency in which the device is idle, and where a step is launch-bound by it. */
export const launchShare = (...matchers) => select("graphbench_launch_bound_ratio", ...matchers);
export const LAUNCH_BOUND = 0.5;

/* Gains over eager, and of such a vector those whose 95 % interval excludes 1, and the others. Below three
 * launches there is no interval. */
export const gain = (...matchers) => select("graphbench_speedup_over_eager_ratio", ...matchers);
const gainEnd = (end) => select(`graphbench_speedup_over_eager_${end}_ratio`, HERE);
const EXCLUDES_1 = `(${gainEnd("low")} - 1) * (${gainEnd("high")} - 1) > 0`;
export const certain = (gains) => `(${gains} and ${EXCLUDES_1})`;
export const uncertain = (gains) => `(${gains} unless ${EXCLUDES_1})`;

/* Gains and the lower ends of their intervals: the label `end` of these is " low". */
const GAIN_AND_LOW = '__name__=~"graphbench_speedup_over_eager_(|low_)ratio"';
export const gainAndLow = (labels, ...matchers) =>
  maxBy([...labels, "end"], `label_replace(${select("", GAIN_AND_LOW, ...matchers)}, ` +
    '"end", " $1", "__name__", ".*_(low)_ratio")');

/* Launch-bound eager cells for which no graph is certain to gain. */
export const boundWithoutGain = (...matchers) =>
  `(${launchShare(...matchers)} >= ${LAUNCH_BOUND} unless on (workload, batch) ` +
  `${gainEnd("low")} > 1)`;

/* The share of latency that enqueueing takes: CPU time that a graph frees. */
export const enqueueShare = (...matchers) => `${p50("submit", ...matchers)} / ${p50("latency", HERE)}`;

/* The cost of graphs before their first replay, summed over the cells with equal values of `labels`. */
export const setupSeconds = (labels, ...matchers) =>
  by("sum", labels, select("graphbench_setup_seconds", ...matchers));

/* Several families graphbench_NAME_seconds, with NAME in the label `part`. */
export const parts = (labels, names, ...matchers) =>
  maxBy([...labels, "part"], `label_replace(${selectSeconds(names, ...matchers)}, ` +
    '"part", "$1", "__name__", "graphbench_(.*)_seconds")');

/* The values of `expression` for cells that also have a value of `having`. */
export const where = (expression, having) => `${expression} and ignoring (quantile) ${having}`;
