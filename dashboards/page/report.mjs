// The page with embedded documents: a report, which asks no service. In its documents, a cell is a row of
// numbers, and the columns are the paths of these numbers in a result document.
import { show_findings } from "./cards.mjs";
import { cell_of } from "./cells.mjs";
import { show_comparison } from "./comparison.mjs";
import { element, find, set_text } from "./dom.mjs";
import { sections_of } from "./figures.mjs";
import { make_results } from "./results.mjs";
import { figure_of, folded_table } from "./svg.mjs";

const ROWS_MAX = 1000;  // with more cells, the table first shows only plotted cells

const result_of = ({ columns, rows, references, ...result }) =>
  ({ ...result, cells: rows.map((row) => cell_of(columns, row, references)) });

// Pairs of a path such as "device.name" and its value, without lists and nulls.
const flat = (value, name = "") => (value === null || Array.isArray(value) ? []
  : typeof value !== "object" ? [[name, String(value)]]
    : Object.entries(value).flatMap(([key, each]) => flat(each, name === "" ? key : `${name}.${key}`)));

function show_environment({ environment, tool, plan }) {
  const { library_choices: choices, ...rest } = environment;
  const rows = flat({ tool, argv: plan.argv?.join(" "), ...rest });
  find("environment").replaceChildren(
    folded_table(`Environment: ${rows.length} values`, { head: ["", "value"], rows }),
    ...(choices?.length > 0 ? [folded_table(`Library choices: ${choices.length}`,
      { head: ["", "algorithm"], rows: choices })] : []));
  find("environment").hidden = false;
}

function show_figures(documents) {
  const { sections, left_out } = sections_of(documents);
  find("figures").replaceChildren(...sections.map(({ title, figures }) =>
    element("section", {}, element("h2", { textContent: title }), ...figures.map(figure_of))),
  ...(left_out > 0 ? [element("p", { className: "quiet" },
    `${left_out} more workloads have no figure here; the plot above has them.`)] : []));
}

// The options as the service lists them: "--batch=1,8" and "--batch 1,8" are one option each.
const options_of = (argv) => argv.join(" ").split(" --").slice(1).filter((option) => option !== "sweep");

function show_cells(result) {
  const results = make_results({ result_of: async () => result });
  const device = result.environment.device?.name ?? "";
  results.open({ id: [result.started_at, device].filter(Boolean).join(" \u00b7 "),
    arguments: options_of(result.plan.argv ?? []), state: result.complete ? "done" : "interrupted",
    message: null, has_results: true });
  if (result.cells.length > ROWS_MAX) find("filter").value = "plotted";
  result.cells.forEach(results.add_cell);
}

// What changed is what the reader of a comparison came for: NEW's conclusions and cells follow it.
function begin_with_comparison() {
  const heading = element("h2", { id: "comparison-title", textContent: "What changed" });
  find("comparison-title").replaceWith(heading);
  find("results").before(element("section", {}, find("comparison")));
  find("results-title").prepend("NEW: ");
}

// Shows the conclusions first, because drawing the figures takes long.
export function show_report(embedded) {
  const { comparison, series } = embedded;
  const has_cells = embedded.result?.rows.length > 0;  // results of ladders and bills have no cells
  const concluded = embedded.result?.conclusions?.length > 0;  // a ladder's or bill's sentence
  find("results").hidden = !has_cells && !comparison && !concluded;
  if (embedded.result) show_findings(embedded.result);
  if (comparison) show_comparison(comparison);
  if (comparison && has_cells) begin_with_comparison();
  if (!has_cells && concluded) set_text(find("results-title"), "What it comes to");
  performance.mark("conclusions");
  requestAnimationFrame(() => setTimeout(() => {
    const result = embedded.result && result_of(embedded.result);
    if (has_cells) show_cells(result);
    show_figures({ result, series });
    if (result) show_environment(result);
    requestAnimationFrame(() => performance.mark("all"));
  }));
}
