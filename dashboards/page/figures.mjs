// Makes a report's figures from result documents and series. Each has a description and a table. Does no I/O.
import { cell_order, mode_order, setup_part, variant_of } from "./cells.mjs";
import { bytes, count, NOTHING, ratio, seconds } from "./format.mjs";
import { GAIN, METRICS, series_of } from "./series.mjs";

const VARIANTS_MAX = 12;  // the plot above the figures can show the other variants

const distinct = (values) => [...new Set(values)];
const ascending = (values) => distinct(values).sort((a, b) => a - b);
const points_of = (values, intervals = []) => values
  .map((value, x) => ({ x, value, low: intervals[x]?.[0], high: intervals[x]?.[1] }))
  .filter(({ value }) => value > 0);

// A line chart. `xs` are the labels on the x axis, in order; points refer to them by index.
function lines_figure({ title, x, xs, lines, format, ...more }) {
  const told = lines.map(({ name, points }) =>
    `${name}: ${points.map((point) => `${format(point.value)} at ${xs[point.x]}`).join(", ")}`);
  const text = ({ value, low, high } = {}) => (value === undefined ? NOTHING
    : format(value) + (high ? `\n[${format(low)}, ${format(high)}]` : ""));
  const rows = xs.map((name, index) =>
    [String(name), ...lines.map(({ points }) => text(points.find((point) => point.x === index)))]);
  return { title, desc: `${title}, over ${x}. ${told.join("; ")}.`, lines, xs, x, format, ...more,
    table: { head: [x, ...lines.map(({ name }) => name)], rows } };
}

// Stacked bars, one row per bar.
function bars_figure({ title, parts, rows, format, mark }) {
  const told = rows.map(({ name, values }) =>
    `${name}: ${parts.map((part, index) => `${part} ${format(values[index])}`).join(", ")}`);
  const head = ["", ...parts, ...(mark ? [mark] : [])];
  return { title, desc: `${title}. ${told.join("; ")}.`, bars: rows, parts, format,
    table: { head, rows: rows.map(({ name, values, at }) =>
      [name, ...values.map(format), ...(mark ? [format(at)] : [])]) } };
}

// For each variant, all of its cells, and its cells with the warmup count that most of them have.
function variants_of(cells) {
  const by_variant = new Map();
  for (const cell of cells.filter(({ status }) => status === "ok").sort(cell_order)) {
    const variant = variant_of(cell);
    by_variant.set(variant, [...(by_variant.get(variant) ?? []), cell]);
  }
  return [...by_variant].map(([variant, all]) => {
    const of_warmup = (warmup) => all.filter((cell) => cell.warmup === warmup);
    const warmup = ascending(all.map((cell) => cell.warmup))
      .reduce((best, each) => (of_warmup(each).length > of_warmup(best).length ? each : best));
    return { variant, warmup, all, usual: of_warmup(warmup) };
  });
}

const FORMATS = { [GAIN]: ratio };

function over_batch(metric, { variant, warmup, usual }, environment) {
  const { batches, lines } = series_of(usual, { variant, warmup, metric });
  if (batches.length < 2) return [];
  const drawn = lines.map(({ mode, values, intervals }) =>
    ({ name: mode, points: points_of(values, intervals) }));
  const floors = [];
  const cell_at = (mode, batch) => usual.find((cell) => cell.mode === mode && cell.batch === batch);
  if (metric === "submit_seconds") {
    for (const { mode, values } of lines) {
      const floor = batches.map((batch, index) =>
        values[index] / cell_at(mode, batch)?.summary.submit_over_floor || null);
      const points = points_of(floor);
      if (points.length > 0) floors.push({ name: `${mode}'s floor`, floor: true, points });
    }
  }
  const wait = environment.floors?.completion_spin_seconds?.p50;
  if (metric === "latency_seconds" && wait)
    floors.push({ name: "one kernel", floor: true, points: points_of(batches.map(() => wait)) });
  return [lines_figure({ title: `${variant}, warmup ${warmup}`, x: "batch", xs: batches, one: metric === GAIN,
    lines: [...drawn, ...floors], format: FORMATS[metric] ?? seconds })];
}

