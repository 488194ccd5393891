"""With stand-ins for graphbench: what ci/nightly runs, keeps and says of two commits, and how many launches
tests/torch/baselines.py takes."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from client import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, sys
words = sys.argv[1:]
with open(os.environ["TOLD"], "a") as told:
    told.write(json.dumps([os.environ.get("GRAPHBENCH_CUDA_MODULE"), *words]) + "\\n")
if words[0] == "ab":
    for side in ("base", "new"):
        pathlib.Path(words[words.index(f"--json-{{side}}") + 1]).write_text(json.dumps(
            {{"tool": {{"commit": side * 2 + "-dirty"}},
              "cells": [{{"id": "a", "status": "ok"}}, {{"id": "b", "status": "failed"}}]}}))
    sys.exit(int(os.environ["AB"]))
if words[:2] == ["history", "show"]:
    print("{{}}")
sys.exit(int(os.environ["PLANTED"]) if words[1] == "planted3" else 0)
"""

# Its gain is known to 30 % of five launches, and to 5 % of ten.
SWEEP = f"""#!{sys.executable}
import json, sys
words = sys.argv
launches = int(words[words.index("--launches") + 1])
half = 0.05 if launches == 10 else 0.3
cells = [{{"mode": mode, "batch": 1, "status": "ok", "launches": launches, "summary": {{
    "speedup_over_eager": gain, "speedup_over_eager_ci95": gain and [gain * (1 - half), gain * (1 + half)]}}}}
    for mode, gain in (("eager", None), ("whole", 2.0))]
with open(words[words.index("--json") + 1], "w") as file:
    json.dump({{"environment": {{"device": {{"name": "NVIDIA H200"}}}}, "cells": cells, "argv": words}}, file)
"""


