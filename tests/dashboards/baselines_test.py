"""What boards and alerts say of the committed sweeps (tests/golden/prometheus/baselines.txt) is what the
documents say."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import grafana
import metrics_table

GAINS = metrics_table.ROOT / "tests" / "golden" / "prometheus" / "baselines.txt"
DOCUMENTS = sorted((metrics_table.ROOT / "ci" / "baselines").glob("*.json"))
RULES = metrics_table.rule_files()
ALERT = 'ALERTS{alertname="GraphbenchLaunchBoundWithoutGain", alertstate="firing"}'
# Values of the board's variables; one of these is all, and the others are the cells' own.
CHOSEN = {"instance": "i", "device": "cuda:0", "pass": ".*", "warmup": "3", "variant:pipe": ".*",
          "mode": ".*"}


def idle_of(cell, cells):
    """The share of an eager cell's latency in which the device is idle, from the document alone."""
    latency = cell["summary"]["latency_seconds"]["p50"]
    if "records" in cell:
        return 1 - cell["records"]["busy_seconds"] / latency
    [whole] = [one for one in cells if one["id"] == cell["id"].replace("/eager", "/whole")]
    return 1 - whole["summary"]["device_seconds"]["p50"] / latency


def documents_cells():
    for path in DOCUMENTS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            if cell["status"] == "ok":
                yield cell, cells


def series():
    """Each line of the exposition as a series of 30 minutes."""
    for line in GAINS.read_text(encoding="utf-8").splitlines():
        name, value = line.rsplit(" ", 1)
        yield {"series": name.replace("{", '{job="g",instance="i",', 1), "values": f"{value}x30"}


def asked(title, query=0, **chosen):
    """An expression of one of Overview's panels, with values for its variables."""
    [panel] = [one for one, _, _ in metrics_table.panels_of(metrics_table.boards(["overview"])["overview"])
               if one["title"] == title]
    return re.sub(r"\$\{?([a-z][\w:]*)\}?", lambda match: {**CHOSEN, **chosen}[match[1]],
                  panel["targets"][query]["expr"])


def by_workload():
    """Workload to the axes that its document fixes, and the idle shares of eager cells that prepare ahead."""
    found = {}
    for cell, cells in documents_cells():
        if cell["mode"] == "eager" and cell["warmup"] == 3 and "prepare" not in cell:
            axes = {key: cell[key] for key in ("workload", "preset", "dtype", "pass")}
            found.setdefault(cell["workload"], (axes, []))[1].append(idle_of(cell, cells))
    return found


def is_certain(cell):
    low, high = cell["summary"]["speedup_over_eager_ci95"]
    return low > 1 or high < 1


def best_graphs():
    """The graph cell with the largest gain of each workload, batch and variant."""
    best = {}
    for cell, _ in documents_cells():
        gain = cell["summary"]["speedup_over_eager"]
        if cell["mode"] != "eager" and cell["warmup"] == 3 and gain is not None:
            variant = cell["id"].partition("/" + cell["mode"])[2]
            key = cell["workload"], cell["batch"], variant
            best[key] = max(best.get(key, cell), cell, key=lambda one: one["summary"]["speedup_over_eager"])
    return best


@unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
class Baselines(unittest.TestCase):
    def evaluate(self, all_series, *expected):
        """Holds (expression, samples) against promtool's answers after 20 minutes."""
        tests = [{"interval": "1m", "input_series": all_series, "promql_expr_test": [
            {"expr": expr, "eval_time": "20m", "exp_samples": samples} for expr, samples in expected]}]
        with tempfile.TemporaryDirectory(prefix="graphbench-baselines-") as temporary:
            path = pathlib.Path(temporary) / "baselines.test.yml"
            path.write_text(json.dumps({"rule_files": [str(rule) for rule in RULES], "tests": tests}))
            done = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True,
                                  check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_launch_bound_steps_are_counted(self):
        expected, launch_bound = [], {}
        for workload, (axes, idle) in by_workload().items():
            launch_bound[workload] = sum(share >= 0.5 for share in idle)
            expected.append((f"round({asked('Launch-bound in eager', **axes)}, 0.001)",
                             [{"labels": "{}", "value": round(launch_bound[workload] / len(idle), 3)}]))
            expected.append((asked("Launch-bound, no certain gain", **axes),
                             [{"labels": "{}", "value": 0}]))
        self.assertEqual({"mlp": 0, "attention": 0, "conv": 0, "steps-bert": 3, "steps-convnext": 2,
                          "steps-llama": 2, "steps-resnet50": 2, "steps-static_cache": 3,
                          "steps-train_bert": 2}, launch_bound)
        self.evaluate(list(series()), *expected, (ALERT, []))

    def test_those_without_a_gain_are_told(self):
        """Here because no graph was captured: as many as are launch-bound."""
        eager = [one for one in series() if 'mode="eager"' in one["series"]]
        told = {workload: (axes, sum(share >= 0.5 for share in idle))
                for workload, (axes, idle) in by_workload().items() if max(idle) >= 0.5}
        labels = ALERT[:-1] + (', device="cuda:0", job="g", instance="i", severity="warning", dtype="own", '
                               'pass="own", preset="own", workload="{}"}}')
        firing = [{"labels": labels.replace("{}", workload).replace("}}", "}"), "value": 1}
                  for workload in told]
        counts = [(asked("Launch-bound, no certain gain", **axes), [{"labels": "{}", "value": count}])
                  for axes, count in told.values()]
        self.evaluate(eager, (ALERT, firing), *counts)

    def test_gains_that_may_be_none_stand_apart(self):
        """A column of Overview's table for those whose interval excludes 1, and one for the others."""
        expected, uncertain = [], []
        for workload, (axes, _) in by_workload().items():
            columns = {True: [], False: []}
            for (of, batch, variant), cell in best_graphs().items():
                if of == workload:
                    labels = f'{{workload="{of}", batch="{batch}", mode="{cell["mode"]}{variant}"}}'
                    gain = round(cell["summary"]["speedup_over_eager"], 2)
                    columns[is_certain(cell)].append({"labels": labels, "value": gain})
                    uncertain += [] if is_certain(cell) else [(of, batch, gain)]
            for query, certain in enumerate((True, False)):
                expected.append((f"round({asked('Which mode at this batch', query, **axes)}, 0.01)",
                                 columns[certain]))
        self.assertEqual([("attention", 256, 1.02), ("conv", 256, 1.01)], uncertain)
        self.evaluate(list(series()), *expected)

    def test_a_gain_that_may_be_none_is_no_gain(self):
        """Here because every step is made launch-bound, and conv gains 1.01x [1.00, 1.09] at 256."""
        bound = [{**one, "values": "0.5x30"} if "launch_bound" in one["series"] else one for one in series()]
        conv = by_workload()["conv"][0]
        labels = ALERT[:-1] + (', device="cuda:0", job="g", instance="i", severity="warning", dtype="bf16", '
                               'pass="forward", preset="base", workload="conv"}')
        self.evaluate(bound, (ALERT, [{"labels": labels, "value": 1}]),
                      (asked("Launch-bound, no certain gain", **conv), [{"labels": "{}", "value": 1}]))

    def test_overview_opens_where_gains_are(self):
        """The default sweep captures at more warmups than it runs eager at; without eager all are there."""
        [warmup] = [one for one in metrics_table.boards(["overview"])["overview"]["templating"]["list"]
                    if one["name"] == "warmup"]
        [expression] = grafana.QUERY_RESULT.fullmatch(warmup["query"]).groups()
        chosen = {**CHOSEN, "preset": "base", "dtype": "bf16", "pass": "f"}
        expression = grafana.interpolate(expression, chosen)
        labels = 'instance="i",device="cuda:0",preset="base",dtype="bf16",pass="f"'
        of = [("eager", 3), ("whole", 3), ("whole", 0), ("whole", 10)]
        both = [{"series": f'graphbench_latency_seconds{{{labels},mode="{mode}",warmup="{count}"}}',
                 "values": "1x30"} for mode, count in of]
        for given, counts in (both, (3,)), (both[1:], (0, 3, 10)):
            self.evaluate(given, (expression, [{"labels": f'{{warmup="{count}"}}', "value": 1}
                                               for count in counts]))


if __name__ == "__main__":
    unittest.main()
