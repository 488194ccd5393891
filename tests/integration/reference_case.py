"""Rows of docs/reference/reference-systems.md, and running their commands."""

import os
import pathlib
import re
import subprocess
import time

from harness_case import BINARY, PLUGINS, HarnessCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (.+?) \| (.+?) \| `(.+)` \| `(.+)` \| (host|gpu) \|$")
COLUMNS = "| capability | where | command | shows | on |"


class ReferenceCase(HarnessCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        page = ROOT / "docs/reference/reference-systems.md"
        cls.lines = [line for line in page.read_text(encoding="utf-8").splitlines()
                     if line.startswith("|") and line != COLUMNS and not line.startswith("|---")]
        cls.rows = [ROW.match(line) for line in cls.lines]

    def run_rows(self, on, device):
        began = time.monotonic()
        rows = [row.groups() for row in self.rows if row and row[5] == on]
        for capability, _, command, shows, _ in rows:
            with self.subTest(capability=capability):
                folder = self.folder / str(len(list(self.folder.iterdir())))
                folder.mkdir()
                given = re.sub(r"graphbench (--sweep|ladder)", rf"graphbench \1 --device {device}", command)
                given = given.replace("graphbench --sweep", "graphbench --sweep --time-per-cell 0.01")
                environment = self.environment(PLUGINS=str(PLUGINS), STEPS=str(ROOT / "tests/torch"))
                environment["PATH"] = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
                done = subprocess.run(["bash", "-c", given], cwd=folder, env=environment, text=True,
                                      capture_output=True, check=False, timeout=300)
                result = folder / "graphbench.json"
                said = done.stdout + done.stderr + (result.read_text("utf-8") if result.exists() else "")
                self.assertIn(shows, said, done.stdout + done.stderr)
        print(f"{len(rows)} rows on {on} took {time.monotonic() - began:.0f} s")
