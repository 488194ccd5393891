#!/usr/bin/env python3
"""Tests of `run` itself, over stand-ins for graphbench and for a Python with torch."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from test_beside import ladder, torch  # noqa: E402
from test_ratios import document, fail, peer  # noqa: E402

STAND_IN = """#!{python}
import os, pathlib, sys
pathlib.Path({calls!r} + "-cache").write_text(os.environ.get("TORCHINDUCTOR_CACHE_DIR", ""))
if {status} in (0, 3):
    target = pathlib.Path(sys.argv[sys.argv.index("--json") + 1])
    target.write_text(pathlib.Path({source!r}).read_text())
    with open({calls!r}, "a") as calls:
        print(target.name, file=calls)
else:
    print("no such device")
sys.exit({status})
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stand_in(self, name, content, status=0):
        source, program = self.folder / f"{name}.json", self.folder / name
        source.write_text(json.dumps(content))
        program.write_text(STAND_IN.format(python=sys.executable, source=str(source), status=status,
                                           calls=str(self.folder / "calls")))
        program.chmod(0o755)
        return str(program)

    def run_peers(self, ours, torch, *extra):
        return subprocess.run(
            [sys.executable, str(HERE / "run"), "--graphbench", ours, "--python", torch,
             "--output", str(self.folder / "out"), *extra], capture_output=True, text=True, check=False)

    def test_alternates_and_prints_ratios(self):
        done = self.run_peers(self.stand_in("ours", document()), self.stand_in("torch", peer(2.0)))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["graphbench-01.json", "torch-01.json", "torch-02.json", "graphbench-02.json"],
                         (self.folder / "calls").read_text().split())
        self.assertIn("### Limits", done.stdout)
        written = json.loads((self.folder / "out/ratios.json").read_text())
        self.assertAlmostEqual(0.5, written["cells"][0]["submit_seconds"]["ratio"])

    def test_what_torch_compiles_serves_all_rounds(self):
        sides = self.stand_in("ours", document()), self.stand_in("torch", peer())
        self.run_peers(*sides, "--rounds", "1")
        self.assertEqual(str(self.folder / "out/inductor"), (self.folder / "calls-cache").read_text())

    def test_judges_only_when_strict(self):
        sides = self.stand_in("ours", document(factor=3.0)), self.stand_in("torch", peer())
        self.assertEqual(0, self.run_peers(*sides, "--rounds", "1").returncode)
        self.assertEqual(1, self.run_peers(*sides, "--rounds", "1", "--strict").returncode)

    def test_failed_cells_are_said_and_exit_1(self):
        torch = fail(peer(), mode="whole", workload="mlp")
        sides = self.stand_in("ours", document()), self.stand_in("torch", torch, 3)
        done = self.run_peers(*sides, "--rounds", "1")
        self.assertEqual(1, done.returncode)
        self.assertIn("### Not compared", done.stdout)

    def test_serves_beside_torch(self):
        sides = self.stand_in("ours", ladder()), self.stand_in("torch", torch())
        done = self.run_peers(*sides, "--traffic", "zipf:1:2", "--rounds", "1", "--batch", "1,2")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("### Round 1: start-up", done.stdout)
        sides = self.stand_in("ours", ladder()), self.stand_in("torch", fail(torch(), mode="eager"), 3)
        done = self.run_peers(*sides, "--traffic", "zipf:1:2", "--rounds", "1")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("### Not compared", done.stdout)
        done = self.run_peers(*sides, "--traffic", "zipf:1:2", "--mode", "whole")
        self.assertEqual(2, done.returncode)
        self.assertIn("--traffic", done.stderr)
        done = self.run_peers(*sides, "--traffic", "zipf:1:2", "--mode", "eager,whole,compiled")
        self.assertEqual(2, done.returncode)
        self.assertIn("compiled serves no --traffic", done.stderr)

    def test_a_side_that_fails_ends_the_run_with_its_last_words(self):
        done = self.run_peers(self.stand_in("ours", document(), 1), self.stand_in("torch", peer()))
        self.assertEqual(1, done.returncode)
        self.assertIn("no such device", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_bad_usage_exits_2(self):
        ours, torch = self.stand_in("ours", document()), self.stand_in("torch", peer())
        for extra in (["--preset", "prefill"], ["--workload", "gru"], ["--batch", "0"], ["--rounds", "0"],
                      ["--warmup", "0"], ["--device", "host"], ["--dtype", "bf16,bf16"]):
            with self.subTest(extra=extra):
                done = self.run_peers(ours, torch, *extra)
                self.assertEqual(2, done.returncode, done.stderr)
                self.assertIn(extra[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
