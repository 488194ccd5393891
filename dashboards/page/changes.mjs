// Turns the Report of a comparison into the figures and tables that the page shows. All functions are pure.
import { shown } from "./cells.mjs";
import { NOTHING } from "./format.mjs";

export const SHOWN_MAX = 20;  // ranges in a figure; its table has all rows that the Report has

// A row's name: its texts ahead of the first number.
const name_of = ({ columns }, { values }) => {
  const first = columns.findIndex(({ number }) => number);
  return values.slice(0, first < 0 ? 1 : first).map(({ text }) => text).join(" ");
};

function table_of(section, head, texts_of) {
  const rows = section.rows.map((row) => [name_of(section, row), ...texts_of(row)]);
  if (section.more > 0) rows.push([`${section.more} more`, ...head.map(() => NOTHING)]);
  return { head: ["", ...head], rows };
}

// A section with ratios is drawn, with its first rows. Its table ends with the ratio.
function figure_of(section, place) {
  const ranges = section.rows.slice(0, SHOWN_MAX).map((row) =>
    ({ ...row.values[place], name: name_of(section, row), tone: row.verdict }));
  const words = ranges.map(({ name, text, tone }) => `${name} ${text}, ${tone}`).join("; ");
  const numbers = section.columns.map(({ number }, index) => (number && index <= place ? index : -1))
    .filter((index) => index >= 0);
  const head = [...numbers.map((index) => section.columns[index].name), "verdict"];
  return { title: section.title, desc: `NEW over BASE with 95 % intervals. ${words}.`, ranges,
    table: table_of(section, head, ({ values, verdict }) =>
      [...numbers.map((index) => shown(values[index])), verdict]) };
}

function words_table(section) {
  const head = section.columns.slice(1).map(({ name }) => name);
  return table_of(section, head, ({ values }) => values.slice(1).map(shown));
}

export function changes_of({ title, facts, head, sections, closing }) {
  const changes =
    { verdict: facts.verdict, headline: title, sides: head, figures: [], tables: [], said: closing };
  for (const section of sections) {
    const place = section.columns.findIndex(({ name }) => name === "ratio");
    if (section.rows.length === 0) {
      changes.tables.push({ title: section.title, sentences: section.sentences });
    } else if (place >= 0) {
      changes.figures.push(figure_of(section, place));
    } else {
      changes.tables.push({ title: section.title, table: words_table(section) });
    }
  }
  return changes;
}