const named = (cell) => `${cell.mode} b${cell.batch}`;
const by_mode = (left, right) => mode_order(left.mode, right.mode) || left.batch - right.batch;

function profile_of({ variant, usual }) {
  const cells = usual.filter(({ profile }) => profile).sort(by_mode);
  if (cells.length === 0) return [];
  return [bars_figure({ title: variant, parts: ["busy", "gaps"], format: seconds, mark: "submit",
    rows: cells.map((cell) => ({ name: named(cell), at: cell.summary.submit_seconds?.p50,
      values: [cell.profile.busy_seconds, cell.profile.gap_seconds] })) })];
}

const STAGES = ["warmup", "capture", "instantiate", "upload"];

function setup_of({ variant, usual }) {
  const cells = usual.filter(({ mode }) => mode !== "eager").sort(by_mode);
  const rows = cells.map((cell) =>
    ({ name: named(cell), values: STAGES.map((stage) => setup_part(cell, `${stage}_seconds`) ?? 0) }));
  return rows.length === 0 ? [] : [bars_figure({ title: variant, parts: STAGES, rows, format: seconds })];
}

const SHARES = { context: "context_bytes", code: "code_bytes", static: "static_bytes",
  workspace: "workspace_bytes", pool: "pool_bytes" };

// The memory of each mode's worker. Its batches share all memory except the execs, which are summed.
function memory_of({ variant, usual }) {
  const rows = distinct(usual.map(({ mode }) => mode)).sort((a, b) => mode_order(a, b)).map((mode) => {
    const cells = usual.filter((cell) => cell.mode === mode && cell.memory);
    const most = (key) => Math.max(0, ...cells.map(({ memory }) => memory[key] ?? 0));
    const execs = cells.reduce((sum, { memory }) => sum + (memory.exec_bytes ?? 0), 0);
    return { name: mode, values: [...Object.values(SHARES).map(most), execs] };
  }).filter(({ values }) => values.some((value) => value > 0));
  const parts = [...Object.keys(SHARES), "graphs"];
  return rows.length === 0 ? [] : [bars_figure({ title: variant, parts, rows, format: bytes })];
}

// Shows the first step and later steps by warmup count, at the batch that has the most warmup counts.
function warmups_of({ variant, all }) {
  const at = (batch) => ascending(all.filter((cell) => cell.batch === batch).map(({ warmup }) => warmup));
  const batch = ascending(all.map((cell) => cell.batch))
    .reduce((best, each) => (at(each).length > at(best).length ? each : best));
  const xs = at(batch);
  if (xs.length < 2) return [];
  const modes = distinct(all.map(({ mode }) => mode)).sort((a, b) => mode_order(a, b));
  const line = (name, mode, value_of, more = {}) => ({ name, ...more, points: points_of(xs.map((warmup) => {
    const cell = all.find((each) => each.mode === mode && each.warmup === warmup && each.batch === batch);
    return cell && value_of(cell);
  })) });
  const lines = modes.flatMap((mode) => [line(mode, mode, (cell) => setup_part(cell, "first_step_seconds")),
    line(`${mode}, later`, mode, (cell) => cell.summary.latency_seconds?.p50, { floor: true })])
    .filter(({ points }) => points.length > 0);
  return [lines_figure({ title: `${variant}, batch ${batch}: the first step, and later ones`, x: "warmups",
    xs, lines, format: seconds })];
}

