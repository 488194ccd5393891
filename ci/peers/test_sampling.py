#!/usr/bin/env python3
"""Tests of how many samples the peers take, and of what they say."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import sampling  # noqa: E402


class Sampling(unittest.TestCase):
    def test_a_pass_starts_with_one_step_and_stops_at_its_bounds(self):
        bounds = sampling.Bounds(seconds_max=1.0, samples_max=100)
        self.assertEqual(1, bounds.next_round(0, 0.0))
        self.assertEqual(16, bounds.next_round(1, 0.001))
        self.assertEqual(15, bounds.next_round(1, 2.0), "the least number of samples is taken late, too")
        self.assertEqual(0, bounds.next_round(16, 2.0))
        self.assertEqual(0, bounds.next_round(100, 0.0))

    def test_a_pass_runs_until_time_is_up(self):
        now, taken = [0], []

        def loop(steps):
            taken.append(steps)
            now[0] += steps * 10_000_000
        sampling.run_pass(sampling.Bounds(1.0, 2000), lambda: now[0], loop)
        self.assertEqual(100, sum(taken))

    def test_summary_publishes_percentiles_with_samples_enough(self):
        self.assertEqual(2.0, sampling.summary([3.0, 1.0, 2.0])["p50"])
        self.assertIsNone(sampling.summary([1.0] * 43)["p90"])
        self.assertIsNone(sampling.summary([1.0] * 458)["p99"])
        self.assertEqual(455.0, sampling.summary([float(i) for i in range(1, 460)])["p99"])
        self.assertIsNone(sampling.summary([]))


if __name__ == "__main__":
    unittest.main()
