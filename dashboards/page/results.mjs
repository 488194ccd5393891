// Shows one sweep: its progress, the plot of its finished cells, and their table.
import { show_findings } from "./cards.mjs";
import { cell_order, plots_of, row_of, tally } from "./cells.mjs";
import { COLUMNS } from "./columns.mjs";
import { element, find, KeyedList, set_options, set_text } from "./dom.mjs";
import { duration } from "./format.mjs";
import { make_plot } from "./plot.mjs";
import { has_ended, name_of, show_asked } from "./queue.mjs";
import { choices_of, GAIN, METRICS, series_of } from "./series.mjs";

const NUMBERS = COLUMNS.length;

// Small screens show only these number columns.
const MAJOR = ["launches[].latency_seconds", GAIN];
const class_of = (key) => (MAJOR.includes(key) ? "number" : "number minor");

// Inserts the headings of numbers before the heading of the remark.
function add_headings() {
  const remark = find("cell-columns").lastElementChild;
  for (const { key, title, help } of COLUMNS) {
    const text = title[0].toUpperCase() + title.slice(1);
    const name = element("abbr", { title: help }, text);
    remark.before(element("th", { scope: "col", className: class_of(key) }, name));
  }
}

function make_row() {
  const texts = (names) => names.map((name) => element("td", { className: name }));
  const numbers = COLUMNS.map(({ key }) => element("td", { className: class_of(key) }));
  return element("tr", {}, ...texts(["variant", "number minor", "number", "mode"]),
    element("td", { className: "minor" }, element("span", { className: "status" })), ...numbers,
    element("td", { className: "reason" }));
}

function update_row(row, cell) {
  if (row.cell === cell) return;
  row.cell = cell;
  const texts = row_of(cell);
  row.dataset.cell = texts.id;
  const [variant, warmup, batch, mode, status, ...rest] = row.children;
  const numbers = rest.slice(0, NUMBERS);
  const reason = rest[NUMBERS];
  set_text(variant, texts.variant);
  set_text(warmup, texts.warmup);
  set_text(batch, texts.batch);
  set_text(mode, texts.mode);
  set_text(status.firstChild, texts.status);
  status.firstChild.dataset.status = texts.status;
  // Without numbers, the reason takes the place of their columns.
  numbers.forEach((node, index) => {
    node.hidden = texts.numbers === null;
    set_text(node, texts.numbers?.[index] ?? "");
  });
  reason.colSpan = texts.numbers === null ? NUMBERS + 1 : 1;
  set_text(reason, texts.reason);
}

function show_progress(sweep, progress) {
  const bar = find("progress");
  const running = sweep.state === "running";
  find("progress-part").hidden = !running;
  if (!running) return;
  if (!progress) {
    bar.removeAttribute("value");
    set_text(find("progress-text"), "Starting.");
    return;
  }
  bar.max = Math.max(progress.cells_total, 1);
  bar.value = progress.cells_done;
  const left = progress.eta_seconds === null ? "" : `, about ${duration(progress.eta_seconds)} left`;
  const failures = progress.failures > 0 ? `, ${progress.failures} failed` : "";
  set_text(find("progress-text"), `${progress.cells_done} of ${progress.cells_total} cells${failures}, `
    + `${duration(progress.elapsed_seconds)} so far${left}.`);
  const doing = [progress.worker, progress.phase, progress.batch > 0 ? `batch ${progress.batch}` : ""];
  set_text(find("progress-doing"), doing.filter(Boolean).join(" \u00b7 "));
}

const FILTERS = {
  all: () => true,
  plotted: (cell, { warmup, plotted }) => plotted.includes(cell) && cell.warmup === warmup,
  troubled: (cell) => cell.status !== "ok" || cell.check?.identical === false,
};

// `on_save(id, what)` saves a sweep's result document or report, `result_of(id)` reads the document,
// `on_compare(base, id)` compares two sweeps.
export function make_results({ on_save, result_of, on_compare }) {
  add_headings();
  const plot = make_plot();
  const rows = new KeyedList(find("cell-rows"), make_row, update_row);
  let sweep = null;
  let progress = null;
  let cells = new Map();
  let due = false;
  let described = null; // the sweep whose findings are shown

  // Shows the findings of a sweep that has a document, with the texts that the console prints.
  async function describe() {
    const whole = sweep.has_results && cells.size > 0;
    if (!whole) described = null;
    if (described !== sweep.id) find("findings").hidden = true;
    if (!whole || described === sweep.id) return;
    const id = sweep.id;
    described = id;
    const result = await result_of(id).catch(() => ({}));
    if (described === id) show_findings(result);
  }

  function draw() {
    due = false;
    if (!sweep) return;
    const all = [...cells.values()].sort(cell_order);
    const plots = plots_of(all);
    const choices = choices_of(plots, find("variant").value);
    set_options(find("variant"), choices.variants.map((value) => ({ value, text: value })));
    set_options(find("warmups"), choices.warmups.map(String).map((value) => ({ value, text: value })));
    const warmup = Number(find("warmups").value);
    const chosen = { plotted: plots.get(choices.variant) ?? [], warmup, metric: find("metric").value };
    plot.show(series_of(chosen.plotted, chosen), chosen.metric);
    const filter = FILTERS[find("filter").value];
    const listed = all.filter((cell) => filter(cell, chosen));
    rows.show(listed, (cell) => cell.id);
    find("cells-part").hidden = all.length === 0;
    find("cells-none").hidden = all.length > 0 || !has_ended(sweep);
    const some = listed.length < all.length;
    set_text(find("cells-shown"), some ? `${listed.length} of ${all.length} shown.` : "");
    set_text(find("tally"), tally(all));
    describe();
  }

  // Draws at most once per frame, because many cells arrive when a worker ends.
  function draw_soon() {
    if (!due) requestAnimationFrame(draw);
    due = true;
  }

  set_options(find("metric"), Object.entries(METRICS).map(([value, text]) => ({ value, text })));
  for (const id of ["variant", "warmups", "metric", "filter"]) find(id).addEventListener("change", draw);
  find("save").addEventListener("click", () => on_save(sweep.id, "results"));
  find("save-report").addEventListener("click", () => on_save(sweep.id, "report"));
  find("compare").addEventListener("click", () => on_compare(find("base").value, sweep.id));

  function show_sweep(next) {
    sweep = next;
    find("results").hidden = false;
    set_text(find("sweep-id"), sweep.id);
    set_text(find("sweep-state"), sweep.state);
    find("sweep-state").dataset.state = sweep.state;
    show_asked(find("sweep-asked"), sweep);
    set_text(find("sweep-message"), sweep.message ?? "");
    find("saving").hidden = !sweep.has_results;
    show_progress(sweep, progress);
    draw_soon();
  }

  return {
    // Shows another sweep, without the cells and the progress of the previous one.
    open(next) {
      cells = new Map();
      progress = null;
      show_sweep(next);
    },
    update: show_sweep,
    // Offers the other sweeps with results for a comparison with the shown one.
    offer(sweeps) {
      const others = sweeps.filter(({ id, has_results }) => has_results && id !== sweep.id);
      find("compare-part").hidden = !sweep.has_results || others.length === 0;
      set_options(find("base"), others.map((other) => ({ value: other.id, text: name_of(other) })));
    },
    add_cell(cell) {
      cells.set(cell.id, cell);
      draw_soon();
    },
    set_progress(next) {
      progress = next;
      show_progress(sweep, progress);
    },
  };
}
