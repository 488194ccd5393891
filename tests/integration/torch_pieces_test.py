"""Mode piecewise of PyTorch steps, on the CPU with a stand-in for torch's graphs: where steps break, and what
their pieces compute. Each mutant breaks the mode in one place, and a case must then be wrong."""

import contextlib
import gc
import json
import pathlib
import subprocess
import sys
import types
import unittest
from unittest import mock

from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]


def cases():
    """By name, functions that return whether what is said of a step is right. torch is imported here only."""
    import torch

    import graphbench_breaks as breaks
    import graphbench_compile
    import graphbench_package
    import graphbench_pieces as traced
    import graphbench_splits as splits
    import graphbench_state as state
    import graphbench_step
    from graphbench_abi import Refusal, Skip
    from stand_in import installed, judge

    nn = torch.nn
    gc.freeze()
    state.collected = gc.get_objects

    def net(width=16):
        torch.manual_seed(0)
        return nn.Linear(width, width).requires_grad_(False)

    def of(function, model=None):
        """A step of a function of a layer and its input."""
        def build(batch, device):
            first, x = model or net(), torch.randn(batch + 3, 16)
            return lambda: function(first, x)
        return build

    def right(said, kinds, at):
        """Whether the check passes, what is between captures is timed, and the parts are of these kinds: c
        captured, r run between graphs."""
        found = "".join("rc"[kind > 0] for kind in said["step"].kinds)
        return not said["failed"] and said["identical"] and said["step"].stages["between_captures"] and (
            (found, said["step"].facts["split_at"]) == (kinds, at))

    def refused(said, *words):
        return all(word in said["failed"] for word in words) or print(said["failed"], file=sys.stderr)

    def pieces(function, *names, model=None, cycles=0):
        return judge(of(function, model), "piecewise", splits=names, cycles=cycles)

    def woken(said):
        return not said["failed"] and said["identical"] and said["left"] == []

    @graphbench_package.eager
    def doubled(y):
        return y.mul_(2)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = net()

        def forward(self, x):
            return torch.relu(self.first(x))

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.layer = nn.GRU(16, 16).requires_grad_(False)

        def forward(self, x):
            return torch.relu(self.layer(torch.relu(x))[0])

    blocks = nn.ModuleDict({"all": nn.ModuleList(Block() for _ in range(4)), "last": nn.Sequential(*[
        nn.Sequential(net(), nn.ReLU()) for _ in range(2)])})

    def through(model, x):
        for block in model["all"]:
            x = block(x)
        return model["last"](x)

    def routed(first, x):
        order = torch.topk(first(x), 4).indices
        return torch.zeros_like(x).scatter_(1, order, torch.relu(x))

    def sorted_between(first, x):
        return first(torch.sort(first(x)).values)

    def compiled(*batches, model=None, build=None, tuned=(), **axes):
        """What is said at each batch in turn. Those of `tuned` are not --torch-dynamic on."""
        build, found = build or of(sorted_between, model), []
        with mock.patch.object(traced, "inductor", lambda *_: {"backend": "eager"}):
            for batch in batches:
                more = {} if batch in tuned else axes
                found.append(judge(build, "piecewise", batch, splits=["sort"], torch_compile="default",
                                   **more))
        graphbench_step.Step.has_compiled = False
        return found

    def with_numbers():
        """Whether no piece breaks at a number of a module, and the seconds of pieces are those of the stage.
        Older versions take a number to be general when it changes."""
        model = net()

        def build(batch, device):
            model.factor, x = batch / 2, torch.randn(batch + 3, 16)
            return lambda: sorted_between(model, x) * model.factor

        steps = [said["step"] for said in compiled(9, 5, build=build)]
        told = [sum(piece["seconds"] for piece in step.pieces.compiled) for step in steps]
        return all(seconds > 0 and abs(step.stages["compile"] - seconds) < 1e-9 and (
            "graph_breaks_in_pieces" not in step.facts) for step, seconds in zip(steps, told))

    def coded(found, *wanted):
        """Whether each batch is right, and has (traced_at, compiled_at, the parts that it compiled)."""
        said = [not each["failed"] and each["identical"] and each["step"].facts["split_at"] == "sort x1" and (
            each["step"].facts["traced_at"], each["step"].facts["compiled_at"],
            "".join(str(piece["part"]) for piece in each["step"].pieces.compiled)) for each in found]
        return said == list(wanted) or print(said, [each["failed"] for each in found], file=sys.stderr)

    def broken_inside():
        """Where torch.compile takes each piece in two parts."""
        compile_ = traced.Pieces.compile

        def in_parts(pieces, part):
            compile_(pieces, part)
            traced.dynamo().utils.counters["graph_break"]["inside"] += 1

        with mock.patch.object(traced.Pieces, "compile", in_parts):
            found = compiled(9, model=net())
        facts = found[0]["step"].facts
        return coded(found, (9, 9, "02")) and (
            facts["graph_breaks"], facts["graph_breaks_in_pieces"]) == (0, 2)

    def unknown(text):
        """What is said of --torch-inductor by a PyTorch that has one option."""
        config = types.SimpleNamespace(emulate_precision_casts=False, shallow_copy_dict=lambda: [
            "emulate_precision_casts"])
        with mock.patch.dict(sys.modules, {"torch._inductor": types.SimpleNamespace(config=config)}):
            try:
                return graphbench_compile.options_of(types.SimpleNamespace(axes={"torch-inductor": text}))
            except Refusal as why:
                return str(why)

    def explained(error):
        """What is said of a capture that fails so, where the doctor finds a call."""
        doctor = types.SimpleNamespace(watch=lambda run: None, sentence=lambda: "a call waits")
        with mock.patch.object(graphbench_step, "Doctor", lambda *_: doctor):
            try:
                with graphbench_step.Step.explained(types.SimpleNamespace(stream=None, file="")):
                    raise error
            except (Refusal, RuntimeError, KeyError) as why:
                return str(why)

    attend = nn.functional.scaled_dot_product_attention if hasattr(
        nn.functional, "scaled_dot_product_attention") else None

    def draws(calls, **axes):
        """What is said of a step whose generator of the GPU moved."""
        generators = [(types.SimpleNamespace(device=torch.device("cuda")), None)]
        step = types.SimpleNamespace(mode="piecewise", on_cuda=True, serves=False, calls=calls, axes=axes,
                                     facts={}, runs={}, state=types.SimpleNamespace(generators=generators))
        with installed():
            try:
                graphbench_step.Step.prepare_mode(step)
            except Skip as why:
                return "draws random numbers" in str(why)

    found = {
        "a list that draws is not launched without replay()": lambda: draws([net(), net()]),
        "a trace that draws is not launched without replay()": lambda: draws(
            [net()], **{"torch-pieces": "traced"}),
        "an error of the step is explained, a name that the user gave is not": lambda: (
            explained(KeyError("capturable")), explained(Refusal("no sort"))) == ("a call waits", "no sort"),
        "a named call runs between two graphs": lambda: right(
            pieces(lambda first, x: first(torch.sort(first(x)).values), "sort"), "crc", "sort x1"),
        "what a call returns is read again": lambda: right(
            pieces(lambda first, x: first(x[torch.sort(first(x)[:, 0]).indices]), "sort"), "crc", "sort x1"),
        "nothing between two calls is no piece": lambda: right(
            pieces(lambda first, x: first(torch.sort(torch.sort(first(x)).values, 0).values), "sort"),
            "crrc", "sort x2"),
        "the first and the last call have no piece before and behind": lambda: right(
            pieces(lambda first, x: torch.sort(torch.relu(torch.sort(x).values)).values, "sort"), "rcr",
            "sort x2"),
        "a marked function that writes its argument": lambda: right(
            pieces(lambda first, x: first(doubled(first(x)))), "crc", "doubled x1"),
        "a function by its path": lambda: right(
            pieces(lambda first, x: first(nn.functional.softsign(first(x))), "torch.nn.functional:softsign"),
            "crc", "torch.nn.functional:softsign x1"),
        "graphs are dropped and captured again": lambda: woken(pieces(sorted_between, "sort", cycles=2)),
        "inference mode is there again": lambda: right(
            pieces(torch.inference_mode()(lambda first, x: first(torch.sort(first(x)).values)), "sort"),
            "crc", "sort x1"),
        "auto takes experts": lambda: right(pieces(routed, "auto"), "cr", "scatter_ x1"),
        "auto takes a recurrent layer": lambda: right(
            judge(lambda batch, device: (Recurrent(), (torch.randn(3, batch, 16),)), "piecewise",
                  splits=["auto"]), "crc", "gru x1"),
        "auto takes the longest list of blocks": lambda: right(pieces(through, "auto", model=blocks),
                                                               "cccc", "Block x3"),
        "nothing fits": lambda: refused(
            pieces(lambda first, x: torch.relu(first(x)), "auto"), "no list of equal blocks",
            "linear x1, relu x1"),
        "no attention": lambda: refused(pieces(lambda first, x: torch.relu(first(x))),
                                        "calls no attention", "give --split-ops auto", "linear x1, relu x1"),
        "a name that is not called": lambda: refused(
            pieces(lambda first, x: torch.relu(first(x)), "sort"), "--split-ops: the step calls no sort"),
        "a path that is not there": lambda: refused(
            pieces(lambda first, x: torch.relu(first(x)), "torch.nn:nothing"), "is no function of a module"),
        "autograd records": lambda: refused(
            judge(lambda batch, device: (nn.Linear(4, 4), (torch.randn(batch, 4),)), "piecewise",
                  splits=["linear"]), "autograd records at linear", "torch.no_grad()"),
        "nothing outside of the calls": lambda: refused(
            pieces(lambda first, x: torch.sort(x).values, "sort"), "enqueues nothing outside"),
    }
    found["options of Inductor"] = lambda: unknown("emulate_precision_casts=True") == {
        "emulate_precision_casts": True} and unknown(
            "emulate_precision_casts=a+emulate_precision_casts=2") == {"emulate_precision_casts": 2}
    found["an option that Inductor has not"] = lambda: unknown("emulate_casts=1").endswith(
        "has no option emulate_casts: give e.g. emulate_precision_casts")
    if not hasattr(torch, "compile"):
        found["nothing compiles pieces"] = lambda: refused(*compiled(3), "torch.compile needs PyTorch 2")
    else:
        found.update({
            "each batch is compiled, and one trace serves them": lambda: coded(
                compiled(9, 5, model=net()), (9, 9, "02"), (9, 5, "02")),
            "general code serves batches, and 16 rows of 16": lambda: coded(
                compiled(13, 9, 5, model=net(), tuned=[9], torch_dynamic="on"),
                (13, 13, "02"), (13, 9, "02"), (13, 13, "")),
            "one row has a trace of its own": lambda: coded(
                compiled(13, -2, model=net(), torch_dynamic="on"), (13, 13, "02"), (-2, -2, "02")),
            "a number of a module breaks no piece": with_numbers,
            "what traced pieces made is dropped, and made again": lambda: woken(
                judge(of(sorted_between, net()), "piecewise", 9, splits=["sort"], torch_pieces="traced",
                      cycles=2)),
            "a break in a piece is told": broken_inside,
            "another model is refused": lambda: refused(
                compiled(9, 5)[1], "first.", "is another tensor at batch 5 than at 9"),
        })
    if attend:
        found["attention is the default"] = lambda: right(
            pieces(lambda first, x: first(attend(*[first(x).view(1, 1, -1, 16)] * 3))), "crc",
            "scaled_dot_product_attention x1")

    mutants = [
        ("results are not copied", mock.patch.object(
            breaks, "replayable", lambda function, args, kwargs, *_: lambda: function(*args, **kwargs)),
         "what a call returns is read again"),
        ("calls do not run between graphs", mock.patch.object(breaks, "replayable", lambda *_: lambda: None),
         "a named call runs between two graphs"),
        ("inference mode is left", mock.patch.object(breaks, "ambient", lambda is_op: []),
         "inference mode is there again"),
        ("graphs are kept", mock.patch.object(breaks.Breaks, "give_up", lambda self: None),
         "graphs are dropped and captured again"),
        ("autograd is not seen", mock.patch.object(breaks, "records_autograd", lambda *_: False),
         "autograd records"),
        ("a shorter list", mock.patch.object(splits, "equal_blocks", lambda modules: [
            [each for each in modules if isinstance(each, Block)][:2]]),
         "auto takes the longest list of blocks"),
        ("experts are not known", mock.patch.object(splits, "EXPERTS", set()), "auto takes experts"),
    ]
    if hasattr(torch, "compile"):
        mutants += [
            ("equal sizes are one", mock.patch.object(traced, "only_sizes_general", contextlib.nullcontext),
             "general code serves batches, and 16 rows of 16"),
            ("numbers are general", mock.patch.object(traced, "only_sizes_general", contextlib.nullcontext),
             "a number of a module breaks no piece"),
            ("models are not told apart", mock.patch.object(traced, "weights_of", lambda step: {}),
             "another model is refused"),
            ("a trace serves one batch", mock.patch.object(traced.Trace, "of", classmethod(
                lambda cls, step: traced.dynamo().reset() or cls(None, step))),
             "each batch is compiled, and one trace serves them"),
            ("all code is general", mock.patch.object(traced, "is_general", lambda step: True),
             "each batch is compiled, and one trace serves them"),
        ]
    return found, mutants


def report():
    sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]
    import importlib.util

    package = ROOT / "workloads/torch/package/__init__.py"
    spec = importlib.util.spec_from_file_location("graphbench_package", package)
    sys.modules["graphbench_package"] = sys.modules["graphbench"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["graphbench_package"])
    found, mutants = cases()

    def holds(name):
        try:
            return bool(found[name]())
        except Exception as error:  # noqa: BLE001 - a case that ends so is wrong
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            return False

    wrong = [name for name in found if not holds(name)]
    alive = []
    for name, broken, case in mutants:
        with broken:
            if holds(case):
                alive.append(name)
    print(json.dumps({"cases": len(found), "wrong": wrong, "mutants": len(mutants), "alive": alive}))


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class Pieces(unittest.TestCase):
    def test_steps_break_where_they_should_and_pieces_compute_what_eager_does(self):
        done = subprocess.run([PYTHON, "-W", "ignore", "-B", __file__, "--report"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        said = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(([], []), (said["wrong"], said["alive"]), done.stderr)
        self.assertGreater(said["cases"] + said["mutants"], 20)


if __name__ == "__main__":
    unittest.main() if "--report" not in sys.argv else report()
