"""The names that a profile's kernels get of a step of --torch, with a list in place of the harness."""

import importlib.util
import pathlib
import sys
import threading
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workloads/torch"))
HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch

    from graphbench_modules import run_by_modules
    from graphbench_walk import Walk

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(
                torch.nn.ModuleDict({"up": torch.nn.Linear(4, 4), "act": torch.nn.GELU()}) for _ in range(2))

        def forward(self, x):
            for layer in self.layers:
                x = x + layer["act"](layer["up"](x))
            return x


def marks_of(call, compiled=False):
    marks = []
    step = types.SimpleNamespace(has_compiled=compiled, walk=lambda: Walk([call], {}), run=call,
                                 synchronize=lambda: marks.append("done"))
    run_by_modules(step, lambda name, to: marks.append((name.decode(), to)), 7)
    return marks


@unittest.skipUnless(HAS_TORCH, "no torch")
class Modules(unittest.TestCase):
    def test_each_is_told_when_it_begins_and_when_it_goes_on_and_no_hook_stays(self):
        net, x = Net(), torch.ones(1, 4)
        marks = marks_of(lambda: net(x))
        self.assertEqual(["done"] * (len(marks) // 2), marks[::2])  # each waits for what was before it
        inner = [name for i in range(2) for name in (f"layers.{i}.up", "Net", f"layers.{i}.act", "Net")]
        self.assertEqual([(name, 7) for name in ("Net", *inner, "")], marks[1::2])
        count = len(marks)
        net(x)
        self.assertEqual(count, len(marks))

    def test_a_module_that_raised_or_runs_on_another_thread_leaves_no_name(self):
        good, bad, x = torch.nn.Linear(4, 4), torch.nn.Linear(5, 5), torch.ones(1, 4)

        def step():
            other = threading.Thread(target=lambda: good(x))
            other.start()
            other.join()
            outer(x)

        class Outer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.bad = bad

            def forward(self, x):
                try:
                    return self.bad(x)
                except RuntimeError:
                    return good(x)

        outer = Outer()
        names = [name for name, _ in marks_of(step)[1::2]]
        self.assertEqual(("Outer", "bad"), tuple(names[:2]))
        self.assertEqual("", names[-1])
        self.assertEqual(1, names.count("Linear"))

    def test_compiled_code_runs_without_hooks(self):
        self.assertEqual([], marks_of(lambda: self.fail("it ran"), compiled=True))


if __name__ == "__main__":
    unittest.main()
