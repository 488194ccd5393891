#!/usr/bin/env python3
"""Tests of what the peers do without torch: ratios, limits, options; `run` is in test_run.py, sampling
in test_sampling.py."""

import argparse
import contextlib
import copy
import io
import math
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import options  # noqa: E402
import ratios  # noqa: E402
import report  # noqa: E402

BATCHES = (1, 2)


def cell(workload, batch, mode, factor):
    """A cell all of whose times and bytes are `factor` times some base."""
    captured = mode != "eager"
    setup = {"capture_seconds": 0.001 * factor * captured, "instantiate_seconds": 0.0005 * factor * captured}
    memory = {"weights_bytes": 10}
    if captured:
        memory.update(pool_bytes=int(1000 * factor), pool_bytes_private=int(3000 * factor))
    p50 = {f"{metric}_seconds": {"p50": 1e-4 * factor * batch, "ci95": None} for metric in ratios.METRICS}
    return {"id": f"{workload}/base/bf16/forward/b{batch}/w3/{mode}", "workload": workload, "preset": "base",
            "dtype": "bf16", "pass": "forward", "batch": batch, "warmup": 3, "mode": mode, "status": "ok",
            "reason": None, "check": {"identical": True}, "memory": memory, "launches": [{"setup": setup}],
            "summary": p50}


def document(schema="graphbench.result/1", factor=1.0, workloads=("mlp", "conv")):
    cells = [cell(workload, batch, mode, factor)
             for workload in workloads for mode in options.MODES for batch in BATCHES]
    return {"schema": schema, "environment": {"device": {"name": "A GPU", "uuid": "GPU-1"}}, "cells": cells}


def peer(factor=1.0, workloads=("mlp", "conv")):
    return document("graphbench.peer/1", factor, workloads)


def scale(target, factor, metric, **where):
    """Multiplies one p50 of the cells that match."""
    for each in target["cells"]:
        if all(each[field] == value for field, value in where.items()):
            each["summary"][f"{metric}_seconds"]["p50"] *= factor
    return target


def fail(target, **where):
    for each in target["cells"]:
        if all(each[field] == value for field, value in where.items()):
            reason = {"code": "out_of_memory", "message": "too large"}
            each.update(status="failed", reason=reason, launches=[], summary=None)
    return target


def figure(found, name):
    return next(each for each in found if each.name == name)


class Compare(unittest.TestCase):
    def test_divides_ours_by_torch(self):
        found = ratios.compare([(document(factor=1.0), peer(factor=4.0))])
        self.assertEqual(12, len(found.cells))
        pair = found.cells[("mlp", "base", "bf16", 2, "whole")]["submit"]
        self.assertAlmostEqual(2e-4, pair.ours)
        self.assertAlmostEqual(8e-4, pair.torch)
        self.assertAlmostEqual(0.25, pair.ratio)
        self.assertEqual([], found.missing)

    def test_takes_the_geometric_mean_over_rounds(self):
        found = ratios.compare([(document(factor=1.0), peer()), (document(factor=4.0), peer())])
        self.assertAlmostEqual(2.0, found.cells[("mlp", "base", "bf16", 1, "eager")]["latency"].ratio)
        self.assertAlmostEqual(2.0, found.setup[("mlp", "base", "bf16", "whole")].ratio)

    def test_means_are_geometric_by_workload_and_over_all(self):
        ours = scale(document(), 0.25, "device", workload="mlp", mode="whole", batch=1)
        found = ratios.compare([(ours, peer())])
        self.assertAlmostEqual(0.5, ratios.mean_of(found, "whole", "device", "mlp"))
        self.assertAlmostEqual(math.sqrt(0.5), ratios.mean_of(found, "whole", "device"))
        self.assertAlmostEqual(1.0, ratios.mean_of(found, "eager", "device"))
        self.assertIsNone(ratios.mean_of(found, "whole", "device", "attention"))

    def test_sums_setup_over_the_ladder_and_shares_one_pool(self):
        found = ratios.compare([(document(factor=1.0), peer(factor=2.0))])
        ladder = ("conv", "base", "bf16", "piecewise")
        self.assertAlmostEqual(0.003, found.setup[ladder].ours)
        self.assertAlmostEqual(1000, found.pools[ladder].ours)
        self.assertAlmostEqual(0.5, found.private[ladder].ratio)
        self.assertNotIn(("conv", "base", "bf16", "eager"), found.setup)

    def test_says_what_failed_and_compares_the_rest(self):
        found = ratios.compare([(document(), fail(peer(), workload="mlp", mode="whole", batch=2))])
        self.assertNotIn(("mlp", "base", "bf16", 2, "whole"), found.cells)
        self.assertEqual(11, len(found.cells))
        self.assertIn("out_of_memory", found.missing[0])
        self.assertIn("mlp base bf16 b2 whole: only graphbench has it", found.missing)
        self.assertAlmostEqual(0.0015, found.setup[("mlp", "base", "bf16", "whole")].ours)

    def test_says_that_a_pool_was_not_measured(self):
        ours = document()
        for each in ours["cells"]:
            each["memory"] = None
        found = ratios.compare([(ours, peer())])
        self.assertEqual({}, found.pools)
        self.assertIn("mlp base bf16 whole: no pool_bytes on both sides", found.missing)

    def test_notes_where_torch_does_not_repeat_its_bits(self):
        torch = peer()
        torch["cells"][0]["check"] = {"identical": False, "eager_repeats_its_bits": False}
        found = ratios.compare([(document(), torch)])
        self.assertEqual([], found.missing)
        self.assertEqual(1, len(found.notes))
        self.assertIn("1 of 12 cells", found.notes[0])
        self.assertIn("in 1 of them eager does not repeat", found.notes[0])

    def test_shows_what_dispatch_is_of_the_piecewise_submit(self):
        torch = peer(factor=4.0)
        for each in torch["cells"]:
            if each["mode"] == "piecewise":
                each["launches"][0]["submit_loop_seconds"] = {"p50": 2e-4 * each["batch"]}
        found = ratios.compare([(document(factor=1.0), torch)])
        self.assertEqual(4, len(found.loop))
        self.assertAlmostEqual(0.5, found.loop[("mlp", "base", "bf16", 2, "piecewise")].ratio)
        self.assertRegex(report.markdown(found), r"(?m)^\| all +\| +0\.250 \| +0\.500 \|$")
        self.assertNotIn("dispatch", report.markdown(ratios.compare([(document(), peer())])))

    def test_refuses_two_devices(self):
        torch = peer()
        torch["environment"]["device"]["uuid"] = "GPU-2"
        with self.assertRaisesRegex(ratios.DocumentError, "GPU-1 and GPU-2"):
            ratios.compare([(document(), torch)])

    def test_refuses_several_warmup_counts(self):
        ours = document()
        ours["cells"].append({**copy.deepcopy(ours["cells"][0]), "warmup": 10})
        with self.assertRaisesRegex(ratios.DocumentError, "another warmup count"):
            ratios.compare([(ours, peer())])

    def test_refuses_documents_without_a_common_cell(self):
        with self.assertRaisesRegex(ratios.DocumentError, "no cell in common"):
            ratios.compare([(document(workloads=("mlp",)), peer(workloads=("conv",)))])


