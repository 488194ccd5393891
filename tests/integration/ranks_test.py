"""--ranks: worker processes measure a step together, and a rank that fails or hangs ends its group."""

import os
import pathlib
import subprocess
import textwrap
import unittest

from harness_case import HarnessCase
from torch_case import HAS_TORCH, PYTHON

STEPS = """
    import weakref
    import torch
    import torch.distributed as dist

    ended = []
    give_up = dist.destroy_process_group

    def last(*given):
        with open(f"order.{dist.get_rank()}", "w") as file:
            print(*ended, "communicator", file=file)
        give_up(*given)

    dist.destroy_process_group = last

    def adding(batch, device):
        x = torch.full((batch, 8), 1.0 + dist.get_rank())
        calls = []
        def step():
            y = x.clone()
            calls.append(1)
            if batch != 3 or dist.get_rank() == 0 or len(calls) < 20:
                dist.all_reduce(y)
            return y
        weakref.finalize(step, ended.append, f"step{batch}")
        return step
"""


class Ranks(HarnessCase):
    def sweep(self, *extra, batch="1,2", ranks="2", device="host", code=None):
        return self.run_graphbench("--sweep", "--device", device, "--time-per-cell", "0.005", "--samples-max",
                                   "5", "--batch", batch, "--ranks", ranks, *extra, code=code)

    def step(self, *extra, **options):
        self.sweep("--plugin", self.plugin("rank_step"), "--workload", "rank_step", *extra, **options)
        return {(cell["mode"], cell["batch"], int(cell.get("ranks", 1))): cell
                for cell in self.result()["cells"]}

    def test_measure_cells_together_for_each_number_of_ranks(self):
        cells = self.step("--launches", "2", ranks="1,2", code=0)
        self.assertEqual({(mode, batch, ranks) for mode in ("eager", "whole") for batch in (1, 2)
                          for ranks in (1, 2)}, set(cells))
        for (_, _, ranks), cell in cells.items():
            self.assertEqual(("ok", True), (cell["status"], cell["check"]["identical"]), cell)
            self.assertEqual("shared memory 1", cell["library"]["collectives"])
            for launch in cell["launches"]:
                if ranks == 1:
                    self.assertNotIn("ranks", launch)
                    continue
                self.assertEqual(ranks, len(launch["ranks"]["submit_seconds"]))
                self.assertGreaterEqual(launch["ranks"]["skew_seconds"]["p50"], 0)
        subjects = {each["subject"] for each in self.result()["conclusions"]}
        self.assertTrue(any("ranks=2" in subject for subject in subjects), subjects)

    def test_what_a_rank_does_alone_costs_its_batch_and_is_said(self):
        reasons = {13: ("worker_timeout", "rank 1 at step "), 17: ("check_failed", "rank 1: check: output y"),
                   19: ("worker_crashed", "; its output: rank 1 was the first to fail"),
                   23: ("step_failed", "rank 1: run: a rank fails alone")}
        shared = pathlib.Path("/dev/shm")
        before = set(shared.glob("graphbench-test-*"))
        cells = self.step("--mode", "whole", "--worker-timeout", "3", batch="1,13,17,19,23,31", code=3)
        self.assertEqual("ok", cells["whole", 1, 2]["status"], cells["whole", 1, 2])
        self.assertEqual("skipped", cells["whole", 31, 2]["status"])
        for batch, (code, words) in reasons.items():
            with self.subTest(batch=batch):
                reason = cells["whole", batch, 2]["reason"]
                self.assertEqual(code, reason["code"], reason)
                self.assertIn(words, reason["message"])
        self.assertIn("in mode whole, phase ", cells["whole", 13, 2]["reason"]["message"])
        left = subprocess.run(["pgrep", "-P", "1", "-f", self.plugin("rank_step")], capture_output=True,
                              text=True, check=False)
        self.assertEqual("", left.stdout)
        self.assertLessEqual(set(shared.glob("graphbench-test-*")), before)

    def test_are_refused_where_they_have_no_meaning(self):
        plugin = ["--plugin", self.plugin("rank_step"), "--workload", "rank_step"]
        self.assert_refused(self.sweep("--workload", "mlp"), "--ranks", "only with a foreign step")
        self.assert_refused(self.sweep(*plugin, device="all"), "--ranks",
                            "each device of a list has its own sweep")
        self.assert_refused(self.sweep(*plugin, ranks="65"), "--ranks", "give at most 64")
        self.assert_refused(self.sweep(*plugin, "--on-skip", "eager"), "--on-skip", "without --ranks")
        for option, value in (("--sustained", "5"), ("--cpu", "0")):
            self.assert_refused(self.sweep(*plugin, option, value), option, "no meaning for several ranks")

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_of_pytorch_meet_in_its_collectives_and_a_hang_is_named(self):
        (self.folder / "step.py").write_text(textwrap.dedent(STEPS), encoding="utf-8")
        self.sweep("--torch", "step.py:adding", "--python", PYTHON, "--mode", "eager", "--worker-timeout",
                   "24", batch="2,3", code=3)
        cells = {cell["batch"]: cell for cell in self.result()["cells"]}
        self.assertEqual(("ok", "gloo"), (cells[2]["status"], cells[2]["library"]["collectives"]), cells[2])
        message = cells[3]["reason"]["message"]
        self.assertEqual("worker_timeout", cells[3]["reason"]["code"], message)
        self.assertRegex(message, r"rank 0 at step \d+ in mode eager, phase \w+ of batch 3, in all_reduce at "
                                  r"distributed_c10d.py:\d+ < step at step.py:\d+; rank 1 at step ")
        for rank in (0, 1):
            order = pathlib.Path(self.folder, f"order.{rank}").read_text(encoding="ascii").split()
            # The check builds the step once more, for other inputs.
            self.assertEqual(["step2", "step2", "communicator"], order,
                             "a communicator is given up after all steps")


if __name__ == "__main__":
    unittest.main()
