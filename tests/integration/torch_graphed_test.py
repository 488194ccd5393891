"""What a step of --torch reports of graphs that torch did not take, and of its opening, with a stand-in for
torch's compiler. On a GPU tests/torch/skips.py shows the same of torch itself."""

import collections
import ctypes
import importlib.util
import json
import logging
import os
import pathlib
import sys
import time
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]
HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch

    import graphbench_autograd
    import graphbench_graphed as graphed
    import stand_in

# What torch 2.11 printed on an H200, and what is said of it.
SAID = {
    "skipping cudagraphs due to skipping cudagraphs due to cpu device (arg3_1). Found from : \n"
    '   File "/a/step.py", line 8, in cpu\n    return x': ("cpu_device", "cpu device (arg3_1)", "step.py:8"),
    "skipping cudagraphs due to mutated inputs (1 instances). Found from : \n"
    '   File "/a/step.py", line 9, in outer\n     inner()\n   File "/b/lib.py", line 10, in mutated\n':
        ("mutated_input", "mutated inputs (1 instances)", "step.py:9"),
    "skipping cudagraphs due to mutated inputs (2 instances)":
        ("mutated_input", "mutated inputs (2 instances)", ""),
    "skipping cudagraphs due to skipping cudagraphs due to incompatible op (nonzero)":
        ("incompatible_op", "incompatible op (nonzero)", ""),
    "skipping cudagraphs due to disabling cudagraphs due to incompatible op aten.nonzero Found from "
    'File "/b/lib.py", line 3, in f':
        ("incompatible_op", "disabling cudagraphs due to incompatible op aten.nonzero", "lib.py:3"),
    "skipping cudagraphs due to skipping cudagraphs due to multiple devices: device(type='cuda', index=0), "
    "device(type='cuda', index=1)": ("several_devices", "multiple devices: device(type='cuda', index=0), "
                                     "device(type='cuda', index=1)", ""),
    "skipping cudagraphs due to graph with symbolic shapes inputs and "
    "config.triton.cudagraph_skip_dynamic_graphs=True.":
        ("dynamic_shape", "graph with symbolic shapes inputs and "
         "config.triton.cudagraph_skip_dynamic_graphs=True", ""),
    "skipping cudagraphs due to control flow operator: torch.cond.":
        ("incompatible_op", "control flow operator: torch.cond", ""),
    "skipping cudagraph due to function 3 exceeding max re-recording limit (=128) on node 1 due to x.":
        ("other", "function 3 exceeding max re-recording limit (=128) on node 1 due to x", ""),
}