class Limits(unittest.TestCase):
    def found(self, ours, torch=None):
        return ratios.figures(ratios.compare([(ours, torch or peer())]))

    def test_pass_where_everything_is_a_tenth(self):
        found = self.found(document(factor=0.1))
        self.assertEqual(8, len(found))
        self.assertTrue(all(each.passed for each in found), found)

    def test_one_slow_cell_fails_its_own_limit_only(self):
        ours = scale(document(factor=0.1), 11.6, "device", workload="conv", mode="whole", batch=2)
        failing = [each for each in self.found(ours) if not each.passed]
        self.assertEqual(["device whole, worst cell"], [each.name for each in failing])
        self.assertAlmostEqual(1.16, failing[0].measured)
        self.assertEqual("conv base bf16 b2 whole", failing[0].where)

    def test_one_slow_workload_fails_its_mean(self):
        ours = scale(document(factor=0.1), 11.0, "device", workload="conv", mode="whole")
        failing = [each for each in self.found(ours) if not each.passed]
        self.assertEqual([("device whole, worst workload's mean", "conv")],
                         [(each.name, each.where) for each in failing])

    def test_each_mode_has_its_own_submit_limit(self):
        found = self.found(document(factor=0.4))
        self.assertTrue(figure(found, "submit whole, geometric mean").passed)
        self.assertFalse(figure(found, "submit eager, geometric mean").passed)
        self.assertFalse(figure(found, "submit piecewise, geometric mean").passed)

    def test_training_is_held_to_the_latency_of_a_step(self):
        ours, theirs = document(factor=0.7), peer()
        for each in ours["cells"] + theirs["cells"]:
            each["pass"] = "training"
            if each["mode"] == "piecewise":
                each.update(mode="whole", backward="callables")
        for each in theirs["cells"]:
            if each.pop("backward", None):
                each["mode"] = "callables"
        passed = {figure.name: figure.passed for figure in ratios.figures(ratios.compare([(ours, theirs)]))}
        self.assertFalse(passed.pop("step eager, geometric mean"))
        self.assertEqual(5, len(passed))
        self.assertTrue(all(passed.values()), passed)

    def test_torch_compile_stands_beside_our_whole(self):
        ours, theirs = document(factor=0.9), peer()
        self.assertFalse([each for each in self.found(ours) if "compile" in each.name])
        theirs["cells"] += [cell(workload, batch, "compiled", 1.0)
                            for workload in ("mlp", "conv") for batch in BATCHES]
        scale(theirs, 0.75, "device", mode="compiled", workload="conv", batch=2)
        compared = ratios.compare([(ours, theirs)])
        self.assertEqual([], compared.missing)
        self.assertAlmostEqual(0.9, compared.cells[("mlp", "base", "bf16", 2, "compiled")]["device"].ratio)
        limit = figure(ratios.figures(compared), "device whole beside torch.compile, geometric mean")
        self.assertAlmostEqual(0.9 * 0.75 ** -0.25, limit.measured)
        self.assertEqual("worst cell 1.200: conv base bf16 b2 compiled", limit.where)
        self.assertIn("### compiled", report.markdown(compared))

    def test_a_compiled_cell_without_our_whole_is_said(self):
        theirs = peer()
        theirs["cells"] += [cell("mlp", 1, "compiled", 1.0)]
        found = ratios.compare([(fail(document(), mode="whole", workload="mlp"), theirs)])
        self.assertIn("mlp base bf16 b1 compiled: only torch has it", found.missing)

    def test_what_was_not_measured_does_not_pass(self):
        ours = document(factor=0.1)
        ours["cells"] = [each for each in ours["cells"] if each["mode"] == "eager"]
        found = self.found(ours)
        self.assertTrue(figure(found, "submit eager, geometric mean").passed)
        self.assertIsNone(figure(found, "device whole, geometric mean").measured)
        self.assertFalse(figure(found, "device whole, geometric mean").passed)
        self.assertFalse(figure(found, "pool bytes, shared, worst").passed)


