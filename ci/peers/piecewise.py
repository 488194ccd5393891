"""The piecewise mode as serving engines build it: the program split at its attention ops into a torch.fx
module that calls piece after piece, each piece a wrapper that finds its graph by the batch and replays it."""

import contextlib
import operator
import typing

import torch
import torch.fx

from executors import Captured, WeakAlias


class Batch(typing.NamedTuple):
    """What a step is dispatched by: engines key captured graphs by token count and uniformity."""
    tokens: int
    uniform: bool


class Context(typing.NamedTuple):
    """What the pieces of a step ask about it: set around the step, so that it need not pass through the
    split program's arguments."""
    graphed: bool
    batch: Batch
    run_eager_ops: bool


current_context = None


@contextlib.contextmanager
def forward_context(context):
    global current_context
    before, current_context = current_context, context
    try:
        yield
    finally:
        current_context = before


def weak(values):
    """Aliases that own nothing, so that the pool may give the memory to what is captured next."""
    if isinstance(values, tuple):
        return tuple(WeakAlias.of(value) for value in values)
    return WeakAlias.of(values)


class Entry(typing.NamedTuple):
    graph: typing.Any
    output: typing.Any


class GraphedPiece:
    """A piece as the split program calls it: captured at the first call for a batch, replayed afterwards."""

    def __init__(self, run, captured):
        self.run = run
        self.captured = captured
        self.entries = {}

    def __call__(self, *values):
        context = current_context
        if not context.graphed:
            return self.run(*values)
        entry = self.entries.get(context.batch)
        if entry is None:
            output = self.captured.record(lambda: self.run(*values))
            self.entries[context.batch] = Entry(self.captured.graphs[-1], weak(output))
            return output  # owned by the caller until the piece that reads it last is captured
        entry.graph.replay()
        return entry.output


class EagerOp:
    """A splitting op as the split program calls it. Captures run none: there is nothing to attend to yet."""

    def __init__(self, run):
        self.run = run

    def __call__(self, *values):
        if current_context.run_eager_ops:
            self.run(*values)


def split_program(segments, calls):
    """The module that engines make of a split program: straight-line code over the calls, every value let
    go of after its last reader (torch.fx writes that)."""
    graph = torch.fx.Graph()
    values = {"x": graph.placeholder("x")}
    targets = {}
    for index, (segment, call) in enumerate(zip(segments, calls)):
        target = f"{'piece' if segment.captured else 'eager_op'}_{index}"
        targets[target] = call
        node = graph.call_module(target, tuple(values[name] for name in segment.takes))
        if len(segment.gives) == 1:
            values[segment.gives[0]] = node
        else:
            for place, name in enumerate(segment.gives):
                values[name] = graph.call_function(operator.getitem, (node, place))
    graph.output(values["x"])
    return torch.fx.GraphModule(targets, graph)


class Piecewise(Captured):
    """`submit` is the step as an engine dispatches it; `submit_loop` makes the same replays and eager calls
    in a bare loop, which no engine has: it shows what of the submit time is dispatch."""

    def __init__(self, program, batch, pool):
        super().__init__(program, batch, pool)
        self.segments = program.segments(self.io)
        self.calls = [GraphedPiece(segment.run, self) if segment.captured else EagerOp(segment.run)
                      for segment in self.segments]
        self.eager_ops = sum(not segment.captured for segment in self.segments)
        self.split = split_program(self.segments, self.calls)
        self.batch = Batch(batch, True)

    def warm_up(self):
        with forward_context(Context(False, self.batch, True)):
            self.split(self.io["x"])

    def capture(self):
        with forward_context(Context(True, self.batch, False)):
            self.static_output = weak(self.split(self.io["x"]))
        self.context = Context(True, self.batch, True)
        self.loop = self.bare_calls()

    def submit(self):
        with forward_context(self.context):
            return self.split(self.io["x"])

    def submit_loop(self):
        for call in self.loop:
            call()

    def bare_calls(self):
        values, calls = {}, []
        for segment, call in zip(self.segments, self.calls):
            if segment.captured:
                entry = call.entries[self.batch]
                outputs = entry.output if isinstance(entry.output, tuple) else (entry.output,)
                values.update(zip(segment.gives, outputs))
                calls.append(entry.graph.replay)
            else:
                taken = [values[name] for name in segment.takes]
                calls.append(lambda run=segment.run, taken=taken: run(*taken))
        return calls
