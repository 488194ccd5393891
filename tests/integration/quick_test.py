"""That what `ci/test` runs, the tests without the label `slow`, covers every command."""

import json
import os
import pathlib
import re
import subprocess
import unittest

BINARY = pathlib.Path(os.environ["GRAPHBENCH_BINARY"])
BUILD = BINARY.parent.parent
FOLDER = pathlib.Path(__file__).parent


class Quick(unittest.TestCase):
    def commands(self):
        usage = subprocess.run([BINARY, "--help-all"], capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"^(?:Usage:)? +graphbench (?:--)?([a-z]+)\b", usage, re.MULTILINE))

    def quick_programs(self):
        """The sources of the integration tests that have no label `slow`."""
        command = ["ctest", "--test-dir", BUILD, "--show-only=json-v1", "--label-exclude", "^slow$"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return {FOLDER / (each["command"][-1].split(".")[0] + ".py") for each in json.loads(listed)["tests"]
                if each["name"].startswith("integration.")}

    def test_covers_every_command(self):
        commands, programs = self.commands(), self.quick_programs()
        self.assertGreater(len(commands), 15)
        self.assertGreater(len(programs), 20)
        text = "\n".join(program.read_text() for program in programs if program != pathlib.Path(__file__))
        missing = [command for command in sorted(commands) if not re.search(rf'"(--)?{command}"', text)]
        self.assertEqual([], missing)


if __name__ == "__main__":
    unittest.main()
