"""The rows of a step's batch, for `graphbench ladder`: finds by a second build of another size which
dimensions are the batch's, lends the tensors that have one, and narrows the step to fewer rows."""

import copy
from unittest import mock

import torch

import graphbench_abi as abi
from graphbench_abi import Skip, reason_of
from graphbench_distance import results_of
from graphbench_inputs import Inputs, other_seeds
from graphbench_state import storage_of, unseen
from graphbench_walk import parts_of

LARGE = 1 << 20  # bytes from which on tensors of no module count as weights
SMALL = 256  # elements of a tensor whose values may be numbers of a step
OTHER, FP64 = -1, -2
DTYPES = {torch.float32: 0, torch.complex64: 0, torch.float16: 1, torch.bfloat16: 2, torch.int32: 3,
          torch.float64: FP64, torch.complex128: FP64}
FROM_SHAPE = "take it from the shape of a tensor"


def storages(tensors):
    """The storages of tensors by address, with their sizes."""
    return {storage_of(part)._cdata: storage_of(part).nbytes() for each in tensors for part in parts_of(each)}


def dimension(what, here, there, batches):
    """(the dimension, its extent per row) of the batch in a tensor of two builds; None if their shapes are
    equal. Raises Skip for a tensor whose rows cannot be told apart."""
    shapes = tuple(here.shape), tuple(there.shape)
    if shapes[0] == shapes[1]:
        return None
    differ = [i for i, pair in enumerate(zip(*shapes)) if pair[0] != pair[1]]
    if here.layout != torch.strided:
        raise Skip(f"{what} has the layout {here.layout}, whose rows cannot be copied: make it dense")
    if len(differ) == 1 and len(shapes[0]) == len(shapes[1]):
        per_row, rest = divmod(shapes[0][differ[0]], batches[0])
        if rest == 0 and shapes[1][differ[0]] == per_row * batches[1]:
            return differ[0], per_row
    raise Skip(f"{what} is {list(shapes[0])} at batch {batches[0]} and {list(shapes[1])} at {batches[1]}: "
               "only one dimension may differ, as a multiple of the batch")


def second_build(step):
    """The size of another build, and what it makes: two rows, or half as many if two are too few for it."""
    few = 2 if step.batch != 2 else 1
    try:
        return few, step.build_at(few)
    except Exception:  # noqa: BLE001 - the user's
        if step.batch % 2 or step.batch <= 4:
            raise
    return step.batch // 2, step.build_at(step.batch // 2)


def draws_of(step):
    """How many generators a run of the step draws from, and not only its first: those of the process, which
    it may also seed, and those that it makes."""
    made = []

    class Noted(torch.Generator):
        def __init__(self, *place, **named):
            made.append(self)

    generators = [generator for generator, _ in step.state.generators]
    for generator in generators:
        generator.manual_seed(generator.initial_seed() ^ 1)
    before = [generator.get_state() for generator in generators]
    with mock.patch.object(torch, "Generator", Noted):
        step.run()
    step.synchronize()
    return len(made) + sum(not torch.equal(generator.get_state(), state)
                           for generator, state in zip(generators, before))


