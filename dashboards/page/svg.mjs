// Small drawings that stay sharp in print: inline SVG with a description, and the numbers in a table.
import { MODES } from "./columns.mjs";
import { element } from "./dom.mjs";
import { axis_batches, axis_ratios, axis_times } from "./series.mjs";

const WIDTH = 360; // the width of a phone, so that text keeps its size there
const EDGE = 8;
const LINES = 4;  // number of line styles; the first ones belong to the modes
const FAR = 2.5;  // ratios above this, or below its inverse, are drawn at the end of the axis
const NAME_MAX = 50;

let drawn = 0;  // number of drawings so far, for unique ids of their descriptions

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const shortened = (name) => (name.length > NAME_MAX ? `\u2026${name.slice(-NAME_MAX)}` : name);
const label = (x, y, text, attributes = {}) => shape("text", { x, y, ...attributes }, text);

// Maps values to pixels with one decimal. Values outside of the range are drawn at its ends.
function scale_of([low, high], [from, to], logarithmic = true) {
  const place = logarithmic ? Math.log : (value) => value;
  const [a, b] = [place(low), place(high)];
  return (value) => {
    const share = Math.min(Math.max((place(value) - a) / (b - a || 1), 0), 1);
    return Number((from + share * (to - from)).toFixed(1));
  };
}

// Round values within the range: about `most` of them, or fewer.
export function round_ticks(low, high, most = 5) {
  const rough = (high - low) / most || 1;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * decade).find((each) => each >= rough * 0.999);
  const ticks = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) {
    ticks.push(Number(value.toPrecision(10)));
  }
  return ticks;
}

// A dot; an arrow at the end of the axis, for a value beyond it.
function point_of(value, [low, high], x, y) {
  if (value >= low && value <= high) return shape("circle", { cx: x, cy: y, r: 4 });
  const back = value > high ? -9 : 9;
  return shape("polygon", { points: `${x},${y} ${x + back},${y - 6} ${x + back},${y + 6}`, class: "beyond" },
    shape("title", {}, "beyond the axis: the table has its value"));
}

// Draws one line per range with its name, interval and value, and a vertical line at 1.
function draw_ranges({ ranges }) {
  const row = 30;
  const height = ranges.length * row + 22;
  const all = ranges.flatMap(({ value, low, high }) => [value, low || value, high || value, 1]);
  const [least, most] = [Math.max(Math.min(...all), 1 / FAR), Math.min(Math.max(...all), FAR)];
  const room = Math.max((most / least) ** 0.06, 1.004);
  const domain = [least / room, most * room];
  const x = scale_of(domain, [EDGE, WIDTH - EDGE]);
  const grid = round_ticks(...domain).filter((tick) => tick > 0).flatMap((tick) => [
    shape("line", { x1: x(tick), x2: x(tick), y1: 0, y2: height - 18, class: tick === 1 ? "one" : "grid" }),
    label(x(tick), height - 4, `${tick}x`, { "text-anchor": "middle", class: "quiet" }),
  ]);
  const rows = ranges.map(({ name, value, low, high, tone }, index) => {
    const y = index * row + 21;
    const ends = high ? [shape("line", { x1: x(low || domain[0]), x2: x(high), y1: y, y2: y })] : [];
    return shape("g", { class: "range", "data-tone": tone }, label(EDGE, y - 9, shortened(name)), ...ends,
      point_of(value, domain, x(value), y));
  });
  return { height, shapes: [...grid, ...rows] };
}

// Draws the names in rows above the drawing. Returns the shapes and their height.
function legend_of(names, mark_of) {
  let [x, y] = [EDGE, 12];
  const shapes = names.flatMap((name, index) => {
    const width = name.length * 7 + 32;
    if (x > EDGE && x + width > WIDTH) [x, y] = [EDGE, y + 16];
    const made = [mark_of(index, x, y), label(x + 22, y, name)];
    x += width;
    return made;
  });
  return { shapes, height: y + 12 };
}

