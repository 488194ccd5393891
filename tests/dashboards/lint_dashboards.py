"""The rules for dashboards. Each takes a Dashboard and yields sentences, none where all is well."""

import re

import lint_expressions
import promql

DATASOURCE = "${datasource}"
VARIABLE = re.compile(r"\$\{?([a-zA-Z_]\w*)")
GRID_WIDTH = 24
LONGEST_QUERY = 600
OPEN_ROWS = 3


class Dashboard:
    """The document with its panels flat, as the rules read it. `uids` are those of all dashboards."""

    def __init__(self, name, document, table, uids):
        self.name = name
        self.document = document
        self.table = table
        self.uids = uids
        self.all_panels = [one for panel in document.get("panels", [])
                           for one in (panel, *panel.get("panels", []))]
        self.panels = [panel for panel in self.all_panels if panel["type"] != "row"]
        self.variables = {one["name"]: one for one in document.get("templating", {}).get("list", [])}

    def targets(self):
        for panel in self.panels:
            for target in panel.get("targets", []):
                yield panel, target

    def places(self):
        for panel, target in self.targets():
            where = f"panel '{panel.get('title')}' {target.get('refId')}"
            yield lint_expressions.Place(where, target.get("expr", ""), self.table)
        for one in self.document.get("annotations", {}).get("list", []):
            yield lint_expressions.Place(f"annotation '{one.get('name')}'", one.get("expr", ""), self.table)


def walk(value):
    """Every mapping and string in a document."""
    yield value
    if isinstance(value, dict):
        for inner in value.values():
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def has_its_frame(dashboard):
    document = dashboard.document
    for key in ("uid", "title", "description", "tags", "time", "refresh", "links"):
        if not document.get(key):
            yield f"no {key}"
    if document.get("id") is not None:
        yield "a hard-coded id"
    if "graphbench" not in document.get("tags", []):
        yield "not tagged graphbench, so that the others do not link to it"


def links_carry_variables_and_time(dashboard):
    for link in dashboard.document.get("links", []):
        if link.get("type") == "dashboards" and not (link.get("includeVars") and link.get("keepTime")):
            yield f"the link '{link.get('title')}' drops variables or time"


def data_links_lead_somewhere(dashboard):
    for text in walk(dashboard.document):
        if isinstance(text, str) and (match := re.match(r"/d/([^/?]+)\?(.*)", text)):
            if match.group(1) not in dashboard.uids:
                yield f"a link to {match.group(1)}, which is not a dashboard of ours"
            elif "${__url_time_range}" not in match.group(2):
                yield f"the link to {match.group(1)} drops the time"
            else:
                yield from unknown_variables(match, dashboard.uids[match.group(1)])


def unknown_variables(match, target):
    given = set(re.findall(r"var-(\w+)=", match.group(2))) | set(
        re.findall(r"\$\{(\w+):queryparam\}", match.group(2)))
    wanted = {one["name"] for one in target["templating"]["list"]}
    for name in sorted(given - wanted):
        yield f"the link to {match.group(1)} gives it {name}, which is not a variable there"
    for name in sorted(wanted - given):
        yield f"the link to {match.group(1)} does not give it {name}"


def datasource_is_the_variable(dashboard):
    variable = dashboard.variables.get("datasource")
    if not variable or variable["type"] != "datasource" or variable.get("query") != "prometheus":
        yield "no datasource variable"
    for value in walk(dashboard.document):
        if isinstance(value, dict) and "datasource" in value:
            uid = (value["datasource"] or {}).get("uid")
            if uid != DATASOURCE:
                yield f"a hard-coded data source {uid!r}"
    for panel in dashboard.panels:
        if "datasource" not in panel:
            yield f"panel '{panel.get('title')}' has no data source"


def panels_say_what_they_show(dashboard):
    for panel in dashboard.panels:
        where = f"panel '{panel.get('title')}'"
        if len(panel.get("description", "")) < 20:
            yield f"{where}: no description"
        if not panel.get("fieldConfig", {}).get("defaults", {}).get("unit"):
            yield f"{where}: no unit"
        if not panel.get("targets"):
            yield f"{where}: no query"


def panels_differ(dashboard):
    for key in ("id", "title"):
        seen = set()
        for panel in dashboard.all_panels:
            value = panel.get(key)
            if value is None or value == "":
                yield f"a panel without {key}"
            elif value in seen:
                yield f"two panels with {key} {value!r}"
            seen.add(value)


