"""The proof without a Grafana: a real Prometheus scrapes a real `graphbench serve` that does real sweeps, and
every query of every panel of every dashboard, and every recording rule, gives data; every alert evaluates.

Then every metric and every label is renamed once under the dashboards' feet, which must be found."""

import pathlib
import re
import shutil
import tempfile
import time
import unittest

import grafana
import live_service
import metrics_table
from client import wait_for
from prometheus_servers import Prometheus
from server_checks import ServerChecks

BOARDS = metrics_table.boards(("overview", "cell", "regressions", "service"))
TABLE = metrics_table.load()

# What a panel may be empty of on this machine, and why; nothing that only a GPU has is among it. A cell that
# has them all is looked at where there is one.
MAY_LACK = {
    "graphbench_breakeven_steps": "a replay may come out no faster than eager: then it is never paid back",
    "graphbench_no_breakeven_info": "every graph cell may come to pay its setup back",
    "graphbench_speedup_over_eager_low_": "all gains may be certain, or none, and one launch has no interval",
    "graphbench_speedup_over_eager_high_": "as their lower ends",
    "graphbench_setup_once_seconds": "the first setups of a process may be no longer than later ones",
    "graphbench_steady_after_steps": "latencies may find no steady band within the steps taken",
    "graphbench_break_": "piecewise may take no longer than whole, by what the launches show",
    "graphbench_predicted_gain_": "of foreign steps on a GPU",
    "graphbench_sustained_": "measured with --sustained, which takes four seconds a cell",
    "graphbench_rank_": "a service refuses ranks",
    "graphbench_ladder_": "a service serves no ladders",
    "graphbench_bill_": "a service makes no bills",
    "graphbench_io_": "the service's sweeps leave their caller's memory at its default",
    "graphbench_training_": "the service's sweeps train nothing",
    "graphbench_evaluation_latency_seconds": "no sweep evaluates",
    "graphbench_cache_": "the host device chooses nothing, and keeps nothing",
    "graphbench_shape_walk_": "a service takes no --shape-trace",
    "graphbench_package_": "a service takes no packages",
    "graphbench_baseline_mismatch_info": "gone when a sweep compares again; a test looks back at it",
}
# Of the families whose names begin so.
MAY_LACK = {metric.name: why for metric in TABLE.metrics for prefix, why in MAY_LACK.items()
            if metric.name.startswith(prefix)}
OF_A_GPU = 'graphbench_memory_bytes{of="graphs"}'
TRAINED = "backward=callables/io=copy_in/optimizer=adamw"
# Panels of what graphbench measures of its own graphs only.
NO_FOREIGN = {"Memory of whole graphs", "Memory of graphs", "Memory", "Submit over its floor",
              "Launch-bound in eager", "Launch-bound share by batch", "Launch-bound share"}
OF_A_MACHINE = ("graphbench_breakeven_steps", "graphbench_setup_once_seconds",
                "graphbench_steady_after_steps")
# Labels that Prometheus puts there, and that no graphbench could name otherwise.
OF_PROMETHEUS = {"job", "instance", "le"}
FIRING = {"GraphbenchSweepsFailing", "GraphbenchCellsFailing", "GraphbenchCaptureSkips",
          "GraphbenchRegression"}
MISSING = [name for name in ("prometheus",) if not shutil.which(name)]


class Renamed:
    """Prometheus as if graphbench had another word for something: queries of the old word find nothing."""

    def __init__(self, prometheus, word):
        self.prometheus = prometheus
        self.word = re.compile(rf"(?<![\w$]){word}(?=_(?:bucket|sum|count)\b|(?![\w(]))")

    def rename(self, text):
        # Strings are values and not names.
        parts = re.split(r'("(?:\\.|[^"\\])*")', text)
        parts[::2] = [self.word.sub(lambda found: found.group() + "_renamed", part) for part in parts[::2]]
        return "".join(parts)

    def instant(self, expression):
        return self.prometheus.instant(self.rename(expression))

    def range(self, expression, seconds):
        return self.prometheus.range(self.rename(expression), seconds)

    def label_values(self, selector, label):
        return self.prometheus.label_values(self.rename(selector), self.rename(label))


def expressions(board):
    return [target["expr"] for panel, _, _ in metrics_table.panels_of(board) for target in panel["targets"]]


