"""Profilers see the stages of each cell by NVTX: a library, injected as theirs are, counts the ranges."""

import collections
import os
import pathlib
import subprocess
import unittest

from harness_case import BINARY, HarnessCase

PROFILER = pathlib.Path(__file__).resolve().parent / "drivers" / "nvtx.c"
SWEEP = ["--sweep", "--device", "host", "--workload", "mlp", "--warmup", "0", "--launches", "1"]
VERSION = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout


@unittest.skipIf("without NVTX" in VERSION, f"built without NVTX's header: {VERSION}")
class Ranges(HarnessCase):
    def ranges(self, *arguments):
        """How often each range was there, over all processes; and the processes that had one."""
        library, log = self.folder / "profiler.so", self.folder / "ranges"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, PROFILER], check=True)
        for path in self.folder.glob("ranges.*"):
            path.unlink()
        environment = self.environment(NVTX_INJECTION64_PATH=str(library), GRAPHBENCH_TEST_RANGES=str(log))
        self.run_graphbench(*SWEEP, "--mode", "eager,whole", "--batch", "1,2", "--time-per-cell", "10",
                            *arguments, code=0, env=environment)
        counts = collections.Counter()
        files = [path for path in self.folder.glob("ranges.*") if path.stat().st_size]
        for path in files:
            lines = path.read_text().splitlines()
            self.assertEqual({"end"}, set(lines[1::2]), "each ends before the next begins")
            self.assertEqual(2 * len(lines[::2]), len(lines), "the last one has an end")
            counts.update(line.removeprefix("begin ") for line in lines[::2])
        return counts, len(files)

    def test_each_stage_of_a_cell_has_one_and_no_sample(self):
        few, workers = self.ranges("--samples-max", "5")
        self.assertEqual(2, workers, "a worker for each mode; neither parent nor probe has stages")
        cells = [f"mlp/tiny/fp32/forward/b{batch}/w0/{mode}"
                 for batch in (1, 2) for mode in ("eager", "whole")]
        stages = {name.partition(": ")[2] for name in few if name.startswith(cells[1] + ": ")}
        self.assertLessEqual({"prepare", "warmup", "capture", "measure", "check"}, stages)
        for cell in cells:
            self.assertEqual(1, few[cell + ": check"], cell)
            self.assertEqual(few[cells[0] + ": measure"], few[cell + ": measure"], "as many visits")
        self.assertEqual(set(cells) | {"eager", "whole"}, {name.partition(": ")[0] for name in few})
        many, _ = self.ranges("--samples-max", "40")
        self.assertEqual(few, many, "the number of samples changes nothing")

    def test_a_failed_profiler_changes_no_result(self):
        done = self.run_graphbench(*SWEEP, "--mode", "eager", "--batch", "1", "--time-per-cell", "0.01",
                                   env=self.environment(NVTX_INJECTION64_PATH=str(self.folder / "none.so")))
        self.assertEqual(0, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