class Found:
    """What two builds show, once for all sizes of a process: dimensions by path, and of outputs by name."""

    def __init__(self, step):
        kept, twin = dict(step.globals), copy.copy(step)
        try:
            other, made = second_build(step)
            self.batches = step.batch, other
            self.refuse_globals(step, kept)
            inputs = Inputs(made, step.globals)
            twin.take(made)
            try:
                twin.run()
            except Exception as error:  # noqa: BLE001 - the user's
                raise Skip(f"a step of {other} rows fails beside one of {step.batch}: "
                           f"{reason_of(error, step.file)}: keep no rows outside of build, and let a step "
                           "take any number of them") from error
            self.draws = draws_of(step)
            here, there = step.walk(), twin.walk()
            self.compare(step, inputs, here.tensors, there.tensors)
        finally:
            step.globals.clear()
            step.globals.update(kept)
        self.tensors, self.shared = {}, set()
        for path, tensor in here.tensors.items():
            if path not in there.tensors:
                raise Skip(f"tensor {path} is there at batch {step.batch}, but not at {other}")
            if there.tensors[path] is not tensor:
                found = dimension(f"tensor {path}", tensor, there.tensors[path], self.batches)
                if found:
                    self.tensors[path] = found
                    if tensor.stride(found[0]) == 0:  # at batch 1 this does not show
                        self.shared.add(path)
        if not self.tensors:
            raise Skip("no tensor of the step has a dimension that differs between batch "
                       f"{step.batch} and {other}")
        self.outputs = {}
        others = results_of(twin.result)
        with_rows = {storage_of(here.tensors[path])._cdata for path in self.tensors}
        for name, output in results_of(step.result).items():
            key = storage_of(output)._cdata
            if key in step.state.kept and key in with_rows:
                continue  # it is compared as state
            found = None
            if name in others:
                found = dimension(f"output {name}", output, others[name], self.batches)
            if not found and key in step.state.kept:
                continue
            if not found:
                raise Skip(f"output {name} has no dimension of the batch, so rows of padding would reach it")
            if output.shape[found[0]] > 1 and output.stride(found[0]) == 0:
                raise Skip(f"the rows of output {name} share memory, so nothing tells them apart: return it "
                           "before it is expanded")
            self.outputs[name] = *found, output.dim()
        written = any(storage_of(here.tensors[path])._cdata in step.state.kept for path in self.tensors)
        if not self.outputs and not written:
            raise Skip("the step returns no tensor and writes none that has rows, so no request would get an "
                       "answer: return tensors")
        theirs = storages(there.tensors.values())
        made = {key: size for key, size in storages(
            tensor for path, tensor in here.tensors.items() if path not in self.tensors).items()
            if key not in theirs and key not in step.state.kept}
        weights = sum(size for key, size in made.items() if key in step.inputs.weights)
        others = sum(made.values()) - weights
        self.new_weights = weights + (others if others >= LARGE else 0)

    @staticmethod
    def refuse_globals(step, kept):
        """Refuses a build that binds tensors to names of the module, which only its last size would have."""
        for name, value in step.globals.items():
            old = kept.get(name)
            if value is old or not isinstance(value, torch.Tensor) or value.dim() == 0:
                continue
            with unseen():
                equal = isinstance(old, torch.Tensor) and old.shape == value.shape and torch.equal(old, value)
            if not equal:
                raise Skip(f"build binds the global {name} again for each size, so all sizes would read the "
                           "last one's: make it a variable of build")

    def compare(self, step, inputs, here, there):
        """Refuses a number, a container of numbers or a small tensor that follows the batch. A third build,
        as large as the first one but with other seeds, tells them from what is random or counts builds."""
        def numbers_of(one):
            return {**one.numbers, **one.counts}

        def follow(pairs):
            ours, others = pairs
            return [path for path in {**ours, **others}
                    if not same(ours.get(path, "none"), others.get(path, "none"))]

        def same(a, b):
            if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
                return a.shape != b.shape or torch.equal(a, b)
            return a == b or a != a and b != b

        def may_be_numbers(tensor):
            key = storage_of(tensor)._cdata  # not a bias, which may be random: a third build would follow
            return (tensor.numel() <= (1 if key in step.inputs.weights else SMALL)
                    and key not in step.state.kept)

        small = {path: each for path, each in here.items()
                 if path in there and each.layout == torch.strided and may_be_numbers(each)}
        ours = numbers_of(step.inputs)
        with unseen():
            numbers = follow((ours, numbers_of(inputs)))
            tensors = follow((small, {path: there[path] for path in small}))
        if not numbers and not tensors:
            return
        again = copy.copy(step)
        with other_seeds():
            made = step.build_at(step.batch)
        third = numbers_of(Inputs(made, step.globals))
        again.take(made)
        found = again.walk().tensors
        for path in numbers:
            pair = [held.get(path, "none") for held in (ours, numbers_of(inputs))]
            if same(pair[0], third.get(path, "none")):
                cure = "make it a tensor" if "array" in str(pair[0]) else FROM_SHAPE
                raise Skip(f"the step holds another number at each batch, {path}: {pair[0]!s:.40} at "
                           f"{step.batch} and {pair[1]!s:.40} at {self.batches[1]}: {cure}")
        for path in tensors:
            with unseen():
                follows = path in found and same(small[path], found[path])
            if follows:
                values = [str(each.tolist())[:40] for each in (small[path], there[path])]
                raise Skip(f"tensor {path} holds another value at each batch: {values[0]} at {step.batch} "
                           f"and {values[1]} at {self.batches[1]}: {FROM_SHAPE}")


