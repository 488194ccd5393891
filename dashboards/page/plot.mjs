// Draws the plot with uPlot: logarithmic axes, one line per mode, and intervals if launches were repeated.
import uPlot from "uplot";

import { MODES } from "./columns.mjs";
import { element, find, set_text } from "./dom.mjs";
import { NOTHING, ratio_tick, seconds_tick } from "./format.mjs";
import { axis_batches, axis_ratios, axis_times, GAIN, log_range, METRICS, told } from "./series.mjs";

// Line styles of the modes, in their order; style.css has the colours. Unknown modes share the last style.
const DASHES = [[], [10, 4], [3, 4], [1, 3]];
const LOGARITHMIC = 3;
// A metric's axis label, and the round values on its axis with their format.
const of_metric = (metric) => (metric === GAIN
  ? { label: "gain", splits: axis_ratios, tick: ratio_tick }
  : { label: `${METRICS[metric].split(" ")[0]}, median`, splits: axis_times, tick: seconds_tick });
const FONT = "12px system-ui, sans-serif";

// Reads colours from the style sheet, which also defines the dark mode.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const style_of = (mode) => {
  const index = MODES.indexOf(mode);
  return index < 0 ? DASHES.length - 1 : Math.min(index, DASHES.length - 1);
};
const colour_of = (mode) => colour(`line-${style_of(mode)}`);

function draw_intervals(plot, lines) {
  const { ctx } = plot;
  ctx.save();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  lines.forEach(({ mode, numbers }, line) => {
    ctx.strokeStyle = colour_of(mode);
    // Draws the modes' intervals side by side, because they often overlap.
    const aside = (line - (lines.length - 1) / 2) * 3 * devicePixelRatio;
    numbers.forEach((number, index) => {
      if (!number?.high) return;
      const x = plot.valToPos(plot.data[0][index], "x", true) + aside;
      ctx.beginPath();
      ctx.moveTo(x, plot.valToPos(number.low, "y", true));
      ctx.lineTo(x, plot.valToPos(number.high, "y", true));
      ctx.stroke();
    });
  });
  ctx.restore();
}

function axes_of(width, metric) {
  const common = {
    stroke: colour("text"), font: FONT, labelFont: FONT, labelSize: 22,
    grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), width: 1 },
  };
  return [
    { ...common, scale: "x", label: "batch", filter: (_, splits) => splits,
      splits: (plot) => axis_batches([...plot.data[0]], Math.floor(width / 60)),
      values: (_, splits) => splits.map(String) },
    { ...common, scale: "y", label: of_metric(metric).label, size: 66, filter: (_, splits) => splits,
      splits: (_, __, low, high) => of_metric(metric).splits(low, high),
      values: (_, splits) => splits.map(of_metric(metric).tick) },
  ];
}

function options_of(series, metric, size, on_batch) {
  const spread = series.lines.flatMap(({ numbers }) =>
    numbers.flatMap((number) => [number?.value, number?.low, number?.high]));
  return {
    ...size,
    legend: { show: false },  // the page shows a text legend beside the plot
    cursor: { drag: { x: false, y: false }, y: false },
    scales: {
      x: { time: false, distr: LOGARITHMIC, log: 2, range: () => log_range(series.batches, 1.1) },
      y: { distr: LOGARITHMIC, log: 10, range: () => log_range(spread, 1.25) },
    },
    axes: axes_of(size.width, metric),
    series: [{}, ...series.lines.map(({ mode }) => ({
      label: mode, stroke: colour_of(mode), width: 2, dash: DASHES[style_of(mode)], spanGaps: true,
      points: { show: true, size: 7, fill: colour_of(mode), stroke: colour_of(mode) },
    }))],
    hooks: {
      draw: [(plot) => draw_intervals(plot, series.lines)],
      setCursor: [(plot) => on_batch(plot.cursor.idx ?? null)],
    },
  };
}

// Shows the lines' names and values at the batch under the cursor, or at the largest batch.
function show_legend(series, at) {
  const index = at ?? series.batches.length - 1;
  const swatch = (mode) => {
    const made = element("i", { className: "swatch" });
    made.dataset.line = style_of(mode);
    return made;
  };
  find("legend").replaceChildren(...series.lines.map(({ mode, numbers }) => element("li", {}, swatch(mode),
    `${mode} `, element("b", { textContent: numbers[index]?.text ?? NOTHING }))));
  set_text(find("legend-batch"), series.batches.length === 0 ? "" : `at batch ${series.batches[index]}:`);
}

export function make_plot() {
  const place = find("plot");
  let plot = null;
  let shown = null;

  function draw() {
    plot?.destroy();
    plot = null;
    if (!shown) return;
    const { series, metric } = shown;
    place.setAttribute("aria-label", told(series, METRICS[metric]));
    show_legend(series, null);
    find("plot-empty").hidden = series.lines.length > 0;
    if (series.lines.length === 0) return;
    const size = { width: place.clientWidth, height: Math.min(380, Math.max(240, place.clientWidth / 2)) };
    const values_of = ({ numbers }) => numbers.map((number) => number?.value ?? null);
    const data = [series.batches, ...series.lines.map(values_of)];
    const on_batch = (index) => show_legend(series, index);
    plot = new uPlot(options_of(series, metric, size, on_batch), data, place);
  }

  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    requestAnimationFrame(draw);
  }).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  return {
    show(series, metric) {
      const key = JSON.stringify([series, metric]);
      if (shown?.key === key) return;
      shown = { series, metric, key };
      draw();
    },
  };
}
