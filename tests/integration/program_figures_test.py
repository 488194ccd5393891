"""What ci/program_figures.py makes of documents of ci/gpu's stages programs, start-up and training."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "ci")]
import figures as all_figures  # noqa: E402
import program_figures as figures  # noqa: E402


def cell(batch=1, seconds=1e-4, workload="mlp", **more):
    return {"workload": workload, "batch": batch, "status": "ok", "pass": "forward",
            "summary": {"latency_seconds": {"p50": seconds}}, **more}


class ProgramFigures(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, *cells):
        (self.folder / name).write_text(json.dumps({"cells": cells}))

    def test_epilogues_apart_are_beside_the_program_as_it_is(self):
        rows = figures.epilogue_rows({"cells": [cell(seconds=1e-4), cell(seconds=1.25e-4, epilogues="off")]})
        self.assertEqual([("--epilogues off / on: mlp", "1.250, largest 1.250 at b1 (b1 1.250)")],
                         [(row.figure, row.measured) for row in rows])

    def test_a_cell_that_failed_is_named_and_fails_its_row(self):
        failed = cell(batch=8, attention="fused", status="failed")
        rows = figures.attention_rows({"cells": [cell(batch=8, attention="decomposed"), failed]})
        self.assertEqual([(False, "not measured: b8")], [(row.passed, row.measured) for row in rows])

    def start_up(self, package_stage):
        def launches(stage):
            stages = ("process_seconds", "module_seconds", "context_seconds")
            startup = {**dict.fromkeys(stages, 0.1), "plugin_seconds": stage, "weights_seconds": 7e-3}
            return [{"index": index, "startup": startup,
                     "setup": dict.fromkeys([f"{name}_seconds" for name in figures.STAGES], by * stage)}
                    for index, by in enumerate((9, 1, 2))]

        for workload in ("mlp", "attention", "conv"):
            for way, stage in (("cold", 2e-3), ("warm", 1e-3), ("package", package_stage)):
                self.write(f"start_up_{workload}_{way}.json",
                           *(cell(batch, workload=workload, launches=launches(stage)) for batch in (1, 2)))
        return figures.start_up_rows(self.folder)

    def test_a_package_is_held_to_cold_and_warm(self):
        rows = self.start_up(1e-3)
        self.assertTrue(all(row.passed for row in rows), rows)
        self.assertIn("cold 26.0 ms, weights 7.0 ms (exec to context 300 ms)", rows[2].measured)
        slow = self.start_up(1.06e-3)  # more than 1.05 of warm, and of half of cold
        self.assertEqual([False, False, True] * 3, [row.passed for row in slow])

    def test_a_package_that_lacked_its_choices_is_not_measured(self):
        self.start_up(1e-3)
        self.write("start_up_mlp_package.json", cell(package={"plans": "chosen_at_load"}, launches=[]))
        self.assertEqual([False] * 3, [row.passed for row in figures.start_up_rows(self.folder)[:3]])

    def test_a_graph_hit_is_held_to_a_microsecond_above_a_replay(self):
        def rows(hit):
            traces = [{"outcome": "traced", "ops": 105, "seconds": 6e-3, "trace_seconds": 5e-4},
                      {"outcome": "graph_hit", "ops": 105, "seconds": 7e-6}]
            for layers in (4, 8, 16, 32):
                self.write(f"shapes_{layers}.json", cell(shape_walk={
                    "hit_seconds": hit, "replay_seconds": 6e-6, "traces": traces}))
            return figures.shape_rows(self.folder)

        self.assertTrue(all(row.passed for row in rows(6.9e-6)))
        self.assertEqual("1 of 105 ops, 6 to 6 ms, 0.5 ms of it tracing", rows(6.9e-6)[1].measured)
        self.assertEqual(4, sum(not row.passed for row in rows(7.1e-6)))

    def test_gains_of_branches_and_edges_have_intervals_over_launches(self):
        def launches(*seconds):
            return [{"latency_seconds": {"p50": each}} for each in seconds]
        self.write("forked.json", cell(launches=launches(1e-5, 1e-5, 1e-5)),
                   cell(branches="forked", launches=launches(8e-6, 8e-6, 8e-6)))
        self.write("edges.json", cell(launches=launches(1e-5, 1.1e-5)),
                   cell(edges="full", launches=launches(1.2e-5, 1.2e-5)), cell(batch=8, edges="full"))
        (self.folder / "branches.bare.log").write_text(
            "IF not taken    8.00   8.00   1.000   0.998   1.002   1.10\n"
            "SWITCH of 8    10.00   8.00   1.250   1.200   1.300   1.10  OVER\n")
        rows = figures.branch_rows(self.folder)
        self.assertEqual([True, False, True, False], [row.passed for row in rows])
        self.assertEqual("b1 1.250 (1.250..1.250)", rows[2].measured)
        self.write("edges.json", cell(launches=launches(1e-5, 1.1e-5)),
                   cell(edges="full", launches=launches(1.2e-5, 1.2e-5)))
        self.assertEqual("b1 1.144 (0.624..2.096)", figures.branch_rows(self.folder)[3].measured)

    def test_missing_documents_and_numbers_fail(self):
        for rows in (figures.branch_rows(self.folder), figures.program_rows(self.folder),
                     figures.start_up_rows(self.folder), figures.training_rows(self.folder)):
            self.assertTrue(rows and not any(row.passed for row in rows))
        self.write("shapes_4.json", cell())
        self.assertFalse(figures.shape_rows(self.folder)[0].passed)

    def torch_step(self, name, predicted, gain, other_kernels=0):
        eager = {"latency_seconds": {"p50": 1e-3}, "predicted_gain": predicted}
        whole = {"latency_seconds": {"p50": 1e-3 / gain}, "speedup_over_eager": gain}
        records = {"other_kernels": other_kernels}
        self.write(f"torch_{name}.json", cell(workload=name, mode="eager", summary=eager, records=records),
                   cell(workload=name, mode="whole", summary=whole, records=records))

    def test_predictions_are_held_to_gains_of_the_same_kernels(self):
        self.assertEqual([False], [row.passed for row in figures.torch_rows(self.folder)])
        self.torch_step("bert", 11.0, 3.0, other_kernels=211)
        self.assertEqual([False], [row.passed for row in figures.torch_rows(self.folder)])
        for at in range(9):
            self.torch_step(f"s{at}", 3.2, 3.0)
        self.torch_step("llama", 2.0, 3.0)
        rows = figures.torch_rows(self.folder)
        self.assertEqual([(True, "9 of 10, farthest 0.67 of llama b1")],
                         [(row.passed, row.measured) for row in rows])
        self.torch_step("vit", 2.0, 3.0)
        self.assertEqual([False], [row.passed for row in figures.torch_rows(self.folder)])

    def test_all_judged_steps_must_be_right(self):
        for text, measured in (("", "judged.py counted none"), ("right 0, wrong 0", "0 of 0"),
                               ("planted/a: 3 s WRONG no document\nright 1, wrong 1\n", "1 of 2")):
            rows = figures.judged_rows("torch-steps", text)
            self.assertEqual([(measured, False)], [(row.measured, row.passed) for row in rows])
        rows = figures.judged_rows("torch-steps", "planted/a: 3 s right\nright 53, wrong 0\n")
        self.assertEqual([("steps of PyTorch judged right: torch-steps", "53 of 53", True)],
                         [(row.figure, row.measured, row.passed) for row in rows])

    def test_what_ran_in_every_mode_is_counted(self):
        self.assertEqual([False], [row.passed for row in figures.torch_modes_rows(self.folder)])
        self.write("modes_vit.json", cell(), cell(status="skipped"), cell(status="failed"), cell())
        self.assertEqual(["1 failed, 2 ok, 1 skipped"],
                         [row.measured for row in figures.torch_modes_rows(self.folder)])

    def test_each_tool_of_the_sanitizer_is_judged(self):
        case = '<testsuite><testcase status="run"/><testcase status="notrun"/></testsuite>'
        (self.folder / "racecheck.a.0.xml").write_text(case)
        lines = ("racecheck.a.0\t0\t2", "racecheck.a.1\t99\t2", "memcheck.a\t0\t1")

        def said(stage, *stages):
            (self.folder / "stages.tsv").write_text("\n".join(stages))
            return [(row.measured, row.passed) for row in all_figures.rows_of(self.folder, [stage])]

        nothing = ("0 of 0, 0 tests", False)
        self.assertEqual([("1 of 2, 1 tests", False), nothing, nothing], said("kernels", *lines))
        self.assertEqual([("0 of 1, 1 tests", True), nothing, nothing], said("kernels", lines[0]))
        self.assertEqual([("0 of 1, 0 tests", False)], said("sanitizer", *lines))
