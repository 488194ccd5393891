"""ci/gate as a CI runs it, on the host device; and the templates: valid YAML whose every command and flag
exists, their scripts run as a runner would run them."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import harness_case
import yaml
from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]
GATE = ROOT / "ci" / "gate"
TEMPLATES = ROOT / "ci" / "templates"
TINY = ["--device", "host", "--workload", "mlp", "--mode", "eager", *harness_case.TINY[3:]]


# Medians of launches.
STEADY, SLOW = [1e-3, 1.001e-3, 0.999e-3, 1e-3], [2e-3, 2.001e-3, 1.999e-3, 2e-3]


class GateCase(harness_case.HarnessCase):
    def run_gate(self, *arguments, code, **environment):
        unset = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GRAPHBENCH_BASELINE")
        base = {name: value for name, value in self.environment().items() if name not in unset}
        base.update(GRAPHBENCH=harness_case.BINARY, **environment)
        done = subprocess.run([GATE, *map(str, arguments)], cwd=self.folder, env=base, capture_output=True,
                              text=True, timeout=300, check=False)
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return done

    def document(self, name, latencies, status="ok"):
        """A result document of one cell, a launch a latency: only required fields that compare reads."""
        launches = [{"index": i, "latency_seconds": {"p50": value}, "submit_seconds": {"p50": value / 10}}
                    for i, value in enumerate(latencies)]
        cell = {"id": "mlp/tiny/fp32/forward/b1/w0/eager", "status": status, "launches": launches}
        if status != "ok":
            cell.update(launches=[], reason={"code": "failed", "message": "made up"})
        self.write(name, json.dumps({"schema": "graphbench.result/1", "complete": True, "plan": {"method": 2},
                                     "cells": [cell]}))
        return name


class Gate(GateCase):
    def setUp(self):
        super().setUp()
        self.base = self.document("base.json", STEADY)
        self.slower = self.document("slower.json", SLOW)

    def test_accepts_the_first_baseline_and_compares_with_it(self):
        self.run_gate("--baseline", "ci/baseline.json", "--accept", "--launches", 2, "--", *TINY, code=0)
        self.assertEqual("graphbench.result/1", self.result("ci/baseline.json")["schema"])
        self.assertEqual(2, self.result("ci/baseline.json")["plan"]["launches"])
        # The margin is so wide that only what is broken fails. Two launches may decide nothing: blind.
        self.run_gate("--baseline", "ci/baseline.json", "--launches", 2, "--margin", "900%",
                      "--require-power", "off", "--", *TINY, code=(0, 11))
        self.assertEqual("graphbench.comparison/1", self.result("gate/comparison.json")["schema"])
        for name in ("result.json", "comparison.md", "junit.xml", "report.html"):
            self.assertTrue((self.folder / "gate" / name).exists(), name)

    def test_exits_as_compare_does(self):
        again = self.document("again.json", STEADY)
        once = self.document("once.json", [1e-3])
        failed = self.document("failed.json", [], "failed")
        blind = ["--require-power", "off"]
        for new, options, code in ((again, [], 0), (self.slower, [], 10), (once, [], 11), (once, blind, 11),
                                   (once, ["--strict"], 11), (failed, [], 10)):
            with self.subTest(new=new, options=options):
                self.run_gate("--baseline", self.base, "--result", new, *options, code=code)

    def test_measures_a_base_binary_until_it_is_decided(self):
        done = self.run_gate("--base-binary", harness_case.BINARY, "--margin", "900%", "--until-decided",
                             "30", "--require-power", "off", "--", *TINY, code=0)
        sides = [self.result(f"gate/{side}.json")["plan"]["interleaved"] for side in ("base", "result")]
        self.assertEqual(["base", "new"], [side["side"] for side in sides])
        self.assertEqual(5, sides[0]["looks"][0])
        self.assertEqual(sides[0]["looks"], sides[1]["looks"])
        self.assertIn("margin 900 %", done.stdout)

    def test_says_last_what_it_would_have_found_and_may_require_it(self):
        launches = [1e-3, 1.004e-3, 0.996e-3, 1e-3]
        sides = ["--baseline", self.document("base.json", launches), "--result",
                 self.document("new.json", launches[::-1])]
        blind = self.document("blind.json", [1e-3, 1.3e-3])
        done = self.run_gate("--baseline", self.base, "--result", blind, code=11)
        self.assertIn("raise --launches, or stop other programs.", done.stdout.splitlines()[-1])
        done = self.run_gate(*sides, code=0)
        self.assertRegex(done.stdout.splitlines()[-1],
                         r"^ci/gate: Slowdowns found in nine cases of ten: .* \d.*% in eager.*\.$")
        self.run_gate(*sides, "--require-power", "50%", code=0)
        done = self.run_gate(*sides, "--require-power", "0.1%", code=11)
        self.assertIn("--require-power 0.1 % is not met", done.stdout.splitlines()[-1])

    def test_compares_nothing_with_itself(self):
        (self.folder / "gate").mkdir()
        inside = self.document("gate/result.json", [1e-3, 1.001e-3])
        (self.folder / "link.json").symlink_to("base.json")
        for arguments, word in (((self.base, "--result", self.base), "is the baseline itself"),
                                ((self.base, "--result", "link.json"), "is the baseline itself"),
                                ((inside, "--", *TINY), "give another --out"),
                                (("gate", "--", *TINY), "give another --out")):
            with self.subTest(arguments):
                before = (self.folder / inside).read_bytes()
                done = self.run_gate("--baseline", *arguments, code=2)
                self.assertEqual(1, done.stderr.count("\n"), done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(before, (self.folder / inside).read_bytes())

    def test_writes_the_summary_and_annotations_of_a_workflow(self):
        self.write("summary.md", "before\n")
        done = self.run_gate("--baseline", self.base, "--result", self.slower, GITHUB_ACTIONS="true",
                             GITHUB_STEP_SUMMARY="summary.md", code=10)
        self.assertIn("\n::error title=graphbench%3A slower::mlp/tiny", done.stdout)
        summary = (self.folder / "summary.md").read_text(encoding="utf-8")
        wanted = "before\n<!-- graphbench-compare -->\n### graphbench: slower"
        self.assertTrue(summary.startswith(wanted), summary)

    def test_accepts_a_result_that_is_there(self):
        self.run_gate("--baseline", self.base, "--accept", "--result", self.slower, code=0)
        self.assertEqual((self.folder / self.slower).read_text(), (self.folder / self.base).read_text())
        self.assertEqual({self.base, self.slower, "gate"}, set(os.listdir(self.folder)))

    def test_accepts_no_result_with_failures_nor_one_that_cannot_be_read(self):
        before = (self.folder / self.base).read_text(encoding="utf-8")
        failed = (self.folder / self.document("failed.json", [], "failed")).read_text(encoding="utf-8")
        partial = before.replace('"complete": true', '"complete" : false')
        for text, code in ((failed, 3), (failed.replace('"status": ', '"status" :\n '), 3), (partial, 3),
                           (partial.replace(" : ", ": "), 3), (before[:-20], 2),
                           (failed.replace('"failed"', '"skipped"'), 3)):
            with self.subTest(text[:60]):
                self.write("new.json", text)
                self.run_gate("--baseline", self.base, "--accept", "--result", "new.json", code=code)
                self.assertEqual(before, (self.folder / self.base).read_text(encoding="utf-8"))

    def test_replaces_a_baseline_that_cannot_be_read(self):
        self.write("base.json", "{")
        new = self.document("new.json", [1e-3])
        self.run_gate("--baseline", "base.json", "--accept", "--result", new, code=0)

    def test_takes_its_baseline_from_a_history(self):
        def dated(name, latencies, day):
            made = self.result(self.document(name, latencies))
            made["started_at"] = f"2026-01-0{day}T00:00:00Z"
            made["plan"]["hash"] = "p"
            self.write(name, json.dumps(made))
            return name

        dated(self.base, STEADY, 1)
        dated(self.slower, SLOW, 2)
        where = ["--against", "accepted", "--history", "kept.sqlite"]
        self.assertIn("kept.sqlite", self.run_gate(*where, "--result", self.base, code=2).stderr)
        self.run_gate(*where, "--accept", "--result", self.base, code=0)
        self.run_gate(*where, "--result", self.slower, GRAPHBENCH_BASELINE="no.json", code=10)
        self.assertIn("accepted", self.result("gate/comparison.json")["base"]["source"])
        # Refused before the sweep, which would have made the folder.
        done = self.run_gate(*where[:1], "other", *where[2:], "--out", "never", "--", *TINY, code=2)
        self.assertEqual((2, ""), (done.returncode, done.stdout))
        self.assertEqual('graphbench: --against: no entry of the history has the name "other": '
                         "give one of accepted\n", done.stderr)
        self.assertFalse((self.folder / "never").exists())
        # Accepting shows what changes, and then what was slower is what is measured against.
        done = self.run_gate(*where, "--accept", "--result", self.slower, code=0)
        self.assertIn("slower", done.stdout)
        self.run_gate(*where, "--result", dated("latest.json", SLOW, 3), code=0)

    def test_refuses_bad_usage_in_one_line(self):
        (self.folder / "folder").mkdir()
        for arguments, word in (
                ([], "--baseline"), (["--baseline", "none.json"], "--accept"),
                (["--baseline"], "wants a value"), (["--baseline", self.base, "--brief"], "--brief"),
                (["--baseline", self.base, "--result", self.base, "--", "--batch", "1"], "--result"),
                (["--baseline", self.base, "--against", "main"], "--against"),
                (["--baseline", self.base, "--history", "h.sqlite"], "--history"),
                (["--base-binary", "none"], "'none'"),
                (["--baseline", self.base, "--base-binary", harness_case.BINARY], "--base-binary"),
                (["--base-binary", harness_case.BINARY, "--accept"], "--accept"),
                (["--base-binary", harness_case.BINARY, "--launches", "3"], "--launches"),
                (["--base-binary", harness_case.BINARY, "--result", self.base], "--result"),
                (["--baseline", self.base, "--until-decided", "5"], "--until-decided"),
                (["--baseline", "folder", "--accept", "--result", self.base], "folder")):
            with self.subTest(arguments):
                done = self.run_gate(*arguments, code=2)
                self.assertEqual(("", 1), (done.stdout, done.stderr.count("\n")), done.stderr)
                self.assertIn(word, done.stderr)
                self.assertFalse((self.folder / "gate").exists())

    def test_passes_on_what_graphbench_refuses_and_says_where_it_looked_for_the_binary(self):
        for arguments, word, code in ((["--", "--batch", "none"], "--batch", 2),
                                      (["--result", self.slower, "--margin", "wide"], "--margin", 2),
                                      (["--graphbench", "no/such/binary"], "no/such/binary", 1)):
            done = self.run_gate("--baseline", self.base, *arguments, code=code)
            self.assertIn(word, done.stderr)


ACTION = "./.github/actions/graphbench"


def scripts_of_github(document, action):
    """Those of the workflow, and of our action where it is used, with the inputs as GitHub puts them in."""
    for name, job in document["jobs"].items():
        for step in job["steps"]:
            if "run" in step:
                yield f"{name}: {step.get('name')}", step["run"], {}
            if step.get("uses") != ACTION:
                continue
            inputs = {key: each["default"] for key, each in action["inputs"].items()}
            inputs.update({key: str(value).lower() for key, value in step.get("with", {}).items()})
            for each in action["runs"]["steps"]:
                environment = {key: inputs[value.split(".")[1].split()[0]]
                               for key, value in each.get("env", {}).items()}
                if "run" in each:
                    yield f"{name}: {each['name']}", each["run"], environment


def scripts_of_gitlab(document):
    for name, job in document.items():
        if "script" in job:
            yield name, "\n".join(job["script"]), document[job["extends"]]["variables"]


class Templates(GateCase):
    def setUp(self):
        super().setUp()
        self.github = yaml.safe_load((TEMPLATES / "github-actions.yml").read_text(encoding="utf-8"))
        self.action = yaml.safe_load((TEMPLATES / "action/action.yml").read_text(encoding="utf-8"))
        self.gitlab = yaml.safe_load((TEMPLATES / "gitlab-ci.yml").read_text(encoding="utf-8"))
        self.scripts = [*scripts_of_github(self.github, self.action), *scripts_of_gitlab(self.gitlab)]

    def help_of(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def test_every_job_names_a_machine_and_an_end(self):
        for job in self.github["jobs"].values():
            self.assertIn("self-hosted", job["runs-on"])
            self.assertIn("timeout-minutes", job)
        for name in ("graphbench-gate", "graphbench-accept"):
            self.assertEqual(".graphbench", self.gitlab[name]["extends"])
        self.assertEqual(["gpu"], self.gitlab[".graphbench"]["tags"])
        # YAML 1.1 reads the key "on" as true.
        self.assertIn("pull_request", self.github[True])

    def test_the_action_is_one_that_any_workflow_can_use(self):
        text = (TEMPLATES / "action/action.yml").read_text(encoding="utf-8")
        self.assertEqual("composite", self.action["runs"]["using"])
        self.assertEqual(set(self.action["inputs"]), set(re.findall(r"inputs\.(\w+)", text)))
        for step in self.action["runs"]["steps"]:
            # An input inside of a script would run what a pull request writes.
            self.assertNotIn("${{", step.get("run", ""))
            self.assertEqual("run" in step, "shell" in step)
        for name, job in self.github["jobs"].items():
            given = [set(step.get("with", {})) for step in job["steps"] if step.get("uses") == ACTION]
            self.assertEqual(1, len(given), name)
            self.assertLessEqual(given[0], set(self.action["inputs"]), name)

    def test_reports_are_files_that_the_gate_writes(self):
        self.assertEqual("gate/junit.xml", self.gitlab["graphbench-gate"]["artifacts"]["reports"]["junit"])

    def test_every_flag_exists(self):
        known = set(re.findall(r"--[a-z][a-z-]*", self.help_of(GATE, "--help")))
        sweep = set(re.findall(r"--[a-z][a-z-]*", self.help_of(harness_case.BINARY, "--help-all")))
        gates = 0
        for name, script, _ in self.scripts:
            for line in script.replace("\\\n", "").splitlines():
                if "/ci/gate" not in line:
                    continue
                gates += 1
                ours, _, theirs = line.partition(" -- ")
                with self.subTest(name):
                    self.assertLessEqual(set(re.findall(r"(?<= )--[a-z-]+", ours)), known)
                    self.assertLessEqual(set(re.findall(r"--[a-z][a-z-]*", theirs)), sweep)
        self.assertEqual(4, gates)

    def test_the_configuration_is_one_that_graphbench_takes(self):
        self.run_graphbench("--sweep", "--config", TEMPLATES / "graphbench.toml", "--workload", "mlp",
                            "--device", "host", "--batch", "1", "--mode", "eager", "--dump-program",
                            code=0)

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_the_configuration_takes_a_pytorch_step_by_its_two_commented_lines(self):
        text = (TEMPLATES / "graphbench.toml").read_text(encoding="utf-8")
        kept = "".join(line + "\n" for line in text.splitlines() if not line.startswith(("workload", "mode")))
        told = re.sub(r"(?m)^# (?=[a-z]+ = )", "", kept)
        self.assertEqual(2, text.count("\n# torch = ") + text.count("\n# mode = "))
        self.write("step.toml", told.replace("step.py:build", "example:train"))
        done = self.run_graphbench("--sweep", "--config", "step.toml", "--python", PYTHON, "--device", "host",
                                   "--dry-run", code=0)
        self.assertRegex(done.stdout, r"^6 cells, ")

    def test_their_scripts_run_in_an_installation(self):
        prefix = self.folder / "prefix"
        # A copy, not a link: the gate must find its binary from where it is installed.
        for name, text in (("share/graphbench/ci/gate", GATE.read_text()),
                           ("bin/graphbench", f'#!/bin/sh\nexec "{harness_case.BINARY}" "$@"\n')):
            (prefix / name).parent.mkdir(parents=True)
            (prefix / name).write_text(text)
            (prefix / name).chmod(0o755)
        (self.folder / "ci").mkdir()
        self.write("ci/graphbench.toml", 'device = "host"\nworkload = ["mlp"]\nmode = ["eager"]\n'
                   "batch = [1]\nwarmup = [0]\ntime-per-cell = 0.005\nsamples-max = 5\n")
        for wanted in ("accept: Gate", "gate: Gate", "graphbench-accept", "graphbench-gate"):
            name, script, variables = next(each for each in self.scripts if each[0] == wanted)
            environment = {**self.environment(), **variables, "GRAPHBENCH_PREFIX": str(prefix)}
            environment.pop("GRAPHBENCH", None)
            done = subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, env=environment,
                                  capture_output=True, text=True, timeout=300, check=False)
            with self.subTest(name):
                # Five tiny launches may differ by anything: what is tested is that it judged.
                self.assertIn(done.returncode, (0, 10, 11), done.stdout + done.stderr)
                self.assertTrue((self.folder / "gate/comparison.md").exists() or "ccept" in name)
        self.assertTrue(os.path.exists(self.folder / "ci/graphbench-baseline.json"))
