#!/usr/bin/env python3
"""Holds result documents to reporters/schema/result.schema.json, and the schema to its strictness.

Good documents must pass; dozens of mutants, each with one fault, must not. GRAPHBENCH_RESULT names a
document of a real sweep to hold to the same rules."""

import copy
import json
import os
import pathlib
import sys
import unittest

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parent
SCHEMA = FOLDER.parents[1] / "reporters" / "schema" / "result.schema.json"
REAL = os.environ.get("GRAPHBENCH_RESULT")

sys.path.insert(0, str(FOLDER))
from document_rules import faults_of  # noqa: E402
from instrument_mutants import BROKEN_INSTRUMENT_RULES, INSTRUMENT_MUTANTS  # noqa: E402
from mutants import MISSING, change, table  # noqa: E402


def refuse_constant(text):
    raise ValueError(f"{text} is not JSON")


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=refuse_constant)


# small.json: cell 1 is ok, of mode whole; cell 10 failed; cell 11 was skipped.
PLACES = {"CELL": "cells.1", "LAUNCH": "cells.1.launches.0", "LATENCY": "cells.1.launches.0.latency_seconds",
          "SUMMARY": "cells.1.summary", "AXES": "plan.axes", "DEVICE": "environment.device"}
MUTANTS = table("""
schema: "graphbench.result/2", MISSING
extra: 1
tool: MISSING
tool.version: "one", MISSING
tool.commit: "", null
tool.branch: "main"
started_at: "yesterday", "2026-01-02 03:04:05", "2026-01-02T03:04:05+01:00", null
finished_at: null, 1767323045
complete: "yes", MISSING
environment: null
environment.cores: 0, 8.5
environment.no_gpu: "", null, true
environment.hostname: null
environment.fingerprint: "not hex", MISSING
DEVICE.kind: "gpu"
DEVICE.name: ""
DEVICE.uuid: ""
DEVICE.compute_capability: "nine"
DEVICE.memory_bytes: -1, 1.5
DEVICE.driver: 580
DEVICE.libraries: []
DEVICE.libraries.cudnn: 9
DEVICE.runtime: MISSING
plan.hash: "XYZ"
plan.argv: "graphbench --sweep"
plan.argv.0: 1
plan.seed: -1, "1"
plan.launches: 0
plan.without_effect: [], [""], "none"
AXES: MISSING
AXES.workload: [], ["mlp", "mlp"], ["Has Blank"]
AXES.dtype: ["fp8"]
AXES.batch: [0], [1, 1], ["1"]
AXES.warmup: [-1]
AXES.mode: ["compiled"]
AXES.speed: [1]
cells: {}, [], null
CELL.id: "mlp/base/bf16/forward/b1/w0", "mlp/base/bf16/forward/b01/w0/whole"
CELL.id: "mlp/base/int8/forward/b1/w0/whole", MISSING
CELL.workload: ""
CELL.dtype: "float"
CELL.batch: 0, "1"
CELL.warmup: -1
CELL.mode: "graph"
CELL.status: "pending", "failed"  # which wants a reason
CELL.reason: {"code": "io", "message": "of an ok cell"}
CELL.notes: "free text"
conclusions: [], {}, ["use whole"]
conclusions.0.code: "Use Whole", MISSING
conclusions.0.figures: {"gain": "2x"}
conclusions.0.subject: ""
conclusions.0.label: "because", ""
conclusions.0.shown.0.name: ""
conclusions.0.shown.0.batch: "8", MISSING
notes: [], null
notes.0.text: ""
notes.0.cells: MISSING, [1]
CELL.check: null, MISSING
CELL.check.identical: "true"
CELL.check.max_abs_error: -1e-09
CELL.check.reference: MISSING
CELL.graph.nodes: 1.5
CELL.graph.pieces: -1, MISSING
CELL.memory.pool_bytes: -1
CELL.memory.pool_bytes: MISSING
CELL.memory.peak: 1
CELL.launches: [], null
LAUNCH.index: -1
LAUNCH.pid: 42
LAUNCH.setup: null
LAUNCH.setup.capture_seconds: MISSING, -1
LAUNCH.setup.capture_ms: 1
LAUNCH.throughput_steps_per_second: 0, MISSING
LAUNCH.ramp_seconds: null, ["0.001"]
LATENCY.count: 0, 458, 100.5  # 458: too few for its p99
LAUNCH.device_seconds.count: 43  # too few for its p90
LATENCY.p50: null, "fast", MISSING
LATENCY.p99: MISSING
LATENCY.p95: 0.001
LATENCY.min: -1e-06
LATENCY.stddev: -1
SUMMARY: null
SUMMARY.latency_seconds: null
SUMMARY.latency_seconds.p50: MISSING
SUMMARY.latency_seconds.ci95: [0.0001], [0.0001, 0.0002, 0.0003], [null, 0.0002], MISSING
SUMMARY.speedup_over_eager: 0, "2x"
SUMMARY.breakeven_steps: -1, MISSING
SUMMARY.no_breakeven: null, "later"
SUMMARY.throughput_over_eager: 0
SUMMARY.setup_once_seconds: -1
cells.10.reason: MISSING, null
cells.10.reason.code: "Out Of Memory"
cells.10.reason.message: null
cells.10.reason.hint: "text"
cells.11.reason.code: ""
""", PLACES) + [(("cells", 1, "launches", 0, "ramp_seconds"), [0.001] * 33)]

