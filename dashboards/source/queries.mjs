// PromQL in one place: the labels of a cell, the selectors that the dashboards' variables make, and the
// expressions that several panels share.

/** The labels of a cell, in the order of the metrics. */
export const CELL = ["workload", "preset", "dtype", "pass", "batch", "warmup", "mode", "device"];

/** `metric{a="$a", b=~"$b"}` from a list of matchers, ready for more of them. */
export function select(metric, ...matchers) {
  return `${metric}{${matchers.flat().join(", ")}}`;
}

/** A variable with one value is matched exactly, one with many by a regular expression. */
export const one = (...labels) => labels.map((label) => `${label}="$${label}"`);
export const any = (...labels) => labels.map((label) => `${label}=~"$${label}"`);

/** Cells at the defaults of the axes that came later: others would be mixed with them. */
export const USUAL = ["prepare", "graph_rewrite", "io", "io_source", "attention", "epilogues", "backward",
  "optimizer", "optimizer_in", "loss", "accumulate", "micro_batches", "checkpoint",
  "program_pass", "torch_compile", "torch_hide_capture", "torch_compiled_autograd"]
  .map((label) => `${label}=""`);

/** The median of a time that is published as quantiles. */
export const p50 = (what, ...matchers) =>
  select(`graphbench_${what}_seconds`, ...matchers, 'quantile="0.5"');

export const maxBy = (labels, expression) => `max by (${labels.join(", ")}) (${expression})`;

/** Submit over device time: at 1 and above the host is what the step waits for. */
export const hostShare = (...matchers) => `${p50("submit", ...matchers)} / ${p50("device", ...matchers)}`;
export const isHostBound = (...matchers) =>
  `${p50("submit", ...matchers)} >= bool ${p50("device", ...matchers)}`;

/** What a graph costs before its first replay. */
export const setupSeconds = (...matchers) =>
  ["capture", "instantiate", "upload"]
    .map((part) => select(`graphbench_${part}_seconds`, ...matchers))
    .join(" + ");

/** One instant query of several expressions, told apart by the label `part`. */
export function parts(labels, expressions) {
  return Object.entries(expressions)
    .map(([part, expression]) => `label_replace(${maxBy(labels, expression)}, "part", "${part}", "", "")`)
    .join(" or ");
}
