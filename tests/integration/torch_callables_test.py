"""Mode torch.callables on the CPU: PyTorch's own torch.cuda.make_graphed_callables over a stand-in for its
graphs. Each mutant breaks the mode in one place, and a case must then be wrong."""

import gc
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]


def cases():
    """By name, functions that return whether what is said of a step is right. torch is imported here only."""
    import torch

    import callables as steps
    import graphbench_callables
    import graphbench_state as state
    import graphbench_step
    from stand_in import judge

    gc.freeze()
    state.collected = gc.get_objects

    def said(name, **axes):
        return judge(getattr(steps, name), "torch.callables", **axes)

    def right(name, forward, backward, replayed):
        found = said(name)
        facts = found["step"].facts
        counts = tuple(facts.get(each) for each in ("forward_graphs", "backward_graphs", "graphs_replayed"))
        return (not found["failed"] and counts == (forward, backward, replayed)
                or print(name, found["failed"], counts, file=sys.stderr))

    def refused(name, *words):
        found = said(name)["failed"]
        return (all(word in found for word in ("make_graphed_callables refuses: ", *words))
                or print(name, found, file=sys.stderr))

    def evaluated():
        """A step that runs modules in eval, which were graphed in train, replays nothing and is right."""
        return right("train_graphed_eval_run", 2, 2, 0)

    def buffers():
        """The step writes no statistics, so only warm-ups could have moved them."""
        step = said("train_graphed_eval_run", torch_inputs="keep")["step"]
        norm = step.form.callables[0][1]
        return int(norm.num_batches_tracked) == 0 and not norm.running_mean.any()

    def kept_eager():
        step = said("loop")["step"]
        return not any("forward" in each.__dict__ for each in step.form.callables)

    def other_forms():
        list_ = judge(lambda batch, device: [lambda: torch.ones(batch)], "torch.callables")["failed"]
        named = judge(lambda batch, device: (torch.nn.ReLU(), (), {"input": torch.ones(batch)}),
                      "torch.callables")["failed"]
        return "or graphbench.callables(...)" in list_ and "no keyword arguments" in named

    found = {
        "one": lambda: right("one", 1, 1, 1), "loop": lambda: right("loop", 3, 3, 6),
        "eval": lambda: right("evaluation", 2, 2, 2), "dispatch": evaluated, "buffers": buffers,
        "inputs": lambda: right("input_gradients", 2, 2, 4), "eager is kept": kept_eager,
        "unasked": lambda: "grad differs from eager's by 1 " in said("unasked_gradients")["failed"],
        "hooks": lambda: refused("hooked", "must not have hooks registered"),
        "buffer": lambda: refused("trained_buffer", "All buffers must have"),
        "twice": lambda: refused("twice", "@once_differentiable"),
        "unused": lambda: refused("unused", "appears to not have been used in the graph"),
        "forms": other_forms, "whole": lambda: not judge(steps.loop, "whole")["failed"],
    }
    graphed, kept = graphbench_callables.graphed, graphbench_callables.Kept
    eager = lambda step: (lambda: step.form.step(step.form.callables), {})  # noqa: E731
    mutants = [
        ("nothing is graphed", graphbench_step, "graphed", eager, "loop"),
        ("buffers stay", kept, "put_back", lambda self: None, "buffers"),
        ("refusals fail", graphbench_callables, "refusal", lambda error, captures: "", "hooks"),
        ("the originals are graphed", graphbench_callables.copy, "copy", lambda each: each, "eager is kept"),
    ]
    assert graphed is graphbench_step.graphed
    return found, mutants


def report():
    import importlib.util

    package = ROOT / "workloads/torch/package/__init__.py"
    spec = importlib.util.spec_from_file_location("graphbench", package)
    sys.modules["graphbench"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["graphbench"])
    found, mutants = cases()

    def holds(name):
        try:
            return bool(found[name]())
        except Exception as error:  # noqa: BLE001 - a case that ends so is wrong
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            return False

    for name in sys.argv[2:] or found:
        print("right" if holds(name) else "WRONG", name, flush=True)
    for what, owner, name, value, case in mutants:
        with mock.patch.object(owner, name, value):
            print("LIVES" if holds(case) else "right", what, flush=True)


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class Callables(unittest.TestCase):
    def test_cases_and_mutants(self):
        done = subprocess.run([PYTHON, "-B", __file__, "--report"], capture_output=True, text=True,
                              check=False, timeout=600)
        lines = done.stdout.splitlines()
        self.assertGreater(len(lines), 12, done.stderr)
        self.assertEqual([], [line for line in lines if not line.startswith("right ")], done.stderr)


if __name__ == "__main__":
    report() if "--report" in sys.argv else unittest.main()
