"""The dashboards and the rules keep the rules of lint_*.py, and each of those finds what it is for."""

import copy
import json
import unittest

import yaml

import lint_dashboards
import lint_expressions
import lint_rules
import metrics_table
import promql

TABLE = metrics_table.load()
BOARDS = metrics_table.boards()
RULES = [yaml.safe_load(path.read_text()) for path in metrics_table.rule_files()]
TESTS = [test for path in sorted((metrics_table.DASHBOARDS / "prometheus").glob("*.test.yml"))
         for test in yaml.safe_load(path.read_text())["tests"]]


def assert_found(case, expected, faults):
    faults = list(faults)
    case.assertTrue(any(expected in fault for fault in faults), faults)


def lint(name, board):
    uids = {one["uid"]: one for one in BOARDS.values()}
    return lint_dashboards.Dashboard(name, board, TABLE, uids)


def stat(board, index=0):
    return [panel for panel in board["panels"] if panel["type"] != "row"][index]


def set_expr(expression):
    return lambda board: stat(board)["targets"][0].update(expr=expression)


def in_expr(old, new):
    def break_it(board):
        targets = [one for panel, _, _ in metrics_table.panels_of(board) for one in panel["targets"]]
        target = next(one for one in targets if old in one["expr"])
        target["expr"] = target["expr"].replace(old, new)

    return break_it


def variable(index, **values):
    return lambda board: board["templating"]["list"][index].update(values)


def in_text(old, new):
    """Replaces text anywhere in the document."""

    def break_it(board):
        text = json.dumps(board)
        assert old in text, old
        board.update(json.loads(text.replace(old, new)))

    return break_it


