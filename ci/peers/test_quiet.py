#!/usr/bin/env python3
"""Tests of where the measuring thread goes, on CPUs that are not there."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from quiet import QuietCpu, arithmetic_seconds, submitter_cpus  # noqa: E402


class Quiet(unittest.TestCase):
    def setUp(self):
        self.pinned, self.times = [], {}
        self.cpu = QuietCpu(range(8), pin=lambda cpus: self.pinned.append(list(cpus)),
                            probe=lambda: self.times.get(self.pinned[-1][0], 1.0))

    def test_the_candidates_are_the_higher_half_and_eight_at_most(self):
        self.assertEqual(submitter_cpus([0]), [0])
        self.assertEqual(submitter_cpus([1, 0]), [1])
        self.assertEqual(submitter_cpus(range(6), lambda cpu: 0), [3, 4, 5])
        self.assertEqual(submitter_cpus(range(64), lambda cpu: 0), list(range(56, 64)))

    def test_the_candidates_are_of_one_processor(self):
        self.assertEqual(submitter_cpus(range(8), processor=lambda cpu: cpu % 2), [5, 7])

    def test_others_get_the_rest(self):
        self.cpu.keep_others_off()
        self.assertEqual(self.pinned, [[0, 1, 2, 3]])

    def test_takes_the_highest_that_is_quiet(self):
        self.times = {7: 1.5, 6: 1.05}
        self.cpu.take()
        self.assertEqual(self.pinned[-1], [6])

    def test_leaves_a_cpu_that_gets_company_and_stays_on_a_quiet_one(self):
        self.cpu.take()
        self.assertEqual(self.pinned[-1], [7])
        self.cpu.hold()
        self.assertEqual(self.pinned[-1], [7])
        self.times = {7: 1.6}
        self.cpu.hold()
        self.assertEqual(self.pinned[-1], [6])

    def test_takes_the_least_disturbed_where_all_are(self):
        self.cpu.take()
        self.times = {4: 1.9, 5: 1.3, 6: 1.8, 7: 1.9}
        self.cpu.hold()
        self.assertEqual(self.pinned[-1], [5])

    def test_the_computation_takes_time(self):
        self.assertGreater(arithmetic_seconds(), 0)


if __name__ == "__main__":
    unittest.main()
