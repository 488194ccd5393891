#!/usr/bin/env python3
"""Ctrl-C and SIGTERM: what was measured is kept, the document says that it is not complete."""

import signal
import time
import unittest

from harness_case import TINY, HarnessCase

# About a minute of work, of which a second is done.
LONG = ["--sweep", "--device", "host", "--workload", "mlp", "--batch", "1,2", "--warmup", "0",
        "--launches", "30", "--time-per-cell", "0.3"]


class Interrupt(HarnessCase):
    def interrupt(self, number):
        process = self.start(*LONG)
        seen = ""
        while "worker 1/" not in seen:
            line = process.stderr.readline()
            self.assertTrue(line, "the sweep ended before it was interrupted: " + seen)
            seen += line
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, seen + err

    def check(self, code, err):
        self.assertEqual(130, code, err)
        self.assertIn("interrupted", err)
        result = self.result()
        self.assertFalse(result["complete"])
        statuses = {cell["status"] for cell in result["cells"]}
        self.assertIn("ok", statuses)
        self.assertLessEqual(statuses, {"ok", "skipped"})
        for cell in result["cells"]:
            if cell["status"] == "skipped":
                self.assertEqual("interrupted", cell["reason"]["code"])
                self.assertEqual([], cell["launches"])
            else:
                self.assertTrue(cell["launches"])

    def test_ctrl_c_keeps_what_was_measured_and_shows_it(self):
        code, out, err = self.interrupt(signal.SIGINT)
        self.check(code, err)
        self.assertIn("mlp", out)

    def test_termination_does_too(self):
        code, _, err = self.interrupt(signal.SIGTERM)
        self.check(code, err)

    def test_before_anything_was_measured_there_is_nothing_to_keep(self):
        process = self.start(*TINY, "--plugin", self.plugin("open_hang"))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, err)
        self.assertEqual("graphbench: interrupted before anything was measured\n", err)
        self.assertFalse((self.folder / "graphbench.json").exists())


if __name__ == "__main__":
    unittest.main()