HERE = 'instance="$instance"'
L = lint_dashboards
# The rule that must speak, on which dashboard, what is broken, and what it says.
MUTANTS = [
    (L.has_its_frame, "overview", lambda board: board.pop("uid"), "no uid"),
    (L.has_its_frame, "overview", lambda board: board.update(description=""), "no description"),
    (L.has_its_frame, "overview", lambda board: board.update(id=7), "hard-coded id"),
    (L.has_its_frame, "overview", lambda board: board.update(tags=["gpu"]), "not tagged"),
    (L.has_its_frame, "overview", lambda board: board.pop("time"), "no time"),
    (L.links_carry_variables_and_time, "cell", lambda board: board["links"][0].update(includeVars=False),
     "drops"),
    (L.links_carry_variables_and_time, "cell", lambda board: board["links"][0].update(keepTime=False),
     "drops"),
    (L.data_links_lead_somewhere, "overview", in_text("/d/graphbench-cell", "/d/graphbench-cells"),
     "not a dashboard"),
    (L.data_links_lead_somewhere, "overview", in_text("var-batch=", "var-rows="),
     "rows, which is not a variable"),
    (L.data_links_lead_somewhere, "overview", in_text("&${dtype:queryparam}", ""), "does not give it dtype"),
    (L.data_links_lead_somewhere, "overview", in_text("${__url_time_range}&", ""), "drops the time"),
    (L.datasource_is_the_variable, "cell",
     lambda board: stat(board)["datasource"].update(uid="P1809F7CD0C75ACF3"),
     "hard-coded data source 'P1809F7CD0C75ACF3'"),
    (L.datasource_is_the_variable, "cell",
     lambda board: stat(board)["targets"][0]["datasource"].update(uid="prom"),
     "hard-coded data source 'prom'"),
    (L.datasource_is_the_variable, "cell", lambda board: board["templating"]["list"].pop(0),
     "no datasource variable"),
    (L.datasource_is_the_variable, "cell", variable(0, query="loki"), "no datasource variable"),
    (L.datasource_is_the_variable, "cell", lambda board: stat(board).pop("datasource"), "has no data source"),
    (L.panels_say_what_they_show, "service", lambda board: stat(board).update(description=""),
     "no description"),
    (L.panels_say_what_they_show, "service", lambda board: stat(board)["fieldConfig"]["defaults"].pop("unit"),
     "no unit"),
    (L.panels_say_what_they_show, "service", lambda board: stat(board).update(targets=[]), "no query"),
    (L.panels_differ, "service", lambda board: stat(board).update(id=2), "two panels with id 2"),
    (L.panels_differ, "service", lambda board: stat(board).update(title="Queue"),
     "two panels with title 'Queue'"),
    (L.panels_differ, "service", lambda board: stat(board).pop("id"), "without id"),
    (L.panels_fit_the_grid, "service", lambda board: stat(board)["gridPos"].update(x=1), "stands on"),
    (L.panels_fit_the_grid, "service", lambda board: stat(board)["gridPos"].update(h=5), "stands on"),
    (L.panels_fit_the_grid, "service", lambda board: stat(board, 5)["gridPos"].update(w=5),
     "outside of the grid"),
    (L.later_rows_are_collapsed, "cell", lambda board: board["panels"][-1].update(collapsed=False),
     "row 'Traces of shapes' is not collapsed"),
    (L.variables_are_described, "cell", variable(2, description=""), "no description"),
    (L.variables_are_described, "cell", variable(2, label=""), "no label"),
    (L.variables_are_used_and_defined, "cell", set_expr("up{" + HERE + ', job="$jobs"}'), "$jobs is used"),
    (L.variables_are_used_and_defined, "cell", in_text("Over time", "Since $start"), "$start is used"),
    (L.variables_are_used_and_defined, "overview", lambda board: stat(board).update(repeat="node"),
     "$node is used"),
    (L.variables_are_used_and_defined, "cell",
     lambda board: board["templating"]["list"].append({"name": "node", "type": "query"}), "$node is defined"),
    (L.variables_match_as_they_are, "cell", in_expr('batch="$batch"', 'batch=~"$batch"'),
     "the variable has one value"),
    (L.variables_match_as_they_are, "overview", in_expr('workload=~"$workload"', 'workload="$workload"'),
     "the variable has many values"),
    (L.variables_match_as_they_are, "service", variable(2, query='label_values(up{job="$job"}, instance)'),
     "the variable has many values"),
    (L.queries_stay_on_one_target, "cell", set_expr("sum(graphbench_steps_total)"), "of any instance"),
    (L.queries_are_promql_of_ours, "cell", set_expr("graphbench_speed{" + HERE + "}"), "there is no metric"),
    (L.queries_can_be_edited, "cell", in_expr("max by", 600 * " " + "max by"), "above 600"),
    (L.queries_are_promql_of_ours, "cell", lambda board: board["annotations"]["list"][0].update(
        expr="graphbench_builds{" + HERE + "}"), "annotation 'New build': there is no metric"),
    (L.windows_follow_the_scrape_interval, "service", in_expr("[$__rate_interval]", "[5m]"),
     "the window [5m]"),
    (L.windows_follow_the_scrape_interval, "service", in_expr("[$__range]", "[1h]"), "the window [1h]"),
    (L.series_have_names, "service", in_text('"legendFormat": "{{reason}}", ', ""), "no legend"),
    (L.series_have_names, "service", lambda board: stat(board)["targets"][0].update(instant=False),
     "neither"),
    (L.thresholds_rise, "overview", in_text('{"value": 0.1, "color"', '{"value": 1.8, "color"'),
     "do not rise"),
    (L.thresholds_rise, "overview", in_text('"value": null', '"value": 0.1'), "do not rise"),
]

