"""The wheel of ci/wheel, which GRAPHBENCH_WHEEL names: installed without a network into an environment of
Debian's Python, it runs, also with that Python's torch, and leaves the libraries of its process alone."""

import json
import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest
import zipfile

PYTHON = "/usr/bin/python3"
WHEEL = os.environ.get("GRAPHBENCH_WHEEL")
STEP = """
    import pathlib
    import sys

    import torch

    def build(batch, device):
        pathlib.Path("interpreter").write_text(sys.prefix)
        return torch.nn.Linear(8, 4).to(device), (torch.randn(batch, 8, device=device),)
"""
# Each is used after the step library is loaded; the second argument says when it is imported.
NEIGHBOURS = """
    import ctypes, pathlib, sys
    def neighbours():
        import sqlite3, ssl, torch
        return [ssl.OPENSSL_VERSION, sqlite3.sqlite_version, len(ssl.create_default_context().get_ciphers()),
                sqlite3.connect(":memory:").execute("select sqlite_version()").fetchone()[0],
                torch.ones(4, 4).matmul(torch.ones(4, 4)).sum().item()]
    if sys.argv[2] == "before":
        neighbours()
    if sys.argv[2] != "without":
        ctypes.CDLL(sys.argv[1])
    print(neighbours())
    ours = str(pathlib.Path(sys.argv[1]).parent)
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        name = pathlib.Path(line.split()[-1]).name
        assert ours not in line or name.startswith("libgraphbench"), line
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          timeout=300, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} gave {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


@unittest.skipUnless(WHEEL, "GRAPHBENCH_WHEEL names no wheel")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="wheel-")))
        cls.venv = cls.folder / "venv"
        run(PYTHON, "-m", "venv", "--system-site-packages", cls.venv)
        run(cls.venv / "bin/pip", "install", "--no-index", WHEEL)
        cls.package = next(cls.venv.glob("lib/python3*/site-packages/graphbench"))

    def graphbench(self, *arguments):
        # Without a PATH that would find an interpreter.
        return run(self.venv / "bin/graphbench", *arguments, cwd=self.folder, env={"PATH": "/nonexistent"})

    def test_says_its_version_as_a_command_and_as_a_module(self):
        version = pathlib.Path(WHEEL).name.split("-")[1]
        self.assertIn(f"graphbench {version} ", self.graphbench("--version"))
        said = run(self.venv / "bin/python3", "-m", "graphbench", "--version")
        self.assertIn(f"graphbench {version} ", said)

    def cells(self, *arguments):
        self.graphbench("--sweep", "--device", "host", "--batch", "1", "--time-per-cell", "0.01",
                        "--launches", "1", "--json", "result.json", *arguments)
        return json.loads((self.folder / "result.json").read_text())["cells"]

    def test_sweeps_on_the_host(self):
        cells = self.cells("--workload", "mlp", "--mode", "eager,whole")
        self.assertEqual({"ok"}, {cell["status"] for cell in cells})

    def test_sweeps_a_step_of_the_pytorch_that_it_is_installed_beside(self):
        (self.folder / "step.py").write_text(textwrap.dedent(STEP))
        cell, = self.cells("--torch", "step.py:build", "--mode", "eager")
        self.assertEqual("ok", cell["status"], cell)
        self.assertEqual(str(self.venv), (self.folder / "interpreter").read_text())

    def test_looks_into_nvidias_packages_for_cudas_libraries(self):
        folder = self.package.parent / "nvidia" / "cu13" / "lib"
        folder.mkdir(parents=True)
        said = run(self.venv / "bin/python3", "-c", "import graphbench.__main__ as command\n"
                   "print(command.environment()['GRAPHBENCH_CUDA_LIBRARIES'])",
                   env={"GRAPHBENCH_CUDA_LIBRARIES": "/first"})
        self.assertEqual(f"/first:{folder}\n", said)

    def test_leaves_the_libraries_of_its_process_alone(self):
        said = {when: run(self.venv / "bin/python3", "-c", textwrap.dedent(NEIGHBOURS),
                          self.package / "lib/libgraphbench_step.so", when)
                for when in ("without", "before", "after")}
        self.assertEqual(1, len(set(said.values())), said)

    def test_has_a_licence_for_each_library_and_names_no_other_system(self):
        with zipfile.ZipFile(WHEEL) as wheel:
            names = wheel.namelist()
        licences = [name for name in names if "/licenses/" in name]
        self.assertTrue(any(name.endswith("/LICENSE") for name in licences), licences)
        self.assertGreater(sum(name.endswith(".copyright") for name in licences), 5)
        name = r"^cudagraph_bench-[\d.]+-py3-none-manylinux_2_34_\w+\.whl$"
        self.assertRegex(pathlib.Path(WHEEL).name, name)
        self.assertEqual([], [name for name in names if "libstdc++" in name or "libcublas" in name])


if __name__ == "__main__":
    unittest.main()