const mode_of = (name) => MODES.indexOf(name.split(/[ ,']/)[0]);
// The style of each line. A mode has its own; another line takes the next one that no mode has here.
export function styles_of(lines) {
  const modes = new Set(lines.map(({ name }) => mode_of(name)));
  const free = [...Array(LINES).keys()].filter((style) => !modes.has(style));
  let next = 0;
  return lines.map(({ name }) => {
    const mode = mode_of(name);
    return mode >= 0 ? mode : (free.length > 0 ? free : [LINES - 1])[next++ % (free.length || 1)];
  });
}
const stroke = (style, floor) => `line-${style}${floor ? " floor" : ""}`;

function draw_line({ points, floor, alone }, style, x, y) {
  const spread = points.filter(({ high }) => high).map((point) =>
    shape("line", { x1: x(point.x), x2: x(point.x), y1: y(point.low), y2: y(point.high) }));
  const path = points.map((point, at) => `${at === 0 ? "M" : "L"}${x(point.x)} ${y(point.value)}`).join("");
  const dots = points.map((point) =>
    shape("circle", { cx: x(point.x), cy: y(point.value), r: alone ? 5 : floor ? 1 : 2.5 }));
  return shape("g", { class: stroke(style, floor) }, ...spread,
    ...(alone ? [] : [shape("path", { d: path })]), ...dots);
}

// Draws lines over evenly spaced places, with a logarithmic y axis.
function draw_lines({ lines, xs, x: axis, tick: text_of, one, verticals = [] }) {
  const styles = styles_of(lines);
  const legend = legend_of(lines.map(({ name }) => name), (index, left, top) =>
    shape("line", { x1: left, x2: left + 17, y1: top - 4, y2: top - 4,
      class: stroke(styles[index], lines[index].floor) }));
  const [left, bottom] = [58, legend.height + 180];
  const all = lines.flatMap(({ points }) => points.flatMap(({ value, low, high }) =>
    [value, low || value, high || value])).concat(one ? [1] : []);
  const room = Math.max((Math.max(...all) / Math.min(...all)) ** 0.08, 1.01);
  const domain = [Math.min(...all) / room, Math.max(...all) * room];
  const x = scale_of([0, Math.max(xs.length - 1, 1)], [left + 10, WIDTH - 16], false);
  const y = scale_of(domain, [bottom, legend.height]);
  const decades = one ? axis_ratios(...domain) : axis_times(...domain);
  const ticks = decades.length > 2 || domain[1] > 4 * domain[0] ? decades : round_ticks(...domain, 4);
  const horizontal = ticks.flatMap((tick) => [
    shape("line", { x1: left, x2: WIDTH - EDGE, y1: y(tick), y2: y(tick),
      class: one && tick === 1 ? "one" : "grid" }),
    label(left - 5, y(tick) + 4, text_of(tick), { "text-anchor": "end", class: "quiet" })]);
  const most = Math.floor((WIDTH - left) / (Math.max(...xs.map((name) => String(name).length)) * 7 + 10));
  const is_cut = (index) => index > 0 && index === xs.length - 1 && String(xs[index]).length > 4;
  const names = axis_batches([...xs.keys()], most).map((index) => label(x(index), bottom + 15,
    String(xs[index]), { class: "quiet", "text-anchor": is_cut(index) ? "end" : "middle" }));
  const changes = verticals.flatMap((each) => [
    shape("line", { x1: x(each.x - 0.5), x2: x(each.x - 0.5), y1: legend.height, y2: bottom, class: "one" }),
    label(x(each.x - 0.5) + 3, legend.height + 10, each.text)]);
  return { height: bottom + 36, shapes: [...legend.shapes, ...horizontal, ...names, ...changes,
    label((left + WIDTH) / 2, bottom + 31, axis, { "text-anchor": "middle", class: "quiet" }),
    ...lines.map((line, index) => draw_line(line, styles[index], x, y))] };
}

// Draws stacked bars. A bar with `at` also has a mark there, which is not part of the sum.
function draw_bars({ bars, parts, tick: text_of, table: { head } }) {
  // A name that is too long to stand beside its bar stands above it.
  const [beside, thick] = [100, 20];
  const above = bars.some(({ name }) => name.length * 7 > beside);
  const [left, top, row] = above ? [EDGE, 16, thick + 16] : [beside, 0, thick];
  const marks = head.slice(1 + parts.length);
  const legend = legend_of([...parts, ...marks], (index, x, y) => (index < parts.length
    ? shape("rect", { x, y: y - 10, width: 16, height: 11, class: `part-${index}` })
    : shape("line", { x1: x + 8, x2: x + 8, y1: y - 11, y2: y + 2, class: "mark" })));
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const drawn = bars.map(({ name, values, at }) => ({ name, at: at?.value,
    values: values.map((number) => Math.max(number?.value ?? 0, 0)) }));
  const most = Math.max(...drawn.map(({ values, at }) => Math.max(sum(values), at ?? 0)));
  const x = scale_of([0, most], [left, WIDTH - EDGE], false);
  const bottom = legend.height + bars.length * row;
  const rows = drawn.flatMap(({ name, values, at }, index) => {
    const y = legend.height + index * row + top;
    const stacked = values.map((value, part) => shape("rect", { x: x(sum(values.slice(0, part))), y: y + 3,
      width: Math.max(x(value) - left, 0), height: thick - 6, class: `part-${part}` }));
    const mark = { x1: x(at ?? 0), x2: x(at ?? 0), y1: y, y2: y + thick, class: "mark" };
    const named = above ? label(EDGE, y - 3, shortened(name))
      : label(left - 6, y + 14, name, { "text-anchor": "end" });
    return [named, ...stacked,
      ...(at === undefined ? [] : [shape("line", mark)])];
  });
  const ticks = round_ticks(0, most, 4).map((tick) =>
    label(x(tick), bottom + 14, text_of(tick),
      { "text-anchor": tick === 0 ? "start" : "middle", class: "quiet" }));
  return { height: bottom + 20, shapes: [...legend.shapes, ...rows, ...ticks] };
}

const KINDS = { ranges: draw_ranges, lines: draw_lines, bars: draw_bars };

function drawing({ title, desc, ...content }) {
  const kind = Object.keys(KINDS).find((name) => content[name]);
  const { height, shapes } = KINDS[kind](content);
  const [named, described] = ["title", "desc"].map((part) => `drawing-${++drawn}-${part}`);
  return shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-labelledby": named,
    "aria-describedby": described }, shape("title", { id: named }, title),
  shape("desc", { id: described }, desc), ...shapes);
}

function table({ head, rows }) {
  const of_row = (row) => element("tr", {}, element("th", { scope: "row", textContent: row[0] }),
    ...row.slice(1).map((text) => element("td", { textContent: text })));
  return element("table", { className: "small" },
    element("thead", {}, element("tr", {}, ...head.map((text) => (text === "" ? element("td")
      : element("th", { scope: "col", textContent: text }))))),
    element("tbody", {}, ...rows.map(of_row)));
}

export const folded_table = (summary, rows) =>
  element("details", {}, element("summary", { textContent: summary }), table(rows));

// Draws { title, desc, table: { head, rows }, ... }. A member `ranges`, `lines` or `bars` gives the kind.
export const figure_of = (figure) => element("figure", { className: "drawing" },
  element("figcaption", { textContent: figure.title }), drawing(figure),
  element("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: `Table: ${figure.title}` },
    table(figure.table)));
