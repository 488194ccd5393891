"""Does with a dashboard what Grafana does before it draws: resolves variables, fills queries in, runs them.

faults_of() returns a sentence for each query that gives nothing to draw or that the panel cannot use."""

import dataclasses
import json
import math
import re

import metrics_table
import promql

LABEL_VALUES = re.compile(r"label_values\((.*), (\w+)\)")
QUERY_RESULT = re.compile(r"query_result\((.*)\)")
VARIABLE = re.compile(r"\$(?:\{(\w+)(:pipe)?\}|([a-zA-Z_]\w*))")
REGEX_SPECIAL = re.compile(r"[\\^$*+?.()|{}\[\]]")
MACROS = {"$__rate_interval": "10s", "$__range": "1h", "$__interval": "1s"}
# VariableSort of Grafana's schema: numerical and natural orders, ascending unless listed here.
DESCENDING = (2, 4, 6, 8)


@dataclasses.dataclass(frozen=True)
class View:
    """How a dashboard is looked at."""

    # Metrics, or metric{label="value"}, that not every machine has: queries of them may be empty.
    may_lack: frozenset = frozenset()
    # What a user has chosen for variables, in the place of first values; a list where many may be chosen.
    chosen: dict = dataclasses.field(default_factory=dict)
    range_seconds: int = 3
    # Without the panels of collapsed rows.
    open_only: bool = False
    # Each half of an `or` must give data: the other one, a constant zero perhaps, hides that it does not.
    every_half: bool = False


def natural(value):
    parts = [part for part in re.split(r"(\d+)", value) if part]
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def interpolate(text, values):
    """Variables as the Prometheus data source writes them: quoted text, or escaped values in a choice."""

    def fill(match):
        value = values[match.group(1) or match.group(3)]
        if match.group(2):
            return json.dumps("|".join(value))[1:-1]
        if isinstance(value, str):
            return json.dumps(value)[1:-1]
        escaped = [REGEX_SPECIAL.sub(lambda special: "\\\\" + special.group(), one) for one in value]
        return escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"

    for macro, duration in MACROS.items():
        text = text.replace(macro, duration)
    return VARIABLE.sub(fill, text)


def values_of(variable, prometheus, values):
    """What Prometheus has for it: values of a label, or what a pattern finds in each series of a result."""
    if by_label := LABEL_VALUES.fullmatch(variable["query"]):
        selector, label = by_label.groups()
        return prometheus.label_values(interpolate(selector, values), label)
    pattern = re.compile(variable["regex"].strip("/").replace("(?<", "(?P<"))
    [expression] = QUERY_RESULT.fullmatch(variable["query"]).groups()
    written = [",".join(f'{label}="{value}"' for label, value in series["metric"].items())
               for series in prometheus.instant(interpolate(expression, values))]
    return [found["value"] for text in written if (found := pattern.search(text))]


def resolve(dashboard, prometheus, chosen):
    """Each variable's value as on first opening: all values where many, the first one where one."""
    values, faults = {"datasource": "prometheus"}, []
    for variable in dashboard["templating"]["list"]:
        if variable["type"] != "query":
            continue
        found = sorted(values_of(variable, prometheus, values), key=natural,
                       reverse=variable["sort"] in DESCENDING)
        if not found:
            faults.append(f"variable {variable['name']} has no values")
            found = [""]
        choice = chosen.get(variable["name"])
        if isinstance(choice, list if variable.get("multi") else str):
            wanted = [choice] if isinstance(choice, str) else choice
            faults += [f"variable {variable['name']} has no value {one}"
                       for one in wanted if one not in found]
            found = wanted
        elif variable.get("allValue"):
            found = [variable["allValue"]]
        values[variable["name"]] = found if variable.get("multi") else found[0]
    return values, faults


def finite(series):
    points = series["values"] if "values" in series else [series["value"]]
    return any(math.isfinite(float(value)) for _, value in points)


def fields_of(target, result, alone):
    labels = set.intersection(*[set(series["metric"]) for series in result]) if result else set()
    return labels | {"Time", "Value" if alone else f"Value #{target['refId']}"}


