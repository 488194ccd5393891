// Turns cells into the plot's lines: a metric's median by batch, one line per mode. Uses neither the DOM nor
// the network.
import { mode_order } from "./cells.mjs";

export const GAIN = "summary.speedup_over_eager";
// The first metric is the default. Eager's gain is 1, so lines above eager's line show a gain.
export const METRICS = {
  [GAIN]: "gain (eager's latency over this mode's)",
  "launches[].latency_seconds": "latency (submit start to completion)",
  "launches[].submit_seconds": "submit (CPU time of the submission)",
  "launches[].device_seconds": "device (event time around the step)",
};

// The names of the plots, and the chosen plot's warmup counts, both in order.
export function choices_of(plots, variant) {
  const variants = [...plots.keys()];
  const chosen = variants.includes(variant) ? variant : variants[0];
  const warmups = (plots.get(chosen) ?? []).map((cell) => cell.warmup);
  return { variants, variant: chosen, warmups: [...new Set(warmups)].sort((a, b) => a - b) };
}

// Of a plot's cells: { batches, lines: [{ mode, numbers }] }. numbers[i] belongs to batches[i]; null: not
// measured. A mode without numbers has no line.
export function series_of(cells, { warmup, metric }) {
  const chosen = cells.filter((cell) => cell.status === "ok" && cell.warmup === warmup
    && cell.row?.[metric]?.value > 0);
  const batches = [...new Set(chosen.map((cell) => cell.batch))].sort((a, b) => a - b);
  const modes = [...new Set(chosen.map((cell) => cell.mode))].sort(mode_order);
  const lines = modes.map((mode) => {
    const by_batch = new Map(chosen.filter((cell) => cell.mode === mode)
      .map((cell) => [cell.batch, cell.row[metric]]));
    return { mode, numbers: batches.map((batch) => by_batch.get(batch) ?? null) };
  });
  return { batches, lines };
}

// The range of a logarithmic axis with room around the values. A single value gets more room.
export function log_range(values, room = 1.15) {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [1, 10];
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  const factor = high / low < 1.5 ? 1.5 : room;
  return [low / factor, high * factor];
}

// The batches that have a label on the axis: at most `most`, evenly spaced, from the first on.
export function axis_batches(batches, most) {
  if (batches.length <= most) return batches;
  const step = Math.ceil((batches.length - 1) / Math.max(most - 1, 1));
  return batches.filter((_, index) => index % step === 0);
}

// Axis values: 1, 2 and 5 of each decade in the range, or only powers of ten in a wide range.
export function axis_times(low, high) {
  const wide = Math.log10(high / low) > 2.5;
  const splits = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); ++decade) {
    for (const digit of wide ? [1] : [1, 2, 5]) {
      const value = Number(`${digit}e${decade}`);
      if (value >= low && value <= high) splits.push(value);
    }
  }
  return splits;
}

// Round values for an axis of gains, within the range.
export const axis_ratios = (low, high) =>
  [0.1, 0.2, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50].filter((value) => value >= low && value <= high);

// Describes the plot in words, for screen readers.
export function told(series, metric_name) {
  if (series.lines.length === 0) return "Nothing to plot yet.";
  const lines = series.lines.map(({ mode, numbers }) => {
    const points = series.batches.map((batch, index) => [batch, numbers[index]])
      .filter(([, number]) => number !== null).map(([batch, { text }]) => `${text} at batch ${batch}`);
    return `${mode}: ${points.join(", ")}`;
  });
  return `Plot of ${metric_name} over batch. ${lines.join("; ")}.`;
}
