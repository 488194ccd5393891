// Shows a comparison on the page: the changes between two results.
import { changes_of } from "./changes.mjs";
import { element, find, set_text } from "./dom.mjs";
import { figure_of, folded_table } from "./svg.mjs";

const paragraph = (text) => element("p", { className: "quiet" }, text);

function folded({ title, table, sentences }) {
  if (table) return folded_table(title, table);
  if (sentences.length === 0) return paragraph(title);
  return element("details", {}, element("summary", { textContent: title }),
    element("ul", {}, ...sentences.map((text) => element("li", { textContent: text }))));
}

// `report` is the comparison's Report.
export function show_comparison(report) {
  const changes = changes_of(report);
  set_text(find("verdict"), changes.verdict);
  find("verdict").dataset.tone = changes.verdict;
  set_text(find("headline"), changes.headline);
  find("changes").replaceChildren(...changes.sides.map(paragraph), ...changes.figures.map(figure_of),
    ...changes.tables.map(folded), ...changes.said.map(paragraph));
  find("comparison").hidden = false;
}
