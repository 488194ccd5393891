// The dashboards' names, and links between them that keep the time range and the variables.
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

/* A dashboard with the common parts: tag, time range, and links to all dashboards with the tag. */
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

/** A row that is collapsed until the user opens it. */
export function collapsed(name, ...panels) {
  const row = new dashboard.RowBuilder(name).collapsed(true);
  panels.forEach((panel) => row.withPanel(panel));
  return row;
}

/* The link from a table's row to the dashboard Cell. It passes the labels `row`, which are columns of the
 * table, and the variables `kept` of this dashboard. */
export function toCell(row, kept) {
  const columns = row.map((label) => `var-${label}=\${__data.fields.${title(label)}}`);
  const variables = ["datasource", ...kept].map((name) => `\${${name}:queryparam}`);
  return {
    text: "Show this cell",
    url: `/d/${UIDS.cell}?\${__url_time_range}&${[...variables, ...columns].join("&")}`,
  };
}

/* Builds the dashboard, and numbers its panels, because Grafana requires unique ids. */
export function numbered(builder) {
  const built = builder.build();
  built.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]).forEach((panel, index) => {
    panel.id = index + 1;
  });
  return built;
}
