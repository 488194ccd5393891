// Makes a report's figures from embedded documents. Each has a description and a table. Does no I/O. Numbers
// come with their texts; a place in a figure is computed from them, and no number.
import { mode_order, plots_of, shown } from "./cells.mjs";
import { bytes_tick, ratio_tick, seconds_tick } from "./format.mjs";
import { GAIN, METRICS, series_of } from "./series.mjs";

const VARIANTS_MAX = 12;  // the plot above the figures can show the other variants

const distinct = (values) => [...new Set(values)];
const ascending = (values) => distinct(values).sort((a, b) => a - b);
const points_of = (numbers) =>
  numbers.map((number, x) => ({ ...number, x })).filter(({ value }) => value > 0);

// A line chart. `xs` are the labels on the x axis, in order; points refer to them by index.
function lines_figure({ title, x, xs, lines, tick, ...more }) {
  const told = lines.map(({ name, points }) =>
    `${name}: ${points.map((point) => `${point.text} at ${xs[point.x]}`).join(", ")}`);
  const rows = xs.map((name, index) =>
    [String(name), ...lines.map(({ points }) => shown(points.find((point) => point.x === index)))]);
  return { title, desc: `${title}, over ${x}. ${told.join("; ")}.`, lines, xs, x, tick, ...more,
    table: { head: [x, ...lines.map(({ name }) => name)], rows } };
}

// Stacked bars, one row per bar.
function bars_figure({ title, parts, rows, tick, mark }) {
  const told = rows.map(({ name, values }) =>
    `${name}: ${parts.map((part, index) => `${part} ${shown(values[index])}`).join(", ")}`);
  const head = ["", ...parts, ...(mark ? [mark] : [])];
  return { title, desc: `${title}. ${told.join("; ")}.`, bars: rows, parts, tick,
    table: { head, rows: rows.map(({ name, values, at }) =>
      [name, ...values.map(shown), ...(mark ? [shown(at)] : [])]) } };
}

// For each variant, all of its cells, and its cells with the warmup count that most of them have.
function variants_of(cells) {
  return [...plots_of(cells.filter(({ status }) => status === "ok"))].map(([variant, all]) => {
    const of_warmup = (warmup) => all.filter((cell) => cell.warmup === warmup);
    const warmup = ascending(all.map((cell) => cell.warmup))
      .reduce((best, each) => (of_warmup(each).length > of_warmup(best).length ? each : best));
    return { variant, warmup, all, usual: of_warmup(warmup) };
  });
}

function over_batch(metric, { variant, warmup, usual }, { one_kernel: wait }) {
  const { batches, lines } = series_of(usual, { warmup, metric });
  if (batches.length < 2) return [];
  const drawn = lines.map(({ mode, numbers }) => ({ name: mode, points: points_of(numbers) }));
  const floors = [];
  const cell_at = (mode, batch) => usual.find((cell) => cell.mode === mode && cell.batch === batch);
  if (metric === "launches[].submit_seconds") {
    for (const { mode } of lines) {
      const points = points_of(batches.map((batch) => cell_at(mode, batch)?.row.submit_floor));
      if (points.length > 0) floors.push({ name: `${mode}'s floor`, floor: true, points });
    }
  }
  if (metric === "launches[].latency_seconds" && wait)
    floors.push({ name: "one kernel", floor: true, points: points_of(batches.map(() => wait)) });
  return [lines_figure({ title: `${variant}, warmup ${warmup}`, x: "batch", xs: batches, one: metric === GAIN,
    lines: [...drawn, ...floors], tick: metric === GAIN ? ratio_tick : seconds_tick })];
}

const named = (cell) => `${cell.mode} b${cell.batch}`;
const by_mode = (left, right) => mode_order(left.mode, right.mode) || left.batch - right.batch;

function profile_of({ variant, usual }) {
  const cells = usual.filter(({ row }) => row.busy).sort(by_mode);
  if (cells.length === 0) return [];
  return [bars_figure({ title: variant, parts: ["busy", "gaps"], tick: seconds_tick, mark: "submit",
    rows: cells.map((cell) => ({ name: named(cell), at: cell.row["launches[].submit_seconds"],
      values: [cell.row.busy, cell.row.gaps] })) })];
}

const STAGES = ["warmup", "capture", "instantiate", "upload"];

function setup_of({ variant, usual }) {
  const cells = usual.filter(({ mode }) => mode !== "eager").sort(by_mode);
  const rows = cells.map((cell) => ({ name: named(cell),
    values: STAGES.map((stage) => cell.row[`launches[].setup.${stage}_seconds`]) }));
  return rows.length === 0 ? [] : [bars_figure({ title: variant, parts: STAGES, rows, tick: seconds_tick })];
}

// The memory of each mode's worker, which is named by a cell of it.
function memory_of({ variant, usual }, { memory: { parts, workers } = { workers: [] } }) {
  const rows = workers.map(({ cell, values }) => ({ values, of: usual.find(({ id }) => id === cell) }))
    .filter(({ of, values }) => of && values.some(({ value }) => value > 0))
    .map(({ of: { mode }, values }) => ({ name: mode, values }))
    .sort((left, right) => mode_order(left.name, right.name));
  return rows.length === 0 ? [] : [bars_figure({ title: variant, parts, rows, tick: bytes_tick })];
}

