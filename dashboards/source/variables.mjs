// The variables at the top of every dashboard. Each query variable asks Prometheus for the values of one
// label, narrowed by the variables before it, so that nothing is written down here that could be missing.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

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
  // The largest count comes first: the steady state is the sensible start.
  warmup: dashboard.VariableSort.NumericalDesc,
};

export function datasource() {
  return new dashboard.DatasourceVariableBuilder("datasource")
    .label("Data source")
    .description("The Prometheus that scrapes graphbench.")
    .type("prometheus");
}

function labelVariable(name, metric, before) {
  const matchers = before.map((other) => `${other.name}${other.many ? "=~" : "="}"$${other.name}"`);
  return new dashboard.QueryVariableBuilder(name)
    .label(name[0].toUpperCase() + name.slice(1))
    .description(DESCRIPTIONS[name])
    .datasource(DATASOURCE)
    .query(`label_values(${metric}{${matchers.join(", ")}}, ${name})`)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(SORT[name] ?? dashboard.VariableSort.NaturalAsc)
    .allowCustomValue(false);
}

/** Variables over the labels of one metric: `names` have one value, names ending in `*` take many and All. */
export function labels(metric, ...names) {
  const before = [];
  return names.map((written) => {
    const many = written.endsWith("*");
    const name = many ? written.slice(0, -1) : written;
    const variable = labelVariable(name, metric, before);
    before.push({ name, many });
    if (many) {
      variable.multi(true).includeAll(true).current({ text: ["All"], value: ["$__all"], selected: true });
    }
    return variable;
  });
}
