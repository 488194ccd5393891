// Turns a graphbench.comparison/1 document into the texts that the page shows. All functions are pure.
import { NOTHING, seconds } from "./format.mjs";

export const SHOWN_MAX = 20;  // rows in the figure; the table has up to LISTED_MAX rows
const LISTED_MAX = 200;
const CHOICE = "library_choices.";
const ORDER = { slower: 0, "less steady": 1, inconclusive: 2, faster: 3, same: 4 };

const range_of = (name, metric) => ({
  name, value: metric.ratio, low: metric.ratio_ci95?.[0], high: metric.ratio_ci95?.[1], tone: metric.verdict,
  base: metric.base_seconds, now: metric.new_seconds, why: metric.why ?? "",
});
const factor = (value) => `${value.toFixed(3)}\u00d7`;
const away = ({ value }) => Math.abs(Math.log(value ?? 1));
const worst_first = (left, right) => ORDER[left.tone] - ORDER[right.tone] || away(right) - away(left);

// The means of each mode over its cells, and the cells' metrics whose verdict is not "same".
const ranges_of = ({ means = [], cells }) => ({
  means: means.map((mean) => range_of(`${mean.mode} ${mean.metric}`, mean)),
  cells: cells.flatMap(({ id, metrics }) => metrics.filter(({ verdict }) => verdict !== "same")
    .map((metric) => range_of(`${id} ${metric.metric}`, metric))).sort(worst_first),
});

function table_of(ranges) {
  const change = ({ value, low, high }) =>
    factor(value) + (high ? `\n[${low.toFixed(3)}, ${high.toFixed(3)}]` : "");
  const rows = ranges.slice(0, LISTED_MAX).map((range) =>
    [range.name, seconds(range.base), seconds(range.now), change(range), range.tone]);
  const more = ranges.length - rows.length;
  if (more > 0) rows.push([`${more} more`, NOTHING, NOTHING, NOTHING, NOTHING]);
  return { head: ["", "BASE", "NEW", "NEW over BASE", "verdict"], rows };
}

function figure_of(title, ranges) {
  const shown = ranges.slice(0, SHOWN_MAX);
  const words = shown.map(({ name, value, tone }) => `${name} ${factor(value)}, ${tone}`).join("; ");
  const desc = `NEW over BASE with 95 % intervals. ${words}.`;
  return { title, desc, ranges: shown, table: table_of(ranges) };
}

const COVERAGES = {
  base_only: "not in NEW", new_only: "not in BASE", failed_now: "failed in NEW",
  skipped_now: "skipped in NEW", recovered: "ok in NEW alone", neither: "ok on neither side",
};
const of_change = ({ name, base, new: now }) => `${name} ${base} \u2192 ${now}`;

// Changes without a ratio: cells that one side lacks, and counts that differ.
function remarks_of(cells) {
  const remarks = [];
  for (const { id, coverage, reason, lost = [], changed = [] } of cells) {
    if (COVERAGES[coverage]) remarks.push(`${id}: ${COVERAGES[coverage]}${reason ? `: ${reason}` : ""}`);
    if (lost.length > 0) remarks.push(`${id}: NEW lacks ${lost.join(", ")}`);
    if (changed.length > 0) remarks.push(`${id}: ${changed.map(of_change).join(", ")}`);
  }
  const more = remarks.length - LISTED_MAX;
  return more > 0 ? [...remarks.slice(0, LISTED_MAX), `${more} more`] : remarks;
}

function differences_of(differences) {
  const choices = differences.filter(({ field }) => field.startsWith(CHOICE));
  const listed = differences.filter(({ field }) => !field.startsWith(CHOICE))
    .map(({ field, base, new: now }) => `${field}: ${base ?? "none"} \u2192 ${now ?? "none"}`);
  return choices.length === 0 ? listed : [...listed, `${choices.length} library choices`];
}

const side_of = ({ source, device_name, started_at, tool, launches }) =>
  [source, device_name, started_at, tool.commit && `commit ${tool.commit}`, `${launches.max} launches`]
    .filter(Boolean).join(", ");

export function changes_of(comparison) {
  const { means, cells } = ranges_of(comparison);
  const figures = [["Over all cells of a mode", means], ["Cells that changed, or may have", cells]];
  return {
    verdict: comparison.verdict ?? "not comparable",
    headline: comparison.headline,
    sides: [`BASE: ${side_of(comparison.base)}`, `NEW: ${side_of(comparison.new)}`],
    figures: figures.filter(([, ranges]) => ranges.length > 0).map((each) => figure_of(...each)),
    remarks: remarks_of(comparison.cells),
    differences: differences_of(comparison.differences),
  };
}
