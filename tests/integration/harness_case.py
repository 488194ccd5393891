"""What the command-line tests share: running the binary in a folder of its own, and reading its result."""

import contextlib
import json
import os
import pathlib
import pty
import re
import signal
import sys
import subprocess
import tempfile
import unittest

import jsonschema
from client import children_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "golden"))
import document_rules  # noqa: E402

SCHEMAS = ROOT / "reporters" / "schema"
BINARY = os.environ.get("GRAPHBENCH_BINARY", "")
PLUGINS = pathlib.Path(os.environ.get("GRAPHBENCH_TEST_PLUGINS", ""))

# A sweep that takes about a second: what is tested is the way through, not the numbers.
TINY = ["--sweep", "--device", "host", "--batch", "1,2", "--warmup", "0", "--time-per-cell", "0.005",
        "--samples-max", "5"]
# How often a launch sets its cells up (harness/measure/passes.hpp). At such short times, a sample of each.
PLACEMENTS = 8


def workers_of(pid):
    """The children of a process that measure. Between fork and exec a child is still its parent."""
    found = []
    for child in children_of(pid):
        with contextlib.suppress(OSError):  # it has ended
            words = pathlib.Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8").split("\0")
            if "--worker" in words:
                found.append(child)
    return found


def launches_given(arguments):
    """Also by a file, or where the default plan is meant."""
    return {"--launches", "--config", "--suggest"} & {str(each).split("=")[0] for each in arguments}


class HarnessCase(unittest.TestCase):
    """Every test has an empty working folder."""

    def setUp(self):
        if not BINARY:
            self.fail("GRAPHBENCH_BINARY must name the binary to test")
        folders = [self.enterContext(tempfile.TemporaryDirectory(prefix="graphbench-test-")) for _ in "12"]
        self.folder, self._runtime = map(pathlib.Path, folders)

    def environment(self, **extra):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        environment["ONEDNN_MAX_CPU_ISA"] = "AVX2"  # a test that supposes more fails on every machine
        environment["XDG_RUNTIME_DIR"] = str(self._runtime)  # services of other tests have turns of their own
        environment.update(extra)
        return environment

    def skip_without_gpu(self):
        if not any(line.startswith("cuda:0") and "unavailable" not in line
                   for line in self.run_graphbench("list", "devices").stdout.splitlines()):
            self.skipTest("this machine has no GPU that graphbench can use")

    def whole_cpu(self):
        """Without the limit that other tests have."""
        return self.environment(ONEDNN_MAX_CPU_ISA="ALL")

    def dtypes_of_host(self, *wanted, **options):
        """Those of `wanted` that this machine's CPU computes in; says which it does not."""
        listed = self.run_graphbench("list", "devices", "--format", "json", code=0, **options).stdout
        takes = next(each["dtypes"] for each in json.loads(listed)["devices"] if each["id"] == "host")
        for dtype in set(wanted) - set(takes):
            print(f"skipped: {self.id()} with {dtype}: host takes {', '.join(takes)}")
        return [dtype for dtype in wanted if dtype in takes]

    def measuring_cpu(self):
        """Where a sweep on host submits: the last of the fastest CPUs, which need not be the last of all."""
        self.run_graphbench(*TINY, "--workload", "mlp", "--mode", "eager", "--json", "cpu.json", code=0,
                            pins=True)
        return self.result("cpu.json")["environment"]["machine"]["submitter"]["cpus"][-1]

    def start(self, *arguments, pins=False, one_launch=True, **options):
        """Tests run side by side, and sweeps would pin their submitting threads to the same CPU."""
        options.setdefault("env", self.environment())
        measures = arguments[:1] in (("--sweep",), ("ladder",))
        if measures and not pins and not {"--no-pin", "--cpu"} & {*arguments}:
            arguments = [*arguments, "--no-pin"]
        if measures and one_launch and not launches_given(arguments):
            arguments = [*arguments, "--launches", "1"]
        return subprocess.Popen([BINARY, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run_graphbench(self, *arguments, code=None, **options):
        """Runs to the end; `code` is the exit code that is right, or several."""
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"graphbench {arguments} did not end")
        if code is not None:
            self.assertIn(process.returncode, code if isinstance(code, tuple) else (code,), out + err)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def begin(self, *arguments, **options):
        """Starts what is killed at the test's end."""
        process = self.start(*arguments, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process, by=signal.SIGTERM):
        """Sends a signal, and returns the exit code and what was printed since."""
        process.send_signal(by)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def start_service(self, *arguments, scheme="http", **options):
        """Starts what serves until the test's end; self.url is where, self.warnings what was said before."""
        process = self.begin(*arguments, **options)
        self.warnings = ""
        while (line := process.stderr.readline()).startswith("graphbench: warning: "):
            self.warnings += line
        self.assertIn(f"{scheme}://", line)
        self.url = next(word for word in line.split() if word.startswith(scheme))
        return process

    def run_on_terminal(self, *arguments, code=0, **environment):
        """Runs with stdout and stderr on one terminal; returns what it showed."""
        parent, child = pty.openpty()
        process = subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=child, stderr=child,
                                   env=self.environment(**{"TERM": "xterm", **environment}))
        os.close(child)
        shown = b""
        try:
            while chunk := os.read(parent, 65536):
                shown += chunk
        except OSError:  # the terminal's end, on Linux
            pass
        os.close(parent)
        self.assertEqual(code, process.wait(timeout=60), shown)
        return shown.decode("utf-8", "replace")

    def assert_valid(self, document, name):
        """Against a schema of reporters/schema, or against the part of one that `name` has behind a #."""
        name, _, part = name.partition("#")
        schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        self.assertEqual(f"urn:graphbench:schema:{name.split('.')[0]}:1", schema["$id"])
        jsonschema.validate(document, {"$ref": "#" + part, "$defs": schema["$defs"]} if part else schema)

    def result(self, name="graphbench.json"):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def measure(self, *arguments, code=0, **options):
        """What the run printed, its document, which is valid, and the document's cells by their ids."""
        done = self.run_graphbench(*arguments, code=code, **options)
        document = self.result()
        self.assert_valid(document, "result.schema.json")
        return done, document, {cell["id"]: cell for cell in document["cells"]}

    def formats_of(self, *command):
        """The formats that the command says it has."""
        refused = self.run_graphbench(*command, "--format", "no-such-format", code=2).stderr
        return re.search(r"give ([a-z, ]+)", refused)[1].split(", ")

    def assert_sound(self, document):
        """By the rules that no schema can say."""
        self.assertEqual([], document_rules.faults_of(document))

    def assert_ok(self, cells):
        for cell in cells:
            self.assertEqual("ok", cell["status"], (cell["id"], cell.get("reason")))
            self.assertTrue(cell["check"]["identical"], cell["id"])

    def assert_all_in(self, words, text):
        for word in words:
            self.assertIn(word, text)

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
        self.assert_all_in(words, done.stderr)
        self.assertFalse((self.folder / "graphbench.json").exists())

    def refuse_each(self, cases, *command):
        """Each of (arguments, words), the arguments behind `command`. Either may be one text."""
        for arguments, words in cases:
            given = arguments.split() if isinstance(arguments, str) else arguments
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_graphbench(*command, *given),
                                    *([words] if isinstance(words, str) else words))
