// The panels' common look: one function per kind of panel. Each requires a title, a description and a unit.
import * as barchart from "@grafana/grafana-foundation-sdk/barchart";
import * as common from "@grafana/grafana-foundation-sdk/common";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import * as stat from "@grafana/grafana-foundation-sdk/stat";
import * as timeseries from "@grafana/grafana-foundation-sdk/timeseries";

import { DATASOURCE } from "./variables.mjs";

export const UNITS = {
  seconds: "s",
  bytes: "bytes",
  share: "percentunit",
  inColumns: "none",
  count: "short",
  times: "suffix:x",
  steps: "suffix: steps",
  perSecond: "suffix: steps/s",
  requests: "reqps",
  ago: "dateTimeFromNow",
};

// Each mode has the same colour on every dashboard.
const MODE_COLORS = { eager: "orange", whole: "green", piecewise: "blue" };

/** thresholds("green", [0.8, "orange"], [1, "red"]): green below 0.8, orange from 0.8, red from 1 on. */
export function thresholds(below, ...steps) {
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps([{ color: below, value: null }, ...steps.map(([value, color]) => ({ value, color }))]);
}

function query(expression) {
  return new prometheus.DataqueryBuilder().expr(expression).datasource(DATASOURCE);
}

export function rangeQuery(expression, legend, refId = "A") {
  return query(expression).range().legendFormat(legend).refId(refId);
}

export function tableQuery(expression, refId = "A") {
  return query(expression).instant().format(prometheus.PromQueryFormat.Table).refId(refId);
}

/* Adds the parts that every panel has. `about` must have title, description, unit, span and height. */
export function furnish(panel, about) {
  for (const key of ["title", "description", "unit", "span", "height"]) {
    if (!about[key]) throw new Error(`panel '${about.title}': no ${key}`);
  }
  panel.title(about.title).description(about.description).unit(about.unit);
  panel.span(about.span).height(about.height).datasource(DATASOURCE);
  if (about.thresholds) panel.thresholds(about.thresholds);
  if (about.mappings) panel.mappings(about.mappings);
  if (about.decimals !== undefined) panel.decimals(about.decimals);
  if (about.min !== undefined) panel.min(about.min);
  if (about.max !== undefined) panel.max(about.max);
  return panel;
}

function palette() {
  return new dashboard.FieldColorBuilder().mode(dashboard.FieldColorModeId.PaletteClassic);
}

function legend() {
  return new common.VizLegendOptionsBuilder()
    .displayMode(common.LegendDisplayMode.List)
    .placement(common.LegendPlacement.Bottom)
    .showLegend(true);
}

function tooltip() {
  return new common.VizTooltipOptionsBuilder()
    .mode(common.TooltipDisplayMode.Multi)
    .sort(common.SortOrder.Descending);
}

/* Overrides properties of the fields with these names. Grafana's published schema requires objects as options
 * of matchers and as values of overrides. The options of `byName` and the values of units are strings, so
 * this function uses `byNames`, and units are in the column names. */
export function overrideByNames(panel, names, properties) {
  return panel.withOverride({ matcher: { id: "byNames", options: { mode: "include", names } }, properties });
}

function colorModes(panel, more = {}) {
  for (const [mode, color] of Object.entries({ ...MODE_COLORS, ...more })) {
    overrideByNames(panel, [mode], [{ id: "color", value: { mode: "fixed", fixedColor: color } }]);
  }
  return panel;
}

/** The current number or, if the query has several series, one number per series with the legend `name`. */
function number(about, expression, name) {
  const target = query(expression).instant().refId("A");
  if (name) target.legendFormat(name);
  const panel = furnish(new stat.PanelBuilder(), { height: 4, ...about })
    .withTarget(target)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false))
    .graphMode(common.BigValueGraphMode.None)
    .colorMode(about.thresholds ? common.BigValueColorMode.Value : common.BigValueColorMode.None)
    .textMode(name ? common.BigValueTextMode.ValueAndName : common.BigValueTextMode.Value);
  if (about.noValue) panel.noValue(about.noValue);
  return panel;
}

/* One panel per number: [title, description, unit, expression, further properties of the panel]. */
export function numbers(builder, { span, name }, ...stats) {
  for (const [title, description, unit, expression, more] of stats) {
    builder.withPanel(number({ title, description, unit, span, ...more }, expression, name));
  }
  return builder;
}

/** Lines over time; `queries` are [expression, legend] pairs. */
export function lines(about, ...queries) {
  const panel = furnish(new timeseries.PanelBuilder(), { span: 12, height: 9, ...about })
    .colorScheme(palette())
    .legend(legend())
    .tooltip(tooltip())
    .drawStyle(common.GraphDrawStyle.Line)
    // A gauge keeps its value until the next sweep, so lines are drawn as steps and not as slopes.
    .lineInterpolation(common.LineInterpolation.StepAfter)
    .fillOpacity(about.stacked ? 30 : 5)
    .showPoints(common.VisibilityMode.Never);
  queries.forEach(([expression, name], index) => {
    panel.withTarget(rangeQuery(expression, name, String.fromCharCode(65 + index)));
  });
  if (about.stacked) panel.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal));
  if (about.thresholds) {
    panel.thresholdsStyle(
      new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed),
    );
  }
  return colorModes(panel);
}

/* Bars from a table query: one group per value of the label `over`, one bar per value of the label `of`. */
export function bars(about, expression, { over, of, numeric = true }) {
  const panel = furnish(new barchart.PanelBuilder(), { span: 12, height: 9, ...about })
    .withTarget(tableQuery(expression))
    .orientation(common.VizOrientation.Vertical)
    .showValue(common.VisibilityMode.Never)
    .stacking(about.stacked ? common.StackingMode.Normal : common.StackingMode.None)
    .xField(`${over}\\${of}`)
    .axisLabel(about.axis ?? "")
    .groupWidth(0.75)
    .fillOpacity(80)
    .colorScheme(palette())
    .legend(legend())
    .tooltip(tooltip());
  if (numeric) {
    // Labels are strings, and as strings 128 would come before 16.
    const conversions = [{ targetField: over, destinationType: "number" }];
    panel.withTransformation({ id: "convertFieldType", options: { fields: {}, conversions } });
  }
  panel.withTransformation({ id: "sortBy", options: { fields: {}, sort: [{ field: over, desc: false }] } });
  panel.withTransformation({
    id: "groupingToMatrix",
    options: { rowField: over, columnField: of, valueField: "Value", emptyValue: "null" },
  });
  if (about.log) {
    panel.scaleDistribution(
      new common.ScaleDistributionConfigBuilder().type(common.ScaleDistribution.Log).log(10),
    );
  }
  return colorModes(panel, about.colors);
}
