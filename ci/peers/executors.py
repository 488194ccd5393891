"""Modes as a PyTorch user has them, each on the current stream: eager calls, one torch.cuda.CUDAGraph of the
step, and one of what torch.compile makes of it. Another is in piecewise.py."""

import functools

import torch

COMPILED_BATCHES_MAX = 256


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
        self.io = program.io(batch)
        self.submit = lambda: program.step(self.io)
        self.warm_up = self.submit

    def output(self, submitted):
        return submitted


class Captured:
    """What the graph modes share: captures are ended and graphs instantiated one by one, so that both can be
    timed. torch.cuda.graph() would synchronise and empty the cache in front of every capture; the caller
    did that once, outside of what it times."""

    def __init__(self, program, batch, pool):
        self.program = program
        self.step = program.step
        self.io = program.io(batch)
        self.pool = pool
        self.graphs = []
        self.eager_ops = 0

    def warm_up(self):
        self.step(self.io)

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
        self.static_output = WeakAlias.of(self.record(lambda: self.step(self.io)))
        self.submit = self.graphs[0].replay


@functools.cache
def compiled_step(program):
    """Once for a program, so that a batch that is captured again is not compiled again. Shapes are constants;
    what breaks the graph, or compiles too often, is an error and not a slower step."""
    from torch import _dynamo
    _dynamo.config.recompile_limit = COMPILED_BATCHES_MAX
    return torch.compile(program.step, mode="max-autotune-no-cudagraphs", dynamic=False, fullgraph=True)


class Compiled(Whole):
    """The step through torch.compile, as one graph."""

    def __init__(self, program, batch, pool):
        super().__init__(program, batch, pool)
        self.step = compiled_step(program)

    def prepare(self):
        """Compiles: torch does it at the first call."""
        self.warm_up()