class Verdicts(unittest.TestCase):
    def test_a_part_of_the_launches_is_a_document_that_compare_reads(self):
        loader = importlib.machinery.SourceFileLoader("verdicts", str(ROOT / "ci/verdicts"))
        verdicts = importlib.util.module_from_spec(importlib.util.spec_from_loader("verdicts", loader))
        loader.exec_module(verdicts)
        document = json.loads((ROOT / "ci/baselines/h200-torch-resnet50.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            part = pathlib.Path(folder) / "part.json"
            part.write_text(json.dumps(verdicts.with_launches(document, range(2, 5))))
            done = subprocess.run([os.environ["GRAPHBENCH_BINARY"], "compare", part, part],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertIn("6 cells, 3 launches", done.stdout)


    def test_what_did_not_run_is_not_what_was_not_found(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [ROOT / "ci/verdicts", folder, "again", "--document", f"{folder}/none.json"],
                capture_output=True, text=True, check=False)
        if "build it with ci/build" in done.stderr:
            self.skipTest("ci/verdicts takes the programs of this tree's build/release")
        self.assertEqual(3, done.returncode, done.stderr)
        self.assertIn("ci/verdicts: again: FileNotFoundError", done.stderr)


class Baselines(unittest.TestCase):
    def test_launches_are_added_until_gains_are_known(self):
        with tempfile.TemporaryDirectory() as folder:
            sweep = pathlib.Path(folder) / "graphbench"
            sweep.write_text(SWEEP)
            sweep.chmod(0o755)
            for launches, code, words in (
                    ("5,10", 0, "bert, 10 launches, 0 s: every gain is known to 10 %\nall known\n"),
                    ("5", 1, "bert, 5 launches, 0 s: b1 whole: 2.00x (1.40-2.60)\n"
                             "not known as well: bert\n")):
                done = subprocess.run(
                    [sys.executable, ROOT / "tests/torch/baselines.py", folder, "--step", "bert",
                     "--launches", launches, "--graphbench", sweep],
                    capture_output=True, text=True, check=False)
                self.assertEqual(code, done.returncode, done.stderr)
                self.assertIn(words, re.sub(r"\d+ s:", "0 s:", done.stdout))
                kept = json.loads((pathlib.Path(folder) / "h200-torch-bert.json").read_text())
                self.assertEqual(int(launches.split(",")[-1]), kept["cells"][0]["launches"])
                given = dict(zip(kept["argv"], kept["argv"][1:]))
                self.assertEqual(["tests/torch/steps.py:bert", "python3", "measured.json"],
                                 [given[name] for name in ("--torch", "--python", "--json")])


class Nightly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        for name, majors in (("old", (13,)), ("new", (12, 13))):
            self.add(name, "bin/graphbench")
            (self.folder / name / "lib/graphbench").mkdir(parents=True)
            for major in majors:
                (self.folder / name / f"lib/graphbench/graphbench_cuda{major}.so").touch()
        self.add("new", "ci/verdicts")
        shutil.copy(ROOT / "ci/nightly", self.folder / "new/ci")

    def add(self, folder, name):
        path = self.folder / folder / name
        path.parent.mkdir(parents=True)
        path.write_text(STAND_IN)
        path.chmod(0o755)

    def nightly(self, code, *more, ab=0, planted=0, old="old"):
        told = self.folder / "told"
        told.write_text("")
        done = subprocess.run(
            [self.folder / "new/ci/nightly", self.folder / "out", "--old", self.folder / old, *more],
            env={**os.environ, "TOLD": str(told), "AB": str(ab), "PLANTED": str(planted)}, text=True,
            capture_output=True, check=False)
        self.assertEqual(code, done.returncode, done.stderr)
        return done, [json.loads(line) for line in told.read_text().splitlines()]

    def test_two_commits_are_measured_by_one_module_kept_and_shown(self):
        done, (ab, add, show, report, planted) = self.nightly(0)
        self.assertEqual(["13", "ab", "--base", str(self.folder / "old/bin/graphbench"), "--new",
                          str(self.folder / "new/bin/graphbench"), "--device", "cuda"], ab[:8])
        self.assertEqual(["history", "add"], add[1:3])
        self.assertEqual("newnew", add[add.index("--commit") + 1])
        self.assertEqual(["history", "show", "a"], show[1:4])
        out = self.folder / "out"
        documents = [str(out / f"nightly-{name}.json") for name in ("base", "new", "series-0")]
        self.assertEqual(["report", *documents, "-o", str(out / "nightly.html")], report[1:])
        self.assertEqual(["planted3", "--device", "cuda", "--mode", "whole"], planted[2:7])
        self.assertEqual("newnew against basebase: nothing is slower\n3 % planted in whole: found; "
                         f"{out / 'nightly.html'}\n", done.stdout)

    def test_what_is_slower_or_not_found_ends_otherwise(self):
        done, told = self.nightly(10, ab=10, planted=1)
        self.assertEqual(5, len(told), "a slower night is kept too")
        self.assertIn("slower\n3 % planted in whole: not found", done.stdout)
        self.assertIn("not found", self.nightly(1, planted=1)[0].stdout)
        self.assertIn("blind", self.nightly(11, ab=11)[0].stdout)
        self.assertIn("not found", self.nightly(1, ab=11, planted=1)[0].stdout)
        self.assertIn("nightly-ab: exit status 3", self.nightly(1, ab=3)[0].stderr)
        self.assertIn("nightly-ab: exit status 2", self.nightly(2, ab=2)[0].stderr)
        done = self.nightly(1, planted=3)[0]
        self.assertIn("nightly-planted: exit status 3", done.stderr)
        self.assertNotIn("planted in whole", done.stdout)

    def test_a_signal_ends_what_runs(self):
        out = self.folder / "out"
        (self.folder / "new/bin/graphbench").write_text(f"""#!{sys.executable}
import pathlib, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    pathlib.Path({str(self.folder / "begun")!r}).touch()
    time.sleep(600)
except KeyboardInterrupt:
    pathlib.Path({str(self.folder / "ended")!r}).touch()
""")
        for each in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen([self.folder / "new/ci/nightly", out, "--old", self.folder / "old"],
                                       stderr=subprocess.PIPE, text=True)
            wait_for("its command", lambda: (self.folder / "begun").exists())
            process.send_signal(each)
            self.assertEqual("ci/nightly: interrupted\n", process.communicate()[1])
            self.assertEqual(130, process.returncode)
            for name in ("begun", "ended"):
                (self.folder / name).unlink()

    def test_what_cannot_be_compared_is_refused(self):
        self.assertIn("--old: no graphbench at", self.nightly(2, old="nothing")[0].stderr)
        (self.folder / "old/lib/graphbench/graphbench_cuda13.so").unlink()
        done, told = self.nightly(2)
        self.assertIn("--old has CUDA's modules [] and --new [12, 13]", done.stderr)
        self.assertEqual([], told)
        self.assertIsNone(self.nightly(0, "--device", "host")[1][0][0])

    def test_what_is_mistyped_is_refused_before_anything_runs(self):
        for more, words in ((("--launches", "0"), "--launches: 0 is not positive"),
                            (("--planted-mode", "foo"), "--planted-mode: invalid choice: 'foo'"),
                            (("--new", str(self.folder / "old")), "--new: no "),
                            (("--history", "/nope/h.sqlite"), "--history: there is no folder /nope")):
            done, told = self.nightly(2, *more)
            self.assertIn(words, done.stderr)
            self.assertEqual([], told)
        (self.folder / "h.sqlite").touch()
        self.assertEqual(["history", "list"],
                         self.nightly(0, "--history", str(self.folder / "h.sqlite"))[1][0][1:3])
        shutil.rmtree(self.folder / "out")
        (self.folder / "out").touch()
        self.assertIn("give a folder", self.nightly(2)[0].stderr)


if __name__ == "__main__":
    unittest.main()