def panels_fit_the_grid(dashboard):
    taken = {}
    for panel in dashboard.all_panels:
        place = panel["gridPos"]
        if place["x"] < 0 or place["x"] + place["w"] > GRID_WIDTH:
            yield f"panel '{panel['title']}' stands outside of the grid"
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                other = taken.setdefault((x, y), panel["title"])
                if other != panel["title"]:
                    yield f"panel '{panel['title']}' stands on '{other}'"
                    return


def later_rows_are_collapsed(dashboard):
    rows = [panel for panel in dashboard.document["panels"] if panel["type"] == "row"]
    for row in rows[OPEN_ROWS:]:
        if not row.get("collapsed"):
            yield f"row '{row['title']}' is not collapsed, and {OPEN_ROWS} stand before it"


def variables_are_described(dashboard):
    for name, variable in dashboard.variables.items():
        for key in ("label", "description"):
            if not variable.get(key):
                yield f"variable {name}: no {key}"


def variables_are_used_and_defined(dashboard):
    used = {"datasource", *(panel["repeat"] for panel in dashboard.all_panels if panel.get("repeat"))}
    texts = [text for panel in dashboard.all_panels for text in walk(panel) if isinstance(text, str)]
    used.update(name for text in texts for name in VARIABLE.findall(text))
    in_queries = {name for variable in dashboard.variables.values()
                  for name in VARIABLE.findall(str(variable.get("query", "")))}
    for name in sorted((used | in_queries) - set(dashboard.variables)):
        if not name.startswith("__"):
            yield f"${name} is used and not defined"
    for name in sorted(set(dashboard.variables) - used):
        yield f"${name} is defined and not used"


def variables_match_as_they_are(dashboard):
    """A variable with one value is matched by =, one with many by =~: the other way it matches nothing."""
    expressions = [target.get("expr", "") for _, target in dashboard.targets()]
    expressions += [str(variable.get("query", "")) for variable in dashboard.variables.values()]
    for expression in expressions:
        for label, operator, value in promql.MATCHER.findall(expression):
            names = VARIABLE.findall(value)
            if not names or names[0] not in dashboard.variables:
                continue
            many = dashboard.variables[names[0]].get("multi", False)
            if operator != ("=~" if many else "="):
                yield f"{label}{operator}{value}: the variable has {'many values' if many else 'one value'}"


def queries_stay_on_one_target(dashboard):
    """Two machines measure the same cells: a query that does not say which one mixes their numbers."""
    for place in dashboard.places():
        for selector in place.selectors:
            if not any(label == "instance" for label, _, _ in selector.matchers):
                yield f"{place.where}: {selector.metric} of any instance"


def queries_are_promql_of_ours(dashboard):
    for place in dashboard.places():
        yield from lint_expressions.faults_of(place)


def queries_can_be_edited(dashboard):
    for place in dashboard.places():
        if len(place.expression) > LONGEST_QUERY:
            yield f"{place.where}: {len(place.expression)} characters, above {LONGEST_QUERY}"


def windows_follow_the_scrape_interval(dashboard):
    for panel, target in dashboard.targets():
        wanted = "$__rate_interval" if target.get("range") else "$__range"
        for selector in promql.selectors(target.get("expr", "")):
            if selector.window and selector.window != wanted:
                yield f"panel '{panel['title']}': the window [{selector.window}] is not [{wanted}]"


def series_have_names(dashboard):
    for panel, target in dashboard.targets():
        table = target.get("format") == "table"
        if target.get("range") and (table or not target.get("legendFormat")):
            yield f"panel '{panel['title']}': no legend for {target['refId']}"
        if bool(target.get("range")) == bool(target.get("instant")):
            yield f"panel '{panel['title']}': {target['refId']} is neither or both of instant and range"


def thresholds_rise(dashboard):
    for value in walk(dashboard.document):
        if isinstance(value, dict) and isinstance(value.get("steps"), list):
            limits = [step["value"] for step in value["steps"]]
            if limits[0] is not None or limits[1:] != sorted(set(limits[1:])):
                yield f"thresholds do not rise: {limits}"


RULES = [has_its_frame, links_carry_variables_and_time, data_links_lead_somewhere,
         datasource_is_the_variable, panels_say_what_they_show, panels_differ, panels_fit_the_grid,
         later_rows_are_collapsed, variables_are_described, variables_are_used_and_defined,
         variables_match_as_they_are, queries_stay_on_one_target, queries_are_promql_of_ours,
         queries_can_be_edited, windows_follow_the_scrape_interval, series_have_names, thresholds_rise]


def faults_of(dashboard):
    return [f"{dashboard.name}: {fault}" for rule in RULES for fault in rule(dashboard)]
