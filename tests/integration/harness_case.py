"""What the command-line tests share: running the binary in a folder of its own, and reading its result."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

BINARY = os.environ.get("GRAPHBENCH_BINARY", "")
PLUGINS = pathlib.Path(os.environ.get("GRAPHBENCH_TEST_PLUGINS", ""))

# A sweep that takes about a second: what is tested is the way through, not the numbers.
TINY = ["--sweep", "--device", "host", "--batch", "1,2", "--warmup", "0", "--time-per-cell", "0.005",
        "--samples-max", "5"]


class HarnessCase(unittest.TestCase):
    """Every test has an empty working folder."""

    def setUp(self):
        if not BINARY:
            self.fail("GRAPHBENCH_BINARY must name the binary to test")
        self._folder = tempfile.TemporaryDirectory(prefix="graphbench-test-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self._runtime = tempfile.TemporaryDirectory(prefix="graphbench-test-")
        self.addCleanup(self._runtime.cleanup)

    def environment(self, **extra):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        environment["XDG_RUNTIME_DIR"] = self._runtime.name  # services of other tests have turns of their own
        environment.update(extra)
        return environment

    def start(self, *arguments, **options):
        options.setdefault("env", self.environment())
        return subprocess.Popen([BINARY, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run_graphbench(self, *arguments, **options):
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"graphbench {arguments} did not end")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def result(self, name="graphbench.json"):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def plugin(self, name):
        path = PLUGINS / f"{name}.so"
        self.assertTrue(path.exists(), f"{path} was not built")
        return path

    def assert_refused(self, done, *words, code=2):
        """One line on stderr, nothing on stdout, nothing measured."""
        self.assertEqual(code, done.returncode, done.stderr)
        self.assertEqual("", done.stdout)
        self.assertTrue(done.stderr.endswith("\n"), done.stderr)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        self.assertTrue(done.stderr.startswith("graphbench: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "graphbench.json").exists())
