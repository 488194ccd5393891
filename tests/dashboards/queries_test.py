"""A real Prometheus scrapes a complete /metrics and answers every query of every panel, and runs every rule.

GRAPHBENCH_METRICS_TARGET=HOST:PORT scrapes a running `graphbench serve` in the place of the made-up one. Then
GRAPHBENCH_METRICS_DASHBOARDS=overview,cell names the dashboards that must be full, and
GRAPHBENCH_METRICS_MAY_LACK=graphbench_breakeven_steps the metrics that the sweep need not have."""

import copy
import os
import shutil
import unittest

import exposition
import grafana
import metrics_table
from prometheus_servers import Prometheus, lint
from server_checks import ServerChecks

TARGET = os.environ.get("GRAPHBENCH_METRICS_TARGET")
ALL = metrics_table.boards()
NAMES = os.environ.get("GRAPHBENCH_METRICS_DASHBOARDS", ",".join(ALL)).split(",")
# Forward steps come first, which train nothing.
LACKED = [metric.name for metric in metrics_table.load().metrics
          if metric.name.startswith(("graphbench_training_", "graphbench_evaluation_"))]
MAY_LACK = frozenset([*os.environ.get("GRAPHBENCH_METRICS_MAY_LACK", "").split(","), *LACKED])
VIEW = grafana.View(may_lack=MAY_LACK, every_half=not TARGET)


def panel_of(board, title):
    return next(panel for panel, _, _ in metrics_table.panels_of(board) if panel["title"] == title)


def replace_in(title, old, new):
    """Breaks the first query of a panel."""

    def break_it(board):
        target = panel_of(board, title)["targets"][0]
        assert old in target["expr"], target["expr"]
        target["expr"] = target["expr"].replace(old, new)

    return break_it


def in_transformation(title, kind, **options):
    def break_it(board):
        panel = panel_of(board, title)
        next(one for one in panel["transformations"] if one["id"] == kind)["options"].update(options)

    return break_it


# dashboard, what is broken, how, and what the fault must say.
MUTANTS = [
    ("overview", "no PromQL", replace_in("Cells", "count(", "count(("), "parse error"),
    ("overview", "an unknown function", replace_in("Cells", "count(", "tally("), "unknown function"),
    ("overview", "a metric that is not there", replace_in("Cells", "latency", "latencies"), "no data"),
    ("overview", "a label value that is not there", replace_in("Cells", "0.5", "0.05"), "no data"),
    ("cell", "many on both sides", replace_in("Enqueueing", "} / ", "} / on (device) "), "many"),
    ("overview", "a matrix of a label that was aggregated away",
     replace_in("Latency by batch", "batch, mode", "mode"), "wants the field batch"),
    ("overview", "a conversion of no field", in_transformation(
        "Latency by batch", "convertFieldType", conversions=[{"targetField": "rows"}]),
     "wants the field rows"),
    ("overview", "a sort by no field", in_transformation(
        "Latency by batch", "sortBy", sort=[{"field": "rows"}]), "wants the field rows"),
    ("overview", "an x axis that the matrix does not make",
     lambda board: panel_of(board, "Latency by batch")["options"].update(xField="batch"),
     "the x axis is batch"),
    ("overview", "a column of no query", in_transformation(
        "Who is launch-bound", "organize", renameByName={"Value #Z": "Zeta"}), "wants the field Value #Z"),
    ("cell", "an order by no column", lambda board: panel_of(board, "Modes side by side")["options"].update(
        sortBy=[{"displayName": "Speed", "desc": True}]), "wants the field column Speed"),
    ("cell", "a legend of a label that is gone",
     replace_in("Latency over time", "by (mode)", "by (device)"), "the legend wants the label mode"),
    ("cell", "a family that is not there", replace_in("Setup costs", "|upload|", "|uploads|"),
     "no data for the part"),
    ("overview", "a variant that is not there", lambda board: board["templating"]["list"][7].update(
        allValue="io=none"), "variable workload has no values"),
    ("cell", "a variable without values", lambda board: board["templating"]["list"][1].update(
        query="label_values(graphbench_latency_seconds, hostname)"), "variable instance has no values"),
    ("regressions", "a verdict that is never given", replace_in("Worst cells", "verdict_info", "verdict"),
     "no data"),
    ("service", "a quantile of nothing", replace_in("Request duration by route", "_bucket", "_buckets"),
     "no data"),
    ("service", "a rate without a range",
     replace_in("Steps timed", "[$__rate_interval]", ""), "expected type range vector"),
]


@unittest.skipUnless(shutil.which("prometheus"), "prometheus is not installed")
class Queries(ServerChecks, unittest.TestCase):
    maxDiff = None
    view = VIEW
    boards = metrics_table.boards(NAMES)
    records_have_data = set(NAMES) == set(ALL)

    @classmethod
    def setUpClass(cls):
        target = TARGET or cls.enterClassContext(exposition.served())
        cls.prometheus = cls.enterClassContext(Prometheus([target], metrics_table.rule_files()))
        cls.prometheus.wait_for_scrapes(3)

    def test_what_is_published_is_of_the_table(self):
        """Of its type; a part of the table will do, for not every sweep has a baseline."""
        kinds = {metric.name: metric.kind for metric in metrics_table.load().metrics}
        published = self.types_published()
        self.assertGreater(len(published), 15)
        self.assertEqual({name: kinds.get(name) for name in published}, published)

    @unittest.skipIf(TARGET, "a service may have other cells")
    def test_training_and_each_variant_fill_overview_and_cell(self):
        defaults, of_io, trained = "(defaults)?", "io=update", "backward=callables/optimizer=adamw"
        views = {("training", None): grafana.View(chosen={"pass": "training"}, every_half=True)}
        for what, variant in (("forward", defaults), ("forward", of_io), ("training", of_io),
                              ("training", trained)):
            views[what, variant] = grafana.View(chosen={"pass": what, "variant": [variant]}, open_only=True,
                                                every_half=True)
        for (what, variant), view in views.items():
            for name in ("overview", "cell"):
                with self.subTest(name, what=what, variant=variant):
                    self.assertEqual([], grafana.faults_of(ALL[name], self.prometheus, view))

    @unittest.skipIf(TARGET, "a service at rest has no alerts")
    def test_alerts_are_active(self):
        self.assertLessEqual({"GraphbenchSweepStale", "GraphbenchQueueFull", "GraphbenchCellsFailing",
                              "GraphbenchSweepsFailing", "GraphbenchCaptureSkips", "GraphbenchRegression",
                              "GraphbenchLaunchBoundWithoutGain", "GraphbenchBaselineLost",
                              "GraphbenchBaselineIncomparable"}, self.alerts("pending", "firing"))

    @unittest.skipIf(TARGET, "the mutants are bred on the made-up metrics")
    def test_a_dashboard_that_shows_nothing_is_found(self):
        for name, what, break_it, expected in MUTANTS:
            with self.subTest(what):
                broken = copy.deepcopy(ALL[name])
                break_it(broken)
                faults = grafana.faults_of(broken, self.prometheus, VIEW)
                self.assertTrue(any(expected in fault for fault in faults), faults[:5])


class MadeUpMetrics(unittest.TestCase):
    def test_are_all_of_the_table(self):
        text = exposition.text()
        for metric in metrics_table.load().metrics:
            self.assertIn(f"# TYPE {metric.name} {metric.kind}\n{metric.name}", text)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_pass_promtools_own_lint(self):
        self.assertEqual("", lint(exposition.text()))
