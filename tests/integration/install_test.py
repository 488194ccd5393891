"""A plugin author's way: install graphbench, build the example plugin with find_package(graphbench)
against the installed copy, and sweep it on the host device.

GRAPHBENCH_BUILD names the build folder that is installed from."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "integration" / "plugins" / "example"
BUILD = os.environ.get("GRAPHBENCH_BUILD")


def run(*command, expect=0, **options):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, **options)
    if done.returncode != expect:
        output = done.stdout[-4000:] + done.stderr[-4000:]
        raise AssertionError(f"{words} gave {done.returncode}, not {expect}:\n{output}")
    return done


@unittest.skipUnless(BUILD, "GRAPHBENCH_BUILD names no build folder")
class InstalledCopy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        base = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="graphbench-install-")))
        # Moved after the install: nothing may depend on the prefix it was installed to.
        run("cmake", "--install", BUILD, "--prefix", base / "first")
        (base / "first").rename(base / "prefix")
        cls.base, cls.prefix = base, base / "prefix"
        cls.graphbench = cls.prefix / "bin" / "graphbench"
        run("cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", base / "plugin", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            "-DSWIGLU_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", base / "plugin")
        cls.plugin = base / "plugin" / "swiglu.so"

    def sweep(self, *arguments, expect=0, **options):
        return run(self.graphbench, "--sweep", "--device", "host", "--plugin", self.plugin,
                   "--batch", "1,2", "--warmup", "0", "--time-per-cell", "0.02", "--launches", "1",
                   "--no-pin", "--json", self.base / "result.json", *arguments, expect=expect, cwd=self.base,
                   **options)

    def test_runs_from_where_it_was_moved_to(self):
        self.assertIn("graphbench", run(self.graphbench, "--version").stdout)

    def test_has_what_a_plugin_author_needs(self):
        for name in ("include/graphbench/graphbench_abi.h", "lib/cmake/graphbench/graphbench-config.cmake",
                     "share/graphbench/result.schema.json"):
            self.assertTrue((self.prefix / name).is_file(), name)

    def test_has_its_documentation_without_a_dead_link(self):
        folder = self.prefix / "share" / "doc" / "graphbench"
        pages = sorted(folder.rglob("*.md"))
        links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)", page.read_text())
                 if not link.startswith(("http://", "https://"))]
        self.assertGreater(len(links), 50)
        self.assertEqual([], [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()])
        self.assertTrue((folder / "docs" / "ladder.md").is_file())
        for path in re.findall(r"`(tests/integration/plugins/[\w./]+)`",
                               (folder / "docs" / "plugins.md").read_text()):
            self.assertTrue((folder / path).exists(), path)

    def test_has_the_dashboards_and_what_prometheus_reads(self):
        folder = self.prefix / "share" / "graphbench" / "dashboards"
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        self.assertEqual([
            "grafana/cell.json", "grafana/ladder.json", "grafana/overview.json",
            "grafana/regressions.json", "grafana/service.json", "prometheus/alerts.rules.yml",
            "prometheus/recording.rules.yml", "prometheus/scrape.yml"], names)

    def test_has_completions_and_the_manual_page_where_each_is_looked_for(self):
        for name, what in (("share/bash-completion/completions/graphbench", "bash"),
                           ("share/zsh/site-functions/_graphbench", "zsh"),
                           ("share/fish/vendor_completions.d/graphbench.fish", "fish"),
                           ("share/man/man1/graphbench.1", "man")):
            said = run(self.graphbench, "completion", what).stdout
            self.assertEqual(said, (self.prefix / name).read_text(), name)

    def test_names_no_folder_of_this_machine(self):
        for path in (self.prefix / "lib" / "cmake").rglob("*.cmake"):
            self.assertNotIn(str(ROOT), path.read_text(), path)

    def test_lists_the_example_workload(self):
        listing = run(self.graphbench, "list", "workloads", "--plugin", self.plugin)
        self.assertIn("swiglu", listing.stdout)

    def test_sweeps_the_example_workload_in_every_mode(self):
        self.sweep("--workload", "swiglu")
        document = json.loads((self.base / "result.json").read_text())
        checks = {**os.environ, "GRAPHBENCH_RESULT": str(self.base / "result.json")}
        run(sys.executable, ROOT / "tests" / "golden" / "schema_test.py", env=checks)
        cells = {cell["id"]: cell for cell in document["cells"]}
        self.assertEqual({"eager", "whole", "piecewise"}, {cell["mode"] for cell in cells.values()})
        self.assertEqual(6, len(cells))
        for identity, cell in cells.items():
            self.assertEqual("ok", cell["status"], (identity, cell.get("reason")))
            self.assertTrue(cell["check"]["identical"], identity)

    def test_trains_the_example_workload_through_its_ops_gradient(self):
        whole_cpu = {**os.environ, "ONEDNN_MAX_CPU_ISA": "ALL"}  # CTest sets a limit
        listed = run(self.graphbench, "list", "devices", "--format", "json", env=whole_cpu).stdout
        dtypes = next(each["dtypes"] for each in json.loads(listed)["devices"] if each["id"] == "host")
        self.assertIn("fp32", dtypes)
        if "bf16" not in dtypes:
            print(f"skipped: {self.id()} with bf16: host takes {', '.join(dtypes)}")
        self.sweep("--workload", "swiglu", "--pass", "training", "--optimizer", "adamw",
                   "--dtype", ",".join(dtypes), "--backward", "iteration,callables", env=whole_cpu)
        cells = json.loads((self.base / "result.json").read_text())["cells"]
        self.assertEqual(set(dtypes), {cell["dtype"] for cell in cells})
        for cell in cells:
            self.assertEqual("ok", cell["status"], (cell["id"], cell.get("reason")))
            self.assertTrue(cell["check"]["identical"], cell["id"])

    def test_refuses_a_workload_that_no_plugin_offers(self):
        self.assertIn("swigluu", self.sweep("--workload", "swigluu", expect=2).stderr)
