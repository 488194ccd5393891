"""Annotations mark a change of graphbench, driver or library, and no restart: promtool evaluates them."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import grafana
import metrics_table

ALL = metrics_table.boards()
BOARDS = {name: board for name, board in ALL.items() if board["annotations"].get("list")}
HERE = 'instance="here"'
FACTS = {"New build": ("graphbench_build_info", "version"),
         "New device": ("graphbench_device_info", "driver"),
         "New library": ("graphbench_library_info", "version")}
KEYS = {"New build": "", "New device": ', device="cuda:0"', "New library": ', device="cuda:0", name="cublas"'}
# Minute by minute: 1, after a day 2, which starts again after another day; then 1 comes back.
FIRST, SECOND = "1x1499 _x2001 1x100", "_x1500 1x1700 _x30 1x269"
NOTED = {1499: None, 1500: "2", 1508: "2", 1511: None, 3235: None, 3500: None, 3501: "1", 3512: None}


def series_of(name, value, values, here=HERE):
    family, label = FACTS[name]
    return {"series": f'{family}{{{here}{KEYS[name]}, {label}="{value}"}}', "values": values}


def checks_of(name, expression):
    family, label = FACTS[name]
    for minute, noted in NOTED.items():
        found = [{"labels": series_of(name, noted, "")["series"], "value": 1}] if noted else []
        yield {"expr": expression, "eval_time": f"{minute}m", "exp_samples": found}


def outcome_of(name, expression, first=FIRST, second=SECOND):
    """What promtool says of the annotation where these were measured; empty where all is as it should be."""
    series = [series_of(name, "1", first), series_of(name, "2", second)]
    series += [series_of(name, "3", "1x3600", here='instance="there"')]
    checks = list(checks_of(name, expression))
    test = {"interval": "1m", "input_series": series, "promql_expr_test": checks}
    with tempfile.TemporaryDirectory(prefix="graphbench-annotations-") as folder:
        path = pathlib.Path(folder) / "annotations.test.yml"
        path.write_text(json.dumps({"evaluation_interval": "1m", "tests": [test]}))
        done = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True,
                              check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr


@unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
class Annotations(unittest.TestCase):
    def expressions(self):
        for board in BOARDS.values():
            for one in board["annotations"]["list"]:
                yield one["name"], grafana.interpolate(one["expr"], {"instance": "here"})

    def test_are_of_all_facts_on_every_board(self):
        self.assertEqual(set(ALL), set(BOARDS))
        for board in BOARDS.values():
            self.assertEqual(list(FACTS), [one["name"] for one in board["annotations"]["list"]])

    def test_mark_what_is_another_than_before(self):
        for name, expression in self.expressions():
            with self.subTest(name, expression=expression):
                self.assertEqual("", outcome_of(name, expression))

    def test_broken_ones_are_found(self):
        for name, expression in set(self.expressions()):
            for old, new in (("offset 10m", "offset 60m"), ("> 1", "> 0"), ("[1d]", "[5m]"),
                             ("unless", "and")):
                with self.subTest(name, old=old):
                    self.assertIn(old, expression)
                    self.assertNotEqual("", outcome_of(name, expression.replace(old, new, 1)))
