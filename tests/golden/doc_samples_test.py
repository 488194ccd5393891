#!/usr/bin/env python3
"""Each sample in README and docs that names its command, `graphbench show FILE`, is what the command prints.
`...` in a sample leaves text out; line breaks may differ."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/release/bin/graphbench"
# A paragraph whose last line ends with a colon, and the indented lines after it.
SAMPLE = re.compile(r"((?:^\S.*\n)+)\n((?:^    .*\n|^\n(?=    ))+)", re.MULTILINE)


def one_line(text):
    return " ".join(text.split())


def samples():
    """Triples of page, command and sample."""
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        for paragraph, sample in SAMPLE.findall(page.read_text(encoding="utf-8")):
            named = re.findall(r"`graphbench (show ci/baselines/\S+\.json)`", one_line(paragraph))
            if named and paragraph.rstrip().endswith(":"):
                yield page.relative_to(ROOT), named[-1], sample


class DocSamples(unittest.TestCase):
    def test_are_what_their_command_prints(self):
        found = list(samples())
        self.assertGreaterEqual(len(found), 2, "README's and docs/sweep.md's")
        for page, command, sample in found:
            printed = one_line(subprocess.run([BINARY, *command.split()], cwd=ROOT, capture_output=True,
                                              text=True, check=True).stdout)
            place = 0
            for part in filter(None, map(one_line, sample.split("..."))):
                with self.subTest(page=str(page), part=part):
                    at = printed.find(part, place)
                    self.assertGreaterEqual(at, 0, f"{command} prints no such text at this place")
                    place = at + len(part)


if __name__ == "__main__":
    unittest.main()
