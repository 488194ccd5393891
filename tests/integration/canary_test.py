"""graphbench canary as a person runs it, on the host device, and a driver that is slow or hangs."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import jsonschema
from client import children_of, wait_for
from drivers_test import ShimCase
from harness_case import BINARY, PLUGINS, SCHEMAS, HarnessCase

BRIEF = ["canary", "--device", "host", "--no-pin", "--processes", "8", "--soak", "0.05"]
# Plays the real driver: a launch writes a byte to descriptor 1.
REAL = r"""
#include <string.h>
#include <unistd.h>
static int launch(void* exec, void* stream) { return exec == stream && write(1, "x", 1) == 1 ? 7 : 1; }
int cuOther(void) { return 5; }
int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags,
                        int* found) {
  (void)version; (void)flags; (void)found;
  *function = strcmp(name, "cuGraphLaunch") == 0 ? (void*)launch : (void*)cuGetProcAddress_v2;
  return 0;
}
"""
# Launches three times as CUDA's runtime finds the call, and says what the last launch returned.
CALLER = """
import ctypes, time
driver = ctypes.CDLL("libcuda.so.1")
lookup, found = driver.cuGetProcAddress_v2, ctypes.c_void_p()
for name in (b"cuGetProcAddress", b"cuGraphLaunch"):
    assert lookup(name, ctypes.byref(found), 13000, ctypes.c_ulonglong(0), None) == 0
    function = ctypes.CFUNCTYPE(ctypes.c_int)(found.value)
    if name == b"cuGetProcAddress":
        lookup = function
begun = time.monotonic()
for _ in range(3):
    status = function(ctypes.c_void_p(), ctypes.c_void_p())
