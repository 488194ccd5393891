// Draws what a document concludes: a card per subject, with the verdict, the mode by batch as a strip, why,
// and what it costs as figures. The texts of numbers come with the document. What else was said is folded.
import { MODES } from "./columns.mjs";
import { element, find } from "./dom.mjs";

const LINES = ["why", "cost", "pays back", "not measured"];
const TOLD = { either: "either", unknown: "cannot tell" };

const line_of = (mode) => (mode in TOLD ? "none" : MODES.includes(mode) ? MODES.indexOf(mode) : MODES.length);
const small = (text) => (text === "" ? [] : [" ", element("span", { className: "quiet" }, text)]);

function strip_of(sentences) {
  const gains = sentences.flatMap(({ shown = [] }) => shown).filter(({ name }) => name === "gain")
    .sort((left, right) => left.batch - right.batch);
  if (gains.length === 0) return [];
  const made = gains.map(({ batch, mode, text, interval }) => {
    const item = element("li", {}, element("span", { className: "quiet" }, `batch ${batch}`), " ",
      element("b", {}, TOLD[mode] ?? mode), " ", element("span", {}, text), ...small(interval));
    item.dataset.line = line_of(mode);
    return item;
  });
  return [element("ol", { className: "strip", ariaLabel: "Mode to use and best gain over eager, by batch" },
    ...made)];
}

// A list for each mode, which begins with its name.
function figures_of(numbers) {
  const modes = [...new Set(numbers.map(({ mode }) => mode))];
  return modes.map((mode) => element("ul", { className: "amounts" },
    ...(mode === "" ? [] : [element("li", {}, mode)]),
    ...numbers.filter((number) => number.mode === mode).map(({ name, text, interval }) => element("li", {},
      element("span", { className: "quiet" }, name), " ", element("b", {}, text), ...small(interval)))));
}

// A line with numbers shows them alone; `told` gets its sentences.
function line_with(label, sentences, told) {
  const numbers = sentences.flatMap(({ shown = [] }) => shown);
  if (numbers.length > 0) told.push(...sentences);
  return element("div", {}, element("dt", {}, label), element("dd", {},
    ...(numbers.length > 0 ? figures_of(numbers) : [sentences.map(({ text }) => text).join(" ")])));
}

function card_of(subject, conclusions) {
  // Documents of before labels have paragraphs.
  const labelled = (label) => conclusions.filter((each) => (each.label ?? "use") === label);
  const told = [];
  const lines = LINES.map((label) => [label, labelled(label)]).filter(([, sentences]) => sentences.length > 0)
    .map(([label, sentences]) => line_with(label, sentences, told));
  told.push(...labelled("details"));
  const verdict = labelled("use");
  return element("li", { className: "card" }, element("h3", {}, subject),
    ...(verdict.length > 0 ? [element("p", {}, verdict.map(({ text }) => text).join(" "))] : []),
    ...strip_of(verdict), ...(lines.length > 0 ? [element("dl", {}, ...lines)] : []),
    ...(told.length > 0 ? [element("details", {}, element("summary", {}, "Details"),
      element("ul", {}, ...told.map(({ text }) => element("li", {}, text))))] : []));
}

export function show_findings({ conclusions = [], notes = [] }) {
  const subjects = [...new Set(conclusions.map(({ subject }) => subject))];
  find("conclusions").replaceChildren(...subjects.map((subject) =>
    card_of(subject, conclusions.filter((each) => each.subject === subject))));
  find("notes").replaceChildren(...notes.map(({ text }) => element("li", {}, text)));
  find("findings").hidden = conclusions.length + notes.length === 0;
}
