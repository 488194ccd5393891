// Tables: several instant queries, merged on their common labels. The name of each column has its unit.
import * as common from "@grafana/grafana-foundation-sdk/common";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as table from "@grafana/grafana-foundation-sdk/table";

import { furnish, overrideByNames, tableQuery, thresholds } from "./panels.mjs";
import { certain, maxBy, uncertain } from "./queries.mjs";

export const title = (label) => label[0].toUpperCase() + label.slice(1);

// Each column has one unit, named in its heading: 77 us and 1200 us compare easily, 77 us and 1.2 ms do not.
export const micro = (expression) => `1e6 * (${expression})`;
export const mebi = (expression) => `${expression} / 1048576`;

/* The columns of certain and of uncertain gains: only where the interval excludes 1 is there a colour. */
export const CERTAIN_GAIN = "Certain gain, x";
export const gainColumns = (labels, gains) => [
  {
    name: CERTAIN_GAIN, expression: maxBy(labels, certain(gains)),
    thresholds: thresholds("red", [1, "green"]),
  },
  { name: "Uncertain gain, x", expression: maxBy(labels, uncertain(gains)) },
];

/**
 * `keys` are the labels that identify a row; they are the first columns, in this order. `columns` are
 * {name, expression, thresholds}. `sort` names the column to sort by, largest values first.
 */
export function rows(about, keys, columns, sort) {
  const panel = furnish(new table.PanelBuilder(), { span: 24, height: 10, ...about })
    .cellHeight(common.TableCellHeight.Sm)
    .filterable(true)
    .sortBy([new common.TableSortByFieldStateBuilder().displayName(sort).desc(true)]);
  const names = Object.fromEntries(keys.map((key) => [key, title(key)]));
  columns.forEach((column, index) => {
    const refId = String.fromCharCode(65 + index);
    panel.withTarget(tableQuery(column.expression, refId));
    // With a single query, Grafana calls the field "Value", without the query's letter.
    names[columns.length === 1 ? "Value" : `Value #${refId}`] = column.name;
    if (column.thresholds) {
      overrideByNames(panel, [column.name], [
        { id: "thresholds", value: column.thresholds.build() },
        { id: "custom.cellOptions", value: { type: "color-text" } },
      ]);
    }
  });
  panel.withTransformation({ id: "merge", options: {} });
  panel.withTransformation({
    id: "organize",
    options: {
      excludeByName: { Time: true },
      indexByName: Object.fromEntries(Object.keys(names).map((name, index) => [name, index])),
      renameByName: names,
    },
  });
  if (about.link) panel.dataLinks([dataLink(about.link)]);
  return panel;
}

function dataLink({ text, url }) {
  return new dashboard.DashboardLinkBuilder(text).url(url).targetBlank(false);
}
