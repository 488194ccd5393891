"""Makes new inputs for a check by calling the user's own `build` once more, with every seed that it sets
shifted."""

import contextlib
import random
import sys
import time
from unittest import mock

import torch

from graphbench_state import Seen, State, bytes_of, storage_of, unseen
from graphbench_walk import Walk, parts_of

SHIFT = 40503
OLD_MAX = 1 << 30  # bytes of old inputs that are kept to see whether new ones change an output


class Unchanged(Exception):
    """The inputs keep their values; the text says why."""


def shifted(seed):
    return seed + SHIFT if isinstance(seed, int) else f"{seed}{SHIFT}"


class ShiftedGenerator(torch.Generator):
    def manual_seed(self, seed):
        return super().manual_seed(shifted(int(seed)))


@contextlib.contextmanager
def other_seeds():
    """Every seed that is set inside is another one. Afterwards all generators are as they were."""
    numpy = sys.modules.get("numpy")
    states = [(each, each.get_state()) for each in State.generators_seen.values()]
    python, of_numpy = random.getstate(), numpy and numpy.random.get_state()
    changes = [(torch, "manual_seed"), (torch.random, "manual_seed"), (torch.cuda, "manual_seed"),
               (torch.cuda, "manual_seed_all"), (random, "seed")]
    with contextlib.ExitStack() as stack:
        for owner, name in changes:
            original = getattr(owner, name)
            stack.enter_context(mock.patch.object(
                owner, name, lambda seed=0, *more, original=original, **named: (
                    original(shifted(seed), *more, **named))))
        stack.enter_context(mock.patch.object(torch, "Generator", ShiftedGenerator))
        if numpy:
            for name in ("seed", "default_rng", "RandomState"):
                original = getattr(numpy.random, name)
                stack.enter_context(mock.patch.object(
                    numpy.random, name, lambda seed=0, *more, original=original, **named: (
                        original(shifted(seed) % 2**32 if isinstance(seed, int) else seed, *more, **named))))
        try:
            torch.manual_seed(0)
            random.seed(0)
            if numpy:
                numpy.random.seed(0)
            yield
        finally:
            for generator, state in states:
                generator.set_state(state)
            random.setstate(python)
            if numpy:
                numpy.random.set_state(of_numpy)


def layout_of(walk):
    """The memory of each tensor by path and part: its storage, and how the tensor lies in it."""
    layout = {}
    with unseen():
        for path, tensor in walk.tensors.items():
            for index, part in enumerate(parts_of(tensor)):
                how = part.dtype, part.device, part.storage_offset(), tuple(part.shape), tuple(part.stride())
                storage = storage_of(part)
                layout[path, index] = (storage._cdata, Seen(storage), (*how, storage.nbytes()))
    return layout


class Inputs:
    """What a build made, and what a second build makes of it. Holds no tensor until renew()."""

    def __init__(self, made, step_globals):
        walk = Walk([made], step_globals)
        self.step_globals, self.layout, self.seen = step_globals, layout_of(walk), walk.seen
        self.numbers = {path: value for path, value in walk.scalars.items()
                        if isinstance(value, (bool, int, float, complex))}
        self.counts = walk.counts
        self.weights = {storage_of(each)._cdata for module in walk.modules.values()
                        for each in (*module.parameters(), *module.buffers()) if each.layout == torch.strided}
        self.pairs, self.old, self.made, self.seconds = [], [], None, None

    def renew(self, build):
        """Calls `build()` again, and pairs the tensors of both builds. Raises Unchanged if they do not match:
        then no value changes, because values of one build belong together."""
        began = time.monotonic()
        kept = dict(self.step_globals)
        try:
            with other_seeds():
                self.made = build()
            walk = Walk([self.made], self.step_globals)
        finally:
            self.seconds = time.monotonic() - began
            self.step_globals.clear()  # what a second build binds is not the step's
            self.step_globals.update(kept)
        layout = layout_of(walk)
        for path, number in self.numbers.items():
            other = walk.scalars.get(path, number)
            if path in walk.places and id(walk.places[path][0]) in self.seen:
                continue  # of an object that both builds share
            if other != number and not (other != other and number != number):
                raise Unchanged(f"a second build has another number, {path}: {number} and {other}")
        pairs, shared = {}, 0
        for place, (key, seen, how) in self.layout.items():
            if place not in layout:
                raise Unchanged(f"a second build has no tensor {place[0]}")
            other_key, other, other_how = layout[place]
            if other_how != how:
                raise Unchanged(f"tensor {place[0]} of a second build has another type, shape or layout")
            shared += key == other_key
            if key != other_key:
                pairs[key] = seen, other.storage()
        if extra := next((path for path, _ in layout.keys() - self.layout.keys()), None):
            raise Unchanged(f"a second build has one tensor more, {extra}")
        with unseen():
            self.pairs = [(seen, storage) for seen, storage in pairs.values() if seen.storage() is not None
                          and not torch.equal(bytes_of(seen.storage()), bytes_of(storage))]
            inputs = [seen for seen, _ in self.pairs if seen.weak.cdata not in self.weights]
            if sum(seen.nbytes for seen in inputs) <= OLD_MAX:
                self.old = [(seen, bytes_of(seen.storage()).clone()) for seen in inputs]
        if not pairs:
            raise Unchanged("both builds have the same tensors" if shared else "the step holds no tensor")
        if not self.pairs:
            raise Unchanged("a second build made the same values")

    def write(self):
        with unseen():
            for seen, storage in self.pairs:
                if (target := seen.storage()) is not None:
                    bytes_of(target).copy_(bytes_of(storage))

    def write_old(self):
        """Writes what the inputs that are no weights had before, beside the new weights."""
        with unseen():
            for seen, old in self.old:
                if (target := seen.storage()) is not None:
                    bytes_of(target).copy_(old)

    def forget(self):
        self.pairs, self.old, self.made = [], [], None