def rows_of(step):
    """The rows of a step, looked for at its first use."""
    if step.rows is None:
        step.rows = Rows(step)
        step.state.put_back()
        step.facts["memory_of_new_weights"] = Rows.found.new_weights
        step.facts["random_generators"] = Rows.found.draws
    return step.rows


class Rows:
    """The tensors of one size that have rows."""

    found = None

    def __init__(self, step):
        Rows.found = Rows.found or Found(step)
        self.step, self.held, entries = step, [], {}
        walk, kept = step.walk(), step.state.kept
        built = {key for key, *_ in step.inputs.layout.values()}
        with_rows = set()
        for path, (dim, per_row) in Rows.found.tensors.items():
            tensor = walk.tensors.get(path)
            if tensor is None or tensor.shape[dim] != per_row * step.batch:
                raise Skip(f"tensor {path} is not at batch {step.batch} as it is at {Rows.found.batches[0]}")
            with unseen():
                self.held.append((tensor, tensor.detach(), dim, per_row))
            key = storage_of(tensor)._cdata
            with_rows.add(key)
            kind = abi.STATE_KIND if key in kept else abi.INPUT
            if path not in Rows.found.shared and (kind == abi.STATE_KIND or key in built):
                made = self.entry(path, tensor, kind, dim, per_row)
                if made and (tensor.data_ptr(), made.row_bytes) not in entries:
                    entries[tensor.data_ptr(), made.row_bytes] = made
        others = [abi.Rows(each.name.encode(), 0, 0, 0, 0, 0, abi.STATE_KIND, OTHER)
                  for key, each in kept.items() if key not in with_rows and each.seen.storage() is not None]
        self.fixed = [*entries.values(), *others]

    def entry(self, name, tensor, kind, dim, per_row):
        """The record of a tensor. None if there is nothing to copy: its rows share memory or are empty."""
        step, size = tensor.stride(dim), tensor.element_size()
        if step == 0 or tensor.numel() == 0:
            return None
        dims = enumerate(zip(tensor.stride(), tensor.shape))
        others = sorted((stride, extent) for i, (stride, extent) in dims
                        if i != dim and extent > 1 and stride > 0)
        row, blocks, between = 1, 1, 0
        for stride, extent in others:
            if stride < step:
                fits = stride == row
                row *= extent
            else:
                fits = blocks == 1 or stride == between * blocks
                between, blocks = between or stride, blocks * extent
            if not fits:
                break
        else:
            if row <= step and (per_row == 1 or row == step):
                return abi.Rows(name.encode(), tensor.data_ptr(), row * per_row * size, step * per_row * size,
                                blocks, between * size, kind, DTYPES.get(tensor.dtype, OTHER))
        what = "output" if kind == abi.OUTPUT else "tensor"
        raise Skip(f"{what} {name} has gaps within a row of the batch (strides {list(tensor.stride())}): "
                   "make it contiguous")

    def lend(self, lent):
        outputs, results = [], results_of(self.step.latest())
        missing = next((name for name in Rows.found.outputs if name not in results), None)
        if results and missing:
            raise Skip(f"output {missing} is there at batch {Rows.found.batches[0]}, but not for each number "
                       "of rows: return the same tensors at each")
        for name, tensor in results.items():
            if name in Rows.found.outputs:
                dim, per_row, dims = Rows.found.outputs[name]
                if tensor.dim() + 1 == dims and tensor.numel():  # one row, and squeezed
                    tensor = tensor.unsqueeze(dim)
                if tensor.dim() != dims:
                    raise Skip(f"output {name} has {tensor.dim()} dimensions for fewer rows, and {dims} at "
                               f"batch {Rows.found.batches[0]}: do not squeeze it")
                made = self.entry(name, tensor, abi.OUTPUT, dim, per_row)
                outputs += [made] if made else []
        self.array = (abi.Rows * (len(self.fixed) + len(outputs)))(*self.fixed, *outputs)
        lent[0] = self.array
        return len(self.array)

    def narrow(self, rows):
        for generator, state in self.step.state.generators:
            generator.set_state(state)
        with unseen():
            for tensor, whole, dim, per_row in self.held:
                tensor.data = whole.narrow(dim, 0, rows * per_row)