// Step time by the number of captured sizes, predicted and served.
function frontiers_of({ suggestions = [], ladders = [] }) {
  const served = ladders.filter(({ step_seconds }) => step_seconds > 0);
  const xs = ascending([...suggestions.flatMap(({ frontier }) => frontier.map(({ sizes }) => sizes)),
    ...served.map(({ sizes }) => sizes.length)]);
  if (xs.length === 0) return [];
  const place = (sizes, value) => ({ x: xs.indexOf(sizes), value });
  const lines = suggestions.map(({ frontier, workload }) => ({ name: `${workload}, predicted`,
    points: frontier.map(({ sizes, step_seconds }) => place(sizes, step_seconds)) }));
  const roles = served.map(({ role, sizes, step_seconds }) =>
    ({ name: role, alone: true, points: [place(sizes.length, step_seconds)] }));
  const figure = lines_figure({ title: "Step time by the number of captured sizes", x: "sizes", xs,
    lines: [...lines, ...roles], format: seconds });
  const row = (name, { sizes, step_seconds, memory_bytes, startup_seconds }) =>
    [name, count(sizes.length), seconds(step_seconds), bytes(memory_bytes), seconds(startup_seconds)];
  const name_of = ({ workload, no_suggestion: why }) => `${workload}, suggested${why ? `: ${why}` : ""}`;
  const told = [...suggestions.map((each) => row(name_of(each), each)),
    ...served.map((each) => row(`${each.role} (${each.id})`, each))];
  return [{ ...figure, table: { head: ["", "sizes", "step", "memory", "capturing"], rows: told } }];
}

const ACCOUNTS = { pool: "pool_bytes", workspace: "workspace_bytes", code: "code_bytes",
  graphs: "exec_bytes" };
const BILL_STAGES = ["prepare", ...STAGES, "first_step"];

// Memory and time of all sizes of each bill, predicted and measured.
function bills_of({ bills = [] }) {
  const value = (of, key) => Math.max(0, of[key] ?? 0);
  const rows = (list, keys) => bills.flatMap(({ id, ...bill }) => ["prediction", "measured"]
    .filter((how) => bill[how])
    .map((how) => ({ name: `${id}, ${how}`, values: keys.map((key) => value(bill[how][list], key)) })));
  if (bills.length === 0) return [];
  const figure = (title, parts, list, keys, format) =>
    bars_figure({ title, parts, rows: rows(list, keys), format });
  return [figure("Memory", Object.keys(ACCOUNTS), "growth", Object.values(ACCOUNTS), bytes),
    figure("Time", BILL_STAGES, "setup", BILL_STAGES.map((stage) => `${stage}_seconds`), seconds)];
}

function history_of({ cell, metric, points, changes }) {
  const xs = points.map(({ entry }) => entry.started_at.slice(0, 10));
  const line = { name: metric, points: points_of(points.map(({ median_seconds }) => median_seconds),
    points.map((point) => [point.lowest_seconds, point.highest_seconds])) };
  const verticals = changes.map(({ index, ratio: by }) => ({ x: index, text: ratio(by) }));
  const title = `${cell}, ${metric}`;
  const figure = lines_figure({ title, x: "date", xs, lines: [line], format: seconds, verticals });
  const said = (index) => verticals.filter(({ x }) => x === index).map(({ text }) => text).join("");
  figure.table.head = ["date", "commit", metric, "change"];
  figure.table.rows = figure.table.rows.map(([date, value], index) =>
    [date, (points[index].entry.commit ?? NOTHING).slice(0, 12), value, said(index)]);
  return figure;
}

// The report's sections in order, without those that have no figures.
export function sections_of({ result, series = [] }) {
  const every = result ? variants_of(result.cells) : [];
  const variants = every.slice(0, VARIANTS_MAX);
  const each = (make) => variants.flatMap(make);
  const batch = (metric) => each((variant) => over_batch(metric, variant, result.environment));
  const sections = [
    ["What was found over time", series.map(history_of)],
    [`${METRICS[GAIN]} over batch`.replace("gain", "Gain"), batch(GAIN)],
    ["Latency over batch, and the least that waiting for one kernel takes", batch("latency_seconds")],
    ["Submit over batch, and the least that its launches take", batch("submit_seconds")],
    ["Where a step's time goes on the device, and how long its submission takes", each(profile_of)],
    ["Setup of each captured size", each(setup_of)],
    ["Memory of a worker, with all of its sizes", each(memory_of)],
    ["How many warmups a step needs", each(warmups_of)],
    ["Ladders of captured sizes", result ? frontiers_of(result) : []],
    ["What captured sizes take", result ? bills_of(result) : []],
  ];
  return { sections: sections.filter(([, figures]) => figures.length > 0)
    .map(([title, figures]) => ({ title, figures })), left_out: every.length - variants.length };
}
