"""--shape-trace: a walk over sizes of steps in the document, its trace events, and what is refused."""

import json

from harness_case import TINY, HarnessCase

ARGUMENTS = ["--workload", "attention", "--pass", "training", "--optimizer", "sgd"]


class ShapeTrace(HarnessCase):
    def sweep(self, text, *arguments, code=0):
        path = self.write("steps.txt", text)
        return self.measure(*TINY, *ARGUMENTS, "--shape-trace", path, *arguments, code=code)[2]

    def test_a_ladder_walks_the_steps_once_in_every_mode(self):
        trace = self.folder / "trace.json"
        cells = self.sweep("# batch and sequence\n1 16\n4 16\n1 16 # its memory is gone\n1 16\n4 8\n",
                           "--mode", "eager,whole,piecewise", "--launches", "2", "--trace", str(trace))
        self.assert_ok(cells.values())
        for cell in cells.values():
            self.assertEqual(cell["batch"] == 2, "shape_walk" in cell, cell["id"])
            if cell["batch"] == 1:
                continue
            walk = cell["shape_walk"]
            eager = cell["mode"] == "eager"
            self.assertEqual(["traced", "program_hit"] + (["program_hit"] * 2 if eager else
                             ["recorded_again", "graph_hit"]) + ["traced"],
                             [step["outcome"] for step in walk["traces"]])
            self.assertEqual(["b* s16"] * 4 + ["b* s8"],
                             [step["signature"] for step in walk["traces"]])
            self.assertEqual("sequence 16 -> 8", walk["traces"][4]["reason"])
            self.assertEqual(eager, walk["hit_seconds"] is None)
        names = [event["name"] for event in json.loads(trace.read_text())]
        self.assertEqual(3, names.count("shape step 5 (b* s8, batch 4): traced"))

    def test_the_walk_is_a_table_of_what_was_made_and_why(self):
        path = self.write("steps.txt", "1 16\n2 16\n1 16\n1 16\n2 8\n")
        done = self.run_graphbench(*TINY, *ARGUMENTS, "--mode", "whole", "--shape-trace", path)
        lines = [line.split() for line in done.stdout.splitlines()]
        first = next(at for at, words in enumerate(lines) if words[:2] == ["shapes", "of"])
        self.assertEqual(["step", "batch", "program", "outcome", "time", "why"], lines[first + 1])
        rows = lines[first + 2:first + 5]
        self.assertEqual([["1", "1", "b*", "s16", "traced"], ["2", "2", "b*", "s16", "program_hit"],
                          ["5", "2", "b*", "s8", "traced"]],
                         [words[:5] for words in rows])
        self.assertEqual(["sequence", "16", "->", "8"], rows[2][6:])
        self.assertEqual("2 of 5 steps needed no new program or recording, and took".split(),
                         lines[first + 5][:12])

    def test_the_cap_is_an_option(self):
        cells = self.sweep("2 16\n2 8\n2 16\n", "--mode", "whole", "--shape-programs", "1")
        walk = cells["attention/tiny/fp32/training/b2/w0/whole/optimizer=sgd"]["shape_walk"]
        self.assertEqual(["traced"] * 3, [step["outcome"] for step in walk["traces"]])
        self.assertIn("the cap of 1 programs is reached: b* s8", walk["traces"][2]["reason"])
        cells = self.sweep("2 16\n1 16\n2 16\n", "--mode", "whole", "--shape-recordings", "1")
        walk = cells["attention/tiny/fp32/training/b2/w0/whole/optimizer=sgd"]["shape_walk"]
        self.assertEqual(["traced", "program_hit", "program_hit"],
                         [step["outcome"] for step in walk["traces"]])
        self.assertIn("the cap of 1 recordings is reached: batch 1 of b* s16", walk["traces"][2]["reason"])
        self.assertEqual([1, 1, 3], [walk[name] for name in ("recordings_max", "programs", "recordings")])

    def test_bad_lines_and_options_are_refused_by_name(self):
        for text, arguments, message in (
                ("1 16\nx 16\n", ARGUMENTS, 'steps.txt:2: "x" is not a batch size: give 1 to '),
                ("1 16\n1 1\n", ARGUMENTS, "steps.txt:2: sequence length 1 is out of range for "
                                           "attention in training: give 2 to 1048576"),
                ("\n1 16\n", ["--workload", "mlp"],
                 "steps.txt:2: sequence length 16: workload mlp has no option tokens: give the batch "
                 "size alone")):
            path = self.write("steps.txt", text)
            self.refuse_each([(arguments, message)], *TINY, "--shape-trace", path)
        self.refuse_each((*((f"{option} 2",
                             f"{option}: the option does nothing without --shape-trace: give")
                            for option in ("--shape-programs", "--shape-recordings")),
                          ("--shape-trace none.txt", '--shape-trace: "none.txt" cannot be read')), *TINY)

    def test_a_step_that_cannot_be_fails_its_cell_by_its_line(self):
        cells = self.sweep("2 16\n3 16\n", "--micro-batches", "2", "--mode", "whole", code=3)
        (cell,) = (cell for cell in cells.values() if cell["batch"] == 2)
        self.assertEqual("failed", cell["status"])
        self.assertIn("steps.txt:2: ", cell["reason"]["message"])
