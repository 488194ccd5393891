// The variables at the top of every dashboard. Each variable queries Prometheus for the values of one label,
// restricted by the variables before it, so the dashboards contain no fixed values that may not exist.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { any, one, select } from "./queries.mjs";

export const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

const DESCRIPTIONS = {
  job: "The scrape job that graphbench is collected under.",
  instance: "The graphbench that was scraped.",
  device: "The device that was measured.",
  workload: "The model step that was measured.",
  preset: "The workload's sizes.",
  dtype: "The data type of weights and activations.",
  pass: "Forward or training.",
  batch: "Rows, sequences or images a step.",
  variant: "What is away from the default of an axis such as --io or --optimizer.",
  warmup: "Eager steps run before capture, or before the first sample.",
  mode: "eager: every op launched by the host; whole: one graph; piecewise: graphs between splitting ops.",
  metric: "The time that was compared with the baseline's.",
  verdict: "What the comparison says of a cell.",
  traffic: "The digest of the steps that were served.",
  role: "asked: the ladder that was asked for; the others are rivals under the same traffic.",
  route: "The HTTP route of the service.",
};

const SORT = {
  batch: dashboard.VariableSort.NumericalAsc,
  // The largest count is first, because it is the nearest to the steady state.
  warmup: dashboard.VariableSort.NumericalDesc,
};

export function datasource() {
  return new dashboard.DatasourceVariableBuilder("datasource")
    .label("Data source")
    .description("The Prometheus that scrapes graphbench.")
    .type("prometheus");
}

function labelVariable(name, selector) {
  return new dashboard.QueryVariableBuilder(name)
    .label(name[0].toUpperCase() + name.slice(1))
    .description(DESCRIPTIONS[name])
    .datasource(DATASOURCE)
    .query(`label_values(${selector}, ${name})`)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(SORT[name] ?? dashboard.VariableSort.NaturalAsc)
    .allowCustomValue(false);
}

// What is compared with eager exists only at the counts that eager ran at. So a board of gains has these, and
// the others only where eager did not run.
function gainsWarmupVariable(selector) {
  const eager = selector.replace("{", '{mode="eager", ');
  return labelVariable("warmup", selector)
    .query(`query_result(count by (warmup) (${eager} or (${selector} unless on () ${eager})))`)
    .regex('/warmup="(?<value>[^"]+)"/');
}

// Prometheus does not list the empty value of cells without the label. So the list has the pattern
// "(defaults)?", which matches the empty value, and shows it as "defaults".
function variantVariable(selector) {
  const every = `label_replace(${selector}, "variant", "(defaults)?", "variant", "")`;
  return labelVariable("variant", selector)
    .query(`query_result(count by (variant) (${every}))`)
    .regex('/variant="(?<value>\\(?(?<text>[^")]+)[^"]*)"/')
    .allValue(".*");
}

/** Variables for labels of a metric. A name that ends in `*` can have many values or All, others have one;
 * `warmup!` is that of a board of gains. */
export function labels(metric, ...names) {
  const before = [];
  return names.map((written) => {
    const many = written.endsWith("*");
    const name = written.replace(/[*!]$/, "");
    const selector = select(metric, before);
    const make = { "variant*": variantVariable, "warmup!": gainsWarmupVariable }[written];
    const variable = make ? make(selector) : labelVariable(name, selector);
    before.push(...(many ? any(name) : one(name)));
    if (many) {
      variable.multi(true).includeAll(true).current({ text: ["All"], value: ["$__all"], selected: true });
    }
    return variable;
  });
}
