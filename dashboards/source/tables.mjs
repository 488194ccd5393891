// Tables: several instant queries merged on their common labels, each column named with its unit.
import * as common from "@grafana/grafana-foundation-sdk/common";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as table from "@grafana/grafana-foundation-sdk/table";

import { furnish, overrideByNames, tableQuery } from "./panels.mjs";

export const title = (label) => label[0].toUpperCase() + label.slice(1);

// Columns keep one scale and say it: 77 us above 1200 us compares at a glance, 77 us above 1.2 ms does not.
export const micro = (expression) => `1e6 * (${expression})`;
export const mebi = (expression) => `${expression} / 1048576`;

/**
 * `keys` are the labels that make a row, in the order of the first columns; `columns` are
 * {name, expression, thresholds}; `sort` names the column that decides, the largest first.
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
    // Grafana names the value field of a lone query plainly.
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
