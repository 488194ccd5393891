"""The committed dashboards are what dashboards/source writes."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import metrics_table

SOURCE = metrics_table.DASHBOARDS / "source"
COMMITTED = metrics_table.DASHBOARDS / "grafana"
MISSING = [program for program in ("node", "npm") if not shutil.which(program)]
# What npm says where no registry can be reached: the machine's state, no fault of ours.
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH", "ENOTCACHED")


def install(folder):
    """The packages of the lock file in a folder kept beside the build, or the reason to skip."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SOURCE / name, folder / name)
    done = subprocess.run(["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"],
                          cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        if any(word in done.stderr for word in OFFLINE):
            raise unittest.SkipTest(f"npm reaches no registry:\n{done.stderr[-500:]}")
        raise AssertionError(done.stderr)


@unittest.skipIf(MISSING, f"not installed: {' '.join(MISSING)}")
class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="graphbench-dashboards-")
        cls.folder = pathlib.Path(cls.enterClassContext(folder))
        install(cls.folder)
        for path in SOURCE.glob("*.mjs"):
            shutil.copy(path, cls.folder)

    def generate(self, *arguments):
        return subprocess.run(["node", "generate.mjs", *arguments], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=60)

    def test_dashboards_are_up_to_date(self):
        out = self.folder / "out"
        out.mkdir()
        done = self.generate(str(out))
        self.assertEqual(0, done.returncode, done.stderr)
        names = sorted(path.name for path in out.iterdir())
        self.assertEqual(names, sorted(path.name for path in COMMITTED.iterdir()))
        for name in names:
            self.assertEqual((out / name).read_text(), (COMMITTED / name).read_text(),
                             f"{name} is stale: cd dashboards/source && npm ci && npm run generate")

    def test_a_panel_without_a_unit_is_refused(self):
        source = (SOURCE / "service.mjs").read_text()
        queue = '}, [maxBy(["instance"]'
        broken = source.replace("unit: UNITS.count, min: 0,\n    " + queue, 'unit: "",\n    ' + queue)
        self.assertNotEqual(source, broken)
        (self.folder / "service.mjs").write_text(broken)
        self.addCleanup(shutil.copy, SOURCE / "service.mjs", self.folder)
        done = self.generate(os.devnull)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("panel 'Queue depth': no unit", done.stderr)

    def test_the_generator_explains_itself(self):
        done = self.generate()
        self.assertEqual(2, done.returncode)
        self.assertTrue(done.stderr.startswith("usage: node generate.mjs FOLDER"), done.stderr)
