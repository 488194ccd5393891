// Shows a comparison on the page: the changes between two results.
import { changes_of } from "./changes.mjs";
import { element, find, set_text } from "./dom.mjs";
import { figure_of } from "./svg.mjs";

const folded = (summary, texts) => (texts.length === 0 ? [] : [element("details", {},
  element("summary", { textContent: summary }),
  element("ul", {}, ...texts.map((text) => element("li", { textContent: text }))))]);
const counted = (texts, noun) => `${texts.length} ${noun}${texts.length === 1 ? "" : "s"}`;

export function show_comparison(comparison) {
  const changes = changes_of(comparison);
  set_text(find("verdict"), changes.verdict);
  find("verdict").dataset.tone = changes.verdict;
  set_text(find("headline"), changes.headline);
  find("changes").replaceChildren(...changes.sides.map((text) => element("p", { className: "quiet" }, text)),
    ...changes.figures.map(figure_of),
    ...folded(counted(changes.remarks, "more finding"), changes.remarks),
    ...folded(counted(changes.differences, "difference") + " of environment", changes.differences));
  find("comparison").hidden = false;
}
