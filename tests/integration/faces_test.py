#!/usr/bin/env python3
"""`graphbench compare` as CI calls it: its faces on stdout and in files, and other tools' documents."""

import json
import pathlib
import unittest
import xml.etree.ElementTree as ElementTree

import harness_case

DOCUMENTS = pathlib.Path(__file__).resolve().parents[1] / "unit/harness/verdict/compare/documents"


class Faces(harness_case.HarnessCase):
    def sides(self, factor):
        """Two folders of five Google Benchmark documents, one launch each."""
        for side, scale in (("base", 1), ("new", factor)):
            (self.folder / side).mkdir(exist_ok=True)
            for i in range(5):
                run = {"name": "BM_Step/8", "run_type": "iteration", "real_time": scale * (100 + 0.1 * i),
                       "time_unit": "us"}
                self.write(f"{side}/{i}.json", json.dumps({"context": {}, "benchmarks": [run]}))
        return "base", "new"

    def compare(self, *arguments):
        return self.run_graphbench("compare", *arguments)

    def test_every_face_says_the_same_and_exits_alike(self):
        base, new = self.sides(1.1)
        for face in ("table", "json", "markdown", "junit", "github"):
            with self.subTest(face):
                done = self.compare(base, new, "--format", face)
                self.assertEqual(10, done.returncode, done.stderr)
                self.assertIn("BM_Step/8", done.stdout)
                self.assertIn("slower", done.stdout)
                file = self.compare(base, new, "--format", face, "-o", f"{face}.out")
                self.assertEqual((10, ""), (file.returncode, file.stdout))
                self.assertEqual(done.stdout, (self.folder / f"{face}.out").read_text(encoding="utf-8"))

    def test_junit_holds_one_failed_test(self):
        done = self.compare(*self.sides(1.1), "--format", "junit")
        suite = ElementTree.fromstring(done.stdout).find("testsuite")
        self.assertEqual(("1", "1", "0"), tuple(suite.get(name) for name in ("tests", "failures", "skipped")))
        self.assertEqual("BM_Step/8", suite.find("testcase").get("name"))

    def test_folders_of_documents_are_launches(self):
        done = self.compare(*self.sides(1.0))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("same: all 1 metrics of 1 cell", done.stdout)

    def test_one_document_a_side_is_inconclusive_however_often_it_repeats(self):
        file = DOCUMENTS / "google_benchmark.json"
        done = self.compare(file, file, "--strict")
        self.assertEqual(11, done.returncode, done.stderr)
        self.assertIn("give the folders of documents", done.stdout)
        self.assertNotIn("--launches", done.stdout)

    def test_tools_do_not_compare_with_each_other(self):
        done = self.compare(DOCUMENTS / "nvbench.json", DOCUMENTS / "google_benchmark.json")
        self.assertEqual(12, done.returncode, done.stderr)
        self.assertIn("tool.name: nvbench -> google-benchmark", done.stdout)

    def test_refuses_bad_documents_of_other_tools_in_one_line(self):
        good = (DOCUMENTS / "google_benchmark.json").read_text(encoding="utf-8")
        nvbench = (DOCUMENTS / "nvbench.json").read_text(encoding="utf-8")
        cases = {
            "cut": (good[:len(good) // 2], "cut off"),
            "nan": (good.replace('"real_time": 5.1288', '"real_time": NaN, "x": 5.1288', 1), "NaN"),
            "negative": (good.replace('"real_time": 5.1288', '"real_time": -5.1288', 1), "real_time"),
            "unit": (good.replace('"time_unit": "ns"', '"time_unit": "h"', 1), "time_unit"),
            "twice": (good.replace('"repetition_index": 1', '"repetition_index": 0', 1), "twice"),
            "empty": ('{"context": {}, "benchmarks": []}', "nothing to compare"),
            "deep": ('{"context": {"x": ' + "[" * 200 + "]" * 200 + '}, "benchmarks": []}', "nested deeper"),
            "nvbench nan": (nvbench.replace('"7.25e-05"', '"nan"'), "not a time"),
            "nvbench version": (nvbench.replace('"major": 1', '"major": 9', 1), "another version"),
            "nvbench cut": (nvbench[:-200], "cut off"),
        }
        for name, (text, word) in cases.items():
            with self.subTest(name):
                self.write("bad.json", text)
                done = self.compare(DOCUMENTS / "google_benchmark.json", "bad.json", "-o", "junit.xml")
                self.assert_refused(done, "bad.json", word)
                self.assertFalse((self.folder / "junit.xml").exists())

    def test_refuses_bytes_that_are_no_utf8(self):
        good = (DOCUMENTS / "google_benchmark.json").read_bytes()
        (self.folder / "bad.json").write_bytes(good.replace(b"BM_Manual", b"BM_\xff\xfe"))
        self.assert_refused(self.compare("bad.json", "bad.json"), "UTF-8")

    def test_a_folder_with_one_broken_document_is_refused(self):
        base, new = self.sides(1.0)
        self.write("new/3.json", "{")
        self.assert_refused(self.compare(base, new), "new/3.json")


if __name__ == "__main__":
    unittest.main()
