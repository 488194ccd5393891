// Draws a board by Grafana's own components, from the answers that tests/dashboards/board_data.py got. Here
// is what Grafana's application does around them: it fills frames, registers what they use and places panels.
// CommonJS, because the ES modules of @grafana/ui import other packages in a way that esbuild does not
// resolve.
const data = require("@grafana/data");
const { BigValue, GlobalStyles, InlineLabel, PanelChrome } = require("@grafana/ui");
const { TableNG } = require("@grafana/ui/unstable");
const { createElement } = require("react");
const { createRoot } = require("react-dom/client");

const board = require("./board.json");

const theme = data.createTheme({ colors: { mode: "dark" } });
// Grafana's grid: 24 columns, and rows of 30 pixels with gaps of 8. The head has the variables.
const GRID = { columns: 24, row: 38, gap: 8, head: 48 };
const TRANSFORMATIONS = ["merge", "organize"];
const SETTINGS = ["unit", "decimals", "noValue", "thresholds"];
const TABLE_SETTINGS = ["cellOptions", "filterable"];

function register() {
  const all = Object.values(data.standardTransformers);
  data.standardTransformersRegistry.setInit(() => TRANSFORMATIONS.map((id) => {
    const transformation = all.find((one) => one.id === id);
    return { id, name: transformation.name, transformation };
  }));
}

function settings() {
  const setting = (id, path, isCustom) => ({
    id, path, isCustom, name: id, process: data.identityOverrideProcessor, shouldApply: () => true,
  });
  const registry = new data.FieldConfigOptionsRegistry();
  for (const path of SETTINGS) registry.register(setting(path, path, false));
  for (const path of TABLE_SETTINGS) registry.register(setting(`custom.${path}`, path, true));
  return registry;
}

/* As Grafana's data source does: a column for each label, and one for the values. */
function frameOf(refId, series, isAlone) {
  const column = (name, type, values) => ({ name, type, values, config: {} });
  const labels = [...new Set(series.flatMap((one) => Object.keys(one.metric)))];
  return data.toDataFrame({ refId, fields: [
    column("Time", data.FieldType.time, series.map((one) => 1000 * one.value[0])),
    ...labels.map((label) =>
      column(label, data.FieldType.string, series.map((one) => one.metric[label]))),
    column(isAlone ? "Value" : `Value #${refId}`, data.FieldType.number,
      series.map((one) => Number(one.value[1]))),
  ] });
}

async function framesOf({ panel, answers }) {
  const isAlone = panel.targets.length === 1;
  const given = Object.entries(answers).map(([refId, series]) => frameOf(refId, series, isAlone));
  const interpolate = (text) => text;
  const made = await new Promise((resolve, reject) => {
    data.transformDataFrame(panel.transformations ?? [], given, { interpolate })
      .subscribe({ next: resolve, error: reject });
  });
  const frames = data.applyFieldOverrides({
    data: made, fieldConfig: panel.fieldConfig, fieldConfigRegistry: settings(),
    replaceVariables: interpolate, theme,
  });
  data.cacheFieldDisplayNames(frames);
  return frames;
}

function stat({ options, fieldConfig }, frames, width, height) {
  const [{ display }] = data.getFieldDisplayValues({
    data: frames, fieldConfig, reduceOptions: options.reduceOptions, replaceVariables: (text) => text, theme,
  });
  const { colorMode, graphMode, justifyMode, textMode } = options;
  return createElement(BigValue, {
    value: display, width, height, theme, colorMode, graphMode, justifyMode, textMode,
  });
}

function table({ options }, [frame], width, height) {
  return createElement(TableNG, {
    data: frame, width, height, cellHeight: options.cellHeight, initialSortBy: options.sortBy,
    enableVirtualization: false,
  });
}

const DRAWN = { stat, table };

function panelOf(panel, frames, pageWidth) {
  const { x, y, w, h } = panel.gridPos;
  const column = pageWidth / GRID.columns;
  const size = { width: w * column - GRID.gap, height: h * GRID.row - GRID.gap };
  const left = x * column + GRID.gap / 2;
  const style = { position: "absolute", left, top: GRID.head + y * GRID.row, ...size };
  const chrome = { ...size, title: panel.title, description: panel.description,
                   padding: panel.type === "table" ? "none" : "md" };
  return createElement("div", { key: panel.id, style }, createElement(PanelChrome, chrome,
    (width, height) => DRAWN[panel.type](panel, frames, width, height)));
}

/* The variables, and below the panels the names of those that are not drawn. */
function labels(top, texts) {
  const style = { position: "absolute", top, left: GRID.gap / 2, display: "flex", gap: GRID.gap };
  return createElement("div", { key: top, style },
    texts.map((text) => createElement(InlineLabel, { key: text, width: "auto" }, text)));
}

async function draw() {
  register();
  const drawn = board.panels.filter(({ panel }) => DRAWN[panel.type]);
  const others = board.panels.filter(({ panel }) => !DRAWN[panel.type]).map(({ panel }) => panel.title);
  const panels = await Promise.all(drawn.map(async (one) =>
    panelOf(one.panel, await framesOf(one), document.body.clientWidth)));
  const bottom = Math.max(...drawn.map(({ panel }) => panel.gridPos.y + panel.gridPos.h));
  const values = Object.entries(board.values).filter(([name]) => name !== "datasource")
    .map(([name, value]) => `${name}: ${[value].flat().join(", ").replace(".*", "All")}`);
  createRoot(document.getElementById("board")).render(
    createElement(data.ThemeContext.Provider, { value: theme }, createElement(GlobalStyles),
      labels(GRID.gap, values), panels,
      labels(GRID.head + bottom * GRID.row, ["Not drawn, bar charts per workload:", ...new Set(others)])));
}

draw();
