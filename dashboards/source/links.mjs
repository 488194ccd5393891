// The dashboards' names and the ways between them: each links to the others, time and variables included.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { title } from "./tables.mjs";

const TAG = "graphbench";

export const UIDS = {
  overview: "graphbench-overview",
  cell: "graphbench-cell",
  ladder: "graphbench-ladder",
  regressions: "graphbench-regressions",
  service: "graphbench-service",
};

/* A dashboard with the parts that all share: tag, time range, links to the others by their tag. */
export function frame({ uid, title, description, from, refresh }) {
  return new dashboard.DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .timezone("browser")
    .time({ from, to: "now" })
    .refresh(refresh)
    .editable()
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .link(
      new dashboard.DashboardLinkBuilder("graphbench")
        .type(dashboard.DashboardLinkType.Dashboards)
        .tags([TAG])
        .icon("external link")
        .tooltip("The other graphbench dashboards, with the same time and variables")
        .asDropdown(false)
        .includeVars(true)
        .keepTime(true)
        .targetBlank(false),
    );
}

/** A row whose panels the user opens. */
export function collapsed(name, ...panels) {
  const row = new dashboard.RowBuilder(name).collapsed(true);
  panels.forEach((panel) => row.withPanel(panel));
  return row;
}

/* The link from a row of a table to its cell: `row` are the labels that are columns, `kept` are variables
 * of this dashboard. */
export function toCell(row, kept) {
  const columns = row.map((label) => `var-${label}=\${__data.fields.${title(label)}}`);
  const variables = ["datasource", ...kept].map((name) => `\${${name}:queryparam}`);
  return {
    text: "Show this cell",
    url: `/d/${UIDS.cell}?\${__url_time_range}&${[...variables, ...columns].join("&")}`,
  };
}

/* The built dashboard with its panels numbered in order, because Grafana requires unique ids. */
export function numbered(builder) {
  const built = builder.build();
  built.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]).forEach((panel, index) => {
    panel.id = index + 1;
  });
  return built;
}