@unittest.skipIf(MISSING, f"not installed: {' '.join(MISSING)}")
class Live(ServerChecks, unittest.TestCase):
    maxDiff = None
    boards = BOARDS

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="graphbench-live-")))
        began = time.monotonic()
        baseline = live_service.record_baseline(folder)
        cls.address = cls.enterClassContext(live_service.service(folder, baseline))
        sweeps = [cls.enterClassContext(live_service.lingering_sweep(folder, request))
                  for request in (live_service.UNCAPTURED, live_service.VARIANTS, live_service.FOREIGN)]
        cls.variants, cls.foreign = sweeps[1:]
        cls.prometheus = cls.enterClassContext(
            Prometheus([cls.address, *sweeps], metrics_table.rule_files()))
        # Counters want to have been seen before they rise.
        cls.prometheus.wait_for_scrapes(2)
        cls.states = cls.run_sweeps(live_service.REFUSED, live_service.TOO_LARGE)
        why = "graphbench_baseline_mismatch_info"
        wait_for(why, lambda: cls.prometheus.instant(why), 60)
        cls.incomparable_at = time.time()
        cls.states += cls.run_sweeps(live_service.PLAN, live_service.PLAN)
        scrapes = cls.prometheus.instant('count_over_time(up[1h])')
        cls.prometheus.wait_for_scrapes(2 + max(int(one["value"][1]) for one in scrapes))
        cls.seconds = int(time.monotonic() - began)
        cls.chosen = cls.choose_cell()
        cls.view = grafana.View(frozenset([*MAY_LACK, OF_A_GPU]), cls.chosen, cls.seconds, every_half=True)
        print(f"{cls.seconds} s of sweeps on {cls.address}, looking at {cls.chosen}")

    @classmethod
    def run_sweeps(cls, *requests):
        return [live_service.run_on(cls.address, request)["state"] for request in requests]

    @classmethod
    def choose_cell(cls):
        """The service's own instance, and a cell that has as much as any."""
        whole = f'{{mode="whole", instance="{cls.address}"}}'
        found = []
        for metric in ("graphbench_latency_seconds", *OF_A_MACHINE):
            labels = [one["metric"] for one in cls.prometheus.instant(metric + whole)]
            keys = {tuple(one[name] for name in ("workload", "batch", "warmup")) for one in labels}
            found = [key for key in found if key in keys] or found or sorted(keys)
        return {"instance": cls.address, **dict(zip(("workload", "batch", "warmup"), found[0]))}

    def faults(self, prometheus, names=tuple(BOARDS)):
        return [fault for name in names for fault in grafana.faults_of(BOARDS[name], prometheus, self.view)]

    def test_sweeps_ended_as_they_should(self):
        self.assertEqual(["failed", "done", "done", "done"], self.states)
        counted = {one["metric"]["status"]: float(one["value"][1])
                   for one in self.prometheus.instant("graphbench_sweeps_total")}
        self.assertEqual({"done": 2, "cells_failed": 1, "failed": 1, "cancelled": 0, "interrupted": 0},
                         counted)

    def test_training_copying_and_foreign_cells_fill_overview_and_cell(self):
        """Every open panel has a series for each choice, but for what a loaded machine may lack."""
        may_lack = {"Break-even by batch"}
        for sweep, what, variant in ((self.variants, "forward", None), (self.variants, "training", None),
                                     (self.variants, "forward", "io=copy_in"), (self.foreign, "own", None),
                                     (self.variants, "training", TRAINED)):
            chosen = {"instance": sweep, "pass": what} | ({"variant": [variant]} if variant else {})
            view = grafana.View(chosen=chosen, open_only=True)
            for name in ("overview", "cell"):
                with self.subTest(name, what=what, variant=variant):
                    empty = grafana.empty_panels(BOARDS[name], self.prometheus, view)
                    self.assertLessEqual(set(empty), may_lack | (NO_FOREIGN if what == "own" else set()))

    def test_what_went_wrong_is_alerted(self):
        self.assertLessEqual(FIRING, self.alerts("firing"))

    def test_every_family_of_the_table_is_published_and_no_other(self):
        published = self.types_published()
        expected = {metric.name: metric.kind for metric in TABLE.metrics}
        # Prometheus forgets the type of what it has not seen for ten scrapes.
        for name in MAY_LACK:
            published.setdefault(name, expected[name])
        self.assertEqual(expected, published)

    def test_trends_have_more_than_one_sweep(self):
        for metric in ('graphbench_latency_seconds{quantile="0.5"}', "graphbench_change_ratio",
                       "graphbench_speedup_over_eager_ratio"):
            moved = self.prometheus.instant(f"changes({metric}[1h]) > 0")
            self.assertGreater(len(moved), 10, metric)

    def test_a_sweep_that_does_not_compare_says_why(self):
        [panel] = [one for one in BOARDS["regressions"]["panels"] if "compare?" in one["title"]]
        expression = grafana.interpolate(panel["targets"][0]["expr"], self.chosen)
        rows = self.prometheus.data("/api/v1/query", query=expression, time=self.incomparable_at)["result"]
        self.assertEqual([({"device": "host", "field": "plan"}, "0")],
                         [(row["metric"], row["value"][1]) for row in rows])

    def test_a_renamed_metric_or_label_is_found(self):
        words = {metric.name for metric in TABLE.metrics} - set(MAY_LACK)
        labels = {label for metric in TABLE.metrics if metric.name not in MAY_LACK for label in metric.labels}
        labels -= OF_PROMETHEUS
        every = [text for board in BOARDS.values() for text in expressions(board)]
        words |= {label for label in labels
                  if any(Renamed(None, label).rename(text) != text for text in every)}
        silent = []
        for word in sorted(words):
            renamed = Renamed(self.prometheus, word)
            boards = [name for name, board in BOARDS.items()
                      if any(renamed.rename(text) != text for text in expressions(board))]
            if not any(self.faults(renamed, [name]) for name in boards):
                silent.append(word)
        print(f"{len(words)} words renamed")
        self.assertEqual([], silent)