@unittest.skipUnless(HAS_TORCH, "no torch")
class Skips(unittest.TestCase):
    def setUp(self):
        self.log = logging.getLogger("graphbench-test-cudagraphs")
        self.log.disabled = True  # as with TORCH_LOGS: the reason is heard all the same
        self.utils = types.SimpleNamespace(counters=collections.defaultdict(collections.Counter),
                                           graph_break_reasons=[])
        self.dynamo = types.SimpleNamespace(utils=self.utils, config=types.SimpleNamespace())
        self.module = types.SimpleNamespace(cudagraphs_log=self.log)
        for patched in (mock.patch.dict(sys.modules, {"torch._dynamo": self.dynamo}),
                        mock.patch.object(torch, "_dynamo", self.dynamo, create=True),
                        mock.patch.object(graphed, "logs_of_skips",
                                          lambda: [(self.module, "cudagraphs_log")]),
                        mock.patch.object(graphbench_autograd, "set_up", lambda on: None),
                        mock.patch.object(graphed.FreshCache, "folder", None),
                        mock.patch.dict(os.environ)):
            self.enterContext(patched)
        self.addCleanup(graphed.FreshCache.remove)

    def test_each_of_torchs_sentences_has_its_reason_and_line(self):
        for text, right in SAID.items():
            with self.subTest(text):
                graphed.listen()
                self.module.cudagraphs_log.warning(text)
                (found,) = graphed.skips("/a/step.py")
                self.assertEqual(right, tuple(found[name] for name in ("reason", "words", "line")))

    def test_other_warnings_are_no_skips_and_partitions_are_heard(self):
        graphed.listen()
        log = self.module.cudagraphs_log
        log.warning("CUDAGraph supports dynamic shapes by recording a new graph")
        log.debug("Created %d graph partitions: %d cudagraphable, %d non-cudagraphable", 2, 1, 1)
        for node in ("buf1", "buf2"):
            log.debug("    %s: %s", node, "reason=cpu ops, ir=ComputedBuffer, fx=aten.add(a, b)")
            log.debug("         %s", '  File "/a/step.py", line 5, in f')
        self.assertEqual([{"reason": "cpu_device", "words": "cpu ops", "line": "step.py:5"}],
                         graphed.skips("/a/step.py"))

    def made(self, mode, compile_, build=None, **axes):
        def step_of(batch, device):
            time.sleep(0.01)
            return lambda: torch.ones(batch)

        with stand_in.installed(), mock.patch.object(torch, "compile", compile_, create=True):
            axes = {name.replace("_", "-"): value for name, value in axes.items()}
            step = stand_in.Step(build or step_of, stand_in.request(mode, 2, axes), "/a/step.py")
            step.prepare()
            return step, json.loads(ctypes.string_at(step.report()))

    def compiling(self, call, **how):
        seen = []

        def compiled(*args, **kwargs):
            if not seen:
                seen.append(1)
                time.sleep(0.03)
                self.utils.counters["frames"]["total"] += 1
                self.utils.counters["inductor"]["fxgraph_cache_miss"] += 1
                self.module.cudagraphs_log.warning(next(iter(SAID)))
            time.sleep(0.01)
            return call(*args, **kwargs)

        return compiled

    def test_a_compiled_mode_reports_its_stages_and_skips(self):
        step, report = self.made("torch.cudagraphs", self.compiling)
        stages = report["stages"]
        self.assertGreaterEqual(stages["build"], 0.01)
        self.assertGreaterEqual(stages["compile"], 0.04, "the call that compiles")
        self.assertGreaterEqual(stages["record"], 0.02, "the two others")
        self.assertEqual("cold", stages["compiled_from"])
        self.assertEqual(["cpu_device"], [skip["reason"] for skip in report["capture_skips"]])
        graphed.forget()
        later = json.loads(ctypes.string_at(step.report()))
        self.assertEqual(report["capture_skips"], later["capture_skips"], "it stays the step's own")

    def test_eager_and_whole_have_no_stage_of_a_mode(self):
        for mode in ("eager", "whole"):
            _, report = self.made(mode, self.compiling)
            self.assertEqual({"build"}, set(report["stages"]), mode)
            self.assertEqual([], report["capture_skips"])
            _, report = self.made(mode, self.compiling, torch_compile="default")
            self.assertEqual({"build", "compiled_from"}, set(report["stages"]), "eager compiles too")
            self.assertGreaterEqual(report["stages"]["build"], 0.05)

    def test_general_code_and_inductors_options_reach_torch(self):
        seen = []

        def compile_(call, **how):
            seen.append(how)
            return call

        inductor = types.SimpleNamespace(
            config=types.SimpleNamespace(size_asserts=True),
            list_mode_options=lambda mode: {"triton.cudagraphs": mode == "reduce-overhead"})
        with mock.patch.object(torch, "_inductor", inductor, create=True), mock.patch.dict(
                sys.modules, {"torch._inductor": inductor}):
            for mode, axes in (("whole", {"torch_compile": "default", "torch_dynamic": "on"}),
                               ("whole", {"torch_compile": "max-autotune"}),
                               ("torch.cudagraphs", {}), ("torch.reduce-overhead", {"torch_dynamic": "on"}),
                               ("torch.reduce-overhead", {"torch_inductor": "size_asserts=False"}),
                               ("whole", {"torch_compile": "default", "torch_inductor": "size_asserts=0"})):
                self.made(mode, compile_, **axes)
        self.assertEqual([{"dynamic": True, "options": {"triton.cudagraphs": False}},
                          {"dynamic": False, "mode": "max-autotune-no-cudagraphs"},
                          {"dynamic": False, "backend": "cudagraphs"},
                          {"dynamic": True, "mode": "reduce-overhead"},
                          {"dynamic": False, "options": {"triton.cudagraphs": True, "size_asserts": False}},
                          {"dynamic": False, "options": {"triton.cudagraphs": False, "size_asserts": 0}}],
                         seen)

    def test_the_first_launch_compiles_into_an_empty_cache(self):
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/the/users"
        found = []

        def compile_(call, **how):
            found.append(os.environ["TORCHINDUCTOR_CACHE_DIR"])
            return call

        self.made("torch.cudagraphs", compile_, torch_cache="keep")
        with mock.patch.object(stand_in.abi, "Request", lambda **given: REQUEST(**given, launch=1)):
            self.made("torch.cudagraphs", compile_)
        self.made("torch.cudagraphs", compile_)
        self.assertEqual(["/the/users"] * 2, found[:2])
        self.assertEqual([], os.listdir(found[2]))
        graphed.FreshCache.remove()
        self.assertFalse(os.path.exists(found[2]))


if HAS_TORCH:
    REQUEST = stand_in.abi.Request

if __name__ == "__main__":
    unittest.main()
