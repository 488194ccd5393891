"""What mode piecewise meets in steps: what it breaks at, and where it cannot. in_pieces.py --situations runs
each; the first line of a docstring says what is right, as a pattern."""

import itertools

import graphbench
import torch

F = torch.nn.functional
WIDTH = 64


def layer(device, width=WIDTH):
    torch.manual_seed(1)
    return torch.nn.Linear(width, width, device=device).requires_grad_(False)


def rows(batch, device):
    return torch.randn(batch + 3, WIDTH, device=device)


def steps_of(function):
    """A step under no_grad, of a function of a layer and its input."""
    def build(batch, device):
        first, x = layer(device), rows(batch, device)

        @torch.no_grad()
        def step():
            return function(first, x)

        return step

    build.__doc__ = function.__doc__
    return build


@steps_of
def sorted_twice(first, x):
    """ok, 2 pieces, 2 breaks: sort x2; identical"""
    y, order = torch.relu(first(x)).sort(dim=-1)
    return first(y.sort(dim=0).values), order


@steps_of
def reads_indices(first, x):
    """ok, 2 pieces, 1 breaks: sort x1; identical"""
    order = first(x)[:, 0].sort().indices
    return first(x[order])


@graphbench.eager
def doubled(y):
    return y.mul_(2)


@steps_of
def in_place(first, x):
    """ok, 3 pieces, 2 breaks: doubled x1, sort x1; identical"""
    return first(torch.relu(doubled(first(x))).sort(dim=-1).values)


@steps_of
def draws_in_a_piece(first, x):
    """ok, 2 pieces, 1 breaks: sort x1; identical"""
    return first(F.dropout(first(x), 0.5, True).sort(dim=-1).values)


@graphbench.eager
def dropped(y):
    return F.dropout(y, 0.5, True)


@steps_of
def draws_at_a_break(first, x):
    """ok, 3 pieces, 2 breaks: dropped x1, sort x1; identical"""
    return first(torch.relu(dropped(first(x))).sort(dim=-1).values)


@steps_of
def draws_in_between(first, x):
    """ok, 3 pieces, 2 breaks: dropped x1, sort x1; identical"""
    return first(F.dropout(dropped(F.dropout(first(x))), 0.3).sort(dim=-1).values)


@steps_of
def autocast(first, x):
    """ok, 2 pieces, 1 breaks: sort x1; identical"""
    with torch.autocast("cuda", torch.bfloat16):
        return first(first(x).sort(dim=-1).values)


@steps_of
def inference_mode(first, x):
    """ok, 2 pieces, 1 breaks: sort x1; identical"""
    with torch.inference_mode():
        return first(first(x).sort(dim=-1).values)


@steps_of
def forked(first, x):
    """Skip: mode piecewise: sort at breaking.py:[0-9]+ breaks where work on another stream is not joined"""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        z = first(x)
    y = first(x).sort(dim=-1).values
    torch.cuda.current_stream().wait_stream(side)
    return y + z


@steps_of
def forked_and_joined(first, x):
    """ok, 2 pieces, 1 breaks: sort x1; identical"""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        z = first(x)
    torch.cuda.current_stream().wait_stream(side)
    return first((first(x) + z).sort(dim=-1).values)


@steps_of
def on_another_stream(first, x):
    """Skip: mode piecewise: sort at breaking.py:[0-9]+ would break on another stream"""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        z = first(x).sort(dim=-1).values
    torch.cuda.current_stream().wait_stream(side)
    return first(z)


SIDE = []


@steps_of
def late_on_another_stream(first, x):
    """Skip: mode piecewise: .* at breaking.py:[0-9]+ runs on another stream, which forked before a break"""
    if not SIDE:
        SIDE.append(torch.cuda.Stream())
    SIDE[0].wait_stream(torch.cuda.current_stream())
    y = first(x)
    torch.cuda.current_stream().wait_stream(SIDE[0])
    y = y.sort(dim=-1).values
    with torch.cuda.stream(SIDE[0]):
        z = first(x)
    torch.cuda.current_stream().wait_stream(SIDE[0])
    return first(y) + z


def trains(batch, device):
    """Skip: mode piecewise: autograd records at sort at breaking.py:[0-9]+"""
    first, x = layer(device).requires_grad_(True), rows(batch, device)

    def step():
        loss = first(first(x).sort(dim=-1).values).square().mean()
        loss.backward()
        return loss.detach()

    return step


def changes_its_calls(batch, device):
    """RuntimeError: the step broke [0-9]+ times into [0-9]+ pieces when it was opened, but [0-9]+ times"""
    first, x, calls = layer(device), rows(batch, device), itertools.count(1)

    @torch.no_grad()
    def step():
        y = first(x)
        for _ in range(next(calls)):  # which no walk finds
            y = torch.tanh(first(y.sort(dim=-1).values))
        return (y * 0).abs()

    return step


@steps_of
def nothing_outside(first, x):
    """Skip: mode piecewise: the step enqueues nothing outside of the calls that it breaks at"""
    return x.sort(dim=-1).values


@steps_of
def another_name(first, x):
    """Refusal: --split-ops: the step calls no sort: it calls linear x1, relu x1"""
    return torch.relu(first(x))


@steps_of
def compiled_around(first, x):
    """ok, 2 pieces, 1 breaks: halved x1; identical"""
    return compiled(halved(compiled(first(x))))


@graphbench.eager
def halved(y):
    return y / 2


@torch.compile(backend="eager", dynamic=False)
def compiled(y):
    return torch.relu(y) + 1


@torch.compile(backend="eager", dynamic=False)
def compiled_sort(y):
    return y.sort(dim=-1).values


@steps_of
def compiled_inside(first, x):
    """Refusal: --split-ops: the step calls no sort, as far as it is seen: nothing breaks inside"""
    return first(compiled_sort(first(x)))
