"""What `graphbench ladder` finds of a PyTorch step by a second build: the rows of a batch, and what cannot be
served, by name. In one interpreter, without a worker."""

import collections
import functools
import pathlib
import subprocess
import sys
import types
import unittest

from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]


def refusals():
    """By name: a step of so many rows, and the words of its refusal."""
    import numpy
    import torch

    def x(batch):
        return torch.randn(batch, 8)

    def holding(make):
        """A step that divides its rows by what it holds."""
        def step_of(batch):
            rows, held = x(batch), make(batch)
            return lambda: rows / (len(held) if hasattr(held, "__len__") and not isinstance(
                held, (slice, torch.Tensor)) else held.stop if isinstance(held, (slice, range)) else held)
        return step_of

    class Config:
        pass

    def configured(batch):
        rows, Config.batch = x(batch), batch
        return lambda: rows / Config.batch

    def rebound(batch):
        globals()["rebound_rows"] = x(batch)
        return eval("lambda: rebound_rows * 2", globals())

    def squeezed_away(batch):
        rows = torch.randn(batch, 1, 1)
        return lambda: rows.squeeze(2) if len(rows) > 1 else rows.sum()

    kept = []

    def keeping(batch):
        rows = x(batch)
        def step():
            kept.append(rows)
            return torch.stack(kept[-2:]).sum(0)
        return step

    def two_of_several(batch):
        rows = x(batch)
        return lambda: (rows * 2, rows * 3) if len(rows) > 1 else (rows * 2,)

    number, value = "the step holds another number at each batch, ", "tensor held holds another value at each"
    square = lambda batch: functools.partial(torch.clone, torch.ones(batch, batch))  # noqa: E731
    return {
        "a number": (holding(lambda batch: batch), number + "held: 6 at 6 and 2 at 2: take it from"),
        "a number of numpy": (holding(numpy.float64), number),
        "a list of numbers": (holding(lambda batch: [1] * batch), number + "held[2]: 1 at 6 and none at 2"),
        "an array": (holding(lambda batch: numpy.ones(batch)), number + "held: an array of shape (6,) at"),
        "a range": (holding(range), number),
        "a slice": (holding(slice), number),
        "a set": (holding(lambda batch: set(range(batch))), number),
        "a deque": (holding(lambda batch: collections.deque([0.5] * batch)), number),
        "a tensor of one value": (holding(lambda batch: torch.tensor(float(batch))), value),
        "a tensor of one element": (holding(lambda batch: torch.tensor([batch])), value),
        "a namespace": (lambda batch: functools.partial(
            lambda rows, held: rows / held.batch, x(batch), types.SimpleNamespace(batch=batch)), number),
        "a class": (configured, number + "Config.batch: 6 at 6 and 2 at 2"),
        "one of several numbers": (holding(lambda batch: torch.tensor([batch] + 7 * [1.0])), value),
        "a global of each build": (rebound, "build binds the global rebound_rows again for each size"),
        "rows of a result that share memory": (
            lambda batch: functools.partial(lambda rows: rows.mean(0, keepdim=True).expand(len(rows), -1),
                                            x(batch)), "the rows of output 0 share memory"),
        "rows that are kept": (keeping, "a step of 2 rows fails beside one of 6: RuntimeError: "),
        "an output of some sizes": (two_of_several, "output 1 is there at batch 6, but not for each number"),
        "a lost dimension": (squeezed_away, "output 0 has 0 dimensions for fewer rows, and 2 at batch 6"),
        "no tensor as result": (
            lambda batch: functools.partial(lambda rows: rows.numpy() + 1, x(batch)), "returns no tensor"),
        "a sparse input": (lambda batch: functools.partial(torch.clone, x(batch).to_sparse()),
                           "has the layout torch.sparse_coo, whose rows cannot be copied"),
        "two dimensions": (square, "is [6, 6] at batch 6 and [2, 2] at 2: only one dimension"),
        "no dimension": (lambda batch: functools.partial(torch.clone, x(3)),
                         "no tensor of the step has a dimension that differs between")}