// Shows the first step and later steps by warmup count, at the batch that has the most warmup counts.
function warmups_of({ variant, all }) {
  const at = (batch) => ascending(all.filter((cell) => cell.batch === batch).map(({ warmup }) => warmup));
  const batch = ascending(all.map((cell) => cell.batch))
    .reduce((best, each) => (at(each).length > at(best).length ? each : best));
  const xs = at(batch);
  if (xs.length < 2) return [];
  const modes = distinct(all.map(({ mode }) => mode)).sort((a, b) => mode_order(a, b));
  const line = (name, mode, key, more = {}) => ({ name, ...more, points: points_of(xs.map((warmup) =>
    all.find((each) => each.mode === mode && each.warmup === warmup && each.batch === batch)?.row[key])) });
  const lines = modes.flatMap((mode) => [line(mode, mode, "launches[].setup.first_step_seconds"),
    line(`${mode}, later`, mode, "launches[].latency_seconds", { floor: true })])
    .filter(({ points }) => points.length > 0);
  return [lines_figure({ title: `${variant}, batch ${batch}: the first step, and later ones`, x: "warmups",
    xs, lines, tick: seconds_tick })];
}

// Step time by the number of captured sizes, predicted and served.
function frontiers_of({ suggestions = [], ladders = [] }) {
  const served = ladders.filter(({ step }) => step?.value > 0);
  const xs = ascending([...suggestions.flatMap(({ frontier }) => frontier.map(({ sizes }) => sizes)),
    ...served.map(({ sizes }) => sizes)]);
  if (xs.length === 0) return [];
  const place = ({ sizes, step }) => ({ ...step, x: xs.indexOf(sizes) });
  const lines = suggestions.map(({ frontier, workload }) =>
    ({ name: `${workload}, predicted`, points: frontier.map(place) }));
  const roles = served.map((each) => ({ name: each.role, alone: true, points: [place(each)] }));
  const figure = lines_figure({ title: "Step time by the number of captured sizes", x: "sizes", xs,
    lines: [...lines, ...roles], tick: seconds_tick });
  const row = (name, { sizes, step, memory, startup }) =>
    [name, String(sizes), shown(step), shown(memory), shown(startup)];
  const name_of = ({ workload, why_none: why }) => `${workload}, suggested${why ? `: ${why}` : ""}`;
  const told = [...suggestions.map((each) => row(name_of(each), each)),
    ...served.map((each) => row(`${each.role} (${each.id})`, each))];
  return [{ ...figure, table: { head: ["", "sizes", "step", "memory", "start-up"], rows: told } }];
}

// Memory and time of all sizes of each bill, predicted and measured.
const bills_of = ({ bills = [] }) => bills.filter(({ rows }) => rows.length > 0)
  .map((bill) => bars_figure({ ...bill, tick: bill.title === "Memory" ? bytes_tick : seconds_tick }));

// A series is a Report with one section, if it has points. The note of a row is the change at it.
function history_of({ sections: [section] }) {
  if (!section) return [];
  const place = (name) => section.columns.findIndex((column) => column.name === name);
  const of_all = (name) => section.rows.map(({ values }) => values[place(name)]);
  const [medians, lowest, highest] = ["median", "lowest", "highest"].map(of_all);
  const points = points_of(medians.map((number, index) => ({ ...number,
    low: lowest[index].value, high: highest[index].value,
    range: `${lowest[index].text} to ${highest[index].text}` })));
  const xs = of_all("started").map(({ text }) => text.slice(0, 10));
  const verticals = section.rows.map(({ note: text }, x) => ({ x, text })).filter(({ text }) => text !== "");
  const figure = lines_figure({ title: section.title, x: "date", xs, lines: [{ name: "median", points }],
    tick: seconds_tick, verticals });
  const commits = of_all("commit");
  figure.table.head = ["date", "commit", "median", "change"];
  figure.table.rows = figure.table.rows.map(([date, value], index) =>
    [date, commits[index].text, value, section.rows[index].note]);
  return [figure];
}

// The report's sections in order, without those that have no figures.
export function sections_of({ result, series = [] }) {
  const every = result ? variants_of(result.cells) : [];
  const variants = every.slice(0, VARIANTS_MAX);
  const each = (make) => variants.flatMap(make);
  const batch = (metric) => each((variant) => over_batch(metric, variant, result));
  const sections = [
    ["What was found over time", series.flatMap(history_of)],
    [`${METRICS[GAIN]} over batch`.replace("gain", "Gain"), batch(GAIN)],
    ["Latency over batch, and the least that waiting for one kernel takes",
      batch("launches[].latency_seconds")],
    ["Submit over batch, and the least that its launches take", batch("launches[].submit_seconds")],
    ["Where a step's time goes on the device, and how long its submission takes", each(profile_of)],
    ["Setup of each captured size", each(setup_of)],
    ["Memory of a worker, with all of its sizes", each((variant) => memory_of(variant, result))],
    ["How many warmups a step needs", each(warmups_of)],
    ["Ladders of captured sizes", result ? frontiers_of(result) : []],
    ["What captured sizes take", result ? bills_of(result) : []],
  ];
  return { sections: sections.filter(([, figures]) => figures.length > 0)
    .map(([title, figures]) => ({ title, figures })), left_out: every.length - variants.length };
}
