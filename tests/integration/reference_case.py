"""Items of docs/reference/reference-systems.md: their commands, and what must hold afterwards."""

import json
import os
import pathlib
import re
import subprocess
import time

from harness_case import BINARY, PLUGINS, HarnessCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
ITEM = re.compile(r"^- (.+?)( \(GPU\))?: (`.+`)\n\n      (.+)\n", re.MULTILINE)
VARIABLE = re.compile(r'\b([A-Z]+)="([^"]+)"')
BRIEFLY = "--launches 1 --no-pin"


class Facts(dict):
    """A JSON object, whose members are attributes too. A member that is missing is None."""

    def __getattr__(self, name):
        return self.get(name)

    def __missing__(self, name):
        return None


def facts_of(text):
    return json.loads(text, object_pairs_hook=lambda pairs: Facts(
        (re.sub(r"\W", "_", name), value) for name, value in pairs))


def holds(what, known):
    try:
        return bool(eval(what, {"__builtins__": {}}, known))  # noqa: S307 - our own page's
    except (AttributeError, IndexError, TypeError):  # nothing is there
        return False


def broken(conditions, entries, known):
    """Those of the conditions that do not hold. One that is for no entry does not."""
    names = " ".join(conditions)
    conditions = ["exit==0"] * ("exit" not in names) + ['status=="ok"'] * ("status" not in names) + conditions
    if not entries:
        conditions.remove('status=="ok"')
    found = []
    for condition in conditions:
        which, what = re.fullmatch(r"(?:\[(.+?)\])?(.+)", condition).groups()
        each = [Facts(known, **entry) for entry in entries or [{}]]
        each = [entry for entry in each if not which or holds(which, entry)]
        if not each or not all(holds(what, entry) for entry in each):
            found.append(condition)
    return found


class ReferenceCase(HarnessCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = (ROOT / "docs/reference/reference-systems.md").read_text(encoding="utf-8")
        cls.items = {capability: (re.findall(r"`(.+?)`(?:, |$)", holds), command, "gpu" if gpu else "host")
                     for capability, gpu, holds, command in ITEM.findall(cls.text)}
        # The page gives the beginnings of commands as variables of the shell.
        cls.named = "".join(f'{name}="{value}"\n' for name, value in VARIABLE.findall(cls.text))

    def broken_by(self, capability, command, device, steps=ROOT / "tests/torch"):
        """What of an item does not hold after a command, and what the command printed."""
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        given = re.sub(r"graphbench (--sweep|ladder)", rf"graphbench \1 --device {device} {BRIEFLY}",
                       self.named + command)
        given = given.replace("graphbench --sweep", "graphbench --sweep --time-per-cell 0.01")
        environment = self.environment(PLUGINS=str(PLUGINS), STEPS=str(steps))
        environment["PATH"] = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", given], cwd=folder, env=environment, text=True,
                              capture_output=True, check=False, timeout=300)
        result = folder / "graphbench.json"
        document = facts_of(result.read_text("utf-8")) if result.exists() else Facts()
        entries = document.cells if document.ladders is None else document.ladders
        known = Facts(document, exit=done.returncode, printed=done.stdout + done.stderr, len=len)
        return broken(self.items[capability][0], entries, known), known["printed"]

    def run_items(self, on, device):
        began = time.monotonic()
        items = {capability: item[1] for capability, item in self.items.items() if item[2] == on}
        for capability, command in items.items():
            with self.subTest(capability=capability):
                found, printed = self.broken_by(capability, command, device)
                self.assertEqual([], found, printed)
        print(f"{len(items)} commands on {on} took {time.monotonic() - began:.0f} s")