E = lint_expressions
EXPRESSIONS = [
    (E.metrics_exist, "graphbench_speed_seconds", "there is no metric graphbench_speed_seconds"),
    (E.metrics_exist, "1 + 1", "asks no metric"),
    (E.metrics_exist, 'rate(graphbench_latency_seconds_bucket{mode="whole"}[5m])', "there is no metric"),
    (E.labels_exist, 'graphbench_steps_total{mode="whole"}', "graphbench_steps_total has no label mode"),
    (E.labels_exist, "sum by (model) (graphbench_pool_bytes)", "groups by model"),
    (E.labels_exist, "graphbench_pool_bytes * on (device, node) graphbench_pool_bytes", "groups by node"),
    (E.rates_are_of_counters, "rate(graphbench_pool_bytes[5m])", "which is not a counter"),
    (E.rates_are_of_counters, "increase(graphbench_queue_sweeps{job=\"a\"}[5m])", "which is not a counter"),
    (E.rates_are_of_counters, "delta(graphbench_steps_total[5m])", "the counter graphbench_steps_total"),
    (E.rates_have_windows, "rate(graphbench_steps_total)", "has no range"),
    (E.quantiles_are_of_buckets,
     "histogram_quantile(0.5, sum by (route) (rate(graphbench_http_request_duration_seconds_bucket[5m])))",
     "without le"),
    (E.quantiles_are_of_buckets,
     "histogram_quantile(0.5, sum by (le) (rate(graphbench_http_request_duration_seconds_count[5m])))",
     "without buckets"),
    (E.summaries_name_their_quantile, "max(graphbench_latency_seconds)", "without its quantile"),
]


def alert(name):
    return lambda rules: next(rule for document in rules for group in document["groups"]
                              for rule in group["rules"] if name in (rule.get("alert"), rule.get("record")))


def change(name, **values):
    return lambda rules, tests: alert(name)(rules).update(values)


def without_checks(name, present):
    def break_it(rules, tests):
        for test in tests:
            test["promql_expr_test"] = [
                check for check in test.get("promql_expr_test", [])
                if f'"{name}"' not in check["expr"] or bool(check.get("exp_samples")) != present]

    return break_it


def without_good(rules, tests):
    for test in tests:
        test["input_series"] = [one for one in test["input_series"] if 'instance="good"' not in one["series"]]


R = lint_rules
RULE_MUTANTS = [
    (R.names_differ_and_are_ours, change("GraphbenchDown", alert="GraphbenchQueueFull"), "is there twice"),
    (R.names_differ_and_are_ours, change("GraphbenchDown", alert="TargetDown"), "does not begin"),
    (R.names_differ_and_are_ours, change("cell:graphbench_slower:ratio", record="graphbench_slower"),
     "no LEVEL"),
    (R.expressions_are_promql_of_ours, change("GraphbenchDown", expr="ups == 0"), "there is no metric ups"),
    (R.expressions_are_promql_of_ours, change("GraphbenchRegression", expr="cell:graphbench_slow:ratio > 1"),
     "there is no metric cell:graphbench_slow:ratio"),
    (R.alerts_say_what_to_do, change("GraphbenchDown", annotations={"summary": "graphbench is down"}),
     "missing"),
    (R.alerts_say_what_to_do, change("GraphbenchDown", labels={}), "no severity"),
    (R.runbooks_are_there, change("GraphbenchDown", annotations={}), "names no page of this tree: ''"),
    (R.runbooks_are_there, change("GraphbenchDown", annotations={"runbook_url": "docs/none.md#x"}),
     "names no page"),
    (R.runbooks_are_there, change("GraphbenchDown", annotations={"runbook_url": "dashboards/README.md#x"}),
     "has no section #x"),
    (R.annotations_use_labels_that_are_there,
     change("GraphbenchCellsFailing", annotations={"summary": "{{ $labels.device }}"}), "the label device"),
    (R.annotations_use_labels_that_are_there,
     change("GraphbenchQueueFull", annotations={"summary": "{{ $labels.device }}"}), "the label device"),
    (R.each_is_tested_both_ways, without_checks("GraphbenchQueueFull", True), "no test expects it to fire"),
    (R.each_is_tested_both_ways, without_checks("GraphbenchQueueFull", False), "expects it not to fire"),
    (R.each_is_tested_both_ways, without_good, "no test has a healthy instance"),
    (R.each_is_tested_both_ways, lambda rules, tests: tests.clear(), "no test asks for it"),
]


