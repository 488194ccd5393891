"""How the service's page gets into the binary: with npm, without it, and where npm fails."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "dashboards" / "page"
MISSING = [program for program in ("node", "npm") if not shutil.which(program)]
# What npm says where no registry can be reached: the machine's state, no fault of ours.
OFFLINE = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED")
NO_PAGE = 'built_in_page = {R"page()page", R"page()page"}'


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class PageBuildCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="graphbench-page-")))
        self.file = self.folder / "built_in_page.cpp"
        self.npm = shutil.which("npm")

    def cmake(self, *arguments):
        return subprocess.run(["cmake", *map(str, arguments)], capture_output=True, text=True, check=False,
                              timeout=300)

    def build(self, mode, folder="build"):
        """As the build does; ci/cmake/GraphbenchPage.cmake."""
        return self.cmake(f"-DMODE={mode}", f"-DSOURCE={SOURCE}", f"-DFILE={self.file}",
                          f"-DTEMPLATE={ROOT / 'harness/service/serve/built_in_page.cpp.in'}",
                          f"-DFOLDER={self.folder / folder}", f"-DNODE={shutil.which('node')}",
                          f"-DNPM={self.npm}", "-P", ROOT / "ci/cmake/build_page.cmake")

    def use_failing_npm(self):
        self.npm = self.folder / "npm"
        self.npm.write_text("#!/bin/sh\necho 'npm says: no network' >&2\nexit 1\n")
        self.npm.chmod(0o755)


@unittest.skipIf(MISSING, f"not installed: {' '.join(MISSING)}")
class WithNpm(PageBuildCase):
    def build_or_skip(self, folder="build"):
        done = self.build("ON", folder)
        if done.returncode != 0 and OFFLINE.search(done.stderr):
            self.skipTest(f"npm reaches no registry:\n{done.stderr[-500:]}")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("", done.stdout + done.stderr)
        return self.file.read_text(encoding="utf-8")

    def test_the_page_is_one_file_and_always_the_same(self):
        before = contents(SOURCE)
        text = self.build_or_skip()
        self.assertEqual(before, contents(SOURCE), "the source tree is not a place to build in")
        self.assertIn("<!doctype html>", text)
        self.assertEqual([], re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?!data:)", text))
        self.assertEqual(text, self.build_or_skip("another"))

    def test_a_second_build_runs_no_npm(self):
        text = self.build_or_skip()
        self.use_failing_npm()
        self.assertEqual(text, self.build_or_skip())

    def test_what_failed_is_tried_again(self):
        npm = self.npm
        self.use_failing_npm()
        self.assertEqual(0, self.build("AUTO").returncode)
        self.npm = npm
        self.assertIn("<!doctype html>", self.build_or_skip())


class WithoutNpm(PageBuildCase):
    def test_a_failed_npm_costs_the_page_alone_and_a_line(self):
        self.use_failing_npm()
        done = self.build("AUTO")
        self.assertEqual(0, done.returncode, done.stderr)
        said = done.stdout + done.stderr
        self.assertEqual(1, said.strip().count("\n") + 1, said)
        self.assertIn("web page: not built in, npm-ci failed", said)
        self.assertIn("GRAPHBENCH_PAGE=ON tries again", said)
        self.assertIn(NO_PAGE, self.file.read_text())
        self.assertIn("no network", (self.folder / "build" / "npm-ci.log").read_text())

    def test_a_failed_npm_is_an_error_where_the_page_was_asked_for(self):
        self.use_failing_npm()
        done = self.build("ON")
        self.assertNotEqual(0, done.returncode)
        self.assertIn("npm says: no network", done.stderr)
        self.assertFalse(self.file.exists())

    def test_a_page_that_is_not_wanted_is_not_built(self):
        self.use_failing_npm()
        done = self.build("OFF")
        self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))
        self.assertIn(NO_PAGE, self.file.read_text())

    def configure(self, mode):
        """A project that finds no program anywhere."""
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES NONE)\n"
            "set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)\nset(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)\n"
            f'include("{ROOT}/ci/cmake/GraphbenchPage.cmake")\n'
            'message(STATUS "have: ${GRAPHBENCH_HAVE_PAGE}")\n')
        return self.cmake("-G", "Ninja", "-DCMAKE_MAKE_PROGRAM=" + shutil.which("ninja"), "-S", self.folder,
                          "-B", self.folder / "configured", f"-DGRAPHBENCH_PAGE={mode}")

    def test_where_npm_is_missing_configuring_says_so(self):
        done = self.configure("AUTO")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("Web page: not built, node or npm was not found", done.stdout)
        self.assertIn("have: OFF", done.stdout)
        done = self.configure("ON")
        self.assertNotEqual(0, done.returncode)
        self.assertIn("install nodejs (18 or newer) and npm", re.sub(r"\s+", " ", done.stderr))

    def test_a_mode_that_is_none_is_refused(self):
        done = self.configure("YES")
        self.assertNotEqual(0, done.returncode)
        self.assertIn("GRAPHBENCH_PAGE=YES: give AUTO, ON or OFF", re.sub(r"\s+", " ", done.stderr))


class Locks(unittest.TestCase):
    """Of the page and of the dashboards' generator."""

    def test_name_no_registry_and_pin_every_package(self):
        for source in (SOURCE, ROOT / "dashboards" / "source"):
            lock = json.loads((source / "package-lock.json").read_text())
            for name, package in lock["packages"].items():
                self.assertNotIn("resolved", package, name)
                if name:
                    self.assertIn("integrity", package, name)
            package = json.loads((source / "package.json").read_text())
            for name, version in {**package["dependencies"], **package.get("devDependencies", {})}.items():
                self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)
                self.assertEqual(version, lock["packages"][f"node_modules/{name}"]["version"])
