"""Drivers that cannot be used: nothing is measured on the host in place of a GPU without being asked to."""

import os
import pathlib
import shutil
import subprocess

from harness_case import PLUGINS, TINY, HarnessCase
from serve_case import ServeCase

SHIM = pathlib.Path(__file__).resolve().parent / "drivers" / "libcuda.c"
# TINY without its device.
SWEEP = [*TINY[:1], *TINY[3:], "--workload", "mlp", "--mode", "eager"]


class ShimCase(HarnessCase):
    """The driver is a library that is compiled here."""

    def setUp(self):
        super().setUp()
        self.folder_of_shim = self.folder / "driver"
        self.folder_of_shim.mkdir()
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o",
                        self.folder_of_shim / "libcuda.so.1", SHIM], check=True)

    def driver(self, **shim):
        """An environment in which libcuda.so.1 is the shim."""
        visible = shim.pop("CUDA_VISIBLE_DEVICES", None)
        said = {f"SHIM_{name.upper()}": str(value) for name, value in shim.items()}
        environment = self.environment(LD_LIBRARY_PATH=str(self.folder_of_shim), **said)
        environment.pop("CUDA_VISIBLE_DEVICES", None)
        if visible is not None:
            environment["CUDA_VISIBLE_DEVICES"] = visible
        return environment


class Drivers(ShimCase):
    def without_module(self, environment):
        (self.folder / "empty").mkdir(exist_ok=True)
        return {**environment, "GRAPHBENCH_MODULE_DIR": str(self.folder / "empty")}

    def refuse(self, environment, *words):
        for command in (SWEEP, ["floor"], ["bench"], "ladder --workload mlp --traffic uniform:1:2".split(),
                        "compile --workload mlp --batch 1 --weights w -o made.gbp".split()):
            with self.subTest(command=command[0]):
                self.assert_refused(self.run_graphbench(*command, env=environment), *words,
                                    "--device host", code=1)

    def assert_on_host(self, environment, why):
        done, document, cells = self.measure(*SWEEP, env=environment)
        self.assert_ok(cells.values())
        self.assertEqual("host", document["environment"]["device"]["kind"])
        self.assertIn(why, document["environment"]["no_gpu"])
        self.assertIn(f"not of a GPU: {document['environment']['no_gpu']}",
                      next(note["text"] for note in document["notes"] if note["code"] == "host_device"))

    def test_one_that_is_too_old_is_named_with_both_versions(self):
        self.refuse(self.driver(version=11080), "runs CUDA 11.8", "needs 1")

    def test_one_that_fails_is_refused(self):
        self.refuse(self.driver(init=999), "999")
        self.refuse(self.driver(init=803), "803")

    def test_devices_that_do_not_open_are_refused(self):
        self.refuse(self.driver(devices=2), "cannot be used")

    def test_a_stub_of_a_toolkit_is_named(self):
        self.refuse(self.driver(version_code=34), str(self.folder_of_shim), "a stub")

    def test_a_library_that_cannot_be_loaded_is_refused(self):
        (self.folder_of_shim / "libcuda.so.1").write_text("not a library")
        self.refuse(self.driver(), "cannot be loaded", "libcuda.so.1")

    def test_a_build_without_the_module_is_refused(self):
        self.refuse(self.without_module(self.driver()), "module", "empty")

    def test_all_devices_are_refused_too(self):
        done = self.run_graphbench(*SWEEP, "--device", "all", "--json", "r-{device}.json",
                                   env=self.driver(init=999))
        self.assert_refused(done, "--device all: ", "999", "--device host", code=1)

    def test_the_host_is_measured_where_it_is_asked_for(self):
        _, document, _ = self.measure(*SWEEP, "--device", "host", env=self.driver(init=999))
        self.assertNotIn("no_gpu", document["environment"])
        self.assertIn("times are of CPU threads, not of a GPU; ", document["notes"][-1]["text"])

    def test_without_a_gpu_the_note_says_why_the_host_was_measured(self):
        self.assert_on_host(self.driver(init=100), "the driver sees no GPU")
        self.assert_on_host(self.without_module(self.driver(init=100)), "the driver sees no GPU")
        self.assert_on_host(self.driver(version=11080, init=100), "the driver sees no GPU")
        self.assert_on_host(self.driver(devices=0), "the driver sees no GPU")

    def test_without_a_driver_the_note_says_so(self):
        (self.folder_of_shim / "libcuda.so.1").unlink()
        listed = self.run_graphbench("list", "devices", env=self.driver(), code=0).stdout
        if "no NVIDIA driver" not in listed:
            self.skipTest("this machine has a driver")
        self.assert_on_host(self.driver(), "no NVIDIA driver is installed")

    def test_gpus_that_a_variable_hides_are_said_to_be_hidden(self):
        self.assert_on_host(self.driver(CUDA_VISIBLE_DEVICES=""), 'CUDA_VISIBLE_DEVICES=""')


class Modules(ShimCase):
    """Which of a folder's modules a process takes. They are of tests, and say their file's name."""

    def list_with(self, *majors, code=0, asked=None, **shim):
        folder = self.folder / "modules"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for major in majors:
            shutil.copy(PLUGINS.parent / "modules/libtest_module_good.so",
                        folder / f"graphbench_cuda{major}.so")
        variables = {"GRAPHBENCH_MODULE_DIR": str(folder)}
        if asked is not None:
            variables["GRAPHBENCH_CUDA_MODULE"] = asked
        done = self.run_graphbench("list", "devices", env={**self.driver(**shim), **variables}, code=code)
        return done.stderr if code else done.stdout

    def test_the_newest_that_the_driver_runs_is_taken(self):
        self.assertIn("graphbench_cuda12.so", self.list_with(12, 13, version=12040))
        self.assertIn("graphbench_cuda13.so", self.list_with(13, version=13000))

    def test_one_that_the_driver_is_too_old_for_is_not_loaded(self):
        self.assertIn("the driver runs CUDA 12.2, but this build needs 13.0 (update the NVIDIA driver to 580 "
                      "or newer, or use a build that has graphbench_cuda12.so)",
                      self.list_with(13, version=12020))

    def test_a_variable_overrides(self):
        self.assertIn("graphbench_cuda12.so", self.list_with(12, 13, asked="12"))
        self.assertIn("GRAPHBENCH_CUDA_MODULE=13 asks for graphbench_cuda13.so",
                      self.list_with(12, asked="13"))
        self.assertIn("GRAPHBENCH_CUDA_MODULE: '11' is not valid: give 12 or 13",
                      self.list_with(12, asked="11", code=2))


class Service(ShimCase, ServeCase):
    def test_a_sweep_that_no_gpu_can_run_is_not_queued(self):
        self.serve(env=self.driver(init=999))
        for body in ({}, {"device": "auto"}):
            status, refusal = self.ask("POST", "/v1/sweeps", {**body, "workload": "mlp"})
            self.assertEqual(400, status, refusal)
            self.assert_all_in(["device: auto has no device", "999", "give host"], str(refusal))
        path = self.submit({"workload": "mlp", "device": "host", "batch": 1, "warmup": 0})
        self.ask("DELETE", path)
