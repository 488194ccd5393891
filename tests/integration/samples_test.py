#!/usr/bin/env python3
"""--samples: every sample in one file that NumPy opens without our code."""

import json
import os
import unittest

import numpy

from harness_case import TINY, HarnessCase

TWO = [*TINY, "--workload", "mlp", "--mode", "eager,whole", "--launches", "2"]


class Samples(HarnessCase):
    def test_numpy_opens_every_sample(self):
        done = self.run_graphbench(*TWO, "--json", "r.json", "--samples", "s.npz")
        self.assertEqual(0, done.returncode, done.stderr)
        with open(os.path.join(self.folder, "r.json"), encoding="utf-8") as file:
            document = json.load(file)
        table = numpy.load(os.path.join(self.folder, "s.npz"))
        ids = [cell["id"] for cell in document["cells"]]
        self.assertEqual(ids, [name.decode() for name in table["cells"]])
        self.assertEqual([b"latency", b"device"], list(table["passes"]))
        rows = {len(table[name]) for name in table.files if name not in ("cells", "passes")}
        self.assertEqual(1, len(rows))
        for index, cell in enumerate(document["cells"]):
            for launch in cell["launches"]:
                mine = (table["cell"] == index) & (table["launch"] == launch["index"])
                latency = mine & (table["pass"] == 0)
                self.check_pass(table, latency, launch["latency_seconds"], "seconds")
                self.check_pass(table, latency, launch["submit_seconds"], "submit_seconds")
                self.check_pass(table, mine & (table["pass"] == 1), launch["device_seconds"], "seconds")
                first = table["seconds"][latency][:32]
                self.assertEqual(launch["ramp_seconds"], list(first))
        self.assertEqual(0, table["throttled"].sum())  # the host device tells of no throttling
        self.assertTrue(numpy.isnan(table["submit_seconds"][table["pass"] == 1]).all())

    def check_pass(self, table, rows, summary, column):
        values = table[column][rows]
        self.assertEqual(summary["count"], len(values))
        self.assertEqual(summary["p50"], numpy.sort(values)[(len(values) + 1) // 2 - 1])
        self.assertEqual(summary["max"], values.max())
        self.assertEqual(list(range(len(values))), list(table["order"][rows]))
        self.assertTrue((numpy.diff(table["started_ns"][rows]) > 0).all())

    def test_a_folder_that_is_missing_is_found_before_the_sweep(self):
        done = self.run_graphbench(*TWO, "--samples", "nowhere/s.npz")
        self.assertEqual(2, done.returncode)
        self.assertIn("--samples", done.stderr)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        self.assertEqual([], os.listdir(self.folder))

    def test_the_document_and_the_samples_are_two_files(self):
        done = self.run_graphbench(*TWO, "--json", "one", "--samples", "one")
        self.assertEqual(2, done.returncode)
        self.assertIn("--samples", done.stderr)

    def test_no_other_name_of_a_file_hides_that_it_is_the_same(self):
        os.mkdir(self.folder / "sub")
        for option, path in (("--samples", "./one"), ("--trace", "sub/../one"),
                             ("--samples", "-"), ("--trace", "-")):
            with self.subTest(option=option, path=path):
                done = self.run_graphbench(*TWO, "--json", "one", option, path)
                self.assert_refused(done, option, f'"{path}"')
                self.assertEqual(["sub"], os.listdir(self.folder))


if __name__ == "__main__":
    unittest.main()