class Dashboards(unittest.TestCase):
    maxDiff = None

    def test_keep_the_rules(self):
        files = (metrics_table.DASHBOARDS / "grafana").glob("*.json")
        self.assertEqual({path.stem for path in files}, set(BOARDS))
        for name, board in BOARDS.items():
            with self.subTest(name):
                self.assertEqual([], lint_dashboards.faults_of(lint(name, board)))

    def test_each_rule_finds_its_mutants(self):
        for rule, name, break_it, expected in MUTANTS:
            with self.subTest(rule=rule.__name__, expected=expected):
                broken = copy.deepcopy(BOARDS[name])
                break_it(broken)
                self.assertNotEqual(BOARDS[name], broken, "the mutant changes nothing")
                assert_found(self, expected, rule(lint(name, broken)))

    def test_every_rule_has_a_mutant(self):
        self.assertEqual(set(lint_dashboards.RULES), {mutant[0] for mutant in MUTANTS})
        self.assertEqual(set(lint_expressions.RULES), {mutant[0] for mutant in EXPRESSIONS})
        self.assertEqual(set(lint_rules.RULES), {mutant[0] for mutant in RULE_MUTANTS})

    def test_titles_and_uids_differ(self):
        for key in ("uid", "title"):
            self.assertEqual(len(BOARDS), len({board[key] for board in BOARDS.values()}))


class Expressions(unittest.TestCase):
    def test_each_rule_finds_its_mutants(self):
        for rule, expression, expected in EXPRESSIONS:
            with self.subTest(rule=rule.__name__, expression=expression):
                assert_found(self, expected, rule(lint_expressions.Place("here", expression, TABLE)))

    def test_sound_ones_are_left_alone(self):
        for expression in (
                'rate(graphbench_steps_total{instance="a{b}"}[5m])',
                'sum by (le) (rate(graphbench_http_request_duration_seconds_bucket[5m]))',
                'max_over_time(graphbench_queue_sweeps[1h] offset 5m) > 1e3',
                'label_replace(graphbench_pool_bytes, "part", "shared", "", "")',
                'max by (mode) (graphbench_latency_seconds{quantile="0.5"}) >= bool 1 or vector(0)'):
            with self.subTest(expression):
                place = lint_expressions.Place("here", expression, TABLE)
                self.assertEqual([], lint_expressions.faults_of(place))

    def test_are_split_at_an_or_that_stands_by_itself(self):
        self.assertEqual(['sum(a{x="or"} or b)', "vector(0)"],
                         promql.halves('sum(a{x="or"} or b) or on (x) vector(0)'))
        self.assertEqual(["a", "b * c", "d"], promql.halves("a or b * c or d"))
        self.assertEqual(["floor(a)"], promql.halves("floor(a)"))

    def test_are_read_with_metric_matchers_window_and_function(self):
        found = promql.selectors(
            'sum by (mode) (rate(a_total{b="x", c=~"$d"}[$__rate_interval])) / c:d:e offset 5m')
        self.assertEqual([("a_total", [("b", "=", "x"), ("c", "=~", "$d")], "$__rate_interval", "rate"),
                          ("c:d:e", [], "", "")],
                         [(one.metric, one.matchers, one.window, one.function) for one in found])


class Rules(unittest.TestCase):
    maxDiff = None

    def test_keep_the_rules(self):
        self.assertEqual([], lint_rules.faults_of(lint_rules.RuleSet(RULES, TESTS, TABLE)))

    def test_each_rule_finds_its_mutants(self):
        for rule, break_it, expected in RULE_MUTANTS:
            with self.subTest(rule=rule.__name__, expected=expected):
                rules, tests = copy.deepcopy(RULES), copy.deepcopy(TESTS)
                break_it(rules, tests)
                assert_found(self, expected, rule(lint_rules.RuleSet(rules, tests, TABLE)))


class Table(unittest.TestCase):
    def test_every_metric_is_shown_or_watched(self):
        places = [place for name, board in BOARDS.items() for place in lint(name, board).places()]
        rules = lint_rules.RuleSet(RULES, TESTS, TABLE)
        places += [rules.place(rule) for rule in rules.rules]
        asked = {selector.metric for place in places for selector in place.selectors}
        for metric in TABLE.metrics:
            suffixes = ("", *metrics_table.SUFFIXES.get(metric.kind, ()))
            names = {metric.name + suffix for suffix in suffixes}
            self.assertTrue(names & asked, f"{metric.name}: no panel and no rule asks for it")