def served():
    """By name: a step of so many rows, and the names and bytes per row of what is copied at batch 1."""
    import torch

    def with_empty(batch):
        rows, none = torch.randn(batch, 8), torch.ones(batch, 0)
        return lambda: (rows * 2, none)

    def expanded(batch):
        rows, mask = torch.randn(batch, 8), torch.ones(1, 8).expand(batch, 8)
        return lambda: rows * mask

    def random_scale(batch):
        rows, scale = torch.randn(batch, 8), torch.rand(())
        return lambda: rows * scale

    def counting(batch):
        rows, random_scale.builds = torch.randn(batch, 8), getattr(random_scale, "builds", 0) + 1
        build = random_scale.builds
        return lambda: rows * (1 + 0 * build)

    def in_part_of_a_buffer(batch):
        rows = torch.randn(batch, 8)
        def step():
            buffer[:len(rows)] = rows * 2
            return buffer[:len(rows)]
        return step

    def squeezed(batch):
        rows = torch.randn(batch, 8)
        return lambda: rows[:, :, None].squeeze()

    def in_threes(batch):
        assert batch % 3 == 0 or batch == 1
        rows = torch.randn(batch, 8)
        return lambda: -rows

    buffer = torch.zeros(64, 8)
    return {name: (step, [("0", 32), ("rows", 32)]) for name, step in (
        ("empty tensors are not copied", with_empty), ("rows that share memory are not copied", expanded),
        ("a random tensor of one value is no number of the batch", random_scale),
        ("a number of builds is no number of the batch", counting),
        ("rows of a buffer are a result", in_part_of_a_buffer),
        ("a row that is squeezed is one all the same", squeezed),
        ("two rows may be too few for a build", in_threes))}


class Maker:
    def __call__(self, batch, device):
        return lambda: batch


def builds():
    """Callables that may stand for a build: all of this module."""
    return [Maker().__call__, Maker(), Maker, functools.partial(Maker()), functools.lru_cache(report),
            functools.partial(functools.wraps(report)(functools.partial(report)))]


def report():
    import graphbench_abi as abi
    import graphbench_rows
    import graphbench_step
    from graphbench_walk import globals_of
    from stand_in import request

    def rows_of(of, batch, narrowed=None):
        asked = request("whole", batch, {})
        asked.serves = 1
        step = graphbench_step.Step(lambda batch, device: of(batch), asked, __file__)
        step.find_state()
        rows = graphbench_rows.rows_of(step)
        rows.narrow(narrowed or batch)
        step.run()
        lent = [None]
        count = rows.lend(lent)
        return sorted((each.name.decode(), each.row_bytes) for each in lent[0][:count] if each.row_bytes)

    wrong = [f"{build} is of another module" for build in builds() if globals_of(build) is not globals()]
    for name, (step, words) in refusals().items():
        graphbench_rows.Rows.found = None
        try:
            wrong.append(f"{name}: serves {rows_of(step, 6, 1)}")
        except abi.Skip as why:
            if words not in str(why):
                wrong.append(f"{name}: {why}")
    for name, (step, wanted) in served().items():
        graphbench_rows.Rows.found = None
        rows_of(step, 6)
        if (found := rows_of(step, 1)) != wanted:
            wrong.append(f"{name}: {found}")
    print("\n".join(wrong))
    print(f"{len(refusals())} refused, {len(served())} served, {len(wrong)} wrong")


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class Rows(unittest.TestCase):
    def test_rows_are_found_and_what_cannot_be_served_is_refused_by_name(self):
        done = subprocess.run([PYTHON, "-W", "ignore", "-B", __file__, "--report"], capture_output=True,
                              text=True, check=False)
        self.assertEqual("22 refused, 7 served, 0 wrong", done.stdout.strip(),
                         done.stdout + done.stderr[-2000:])


if __name__ == "__main__" and "--report" in sys.argv:
    sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]
    report()
