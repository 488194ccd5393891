#!/usr/bin/env python3
"""A/B runs and self-checks as a person runs them: alternating launches, paired verdicts, interruptions."""

import json
import os
import re
import shutil
import signal
import stat
import sys
import unittest

from harness_case import BINARY, ROOT, HarnessCase

sys.path.insert(0, str(ROOT / "tests" / "golden"))
import document_rules  # noqa: E402

TINY = ["--device", "host", "--workload", "mlp", "--preset", "tiny", "--batch", "1,2", "--warmup", "0",
        "--time-per-cell", "0.01"]

# A stand-in for another version: it notes how it was called, runs the real one, and may touch its results.
WRAPPER = """#!/usr/bin/python3
import json, os, subprocess, sys, time
with open({log!r}, "a") as log:
    print(json.dumps([{name!r}, os.environ.get("SIDE"), sys.argv[1:]]), file=log)
calls = sum(1 for line in open({log!r}) if json.loads(line)[0] == {name!r})
code = subprocess.run([{binary!r}, *sys.argv[1:]]).returncode
{extra}
sys.exit(code)
"""
SLOWER = """
if "--json" in sys.argv:
    path = sys.argv[sys.argv.index("--json") + 1]
    document = json.load(open(path))
    for cell in document["cells"]:
        for launch in cell["launches"]:
            for metric in ("latency_seconds", "submit_seconds", "device_seconds"):
                for key in ("min", "p50", "p90", "p99", "max", "mean"):
                    if launch[metric] is not None and launch[metric][key] is not None:
                        launch[metric][key] = {seconds}
    json.dump(document, open(path, "w"))
"""


