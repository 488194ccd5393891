// Fleet: which GPU or node is not like the others, how far they drift, and where they differ.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { UIDS, frame } from "./links.mjs";
import { UNITS, lines, number, thresholds } from "./panels.mjs";
import { CELL, any, maxBy, one, select } from "./queries.mjs";
import { rows } from "./tables.mjs";
import { datasource, labels } from "./variables.mjs";

const PINS = one("instance");
const NODES = [...PINS, ...any("node")];

const of = (metric, ...matchers) => select(`graphbench_fleet_${metric}`, ...matchers);
const SLOW = thresholds("green", [1, "red"]);

function headline(builder) {
  const stat = (about, expression) => builder.withPanel(number(about, expression));
  stat({ title: "GPUs compared", description: "GPUs whose device times are known.", unit: UNITS.count },
    maxBy(["instance"], of("tested", PINS, 'of="gpu"')));
  stat({ title: "Slow GPUs", description: "GPUs whose device times are outliers.", unit: UNITS.count,
    thresholds: SLOW }, `sum by (instance) (${of("device_outlier", NODES)})`);
  stat({ title: "Nodes compared", description: "Nodes whose submit times are known.", unit: UNITS.count },
    maxBy(["instance"], of("tested", PINS, 'of="node"')));
  stat({ title: "Slow nodes", description: "Nodes whose submit times are outliers: their CPU side is slow.",
    unit: UNITS.count, thresholds: SLOW }, `sum by (instance) (${of("submit_outlier", NODES)})`);
  for (const what of ["GPU", "node"]) {
    stat({ title: `Slowdown found, ${what}`, unit: UNITS.share, decimals: 1,
      description: `A slowdown of one ${what} that this fleet finds in nine cases of ten.` },
    maxBy(["instance"], of("detectable_ratio", PINS, `of="${what.toLowerCase()}"`)));
  }
  return builder;
}

function worstFirst(builder) {
  const table = (title, description, row, columns) => builder.withPanel(rows({
    title, description, unit: UNITS.inColumns, span: 12,
  }, row, columns.map(([name, metric]) => ({
    name,
    expression: maxBy(row, of(metric, NODES)),
    thresholds: metric.endsWith("outlier") ? SLOW : undefined,
  })), columns[0][0]));
  table("GPUs", "Device times over the fleet's. Drift: a GPU's last document over its first.",
    ["uuid", "node"],
    [["Factor", "device_factor_ratio"], ["Outlier", "device_outlier"], ["Drift", "device_drift_ratio"]]);
  table("Nodes", "Submit times over the fleet's.", ["node"],
    [["Factor", "submit_factor_ratio"], ["Outlier", "submit_outlier"]]);
  return builder.withPanel(rows({
    title: "Spread by cell",
    description: "Robust standard deviation of a cell's times over the fleet.",
    unit: UNITS.share,
  }, [...CELL, "metric"], [{ name: "Spread", expression: of("spread_ratio", PINS) }], "Spread"));
}

function overTime(builder) {
  builder.withRow(new dashboard.RowBuilder("Over time"));
  return builder
    .withPanel(lines({
      title: "Slowest GPUs over time", description: "The five largest factors of device times.",
      unit: UNITS.times, decimals: 3,
    }, [`topk by (instance) (5, ${of("device_factor_ratio", NODES)})`, "{{uuid}} on {{node}}"]))
    .withPanel(lines({
      title: "Slowest nodes over time", description: "The five largest factors of submit times.",
      unit: UNITS.times, decimals: 3,
    }, [`topk by (instance) (5, ${of("submit_factor_ratio", NODES)})`, "{{node}}"]));
}

export function fleet() {
  const builder = frame({
    uid: UIDS.fleet,
    title: "graphbench / Fleet",
    description: "Which GPU or node is not like the others.",
    from: "now-30d",
    refresh: "5m",
  });
  builder.withVariable(datasource());
  labels("graphbench_fleet_submit_factor_ratio", "instance", "node*")
    .forEach((each) => builder.withVariable(each));
  return overTime(worstFirst(headline(builder)));
}
