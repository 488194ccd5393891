#!/usr/bin/env python3
"""Where output goes: the document, the table, progress, colours; and what a full disk does."""

import json
import os
import pty
import resource
import subprocess
import unittest

from harness_case import BINARY, TINY, HarnessCase

ONE = [*TINY, "--workload", "mlp", "--mode", "eager"]
ESCAPE = "\x1b["


def small_files():
    # A write beyond the limit fails with EFBIG, as one on a full disk fails with ENOSPC.
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


class Output(HarnessCase):
    def on_terminal(self, *arguments, **environment):
        """Runs with stdout and stderr on one terminal; returns what it showed."""
        parent, child = pty.openpty()
        environment.setdefault("TERM", "xterm")
        process = subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=child, stderr=child, env=self.environment(**environment))
        os.close(child)
        shown = b""
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:  # the terminal's end, on Linux
                break
            if not chunk:
                break
            shown += chunk
        os.close(parent)
        self.assertEqual(0, process.wait(timeout=60), shown)
        return shown.decode("utf-8", "replace")

    def test_dash_gives_stdout_to_the_document_alone(self):
        done = self.run_graphbench(*ONE, "--json", "-")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("graphbench.result/1", json.loads(done.stdout)["schema"])
        self.assertIn("mlp", done.stderr)
        self.assertEqual([], os.listdir(self.folder))

    def test_progress_is_plain_lines_on_stderr_without_a_terminal(self):
        done = self.run_graphbench(*ONE)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("worker 1/1", done.stderr)
        for text in (done.stdout, done.stderr):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\r", text)

    def test_quiet_says_nothing(self):
        done = self.run_graphbench(*ONE, "--quiet")
        self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))
        self.assertEqual("ok", self.result()["cells"][0]["status"])

    def test_a_terminal_shows_colours_unless_asked_not_to(self):
        self.assertIn(ESCAPE + "1m", self.on_terminal(*ONE))
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            shown = self.on_terminal(*ONE, **environment)
            for code in range(1, 98):
                self.assertNotIn(f"{ESCAPE}{code}m", shown)

    def test_a_full_disk_leaves_the_old_file_intact(self):
        self.write("graphbench.json", "the old file\n")
        done = self.run_graphbench(*ONE, preexec_fn=small_files)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("graphbench.json", done.stderr)
        self.assertEqual("the old file\n", (self.folder / "graphbench.json").read_text())
        self.assertEqual(["graphbench.json"], os.listdir(self.folder))
        self.assertIn("mlp", done.stdout, "the table is shown all the same")

    def test_a_full_stdout_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ([*ONE, "--json", "-"], ["list", "modes"], ["--help"]):
                done = subprocess.run([BINARY, *arguments], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=120, check=False)
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertIn("stdout", done.stderr)

    def test_closed_standard_streams_do_no_harm(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", BINARY, *ONE],
                              cwd=self.folder, timeout=120, check=False)
        self.assertEqual(0, done.returncode)
        self.assertEqual("ok", self.result()["cells"][0]["status"])


if __name__ == "__main__":
    unittest.main()
