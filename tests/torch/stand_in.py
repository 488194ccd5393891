"""A stand-in for torch's graph classes on the CPU: a capture records the ops that run, a replay runs them
again and copies what they make into the tensors of the first run. With it the check of mode whole runs
without a GPU."""

import contextlib
import types
import weakref
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

import graphbench_breaks
import graphbench_pieces
import graphbench_step
import graphbench_abi as abi
from graphbench_check import conversation


class OlderGraph:
    """`lost`: the numbers of ops that the capture misses, as when they ran on another stream."""
    lost = ()

    def __init__(self):
        self.ops = []

    def register_generator_state(self, generator):
        pass

    def replay(self):
        with torch.no_grad():
            for function, args, kwargs, first in self.ops:
                again = tree_flatten(function(*args, **kwargs))[0]
                for old, new in zip(first, again):
                    if isinstance(new, torch.Tensor) and new.data_ptr() != old.data_ptr():
                        with torch.inference_mode(old.is_inference()):
                            old.copy_(new)


class Graph(OlderGraph):
    raw_cuda_graph = None

    def __init__(self, keep_graph=False):
        super().__init__()

    def instantiate(self):
        pass

    def capture_begin(self, **_):
        torch.sort(torch.zeros(1))  # torch's graphs run ops of their own here: no calls of the step
        self.recorder = Recorder(self)
        self.recorder.__enter__()

    def capture_end(self):
        self.recorder.__exit__(None, None, None)


class Stream:
    def wait_stream(self, other):
        pass


class Driver:
    """In place of graphbench_breaks.Driver."""

    def nodes_of(self, graph):
        return len(graph.ops)

    def launch(self, graph, stream):
        graph.replay()

    def destroy(self, execs):
        execs.clear()


class Recorder(TorchDispatchMode):
    def __init__(self, graph):
        super().__init__()
        self.graph, self.count = graph, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        if self.count not in self.graph.lost:
            first = [each.detach() if isinstance(each, torch.Tensor) else each
                     for each in tree_flatten(made)[0]]
            self.graph.ops.append((function, args, kwargs or {}, first))
        self.count += 1
        return made


@contextlib.contextmanager
def capturing(graph, **_):
    hidden = torch.cuda.is_current_stream_capturing is not not_capturing
    answer = torch.cuda.is_current_stream_capturing if hidden else lambda: True
    with Recorder(graph), mock.patch.object(torch.cuda, "is_current_stream_capturing", answer):
        yield


class Step(graphbench_step.Step):
    stream = None

    def prepare(self):
        """Pieces of a trace run where they would be replayed: a stand-in cannot record compiled code."""
        super().prepare()
        if self.pieces:
            self.kinds = [abi.RUN_PART] * len(self.kinds)

    def require_gpu(self):
        pass


def not_capturing():  # what hides a capture puts another function in its place
    return False


def installed(lends=True):
    """Patches torch and graphbench for the time of a `with`."""
    stack = contextlib.ExitStack()
    for owner, name, value in ((torch.cuda, "CUDAGraph", Graph if lends else OlderGraph),
                               (torch.cuda, "graph", capturing),
                               *((module, "shared_pool", lambda device: types.SimpleNamespace(id=None))
                                 for module in (graphbench_step, graphbench_breaks, graphbench_pieces)),
                               (graphbench_breaks, "Driver", Driver),
                               (torch.cuda, "Stream", Stream),
                               (torch.cuda, "current_stream", lambda *device: None if device else Stream()),
                               (torch.cuda, "stream", lambda _: contextlib.nullcontext()),
                               (torch.cuda, "synchronize", lambda device=None: None),
                               (torch.cuda.graphs, "graph_pool_handle", lambda: None),
                               (torch.cuda, "use_mem_pool", lambda pool: contextlib.nullcontext()),
                               (torch.cuda, "is_current_stream_capturing", not_capturing),
                               (graphbench_step, "without_owner", lambda tensor: tensor)):
        stack.enter_context(mock.patch.object(owner, name, value, create=name == "use_mem_pool"))
    return stack


def request(mode, batch, axes, splits=()):
    names = (abi.c_char_p * len(axes))(*(name.encode() for name in axes))
    values = (abi.c_char_p * len(axes))(*(value.encode() for value in axes.values()))
    ops = (abi.c_char_p * len(splits))(*(name.encode() for name in splits))
    return abi.Request(place=0, batch=batch, mode=mode.encode(), device_uuid=b"", axis_count=len(axes),
                       axis_names=names, axis_values=values, split_ops=ops, split_op_count=len(splits))


def judge(build, mode="whole", batch=2, renew=True, same_kernels=None, lost=(), lends=True, splits=(),
          cycles=0, **axes):
    """What the check says of a step: a verdict, as its worker reads it, or the refusal before a capture. Its
    graphs are captured and dropped `cycles` times before, and `left` are graphs that are held then."""
    with installed(lends), mock.patch.object(OlderGraph, "lost", lost):
        axes = {name.replace("_", "-"): value for name, value in axes.items()}
        step = Step(build, request(mode, batch, axes, splits), build.__code__.co_filename)
        try:
            step.prepare()
        except (abi.Skip, abi.Refusal) as why:
            return {"failed": str(why), "step": step}
        graphs, left = {}, []
        for cycle in range(cycles + 1 if not mode.startswith(("eager", "torch.")) else 0):
            graphs.update((part, step.capture(part)) for part, kind in enumerate(step.kinds)
                          if kind != abi.RUN_PART)
            if cycle < cycles:
                held = [weakref.ref(graph) for graph in graphs.values()]
                graphs.clear()
                step.drop(abi.DROP_GRAPHS)
                step.drop(abi.DROP_POOL)
                left += [each() for each in held if each()]
            elif not step.pieces and not any(graph.ops for graph in graphs.values()):
                return {"failed": "recorded_nothing", "step": step}

        def replay():
            for part in range(len(step.kinds)):
                graphs[part].replay() if part in graphs else step.runs[part]()

        for _ in range(3):  # as a measurement does, which moves state on
            step.run() if mode == "eager" else replay()
        for word in conversation(step, {"renew": renew, "same_kernels": same_kernels}):
            if "verdict" in word:
                return {**word["verdict"], "step": step, "left": left}
            if word["run"] == "eager" or mode == "eager":
                step.run()
            else:
                replay()
