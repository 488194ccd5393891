"""The rules for recording and alert rules: their expressions, their words, and that each is tested.

Each takes a RuleSet and yields sentences, none where all is well."""

import re

import lint_expressions
import metrics_table

RECORDED = re.compile(r"[a-z_]+:[a-z_]+:[a-z_]+")
LABEL = re.compile(r"\$labels\.(\w+)")


class RuleSet:
    """All rule files' documents and all promtool tests' documents together."""

    def __init__(self, documents, tests, table):
        self.table = table
        groups = [group for document in documents for group in document["groups"]]
        self.rules = [rule for group in groups for rule in group["rules"]]
        self.records = [rule for rule in self.rules if "record" in rule]
        self.alerts = [rule for rule in self.rules if "alert" in rule]
        self.tests = tests

    def place(self, rule):
        names = [one["record"] for one in self.records]
        return lint_expressions.Place(rule.get("record") or rule["alert"], rule["expr"], self.table, names)


def names_differ_and_are_ours(rules):
    names = [rule.get("record") or rule["alert"] for rule in rules.rules]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name} is there twice"
    for rule in rules.records:
        if not RECORDED.fullmatch(rule["record"]):
            yield f"{rule['record']}: no LEVEL:METRIC:OPERATION"
    for rule in rules.alerts:
        if not rule["alert"].startswith("Graphbench"):
            yield f"{rule['alert']}: does not begin with Graphbench"


def expressions_are_promql_of_ours(rules):
    for rule in rules.rules:
        yield from lint_expressions.faults_of(rules.place(rule))


def alerts_say_what_to_do(rules):
    for rule in rules.alerts:
        annotations = rule.get("annotations", {})
        if len(annotations.get("summary", "")) < 15 or len(annotations.get("description", "")) < 80:
            yield f"{rule['alert']}: a summary and a description that says what to do are missing"
        if rule.get("labels", {}).get("severity") not in ("warning", "critical"):
            yield f"{rule['alert']}: no severity"


def anchors_of(page):
    """The anchors of a page's headings, as renderers of Markdown name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def runbooks_are_there(rules):
    for rule in rules.alerts:
        path, _, anchor = rule.get("annotations", {}).get("runbook_url", "").partition("#")
        page = metrics_table.DASHBOARDS.parent / path
        if page.suffix != ".md" or not page.is_file():
            yield f"{rule['alert']}: its runbook_url names no page of this tree: '{path}'"
        elif anchor not in anchors_of(page):
            yield f"{rule['alert']}: {path} has no section #{anchor}"


def annotations_use_labels_that_are_there(rules):
    every = {label for _, labels in rules.table.series.values() for label in labels}
    for rule in rules.alerts:
        place = rules.place(rule)
        kept = re.findall(r"\b(?:sum|max|min|avg|count) by \(([^()]*)\)", rule["expr"])
        if kept:
            known = {label.strip() for labels in kept for label in labels.split(",")}
        else:
            known = {label for one in place.known() for label in rules.table.labels_of(one.metric)} or every
        for text in rule.get("annotations", {}).values():
            for label in LABEL.findall(text):
                if label not in known:
                    yield f"{rule['alert']}: its words use the label {label}, which it does not keep"


def expected_of(test, name):
    """For one promtool test: how often it expects the alert, and how often its absence."""
    present = [bool(check.get("exp_samples")) for check in test.get("promql_expr_test", [])
               if f'alertname="{name}"' in check["expr"]]
    return present.count(True), present.count(False)


def each_is_tested_both_ways(rules):
    """Expected to fire and expected not to, and a healthy neighbour beside: one more instance in the test."""
    for rule in rules.alerts:
        tests = [test for test in rules.tests if expected_of(test, rule["alert"])[0]]
        if not tests:
            yield f"{rule['alert']}: no test expects it to fire"
        elif not any(expected_of(test, rule["alert"])[1] for test in tests):
            yield f"{rule['alert']}: no test expects it not to fire"
        elif not any('instance="good"' in one["series"] for test in tests for one in test["input_series"]):
            yield f"{rule['alert']}: no test has a healthy instance beside"
    asked = " ".join(check["expr"] for test in rules.tests for check in test.get("promql_expr_test", []))
    for rule in rules.records:
        if rule["record"] not in asked:
            yield f"{rule['record']}: no test asks for it"


RULES = [names_differ_and_are_ours, expressions_are_promql_of_ours, alerts_say_what_to_do, runbooks_are_there,
         annotations_use_labels_that_are_there, each_is_tested_both_ways]


def faults_of(rules):
    return [fault for rule in RULES for fault in rule(rules)]
