"""The three modes as a PyTorch user has them, each on the current stream.

Eager calls; one torch.cuda.CUDAGraph; a piecewise executor with one shared pool as serving engines do."""

import torch


class WeakAlias:
    """Offers a tensor's memory without owning it, so that the pool may give it to later captures."""
    TYPES = {1: "|u1", 2: "<i2", 4: "<i4", 8: "<i8"}

    def __init__(self, tensor):
        size = tensor.element_size()
        self.__cuda_array_interface__ = {
            "shape": tuple(tensor.shape),
            "strides": tuple(stride * size for stride in tensor.stride()),
            "typestr": self.TYPES[size],
            "data": (tensor.data_ptr(), False),
            "version": 2,
        }

    @classmethod
    def of(cls, tensor):
        return torch.as_tensor(cls(tensor), device=tensor.device).view(tensor.dtype)


class Eager:
    """Every op launched by the host."""
    graphs = ()
    eager_ops = None

    def __init__(self, program, batch, pool):
        del pool
        io = program.io(batch)
        self.submit = lambda: program.step(io)
        self.warm_up = self.submit

    def output(self, submitted):
        return submitted


class Captured:
    """What the graph modes share: captures are ended and graphs instantiated one by one, so that both can be
    timed. torch.cuda.graph() would synchronise and empty the cache in front of every capture; the caller
    did that once, outside of what it times."""

    def __init__(self, program, batch, pool):
        self.program = program
        self.io = program.io(batch)
        self.pool = pool
        self.graphs = []
        self.eager_ops = 0

    def warm_up(self):
        self.program.step(self.io)

    def record(self, body):
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        graph.capture_begin(pool=self.pool)
        try:
            value = body()
        finally:
            graph.capture_end()
        self.graphs.append(graph)
        return value

    def instantiate(self):
        for graph in self.graphs:
            graph.instantiate()

    def output(self, submitted):
        del submitted
        return self.static_output


class Whole(Captured):
    """The step as one graph."""

    def capture(self):
        self.static_output = WeakAlias.of(self.record(lambda: self.program.step(self.io)))
        self.submit = self.graphs[0].replay


class Piecewise(Captured):
    """Pieces into one pool in replay order, the splitting ops called between their replays. A value is
    held until its last reader is captured; eager ops keep weak aliases, so they hold nothing."""

    def capture(self):
        calls = []
        values = {"x": self.io["x"]}
        for segment in self.program.segments(self.io):
            if segment.captured:
                self.record(lambda run=segment.run: run(values))
                calls.append(self.graphs[-1].replay)
            else:
                calls.append(self.eager_call(segment.run, values))
                values.pop("q")
                self.eager_ops += 1
        self.static_output = WeakAlias.of(values.pop("x"))
        values.clear()
        self.submit = self.sequence(calls)

    @staticmethod
    def eager_call(run, values):
        aliases = {name: WeakAlias.of(values[name]) for name in ("q", "mixed")}
        return lambda: run(dict(aliases))

    @staticmethod
    def sequence(calls):
        def submit():
            for call in calls:
                call()
        return submit


EXECUTORS = {"eager": Eager, "whole": Whole, "piecewise": Piecewise}
