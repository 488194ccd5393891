"""--torch-compiled-autograd: what a cell sets, and what is said of its traces, with a stand-in for torch's
compiler. On a GPU tests/torch/systems.py shows it of torch itself."""

import collections
import ctypes
import importlib.util
import json
import pathlib
import sys
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]
HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch

    import graphbench_autograd
    import graphbench_graphed
    import stand_in

MISS = "Cache miss due to "
NODE = "new autograd node: TanhBackward0 (NodeCall 2)"
SHAPE = "changed shapes: marking size idx 0 of SumBackward0 (NodeCall 1) as dynamic"


class Compiler:
    """As torch's: it moves scalars only where Inductor's flag was set globally."""

    def move_graph_nodes_to_cuda(self, graph):
        return graph


def plain(**members):
    return types.SimpleNamespace(**members)


@unittest.skipUnless(HAS_TORCH, "no torch")
class CompiledAutograd(unittest.TestCase):
    def setUp(self):
        self.counters = collections.defaultdict(collections.Counter)
        self.traces = plain(AutogradCompilerInstance=Compiler, snapshot_verbose_logging_enabled=lambda: False,
                            verbose_log=plain(debug=lambda *_: None))
        self.dynamo = plain(config=plain(compiled_autograd=False), compiled_autograd=self.traces,
                            utils=plain(counters=self.counters, graph_break_reasons=[]))
        self.inductor = plain(config=plain(triton=plain(cudagraphs=False)))
        self.functorch = plain(config=plain(enable_autograd_cache=True))
        modules = {"_dynamo": self.dynamo, "_inductor": self.inductor, "_functorch": self.functorch}
        for name, module in modules.items():
            self.enterContext(mock.patch.dict(sys.modules, {f"torch.{name}": module}))
            self.enterContext(mock.patch.object(torch, name, module, create=True))
        for owner, name, value in ((graphbench_autograd, "before", {}), (torch, "compile", self.compile),
                                   (graphbench_graphed, "logs_of_skips", lambda: [])):
            self.enterContext(mock.patch.object(owner, name, value, create=True))

    def settings(self):
        return (self.dynamo.config.compiled_autograd, self.inductor.config.triton.cudagraphs,
                self.functorch.config.enable_autograd_cache)

    def compile(self, call, **how):
        self.compiled_with, calls = self.settings(), []

        def compiled():
            calls.append(self.traces.snapshot_verbose_logging_enabled())
            if self.compiled_with[0] and len(calls) < 3:
                self.counters["compiled_autograd"]["captures"] += 1
                if calls[-1]:
                    self.traces.verbose_log.debug(
                        MISS + [f"{NODE} with key size 38, previous key sizes=[]", SHAPE][len(calls) - 1])
                    self.traces.verbose_log.debug("%s", "the graph's code")
                if self.inductor.config.triton.cudagraphs:
                    self.traces.AutogradCompilerInstance().move_graph_nodes_to_cuda([3, 4])
            self.listened = calls
            return call()

        return compiled

    def made(self, **axes):
        with stand_in.installed():
            axes = {name.replace("_", "-"): value for name, value in axes.items()}
            asked = stand_in.request("torch.cudagraphs", 2, {**axes, "torch-cache": "keep"})
            step = stand_in.Step(lambda batch, device: lambda: torch.ones(batch), asked, "/s.py")
            step.prepare()
            step.runs[0]()
            return json.loads(ctypes.string_at(step.report()))

    def test_a_cell_has_what_it_needs_and_the_next_one_what_there_was(self):
        self.made(torch_compiled_autograd="on")
        self.assertEqual((True, True, False), self.compiled_with)
        self.made()
        self.assertEqual((False, False, True), self.compiled_with)
        self.assertEqual((False, False, True), self.settings())

    def test_the_report_has_traces_their_reasons_and_moved_scalars(self):
        report = self.made(torch_compiled_autograd="on")
        said = {name.removeprefix("compiled_autograd."): value for name, value in report.items()
                if name.startswith("compiled_autograd.")}
        self.assertEqual({"captures": 2, "moved_scalars": 4, f"traced.{NODE}": 1, f"traced.{SHAPE}": 1}, said)
        self.assertEqual([True] * 3 + [False], self.listened, "it listens while the step opens")
        self.assertFalse([name for name in self.made() if name.startswith("compiled_autograd.")])


if __name__ == "__main__":
    unittest.main()
