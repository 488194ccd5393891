// Small drawings that stay sharp on paper: inline SVG with its words, and the numbers as a table beside it.
import { element } from "./dom.mjs";

const WIDTH = 360; // as wide as a phone shows, so that text there is as large as elsewhere
const EDGE = 8;
const FAR = 2.5; // a ratio beyond it is drawn there
const NAME_MAX = 50;

let drawn = 0; // names what an SVG is described by

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const shortened = (name) => (name.length > NAME_MAX ? `\u2026${name.slice(-NAME_MAX)}` : name);
const label = (x, y, text, attributes = {}) => shape("text", { x, y, ...attributes }, text);

// Where values lie between two pixels; those beyond the ends are at the ends.
function scale_of([low, high], [from, to], logarithmic = true) {
  const place = logarithmic ? Math.log : (value) => value;
  const [a, b] = [place(low), place(high)];
  return (value) => {
    const share = Math.min(Math.max((place(value) - a) / (b - a || 1), 0), 1);
    return Number((from + share * (to - from)).toFixed(1));
  };
}

// Round values within the range, few enough to have labels.
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

// A line per range: its name, its interval, its value, beside the line at 1.
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
    label(x(tick), height - 4, `${tick}\u00d7`, { "text-anchor": "middle", class: "quiet" }),
  ]);
  const rows = ranges.map(({ name, value, low, high, tone }, index) => {
    const y = index * row + 21;
    const ends = high ? [shape("line", { x1: x(low || domain[0]), x2: x(high), y1: y, y2: y })] : [];
    return shape("g", { class: "range", "data-tone": tone }, label(EDGE, y - 9, shortened(name)), ...ends,
      shape("circle", { cx: x(value), cy: y, r: 4 }));
  });
  return { height, shapes: [...grid, ...rows] };
}

const KINDS = { ranges: draw_ranges };

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

// { title, desc, table: { head, rows } }, and what is drawn by the name of its kind.
export const figure_of = (figure) => element("figure", { className: "drawing" },
  element("figcaption", { textContent: figure.title }), drawing(figure),
  element("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: `Table: ${figure.title}` },
    table(figure.table)));
