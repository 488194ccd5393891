#!/usr/bin/env python3
"""Tests of ladders beside torch: sums of the traffic, start-up, and all that cannot be compared."""

import argparse
import copy
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import beside  # noqa: E402
import options  # noqa: E402
import ratios  # noqa: E402
from test_ratios import fail, peer  # noqa: E402


def torch(factor=1.0):
    """Batches 1 and 2: eager takes 1e-4 and 2e-4, warmup 3 ms, the first step 2 ms."""
    document = peer(factor, ("mlp",))
    for cell in document["cells"]:
        for launch in cell["launches"]:
            launch["setup"].update(warmup_seconds=3e-3, first_step_seconds=2e-3)
    return document


def ladder():
    """10 steps of one row, 20 of two, padded to nothing; 3 of two ran eagerly."""
    def size(rows, count):
        return {"size": rows, "uses": count, "rows": [{"rows": rows, "count": count}], "step_seconds": 1e-4,
                "first_request_seconds": 1e-3}
    launch = {"split_steps": 0, "sizes": [size(1, 10), size(2, 20)], "eager": [{"rows": 2, "uses": 3}],
              "startup": {"warmup_seconds": 1e-3, "capture_seconds": 5e-4, "instantiate_seconds": 3e-4,
                          "upload_seconds": 2e-4}, "memory": {"pool_bytes": 500_000}}
    ours = {"role": "asked", "workload": "mlp", "preset": "base", "dtype": "bf16", "pass": "forward",
            "warmup": 3, "mode": "whole", "sizes": [1, 2], "status": "ok", "launches": [launch],
            "summary": {"busy_seconds": {"p50": 2.8e-3}, "over_eager": 1.5}}
    return {"schema": "graphbench.result/1", "environment": {"device": {"name": "A GPU", "uuid": "GPU-1"}},
            "ladders": [ours, {**copy.deepcopy(ours), "role": "eager", "sizes": []}]}


class Beside(unittest.TestCase):
    def test_sizes_of_a_ladder_are_lists_and_ranges(self):
        self.assertEqual(67, len(options.batches("1,2,4,8:512:+8")))
        parser = argparse.ArgumentParser()
        options.add_sweep_options(parser)
        arguments = parser.parse_args(["--batch", "1,2,4:8:+4"])
        arguments.traffic, arguments.steps, arguments.no_rivals = "zipf:1:8", 200, True
        options.check(parser, arguments)
        line = " ".join(options.ladder_line(arguments))
        for words in ("--mode whole,piecewise", "--capture-sizes 1,2,4,8", "--traffic zipf:1:8",
                      "--steps 200 --no-rivals"):
            self.assertIn(words, line)

    def test_torch_takes_the_sum_of_its_eager_times_for_the_same_steps(self):
        self.assertAlmostEqual(10 * 1e-4 + 23 * 2e-4, beside.torch_total(ladder()["ladders"][0], torch()))
        steps, startups, missing = beside.beside(ladder(), torch())
        self.assertEqual([("mlp base bf16 whole", "0.003", "0.004", "0.006", "2.000")], steps)
        # 1 + 2 ms ours; torch 2 x 1.5 + 2 x 2 ms
        self.assertEqual(("2", "1.00", "6.00", "3.00", "7.00", "0.429", "0.5", "0.0"), startups[0][1:])
        self.assertEqual([], missing)

    def test_times_between_measured_sizes_are_on_a_line(self):
        times = {2: 1.0, 6: 3.0}
        self.assertEqual([1.0, 1.0, 2.0, 3.0], [beside.at(times, rows) for rows in (1, 2, 4, 6)])
        with self.assertRaisesRegex(ratios.DocumentError, "no eager batch of 7 or more"):
            beside.at(times, 7)

    def test_what_cannot_be_compared_is_said(self):
        def missing(change=lambda ours, theirs: None):
            ours, theirs = ladder(), torch()
            change(ours, theirs)
            return " ".join(beside.beside(ours, theirs)[2])
        self.assertEqual("", missing())
        for words, change in (
                ("no eager latencies", lambda ours, theirs: fail(theirs, mode="eager")),
                ("captured no 2", lambda ours, theirs: fail(theirs, mode="whole", batch=2)),
                ("eager batch of 9", lambda ours, theirs: ours["ladders"][0]["launches"][0]["eager"].append(
                    {"rows": 9, "uses": 1})),
                ("in parts", lambda ours, theirs: ours["ladders"][0]["launches"][0].update(split_steps=1)),
                ("skipped: why", lambda ours, theirs: ours["ladders"][0].update(
                    status="skipped", reason={"code": "x", "message": "why"})),
                ("served no ladder", lambda ours, theirs: ours["ladders"].clear())):
            with self.subTest(words):
                self.assertIn(words, missing(change))


if __name__ == "__main__":
    unittest.main()
