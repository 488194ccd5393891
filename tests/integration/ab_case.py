"""A/B runs of wrapped binaries: what the tests of ab share."""

import json
import stat

from harness_case import BINARY, HarnessCase

TINY = ["--device", "host", "--workload", "mlp", "--preset", "tiny", "--batch", "1,2", "--warmup", "0",
        "--time-per-cell", "0.01"]

# A stand-in for another version: it notes how it was called, runs the real one, and may touch its results.
# What either side measured with the same words is its answer to the other, and the next time.
WRAPPER = """#!/usr/bin/python3
import hashlib, json, os, shutil, subprocess, sys
with open({log!r}, "a") as log:
    print(json.dumps([{name!r}, os.environ.get("SIDE"), sys.argv[1:]]), file=log)
calls = sum(1 for line in open({log!r}) if json.loads(line)[0] == {name!r})
code, document = 0, sys.argv[sys.argv.index("--json") + 1] if "--json" in sys.argv else None
words = [word for before, word in zip(sys.argv, sys.argv[1:]) if before not in ("--json", "--seed")]
kept = {log!r} + "-" + hashlib.sha256(repr(words).encode()).hexdigest()
if document and os.path.exists(kept):
    shutil.copy(kept, document)
else:
    code = subprocess.run([{binary!r}, *sys.argv[1:]]).returncode
    if document and code == 0:
        shutil.copy(document, kept)
{extra}
sys.exit(code)
"""
SLOWER = """
if "--json" in sys.argv:
    path = sys.argv[sys.argv.index("--json") + 1]
    document = json.load(open(path))
    for cell in document["cells"]:
        cell["summary"] = {{}}  # it would contradict the launches
        for launch in cell["launches"]:
            for metric in ("latency_seconds", "submit_seconds", "device_seconds"):
                for key in ("min", "p50", "p90", "p99", "max", "mean"):
                    if launch[metric] is not None and launch[metric][key] is not None:
                        launch[metric][key] = {seconds}
    json.dump(document, open(path, "w"))
"""


class AbCase(HarnessCase):
    def wrapper(self, name, extra=""):
        path = self.folder / name
        path.write_text(WRAPPER.format(log=str(self.folder / "calls"), name=name, binary=BINARY, extra=extra),
                        encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def fixed(self, name, seconds):
        """A binary whose every launch measures about the same, whatever this machine is busy with."""
        wobble = f"{seconds} * (1 + 0.001 * (calls % 7))"
        return self.wrapper(name, SLOWER.format(seconds=wobble))

    def two(self, base, new):
        return "--base", self.fixed("old", base), "--new", self.fixed("new", new)

    def calls(self):
        lines = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def sweeps(self):
        return [call for call in self.calls() if "--sweep" in call[2]]

    def ab(self, *arguments, **options):
        return self.run_graphbench("ab", *arguments, *TINY, **options)