class Report(unittest.TestCase):
    def test_names_every_cell_and_limit(self):
        ours = scale(document(factor=0.25), 5.0, "device", mode="whole")
        text = report.markdown(ratios.compare([(ours, peer())]))
        for expected in ("### piecewise", "mlp base bf16 b2", "0.250", "device whole, worst cell", "<= 1.15",
                         "FAIL", "pass"):
            self.assertIn(expected, text)
        self.assertNotIn("Not compared", text)

    def test_columns_are_aligned(self):
        text = report.table(["a", "long head"], [["much longer", "1"], ["b", "22"]])
        self.assertEqual(1, len({len(line) for line in text.splitlines()}), text)


class Options(unittest.TestCase):
    def test_batches_read_lists_and_ranges(self):
        self.assertEqual([1, 2, 4, 8], options.batches("1:8:x2"))
        self.assertEqual([1, 3], options.batches("1:4:x3"))
        self.assertEqual([8, 16, 24], options.batches("8:24:+8"))
        self.assertEqual([4, 1], options.batches("4,1"))

    def test_batches_refuse_what_is_none(self):
        for text in ("", "0", "1,1", "a", "8:1:x2", "1:8:x1", "1:8:+0", "-1", "1:8"):
            with self.subTest(text=text), self.assertRaises(argparse.ArgumentTypeError):
                options.batches(text)

    def test_command_line_gives_back_what_was_read(self):
        parser = argparse.ArgumentParser()
        options.add_sweep_options(parser)
        first = parser.parse_args(["--batch", "1:4:x2", "--mode", "whole", "--time-per-cell", "0.5"])
        self.assertEqual(first, parser.parse_args(options.command_line(first)))


    def test_training_is_told_to_each_side_in_its_own_words(self):
        parser = argparse.ArgumentParser()
        options.add_sweep_options(parser)
        arguments = parser.parse_args(["--pass", "training", "--optimizer", "adamw"])
        options.check(parser, arguments)
        self.assertIn("--pass training --optimizer adamw --mode eager,whole,callables",
                      " ".join(options.command_line(arguments)))
        line = " ".join(options.graphbench_line(arguments))
        self.assertIn("--mode eager,whole ", line)
        self.assertTrue(line.endswith("--backward iteration,callables"), line)

    def test_compiled_is_no_mode_of_graphbench(self):
        parser = argparse.ArgumentParser()
        options.add_sweep_options(parser)
        arguments = parser.parse_args(["--mode", "whole,compiled"])
        options.check(parser, arguments)
        self.assertIn("--mode whole,compiled", " ".join(options.command_line(arguments)))
        self.assertIn("--mode whole --batch", " ".join(options.graphbench_line(arguments)))
        default = parser.parse_args([])
        options.check(parser, default)
        self.assertEqual(["eager", "whole", "piecewise"], default.mode)

    def test_options_that_do_not_go_together_are_refused(self):
        parser = argparse.ArgumentParser()
        options.add_sweep_options(parser)
        for line in ("--mode callables", "--optimizer adamw", "--pass training --mode piecewise",
                     "--mode compiled", "--pass training --mode whole,compiled"):
            with self.subTest(line=line), self.assertRaises(SystemExit), \
                    contextlib.redirect_stderr(io.StringIO()):
                options.check(parser, parser.parse_args(line.split()))


if __name__ == "__main__":
    unittest.main()
