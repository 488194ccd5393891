"""A baseline as metrics: what --sweep and serve publish of it is what `graphbench compare` says."""

import json
import re

from client import fetch, free_port
from harness_case import TINY
from prometheus_servers import lint
from serve_case import ServeCase

LAUNCHES = [*TINY, "--workload", "mlp", "--launches", "2", "--quiet"]
# The same sweep as a request to the service.
REQUEST = {"device": "host", "batch": [1, 2], "warmup": 0, "time-per-cell": 0.005, "samples-max": 5,
           "workload": "mlp", "launches": 2}
CELL_ID = "{workload}/{preset}/{dtype}/{pass}/b{batch}/w{warmup}/{mode}"
TIMES = ("latency", "submit", "device")


def series(text, name):
    """(labels, value) of each series of the name."""
    for line in text.splitlines():
        found = re.fullmatch(name + r"\{(.*)\} (\S+)", line)
        if found:
            yield dict(re.findall(r'(\w+)="([^"]*)"', found[1])), float(found[2])


class Baselines(ServeCase):
    def setUp(self):
        super().setUp()
        self.run_graphbench(*LAUNCHES, "--json", "base.json", code=0)
        # A second sweep within the second would be taken for the same one.
        base = self.result("base.json")
        self.write("base.json", json.dumps({**base, "started_at": "2026-01-01T00:00:00Z"}))

    def compare(self, new, code=(0, 10, 11)):
        done = self.run_graphbench("compare", "base.json", new, "--format", "json", code=code)
        return json.loads(done.stdout)

    def assert_published(self, text, comparison):
        """Every change, verdict, baseline and count of the comparison, and no more."""
        self.assertEqual("", lint(text))
        metrics = {(cell["id"], metric["metric"]): metric
                   for cell in comparison["cells"] for metric in cell["metrics"]}
        self.assertEqual(6, len({cell for cell, _ in metrics}))
        self.assertAlmostEqualDict({key: metric["ratio"] for key, metric in metrics.items()}, {
            (CELL_ID.format(**labels), labels["metric"]): value
            for labels, value in series(text, "graphbench_change_ratio")})
        self.assertEqual({key: metric["verdict"] for key, metric in metrics.items()}, {
            (CELL_ID.format(**labels), labels["metric"]): labels["verdict"]
            for labels, _ in series(text, "graphbench_verdict_info")})
        times = {key: metric["base_seconds"] for key, metric in metrics.items() if key[1] in TIMES}
        self.assertAlmostEqualDict(times, {
            (CELL_ID.format(**labels), name): value for name in TIMES
            for labels, value in series(text, f"graphbench_baseline_{name}_seconds")})
        coverage = {labels["coverage"]: value for labels, value in series(text, "graphbench_baseline_cells")}
        self.assertEqual(6, coverage.pop("compared"))
        self.assertEqual({0}, set(coverage.values()))
        self.assertEqual([({"device": "host"}, 1)], list(series(text, "graphbench_baseline_comparable")))

    def assertAlmostEqualDict(self, expected, found):
        self.assertEqual(set(expected), set(found))
        for key, value in expected.items():
            self.assertAlmostEqual(1, found[key] / value, places=7, msg=str(key))

    def assert_none(self, text, field):
        for name in ("change_ratio", "verdict_info", "baseline_cells", "baseline_latency_seconds"):
            self.assertNotIn("graphbench_" + name, text)
        self.assertEqual([({"device": "host"}, 0)], list(series(text, "graphbench_baseline_comparable")))
        self.assertEqual([({"device": "host", "field": field}, 1)],
                         list(series(text, "graphbench_baseline_mismatch_info")))

    def assert_publishes(self, *baseline):
        done = self.run_graphbench(*LAUNCHES, "--json", "new.json", *baseline,
                                   "--prometheus-textfile", "m.prom")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assert_published((self.folder / "m.prom").read_text(), self.compare("new.json"))

    def test_a_sweep_publishes_what_compare_says(self):
        self.assert_publishes("--baseline", "base.json")

    def test_a_sweep_of_another_plan_says_so_and_gives_no_verdict(self):
        done = self.run_graphbench(*LAUNCHES, "--mode", "eager", "--baseline", "base.json",
                                   "--prometheus-textfile", "m.prom", code=0)
        self.assertEqual("graphbench: warning: compared with the baseline base.json: not comparable, so no "
                         "verdict is published: the sides differ in plan\n", done.stderr)
        self.assert_none((self.folder / "m.prom").read_text(), "plan")

    def test_a_baseline_that_will_not_do_is_refused_before_anything_listens(self):
        self.write("bad.json", '{"schema": "graphbench.result/2"}')
        port = free_port()
        for path, words in (("no.json", "the file cannot be read"), ("bad.json", "graphbench.result/2")):
            for command in ([*LAUNCHES, "--prometheus-listen", f"127.0.0.1:{port}"],
                            ["serve", "--listen", f"127.0.0.1:{port}"]):
                with self.subTest(path=path, command=command[0]):
                    self.assert_refused(self.run_graphbench(*command, "--baseline", path),
                                        "--baseline: ", path, words)
        self.assertFalse((self.folder / "graphbench-state").exists())
        self.assert_refused(self.run_graphbench(*LAUNCHES, "--baseline", "base.json"), "--baseline: ",
                            "--prometheus-listen")
        for command in ("ab", "bench"):
            self.assert_refused(self.run_graphbench(command, "--baseline", "base.json"), "--baseline: ")

    def run_sweep(self, request):
        """The text of its result."""
        path = self.submit(request)
        self.wait_for_state(path, "done")
        return fetch(self.url + path + "/results")[2]

    def test_a_baseline_may_be_the_histories_latest_of_a_name(self):
        kept = ("--history", "kept.sqlite")
        self.assert_refused(self.run_graphbench("serve", "--against", "accepted", *kept), "kept.sqlite")
        self.run_graphbench("history", "add", "base.json", "--label", "accepted", *kept, code=0)
        self.assert_refused(self.run_graphbench("serve", "--against", "mine", *kept), '"mine"', "accepted")
        self.assert_refused(self.run_graphbench("serve", "--against", "accepted", "--baseline", "base.json"),
                            "--against: ")
        self.assert_publishes("--against", "accepted", *kept)
        process = self.serve("--against", "accepted", *kept)
        self.run_sweep({**REQUEST, "mode": "eager"})
        self.assert_none(self.metrics(), "history")
        self.assertIn("differs in plan", process.stderr.readline())
        self.write("served.json", self.run_sweep(REQUEST))
        self.assert_published(self.metrics(), self.compare("served.json"))

    def test_the_service_compares_each_sweep_that_ends(self):
        process = self.serve("--baseline", "base.json")
        self.assertNotIn("graphbench_baseline", self.metrics())
        self.write("new.json", self.run_sweep(REQUEST))
        self.assert_published(self.metrics(), self.compare("new.json"))
        self.assertIn("compared with the baseline base.json: ", process.stderr.readline())
        self.run_sweep({**REQUEST, "mode": "eager"})
        self.assert_none(self.metrics(), "plan")
        self.assertIn("warning: ", process.stderr.readline())
        self.write("again.json", self.run_sweep(REQUEST))
        self.assert_published(self.metrics(), self.compare("again.json"))