print(status, driver.cuOther(), time.monotonic() - begun >= 0.06)
"""


class CanaryCase(HarnessCase):
    def canary(self, *arguments, code=0, file="canary.json"):
        done = self.run_graphbench(*BRIEF, *arguments, "--json", file, code=code)
        document = self.result(file)
        self.assert_valid(document)
        return document, done

    def assert_valid(self, document):
        """Against the canary's schema, with the result's, which it refers to, inside of it."""
        text, result = ((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
                        for name in ("canary", "result"))
        schema = json.loads(text.replace("urn:graphbench:schema:result:1#/", "#/$defs/result/"))
        schema["$defs"]["result"] = json.loads(result.replace('"#/', '"#/$defs/result/'))
        del schema["$defs"]["result"]["$id"]
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(document, schema)


class Canary(CanaryCase):
    def changed(self, document, floor, factor):
        """A file with the document whose floor took this many times as long."""
        document = json.loads(json.dumps(document))
        for each in document["floors"]:
            # Without spread, so that the verdict does not hang on this machine's noise.
            each["values"] = [each["median"]] * 50
            if each["name"] == floor:
                each["values"] = [factor * value for value in each["values"]]
        self.write("changed.json", json.dumps(document))
        return "changed.json"

    def test_measures_and_compares(self):
        document, done = self.canary()
        self.assertEqual(("measured", 8), (document["verdict"], document["processes"]))
        self.assertLess({"kernel_launch", "graph_launch", "busy_graph_launch", "instantiate", "update",
                         "upload"}, {each["name"] for each in document["floors"]})
        # What the time of a node is computed from may be less than the noise.
        self.assertEqual({8}, {len(each["values"]) for each in document["floors"]
                               if not each["name"].startswith("node")})
        answers = {each["name"]: each["answer"] for each in document["probes"]}
        self.assertEqual("yes", answers["a failed capture leaves the device usable"])
        self.assertEqual("yes", answers["a conditional node takes its branch"])
        self.assertEqual("yes", answers["two graphs beside a copy"])
        self.assertEqual("absent", answers["an update keeps clusters"])
        self.assertIn("measured: 8 processes", done.stdout)
        # A host is noisy, so BASE is far off. Of the same machine any verdict but a change may be true.
        slower, done = self.canary("--against", self.changed(document, "graph_launch", 0.001), code=10)
        self.assertRegex(done.stdout, r"(?m)^slower: .*graph launch \d+\.\d\dx")
        changes = {each["name"]: each.get("change") for each in slower["floors"]}
        self.assertIs(True, changes["graph_launch"]["slower"])
        self.assertEqual(8, slower["against"]["processes"])

    def test_a_lost_answer_is_broken(self):
        document, _ = self.canary()
        for each in document["probes"]:
            each["answer"] = "yes"
        for each in document["floors"]:
            each["values"] = [1e6 * each["median"]] * 50
        self.write("base.json", json.dumps(document))
        broken, done = self.canary("--against", "base.json", code=10)
        self.assertEqual("broken", broken["verdict"])
        self.assertRegex(done.stdout, r"(?m)^broken: an update keeps clusters \(the device has no clusters\)")

    def test_another_card_is_not_compared(self):
        document, _ = self.canary()
        document["environment"]["device"]["name"] = "another"
        self.write("base.json", json.dumps(document))
        other, done = self.canary("--against", "base.json", code=12)
        self.assertEqual(("other card", 1), (other["verdict"], other["processes"]))
        self.assertIn("another card: ", done.stdout)

    def test_without_a_gpu_it_fails(self):
        done = self.run_graphbench("canary", code=(0, 1))
        if done.returncode == 0:
            self.skipTest("this machine has a GPU")
        self.assert_refused(done, "open device cuda", code=1)

    def test_bad_input_is_named(self):
        self.write("floors.json", '{"schema": "graphbench.floors/1"}')
        for arguments, words in (
                (["--against", "missing.json"], ("missing.json", "cannot be read")),
                (["--against", "floors.json"],
                 ("--against", "floors.json", "graphbench.floors/1", "canary --json")),
                (["--processes", "7"], ("--processes", "7", "8")),
                (["--soak", "-1"], ("--soak", "-1", "from 0")),
                (["--hang", "soon"], ("--hang", "soon", "from 1")),
                (["--batch", "3"], ("--batch",))):
            with self.subTest(arguments):
                self.assert_refused(self.run_graphbench("canary", "--device", "host", *arguments), *words)

    def test_the_base_is_not_written_over(self):
        document, _ = self.canary(file="base.json")
        done = self.run_graphbench(*BRIEF, "--against", "base.json", "--json", "./base.json")
        self.assert_refused(done, "--json", "./base.json", "--against", "another file")
        self.assertEqual(document, self.result("base.json"))
        done = self.run_graphbench("canary", "--device", "host", "--against", "base.json")
        self.assert_refused(done, "--no-pin", "not pinned", "give it here too")
        document["floors"], document["processes"] = [], 0
        self.write("base.json", json.dumps(document))
        done = self.run_graphbench(*BRIEF, "--against", "base.json")
        self.assert_refused(done, "--against", "names no card")

    def test_a_short_soak_copies_before_it_compares(self):
        self.run_graphbench(*BRIEF[:-1], "1e-9", "--json", "short.json", code=0)
        document = self.result("short.json")
        self.assertEqual("yes", {each["name"]: each["answer"] for each in document["probes"]}[
            "two graphs beside a copy"])

    def test_what_was_measured_before_a_crash_is_kept(self):
        process = subprocess.Popen([BINARY, *BRIEF[:4], "--processes", "500", "--json", "crash.json"],
                                   cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        first = wait_for("the first process", lambda: children_of(process.pid))
        child = wait_for("a later process", lambda: [each for each in children_of(process.pid)
                                                     if each not in first])[0]
        command = pathlib.Path(f"/proc/{child}/cmdline")
        wait_for("its call", lambda: "--canary-process" in command.read_text())
        os.kill(child, signal.SIGSEGV)
        said, _ = process.communicate()
        self.assertEqual(10, process.returncode, said)
        self.assertRegex(said, r"(?m)^broken: every process measures the floors \(the canary process crashed "
                               r"with SIGSEGV.*, after \d+\)$")
        document = self.result("crash.json")
        self.assert_valid(document)
        self.assertGreater(len(document["floors"][0]["values"]), 0)

    def test_the_formats_and_the_dry_run(self):
        done = self.run_graphbench(*BRIEF, "--format", "json", code=0)
        self.assert_valid(json.loads(done.stdout))
        dry = self.run_graphbench(*BRIEF, "--dry-run", code=0).stdout
        self.assertRegex(dry, r"^13 processes, about ")
        quiet = self.run_graphbench(*BRIEF, "--quiet", code=0).stdout
        self.assertEqual("measured: 8 processes; compare later ones with --against\n", quiet)


class Hung(ShimCase, CanaryCase):
    def test_a_call_that_does_not_return_is_named(self):
        done = self.run_graphbench("canary", "--hang", "1", "--json", "hung.json", code=13,
                                   env=self.driver(hang=1))
        self.assertRegex(done.stdout, r"(?m)^hung: cuInit, \d+ s$")
        document = self.result("hung.json")
        self.assert_valid(document)
        self.assertEqual("cuInit", document["hang"]["call"])


class PlantedDriver(HarnessCase):
    """tests/planted/driver.c stands in front of a driver that is compiled here."""

    def run_under(self, **planted):
        self.write("real.c", REAL)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
                        self.folder / "libcuda_real.so.1", self.folder / "real.c"], check=True)
        link = self.folder / "libcuda.so.1"
        link.unlink(missing_ok=True)
        link.symlink_to(PLUGINS / "planted_driver.so")
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder), **planted}
        return subprocess.Popen([sys.executable, "-c", CALLER], env=environment, stdout=subprocess.PIPE,
                                text=True)

    def test_delays_each_launch_and_calls_the_real_one(self):
        self.assertEqual("xxx7 5 True", self.run_under(PLANTED_US="20000").communicate()[0].strip())

    def test_hangs_in_the_launch_that_is_named(self):
        process = self.run_under(PLANTED_HANG="2")
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual("xx", process.stdout.read(2))
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=1)


if __name__ == "__main__":
    unittest.main()