# What a schema cannot say; see document_rules.py.
BROKEN_RULES = table("""
CELL.id: "mlp/base/bf16/forward/b2/w0/whole"
CELL.mode: "eager"
CELL.workload: "conv"
CELL.batch: 2
AXES.warmup: [0]
LAUNCH.index: 1
LATENCY.min: 1.0
LATENCY.p90: 1e-09
LATENCY.max: 1e-09
LATENCY.mean: 1.0
SUMMARY.latency_seconds.p50: 1.0
SUMMARY.latency_seconds.ci95: [0.0002, 0.0001]
SUMMARY.speedup_over_eager: 9.0
cells.0.summary.speedup_over_eager: 1.5
SUMMARY.breakeven_steps: null
SUMMARY.no_breakeven: "never"
conclusions.0.cells: ["mlp/base/bf16/forward/b9/w0/whole"]
SUMMARY.breakeven_steps_ci95: [1e6, 2e6]
finished_at: "2025-01-01T00:00:00Z"
""", PLACES)


class Schema(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        schema = load(SCHEMA)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)
        cls.small = load(FOLDER / "json" / "small.json")
        cls.instruments = load(FOLDER / "json" / "instruments.json")

    def test_golden_documents_are_valid(self):
        for name in ("small.json", "interrupted.json", "instruments.json"):
            with self.subTest(name):
                document = load(FOLDER / "json" / name)
                self.assertEqual([], [error.message for error in self.validator.iter_errors(document)])
                self.assertEqual([], faults_of(document))

    def test_every_mutant_is_refused(self):
        for document, mutants in ((self.small, MUTANTS), (self.instruments, INSTRUMENT_MUTANTS)):
            for path, value in mutants:
                with self.subTest(path=path, value="missing" if value is MISSING else value):
                    self.assertFalse(self.validator.is_valid(change(document, path, value)))

    def test_every_broken_rule_is_found(self):
        for document, broken in ((self.small, BROKEN_RULES), (self.instruments, BROKEN_INSTRUMENT_RULES)):
            for path, value in broken:
                with self.subTest(path=path, value="missing" if value is MISSING else value):
                    self.assertNotEqual([], faults_of(change(document, path, value)))

    def test_a_later_axis_is_in_a_cell_away_from_its_default(self):
        document = copy.deepcopy(self.small)
        document["plan"]["axes"]["graph-rewrite"] = ["none", "memset"]
        document["cells"].append({**document["cells"][1], "graph-rewrite": "memset",
                                  "id": document["cells"][1]["id"] + "/graph-rewrite=memset"})
        self.assertEqual([], [error.message for error in self.validator.iter_errors(document)])
        self.assertEqual([], faults_of(document))
        for value in ("none", "kernel"):
            self.assertFalse(self.validator.is_valid(change(document, ("cells", -1, "graph-rewrite"), value)))
        self.assertNotEqual([], faults_of(change(document, ("cells", -1, "graph-rewrite"), MISSING)))

    def test_cells_that_repeat_or_lack_are_found(self):
        repeated = copy.deepcopy(self.small)
        repeated["cells"].append(repeated["cells"][0])
        self.assertNotEqual([], faults_of(repeated))
        lacking = copy.deepcopy(self.small)
        del lacking["cells"][3]
        self.assertNotEqual([], faults_of(lacking))

    def test_what_is_not_a_number_is_refused_while_reading(self):
        for word in ("NaN", "Infinity", "-Infinity"):
            with self.assertRaises(ValueError):
                json.loads(f'{{"p50": {word}}}', parse_constant=refuse_constant)

    def test_every_object_is_closed(self):
        def walk(node, path):
            if isinstance(node, dict):
                types = node.get("type")
                if types == "object" or isinstance(types, list) and "object" in types:
                    if "properties" in node or "additionalProperties" in node:
                        self.assertIn("additionalProperties", node, path)
                for key, value in node.items():
                    if key not in ("then", "else", "if", "allOf"):  # these refine an object closed elsewhere
                        walk(value, path + "/" + key)
            elif isinstance(node, list):
                for index, value in enumerate(node):
                    walk(value, f"{path}/{index}")

        walk(load(SCHEMA), "#")

    @unittest.skipUnless(REAL, "GRAPHBENCH_RESULT names no document of a real sweep")
    def test_a_real_document_is_valid(self):
        document = load(REAL)
        found = self.validator.iter_errors(document)
        errors = [f"{list(error.absolute_path)}: {error.message}" for error in found]
        self.assertEqual([], errors[:20])
        self.assertEqual([], faults_of(document)[:20])


if __name__ == "__main__":
    unittest.main()
