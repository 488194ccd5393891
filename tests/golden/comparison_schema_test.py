#!/usr/bin/env python3
"""Holds comparison documents to reporters/schema/comparison.schema.json, and the schema to its strictness."""

import json
import pathlib
import sys
import unittest

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
from mutants import MISSING, change, table  # noqa: E402

SCHEMA = FOLDER.parents[1] / "reporters" / "schema" / "comparison.schema.json"
GOLDEN = ("mixed", "same", "single", "incomparable")

# json/mixed.json: cell 0 is compared and its latency slower, cell 2 has an inconclusive latency, cell
# 5 failed in NEW.
MUTANTS = table("""
schema: "graphbench.comparison/2", MISSING
extra: 1
comparable: "yes", false  # with cells and a verdict
passed: null
verdict: "worse", null
headline: ""
base.source: ""
base.documents: 0
base.driver: ""
new: MISSING
new.cells: 0
new.launches.min: -1
settings.alpha: 0
settings.margin.latency: MISSING
settings.floor_seconds.device: -1e-09
settings.allow: "plan"
differences.0.field: ""
differences.0.allowed: MISSING
counts.tests: -1
counts.metrics.slower: 1.5
counts.cells.neither: MISSING
means: {}
means.0.mode: "", MISSING
means.0.cells: 1, MISSING
means.0.metric: "throughput"
means.0.family: "of a cell"
counts.means.slower: -1
counts.means.less_steady: -1
means.0.steadiness.verdict: "unsteady"
means.0.steadiness.p: 1.5, MISSING
odd_launches: [{}], [{"side": "left", "document": 0, "launch": 0, "metric": "setup", "cells": 1, "ratio": 2}]
two_states: [{}], [{"side": "new", "metric": "latency", "slower": 1, "launches": 5, "ratio": 1.1, "p": 0.1}]
settings.require_power: {}, {"device": 0.1}
cells.0.mode: "of a mean"
cells.0.id: ""
cells.0.coverage: "both"
cells.0.regression: true  # true of nothing lost
cells.0.lost: ["device"]  # which is a regression
cells.0.gained: [], ["throughput"]
cells.5.gained: ["latency"]  # of a cell that was not compared
counts.metrics.lost: MISSING
cells.0.reason: "of a compared cell"
cells.5.metrics: [{}]
METRIC.metric: "throughput"
METRIC.verdict: "inconclusive"  # inconclusive without a why
METRIC.why: "of a verdict"
METRIC.base_seconds: 0
METRIC.ratio: null
METRIC.ratio_ci95: [1.0], null  # null of a verdict
METRIC.p: 1.5
METRIC.q: null, MISSING  # null of a verdict
METRIC.detectable: -0.1
METRIC.margin: "2%"
METRIC.new_launches: 0
METRIC.paired: MISSING
cells.2.metrics.0.why: MISSING
""", {"METRIC": "cells.0.metrics.0"})


def load(name):
    return json.loads((FOLDER / "comparison" / "json" / f"{name}.json").read_text(encoding="utf-8"))


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_golden_documents_are_valid(self):
        for name in GOLDEN:
            with self.subTest(name):
                self.assertEqual([], [error.message for error in self.validator.iter_errors(load(name))])

    def test_every_mutant_is_refused(self):
        mixed = load("mixed")
        for path, value in MUTANTS:
            with self.subTest(path=path, value="missing" if value is MISSING else value):
                self.assertFalse(self.validator.is_valid(change(mixed, path, value)))


if __name__ == "__main__":
    unittest.main()
