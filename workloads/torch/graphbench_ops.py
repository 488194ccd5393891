"""Looks at a step op by op: which op writes its state, and which is the first whose output differs in a
replay. Under a dispatch mode compiled code runs otherwise, so nothing is said of steps that run it."""

import contextlib
import pathlib
import re
import sys
import traceback

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from graphbench_abi import UNSEEN
from graphbench_distance import FLOORS, OF_ITSELF, bytes_of_dense, dense, widened
from graphbench_state import Digests, storage_of
from graphbench_walk import parts_of

WAVES = (0.618, 1.618, 2.399, 4.142)  # radians per element: the sums by which two tensors are compared


def place(file):
    """The innermost line of the step file, and the innermost line outside of torch if that is in another
    file. "the step" if only torch's code stands between: a module that the file returned; "backward" if the
    step's call is not on the stack either, as on autograd's threads."""
    found, inside = "backward", ""
    for frame, number in traceback.walk_stack(sys._getframe(1)):
        name = frame.f_code.co_filename
        line = f"{pathlib.Path(name).name}:{number}"
        if name == file:
            found = line
            break
        if name.endswith("/graphbench_step.py"):
            found = "the step"
            break
        if not inside and not re.search(r"/(torch|triton)/|graphbench_|^<|contextlib", name):
            inside = f" ({line})"
    return found + inside


def written_by(function, args, kwargs):
    """The tensors that an op writes, by its schema."""
    given = [*zip(function._schema.arguments, args),
             *((each, kwargs[each.name]) for each in function._schema.arguments if each.name in kwargs)]
    return [tensor for argument, value in given if argument.alias_info and argument.alias_info.is_write
            for tensor in tree_flatten(value)[0] if isinstance(tensor, torch.Tensor)]


class Ops(TorchDispatchMode):
    """Calls `see(name, written, made)` after each op."""

    def __init__(self, see):
        super().__init__()
        self.see = see

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        self.see(function._schema.name, written_by(function, args, kwargs or {}), made)
        return made


def writers(step):
    """The first op, with its line, that writes each storage of the step's state, by the storage's key. Runs
    the step."""
    found = {}

    def see(name, written, _):
        for tensor in written:
            with contextlib.suppress(RuntimeError, NotImplementedError):  # a tensor without memory
                for part in parts_of(tensor):
                    found.setdefault(storage_of(part)._cdata, f"{name} at {place(step.file)}")

    step.begin(False)
    with Ops(see):
        step.run()
    step.begin(False)
    return found


class Sketches:
    """What the ops of one run leave: of each its name, place, type, and a few sums of its first output. The
    sums of numbers that differ by little differ by little."""

    def __init__(self, step, digests):
        self.step, self.digests, self.found, self.elsewhere = step, digests, [], ""

    def see(self, name, written, made):
        outputs = [each for each in (*written, *tree_flatten(made)[0]) if isinstance(each, torch.Tensor)
                   and each.layout == torch.strided and each.numel() and each.device == self.step.device]
        if not outputs:
            return
        where = place(self.step.file)
        if self.step.on_cuda and torch.cuda.current_stream().cuda_stream != self.step.stream.cuda_stream:
            # A stream that is not captured may not allocate now, so nothing is summed there.
            self.elsewhere = self.elsewhere or f"{name} at {where}"
        elif "empty" not in name:  # what empty() gives is arbitrary
            with contextlib.suppress(RuntimeError, NotImplementedError):  # a tensor without memory
                self.found.append((name, where, outputs[0].dtype, self.of(outputs[0])))

    def of(self, tensor):
        tensor = dense(tensor)
        if not (tensor.is_floating_point() or tensor.is_complex()):
            return self.digests.of(bytes_of_dense(tensor)).reshape(1)
        numbers = widened(tensor)
        finite = torch.isfinite(numbers)
        numbers = numbers.where(finite, numbers.new_zeros(()))
        index = torch.arange(len(numbers), device=numbers.device, dtype=numbers.dtype)
        return torch.stack([numbers.square().sum().sqrt(), (~finite).double().sum(),
                            *((numbers * torch.cos(index * wave)).sum() for wave in WAVES)])

    def read(self):
        return [(name, where, dtype, sums.cpu()) for name, where, dtype, sums in self.found]


def apart(one, other):
    """How far two sketches of one op lie apart, about relative to the norm of its output."""
    if len(one) == 1 or len(other) == 1 or one[1] != other[1]:
        return 0.0 if torch.equal(one, other) else float("inf")
    norm = float(max(one[0], other[0]))
    return float((one - other).abs().max()) / norm if norm > 0 else 0.0


class Comparison:
    """Compares a captured step with eager op by op. It captures the step again, from the inputs that it was
    captured with, and replays it with those that the check wrote. `difference`: the first op whose output
    differs, in words; empty if none was seen. `elsewhere`: the first op that a capture ran on another
    stream."""

    def __init__(self, step):
        self.step, self.digests, self.difference, self.elsewhere = step, Digests(), "", ""

    def run(self):
        step = self.step
        eager = [self.eager() for _ in range(2)]
        step.begin(False)
        step.inputs.write_old()
        captured = Sketches(step, self.digests)
        try:
            step.capture(0, Ops(captured.see))
        finally:
            self.elsewhere = captured.elsewhere
        if step.kinds[0] != UNSEEN:
            step.graphs[0].instantiate()
        replays = []
        for _ in range(2):
            step.begin(True)
            step.graphs[0].replay()
            step.synchronize()
            replays.append(captured.read())
        self.difference = first_difference(eager, replays)

    def eager(self):
        sketches = Sketches(self.step, self.digests)
        self.step.begin(False)
        with Ops(sketches.see):
            self.step.run()
        return sketches.read()


def first_difference(eager, replays):
    """In words, from what two runs of each side left."""
    rounded = ""
    for a, b, c, d in zip(*eager, *replays):
        name, where, dtype, sums = a
        if a[:2] != c[:2]:
            return f"the first op that differs: {name} at {where} in eager, {c[0]} at {c[1]} under capture"
        own = max(apart(sums, b[3]), apart(c[3], d[3]))
        floor = FLOORS.get(str(dtype).removeprefix("torch."), 0.002)
        between = min(apart(x[3], y[3]) for x in (a, b) for y in (c, d))
        said = f"the first op whose output differs: {name} at {where}"
        if between > floor + OF_ITSELF * own:
            return said
        if between and not own:
            rounded = rounded or said
    lengths = len(eager[0]), len(replays[0])
    if lengths[0] != lengths[1]:
        longer, side = (eager[0], "eager") if lengths[0] > lengths[1] else (replays[0], "the capture")
        name, where = longer[min(lengths)][:2]
        return f"the first op that differs: {name} at {where} runs only in {side}"
    return rounded
