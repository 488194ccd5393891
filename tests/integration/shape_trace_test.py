"""--shape-trace: a walk over sizes of steps in the document, its trace events, and what is refused."""

import json
import unittest

from harness_case import TINY, HarnessCase

ARGUMENTS = ["--workload", "attention", "--pass", "training", "--optimizer", "sgd"]


class ShapeTrace(HarnessCase):
    def steps(self, text):
        path = self.folder / "steps.txt"
        path.write_text(text)
        return str(path)

    def sweep(self, text, *arguments, code=0):
        done = self.run_graphbench(*TINY, *ARGUMENTS, "--shape-trace", self.steps(text), *arguments,
                                   code=code)
        if code == 2:
            return done
        document = self.result()
        self.assert_valid(document, "result.schema.json")
        return {cell["id"]: cell for cell in document["cells"]}

    def test_a_ladder_walks_the_steps_once_in_every_mode(self):
        trace = self.folder / "trace.json"
        cells = self.sweep("# batch and sequence\n1 16\n4 16\n1 16 # its memory is gone\n1 16\n4 8\n",
                           "--mode", "eager,whole,piecewise", "--launches", "2", "--trace", str(trace))
        for cell in cells.values():
            self.assertEqual("ok", cell["status"], cell.get("reason"))
            self.assertEqual(cell["batch"] == 2, "shape_walk" in cell, cell["id"])
            if cell["batch"] == 1:
                continue
            walk = cell["shape_walk"]
            eager = cell["mode"] == "eager"
            self.assertEqual(["traced", "program_hit"] + (["program_hit"] * 2 if eager else
                             ["recorded_again", "graph_hit"]) + ["traced"],
                             [step["outcome"] for step in walk["traces"]])
            self.assertEqual(["b1 s16"] + ["b* s16"] * 3 + ["b* s8"],
                             [step["signature"] for step in walk["traces"]])
            self.assertEqual("sequence 16 -> 8", walk["traces"][4]["reason"])
            self.assertEqual(eager, walk["hit_seconds"] is None)
        names = [event["name"] for event in json.loads(trace.read_text())]
        self.assertEqual(3, names.count("shape step 5 (b* s8, batch 4): traced"))

    def test_the_cap_is_an_option(self):
        cells = self.sweep("2 16\n2 8\n2 16\n", "--mode", "whole", "--shape-programs", "1")
        walk = cells["attention/tiny/fp32/training/b2/w0/whole/optimizer=sgd"]["shape_walk"]
        self.assertEqual(["traced"] * 3, [step["outcome"] for step in walk["traces"]])
        self.assertIn("the cap of 1 programs is reached: b2 s8", walk["traces"][2]["reason"])
        cells = self.sweep("2 16\n1 16\n2 16\n", "--mode", "whole", "--shape-recordings", "1")
        walk = cells["attention/tiny/fp32/training/b2/w0/whole/optimizer=sgd"]["shape_walk"]
        self.assertEqual(["traced", "program_hit", "program_hit"],
                         [step["outcome"] for step in walk["traces"]])
        self.assertIn("the cap of 1 recordings is reached: batch 1 of b* s16", walk["traces"][2]["reason"])
        self.assertEqual([1, 1, 3], [walk[name] for name in ("recordings_max", "programs", "recordings")])

    def test_bad_lines_and_options_are_refused_by_name(self):
        for text, message in (("1 16\nx 16\n", 'steps.txt:2: "x" is not a batch size: give 1 to '),
                              ("1 16\n1 1\n", "steps.txt:2: sequence length 1 is out of range for "
                                              "attention in training: give 2 to 1048576")):
            done = self.sweep(text, code=2)
            self.assertIn(message, done.stderr)
            self.assertEqual(1, len(done.stderr.strip().splitlines()), done.stderr)
        done = self.run_graphbench(*TINY, "--workload", "mlp", "--shape-trace", self.steps("\n1 16\n"),
                                   code=2)
        self.assertIn("steps.txt:2: sequence length 16: mlp has none (an option named tokens): give the "
                      "batch size alone", done.stderr)
        done = self.run_graphbench(*TINY, "--shape-programs", "2", code=2)
        self.assertIn("--shape-programs: it is a bound of --shape-trace: give that too", done.stderr)
        done = self.run_graphbench(*TINY, "--shape-recordings", "2", code=2)
        self.assertIn("--shape-recordings: it is a bound of --shape-trace: give that too", done.stderr)
        done = self.run_graphbench(*TINY, "--shape-trace", "none.txt", code=2)
        self.assertIn('--shape-trace: "none.txt" cannot be read', done.stderr)

    def test_a_step_that_cannot_be_fails_its_cell_by_its_line(self):
        cells = self.sweep("2 16\n3 16\n", "--micro-batches", "2", "--mode", "whole", code=3)
        (cell,) = (cell for cell in cells.values() if cell["batch"] == 2)
        self.assertEqual("failed", cell["status"])
        self.assertIn("steps.txt:2: ", cell["reason"]["message"])