def faults_of_target(target, result):
    if not any(finite(series) for series in result):
        yield "no data"
        return
    for label in re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")):
        if any(label not in series["metric"] for series in result):
            yield f"the legend wants the label {label}"


def may_be_empty(expression, view):
    """Whether it asks for something that the machine may lack."""
    return any(selector.metric in view.may_lack
               or any(f'{selector.metric}{{{label}="{value}"}}' in view.may_lack
                      for label, _, value in selector.matchers)
               for selector in promql.selectors(expression))


def faults_of_halves(expression, prometheus, view):
    halves = promql.halves(expression)
    for half in halves if len(halves) > 1 else []:
        if may_be_empty(half, view):
            continue
        if not any(finite(series) for series in prometheus.instant(half)):
            yield f"no data for the part {half}"


def faults_of_transformations(panel, fields):
    """What a transformation names must be among the fields that it is given."""
    for one in panel.get("transformations", []):
        options = one["options"]
        wanted = []
        if one["id"] == "convertFieldType":
            wanted = [conversion["targetField"] for conversion in options["conversions"]]
        elif one["id"] == "sortBy":
            wanted = [sort["field"] for sort in options["sort"]]
        elif one["id"] == "groupingToMatrix":
            wanted = [options["rowField"], options["columnField"], options["valueField"]]
            x_field = f"{options['rowField']}\\{options['columnField']}"
            if panel["options"]["xField"] != x_field:
                yield f"the x axis is {panel['options']['xField']}, and the matrix gives {x_field}"
        elif one["id"] == "organize":
            wanted = [*options["renameByName"], *options["excludeByName"]]
            shown = set(options["renameByName"].values())
            for name in re.findall(r"__data\.fields\.(\w+)", json.dumps(panel)):
                if name not in shown:
                    yield f"the link wants the column {name}"
            wanted += [f"column {sort['displayName']}" for sort in panel["options"]["sortBy"]
                       if sort["displayName"] not in shown]
        for name in wanted:
            if name not in fields:
                yield f"{one['id']} wants the field {name}, the queries give {sorted(fields)}"


def faults_of_panel(panel, values, prometheus, view):
    fields, asked = set(), False
    for target in panel.get("targets", []):
        may_lack = may_be_empty(target["expr"], view)
        expression = interpolate(target["expr"], values)
        try:
            result = (prometheus.range(expression, view.range_seconds) if target.get("range")
                      else prometheus.instant(expression))
        except Exception as error:  # a refusal is a fault of the panel, whatever kind it is
            yield f"{target['refId']}: {expression}: {error}"
            continue
        if may_lack and not any(finite(series) for series in result):
            fields |= fields_of(target, [], len(panel["targets"]) == 1)
            continue
        asked = True
        for fault in faults_of_target(target, result):
            yield f"{target['refId']}: {expression}: {fault}"
        if view.every_half:
            yield from faults_of_halves(expression, prometheus, view)
        fields |= fields_of(target, result, len(panel["targets"]) == 1)
    if asked:
        yield from faults_of_transformations(panel, fields)


def looked_at(dashboard, values, view):
    """(panel, " of VALUE", variables): a row that repeats over a variable is there for each of its values."""
    for panel, repeat, collapsed in metrics_table.panels_of(dashboard):
        if not (collapsed and view.open_only):
            for one in values[repeat] if repeat else [None]:
                yield panel, f" of {one}" if one else "", {**values, repeat: [one]} if repeat else values


def empty_panels(dashboard, prometheus, view):
    """Titles of panels none of whose queries has a series."""
    values, faults = resolve(dashboard, prometheus, view.chosen)
    return faults or [
        panel["title"] for panel, _, scoped in looked_at(dashboard, values, view)
        if not any(finite(series) for target in panel["targets"]
                   for series in prometheus.instant(interpolate(target["expr"], scoped)))]


def faults_of(dashboard, prometheus, view=View()):
    """All faults of all panels; a row that repeats over a variable is run for each of its values."""
    values, faults = resolve(dashboard, prometheus, view.chosen)
    if faults:
        return faults
    return [f"{dashboard['title']}: panel '{panel['title']}'{of}: {fault}"
            for panel, of, scoped in looked_at(dashboard, values, view)
            for fault in faults_of_panel(panel, scoped, prometheus, view)]
