"""Items of docs/reference/reference-systems.md, and running their commands."""

import os
import pathlib
import re
import subprocess
import time

from harness_case import BINARY, PLUGINS, HarnessCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
ITEM = re.compile(r"^- (.+?)( \(GPU\))?: `(.+)`\n\n      (.+)\n", re.MULTILINE)
VARIABLE = re.compile(r'\b([A-Z]+)="([^"]+)"')


class ReferenceCase(HarnessCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        page = ROOT / "docs/reference/reference-systems.md"
        cls.text = page.read_text(encoding="utf-8")
        cls.items = [(capability, command, shows, "gpu" if gpu else "host")
                     for capability, gpu, shows, command in ITEM.findall(cls.text)]

    def run_items(self, on, device):
        began = time.monotonic()
        items = [item for item in self.items if item[3] == on]
        for capability, command, shows, _ in items:
            with self.subTest(capability=capability):
                folder = self.folder / str(len(list(self.folder.iterdir())))
                folder.mkdir()
                # The page gives the beginnings of commands as variables of the shell.
                named = [f'{name}="{value}"\n' for name, value in VARIABLE.findall(self.text)]
                given = "".join(named) + command
                given = re.sub(r"graphbench (--sweep|ladder)", rf"graphbench \1 --device {device}", given)
                given = given.replace("graphbench --sweep", "graphbench --sweep --time-per-cell 0.01")
                environment = self.environment(PLUGINS=str(PLUGINS), STEPS=str(ROOT / "tests/torch"))
                environment["PATH"] = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
                done = subprocess.run(["bash", "-c", given], cwd=folder, env=environment, text=True,
                                      capture_output=True, check=False, timeout=300)
                result = folder / "graphbench.json"
                said = done.stdout + done.stderr + (result.read_text("utf-8") if result.exists() else "")
                self.assertIn(shows, said, done.stdout + done.stderr)
        print(f"{len(items)} commands on {on} took {time.monotonic() - began:.0f} s")
