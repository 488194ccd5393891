"""What is shipped to other systems: which versions of system libraries it needs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness_case import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


@unittest.skipUnless(shutil.which("g++"), "g++ is not installed")
class SymbolVersions(unittest.TestCase):
    """ci/symbol_versions.py: what is shipped runs on older systems, or is refused by name."""

    def judge(self, folder, body):
        source, program = folder / "program.cpp", folder / "program"
        source.write_text(body)
        subprocess.run(["g++", "-O1", source, "-o", program], check=True)
        return program, run(sys.executable, ROOT / "ci" / "symbol_versions.py", program)

    def test_takes_the_older_version_of_a_function_that_has_one(self):
        with tempfile.TemporaryDirectory() as folder:
            program, done = self.judge(pathlib.Path(folder), """
                #include <condition_variable>
                #include <mutex>
                #include <thread>
                int main() {
                  std::mutex mutex;
                  std::condition_variable changed;
                  bool told = false;
                  std::thread other([&] {
                    std::lock_guard hold(mutex);
                    told = true;
                    changed.notify_one();
                  });
                  std::unique_lock lock(mutex);
                  changed.wait(lock, [&] { return told; });
                  lock.unlock();
                  other.join();
                }""")
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertNotIn("GLIBCXX_3.4.30", run("objdump", "-T", program).stdout)
            self.assertEqual(0, run(program).returncode)

    def test_names_what_has_none(self):
        with tempfile.TemporaryDirectory() as folder:
            program, done = self.judge(pathlib.Path(folder), """
                #include <cstdlib>
                int main() { return arc4random() == 7; }""")
            self.assertEqual(1, done.returncode)
            self.assertEqual(f"{program} needs arc4random of GLIBC_2.36: the newest that may be needed are "
                             "GLIBC_2.34, GLIBCXX_3.4.29\n", done.stderr)


def built():
    tree = pathlib.Path(BINARY).resolve().parents[1]
    return [pathlib.Path(BINARY), *tree.glob("lib/*.so"), *tree.glob("lib/graphbench/*.so")]


class Libraries(unittest.TestCase):
    @unittest.skipUnless(os.confstr("CS_GNU_LIBC_VERSION") == "glibc 2.36", "bundles are built on Debian 12")
    def test_what_is_built_runs_where_the_bundle_must(self):
        with tempfile.TemporaryDirectory() as folder:
            # The script edits its files.
            copies = [shutil.copy(file, folder) for file in built()]
            done = run(sys.executable, ROOT / "ci" / "symbol_versions.py", *copies)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_only_the_module_of_the_host_device_needs_onednn(self):
        files = built()
        self.assertGreater(len(files), 4)
        needing = [file.name for file in files if "libdnnl.so" in run("objdump", "-p", file).stdout]
        self.assertEqual(["graphbench_host.so"], needing)