class Ab(HarnessCase):
    def wrapper(self, name, extra=""):
        path = self.folder / name
        path.write_text(WRAPPER.format(log=str(self.folder / "calls"), name=name, binary=BINARY, extra=extra),
                        encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def fixed(self, name, seconds):
        """A binary whose every launch measures about the same, whatever this machine is busy with."""
        wobble = f"{seconds} * (1 + 0.001 * (calls % 7))"
        return self.wrapper(name, SLOWER.format(seconds=wobble))

    def two(self, base, new):
        return "--base", self.fixed("old", base), "--new", self.fixed("new", new)

    def calls(self):
        lines = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def sweeps(self):
        return [call for call in self.calls() if "--sweep" in call[2]]

    def ab(self, *arguments, **options):
        return self.run_graphbench("ab", *arguments, *TINY, **options)

    def test_measures_two_binaries_and_keeps_both_results(self):
        done = self.ab(*self.two(1e-4, 1e-4), "--format", "json", code=0)
        comparison = json.loads(done.stdout)
        self.assertTrue(comparison["comparable"])
        metrics = [metric for cell in comparison["cells"] for metric in cell["metrics"]]
        self.assertTrue(metrics)
        self.assertTrue(all(metric["paired"] for metric in metrics))
        sides = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        ids = {side["plan"]["interleaved"]["id"] for side in sides}
        self.assertEqual(1, len(ids))
        self.assertEqual(["base", "new"], [side["plan"]["interleaved"]["side"] for side in sides])
        self.assertEqual(sides[0]["plan"]["hash"], sides[1]["plan"]["hash"])
        for side in sides:
            self.assertEqual([], document_rules.faults_of(side))
            self.assertEqual(6, len(side["cells"]))
            for cell in side["cells"]:
                self.assertEqual([0, 1, 2, 3, 4], [launch["index"] for launch in cell["launches"]])
                self.assertGreater(cell["summary"]["submit_over_floor"], 0)
        self.assertIn("left", done.stderr)

    def test_alternates_launches_group_by_group(self):
        done = self.ab("--base", self.wrapper("old"), "--new", self.wrapper("new"), "--launches", "4",
                       "--quiet", code=(0, 10))
        self.assertNotIn("left", done.stderr)
        firsts = {}
        sweeps = self.sweeps()
        self.assertEqual(2 * 4 * 3, len(sweeps))
        for one, two in zip(sweeps[::2], sweeps[1::2]):
            self.assertEqual({"old", "new"}, {one[0], two[0]})
            place = one[2].index("--json") + 1
            self.assertEqual(one[2][:place] + one[2][place + 1:], two[2][:place] + two[2][place + 1:])
            firsts.setdefault(one[2][one[2].index("--mode") + 1], []).append(one[0])
        for mode, order in firsts.items():
            self.assertIn(order, (["old", "new"] * 2, ["new", "old"] * 2), mode)

    def test_alternates_cell_by_cell_where_asked(self):
        done = self.ab("--base", self.wrapper("old"), "--new", self.wrapper("new"), "--launches", "4",
                       "--mode", "eager,whole", "--alternate", "cell", code=(0, 10))
        self.assertRegex(done.stderr, "w0 b[12] ")
        sweeps = self.sweeps()
        self.assertEqual(2 * 4 * 2 * 2, len(sweeps))
        cells = [tuple(call[2][call[2].index(name) + 1] for name in ("--mode", "--batch")) for call in sweeps]
        firsts = {}
        for i in range(0, len(sweeps), 2):
            self.assertEqual(cells[i], cells[i + 1])
            self.assertEqual({"old", "new"}, {sweeps[i][0], sweeps[i + 1][0]})
            firsts.setdefault(cells[i], []).append(sweeps[i][0])
        self.assertEqual({(mode, batch) for mode in ("eager", "whole") for batch in "12"}, set(firsts))
        for cell, order in firsts.items():
            self.assertIn(order, (["old", "new"] * 2, ["new", "old"] * 2), cell)
        rounds = {tuple(cells[i:i + 8:2]) for i in range(0, len(sweeps), 8)}
        self.assertGreater(len(rounds), 1, "every launch has the same order")

    def test_documents_of_single_cells_are_whole_and_are_another_plan_than_ladders(self):
        sides = ["--base", BINARY, "--launches", "2", "--mode", "eager,whole"]
        self.ab(*sides, "--alternate", "cell", code=(0, 10))
        cells = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        for side in cells:
            self.assertEqual([], document_rules.faults_of(side))
            self.assertTrue(side["complete"] and side["plan"]["cell_processes"])
            self.assertEqual([1, 2], side["plan"]["axes"]["batch"])
            self.assertEqual([2] * 4, [len(cell["launches"]) for cell in side["cells"]])
            self.assertTrue(all(cell["summary"]["speedup_over_eager"] for cell in side["cells"]))
            whole = [cell["memory"] for cell in side["cells"] if cell["mode"] == "whole"]
            self.assertTrue(all(each["pool_bytes"] == each["pool_bytes_own"] for each in whole), whole)
        self.assertEqual(cells[0]["plan"]["hash"], cells[1]["plan"]["hash"])
        compared = ["compare", "graphbench-base.json", "graphbench-new.json", "--format", "json"]
        comparison = json.loads(self.run_graphbench(*compared).stdout)
        self.assertTrue(comparison["comparable"])
        self.assertTrue(all(metric["paired"] for cell in comparison["cells"] for metric in cell["metrics"]))

        ladders = ["--json-base", "ladders.json", "--json-new", "x.json"]
        self.ab(*sides, *ladders, code=(0, 10))
        self.assertNotIn("cell_processes", self.result("ladders.json")["plan"])
        done = self.run_graphbench("compare", "ladders.json", "graphbench-new.json", "--format", "json",
                                   code=12)
        differences = {each["field"]: each for each in json.loads(done.stdout)["differences"]}
        self.assertTrue(differences["plan"]["blocking"])
        self.assertEqual("true", differences["plan.cell_processes"]["new"])

    def test_confirms_single_cells(self):
        self.ab(*self.two(1e-3, 1.2e-3), "--confirm", "--alternate", "cell", "--mode", "whole", code=10)
        self.assertEqual(2 * 2 * 5 * 2, len(self.sweeps()))

    def test_says_slower_and_exits_so(self):
        done = self.ab(*self.two(1e-3, 1.2e-3), "-o", "verdict.json", "--format", "json", code=10)
        self.assertEqual("", done.stdout)
        self.assertEqual("slower", self.result("verdict.json")["verdict"])

    def test_keeps_to_the_margin_it_is_given(self):
        done = self.ab(*self.two(1e-3, 1.2e-3), "--margin", "50%", "--format", "json")
        metrics = [metric for cell in json.loads(done.stdout)["cells"] for metric in cell["metrics"]]
        timed = [metric for metric in metrics if metric["metric"] != "setup"]
        self.assertEqual({"same"}, {metric["verdict"] for metric in timed})

    def test_confirms_before_the_word_is_said(self):
        """NEW is slow in its first 15 sweeps only: a passing trouble, not a slower binary."""
        passing = SLOWER.format(seconds="(1.2e-3 if calls <= 16 else 1e-3) * (1 + 0.001 * (calls % 7))")
        sides = ["--base", self.fixed("old", 1e-3), "--new", self.wrapper("new", passing), "--format", "json"]
        done = self.ab(*sides, "--confirm", code=(0,))
        whys = [metric["why"] for cell in json.loads(done.stdout)["cells"] for metric in cell["metrics"]
                if metric["metric"] == "latency"]
        self.assertTrue(all("slower at first (1.2" in why and "not when measured again" in why
                            for why in whys), whys)
        again = self.result("graphbench-new.again.json")
        self.assertNotEqual(again["plan"]["interleaved"],
                            self.result("graphbench-new.json")["plan"]["interleaved"])
        self.assertEqual([], document_rules.faults_of(again))

    def test_confirmed_slower_stays_slower(self):
        self.ab(*self.two(1e-3, 1.2e-3), "--confirm", code=10)
        self.assertEqual(2 * 2 * 5 * 3, len(self.sweeps()))

    def test_goes_on_until_it_is_decided(self):
        done = self.ab(*self.two(1e-3, 1.2e-3), "--mode", "eager", "--until-decided", "--format", "json",
                       code=10)
        self.assertEqual(2 * 5, len(self.sweeps()))
        for side in ("base", "new"):
            document = self.result(f"graphbench-{side}.json")
            self.assertEqual([5], document["plan"]["interleaved"]["looks"])
            self.assertEqual(5, document["plan"]["launches"])
            self.assertTrue(document["complete"])
            self.assertEqual([], document_rules.faults_of(document))
            self.assert_valid(document, "result.schema.json")
        self.assert_valid(json.loads(done.stdout), "comparison.schema.json")

    def test_an_undecided_ladder_goes_on_and_compare_says_the_same(self):
        """Launches of `eager` agree; those of `whole` spread by 3 %."""
        wild = '1e-3 * (1 + 0.001 * (calls % 7) + 0.02 * (calls * {step} % 5) * ("whole" in sys.argv))'
        sides = [side for name, flag, step in (("old", "--base", 1), ("new", "--new", 2))
                 for side in (flag, self.wrapper(name, SLOWER.format(seconds=wild.format(step=step))))]
        margins = ["--margin", "2%,capture=900%", "--format", "json"]
        done = self.ab(*sides, "--mode", "eager,whole", *margins, "--until-decided", "30", code=(0, 10))
        documents = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        looks = documents[0]["plan"]["interleaved"]["looks"]
        self.assertEqual([5, 10, 15, 20][:len(looks)], looks)
        self.assertGreater(len(looks), 1)
        for cell in documents[1]["cells"]:
            launches = 5 if cell["mode"] == "eager" else looks[-1]
            self.assertEqual(list(range(launches)), [launch["index"] for launch in cell["launches"]])
        again = self.run_graphbench("compare", "graphbench-base.json", "graphbench-new.json", *margins,
                                    code=(0, 10))
        self.assertEqual(json.loads(done.stdout)["cells"], json.loads(again.stdout)["cells"])

    def test_ends_where_the_time_is_up(self):
        self.ab(*self.two(1e-3, 1.2e-3), "--mode", "eager", "--until-decided", "0.000001", code=(0, 10))
        self.assertEqual([2], self.result("graphbench-new.json")["plan"]["interleaved"]["looks"])

    def test_runs_one_binary_in_two_environments(self):
        wrapper = self.wrapper("one")
        self.ab("--base", wrapper, "--new", wrapper, "--env-a", "SIDE=a", "--env-b", "SIDE=b",
                "--env-b", "X=1", "--launches", "2", code=(0, 10))
        self.assertEqual({"a": 6, "b": 6}, {side: sum(call[1] == side for call in self.sweeps())
                                            for side in "ab"})

    def test_new_is_this_binary_where_it_is_not_named(self):
        self.ab("--base", self.wrapper("old"), "--launches", "2", "--mode", "eager", "--quiet", code=(0, 10))
        self.assertEqual(2, len(self.sweeps()))
        self.assertEqual(2, len(self.result("graphbench-new.json")["cells"][0]["launches"]))

    def test_a_side_that_fails_loses_its_cells_and_says_so(self):
        broken = "if calls == 4: sys.exit(1)"
        self.ab("--base", self.fixed("old", 1e-3), "--new", self.wrapper("new", broken),
                "--launches", "3", code=10)
        failed = [cell for cell in self.result("graphbench-new.json")["cells"] if cell["status"] == "failed"]
        self.assertEqual(2, len(failed))
        self.assertEqual({"sweep_failed"}, {cell["reason"]["code"] for cell in failed})

    def test_refuses_what_is_no_graphbench(self):
        text = self.write("notes.txt", "x")
        empty = self.write("empty", "")
        empty.chmod(0o755)
        for binary, word in (("absent", "is no file"), (self.folder, "is no file"),
                             (text, "cannot be executed"), (empty, "--base"),
                             ("/bin/true", "is no graphbench"), ("/bin/cat", "is no graphbench")):
            with self.subTest(binary=str(binary)):
                self.assert_refused(self.ab("--base", binary), "--base", word)
        self.assert_refused(self.ab("--base", BINARY, "--new", "absent"), "--new")

    def test_help_names_the_defaults_that_are_other_than_a_sweeps(self):
        for command in ("ab", "selfcheck"):
            words = " ".join(self.run_graphbench(command, "--help").stdout.split())
            self.assertIn("cell and side (default: 5)", words)

    def test_refuses_other_bad_input(self):
        self.assert_refused(self.ab(), "both sides are the same")
        self.assert_refused(self.ab("--env-a", "NOVALUE"), "--env-a", "NAME=VALUE")
        self.assert_refused(self.ab("--base", BINARY, "--json", "x"), "--json", "leave it out")
        self.assert_refused(self.ab("--base", BINARY, "--linger", "1"), "--linger", "leave it out")
        self.assert_refused(self.ab("--base", BINARY, "--json-new", "no/folder/x.json"), "--json-new")
        self.assert_refused(self.ab("--base", BINARY, "--json-new", "graphbench-base.json"), "--json-new")
        self.assert_refused(self.ab("--base", BINARY, "--json-base", "-"), "--json-base", "stdout")
        self.assert_refused(self.ab("--base", BINARY, "-o", "./graphbench-new.json"), "-o", "another")
        self.assert_refused(self.ab("--base", BINARY, "--margin", "much"), "--margin")
        self.assert_refused(self.ab("--base", BINARY, "--launches", "0"), "--launches")
        for minutes in ("0", "-1", "soon", "1e9"):
            done = self.ab("--base", BINARY, "--until-decided", minutes)
            self.assert_refused(done, "--until-decided", minutes)
        self.assert_refused(self.ab("--base", BINARY, "--until-decided", "--launches", "3"), "--launches")
        self.assert_refused(self.ab("--base", BINARY, "--until-decided", "5", "--confirm"), "--confirm")
        self.assert_refused(self.ab("--base", BINARY, "--require-power", "0%"), "--require-power", "0%")
        self.assert_refused(self.ab("--base", BINARY, "--mode", "hole"), "--mode")
        self.assert_refused(self.ab("--base", BINARY, "--alternate", "cels"), "--alternate", '"cels"', "cell")
        self.assert_refused(self.run_graphbench("--seed", "1", "ab", "--base", BINARY), "before ab")

    def test_a_base_that_refuses_an_option_is_bad_input(self):
        older = 'if "--cold-l2" in sys.argv: print("graphbench: --cold-l2: what is that?"); sys.exit(2)'
        old = self.wrapper("old", older)
        self.assert_refused(self.ab("--base", old, "--cold-l2", "--quiet"), "--base", "what is that")
        self.assertEqual([], list(self.folder.glob("graphbench-*")))

    def test_an_interruption_keeps_what_was_measured(self):
        process = self.start("ab", "--base", BINARY, *TINY, "--launches", "200")
        seen = ""
        while not re.search(r"worker ([3-9]|\d\d)", seen):  # each side has a launch then
            line = process.stderr.readline()
            self.assertTrue(line, seen)
            seen += line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, err)
        self.assertEqual("", out)
        self.assertIn("kept in graphbench-base.json and graphbench-new.json", err)
        for side in ("base", "new"):
            document = self.result(f"graphbench-{side}.json")
            self.assertFalse(document["complete"])
            self.assertEqual([], document_rules.faults_of(document))
            self.assertTrue(any(cell["launches"] for cell in document["cells"]))

    def test_leaves_nothing_behind(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.ab("--base", BINARY, "--launches", "2", env=self.environment(TMPDIR=str(scratch)))
        self.assertEqual([], os.listdir(scratch))
        shutil.rmtree(scratch)
        self.assertEqual(["graphbench-base.json", "graphbench-new.json"], sorted(os.listdir(self.folder)))


class SelfCheck(HarnessCase):
    def selfcheck(self, *arguments, **options):
        return self.run_graphbench("selfcheck", *TINY, "--launches", "3", *arguments, **options)

    def test_says_what_it_found(self):
        done = self.selfcheck("--rounds", "2", "--json", "found.json", code=0)
        self.assertIn("of 2 comparisons said slower", done.stdout)
        self.assertIn("launches needed", done.stdout)
        found = self.result("found.json")
        self.assert_valid(found, "selfcheck.schema.json")
        keys = ("rounds", "rounds_asked", "launches", "cells")
        self.assertEqual((2, 2, 3, 6), tuple(found[key] for key in keys))
        self.assertEqual(2, found["alarms"]["measured"]["comparisons"])
        self.assertEqual(2 * 3, found["alarms"]["renamed"]["comparisons"])
        latency = next(metric for metric in found["metrics"] if metric["metric"] == "latency")
        self.assertEqual((6, 12), (latency["cells"], latency["tests"]))
        self.assertGreater(latency["pair_spread"]["worst"], 0)
        self.assertEqual(["found.json"], os.listdir(self.folder))

    def test_writes_json_to_stdout_alone(self):
        done = self.selfcheck("--rounds", "1", "--mode", "eager", "--json", "-", "--quiet", "--margin", "5%",
                              "--alternate", "cell", code=0)
        self.assertEqual(0.05, json.loads(done.stdout)["metrics"][0]["margin"])

    def test_refuses_bad_input(self):
        self.assert_refused(self.selfcheck("--rounds", "0"), "--rounds")
        self.assert_refused(self.selfcheck("--alternate", ""), "--alternate")
        self.assert_refused(self.selfcheck("--json", "no/folder.json"), "--json")
        self.assert_refused(self.selfcheck("--samples", "x.npz"), "--samples", "leave it out")

    def test_an_interruption_before_the_first_round_keeps_nothing(self):
        process = self.start("selfcheck", *TINY, "--launches", "300")
        while "worker " not in (line := process.stderr.readline()):
            self.assertTrue(line)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, err)
        self.assertIn("interrupted before anything was measured", err)


if __name__ == "__main__":
    unittest.main()
