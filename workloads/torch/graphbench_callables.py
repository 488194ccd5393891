"""Mode torch.callables: a user's loop over callables that torch.cuda.make_graphed_callables has graphed."""

import copy
import traceback
import types
from unittest import mock

import torch

from graphbench_abi import Skip, one_line
from graphbench_state import unseen


def refusal(error, captures):
    """The API's own sentence where it refuses the callables or how the loop calls them; else empty. Before a
    capture began, what autograd raises about them counts too."""
    frames = traceback.extract_tb(error.__traceback__)
    while not captures and frames and "/torch/autograd/" in frames[-1].filename:
        frames.pop()
    own = frames and frames[-1].filename == torch.cuda.graphs.__file__ and frames[-1].name in (
        "make_graphed_callables", "functionalized", "forward", "backward")
    asked = own and type(error) in (AssertionError, RuntimeError, TypeError, ValueError)
    if not asked and "once_differentiable" not in str(error):
        return ""
    return f"torch.cuda.make_graphed_callables refuses: {one_line(str(error) or frames[-1].line, 600)}"


class Kept:
    """The buffers of modules, which the API's warm-ups may write or bind again."""

    def __init__(self, callables):
        modules = [each for module in callables if isinstance(module, torch.nn.Module)
                   for each in module.modules()]
        with unseen():
            self.buffers = [(module, name, buffer, buffer.clone()) for module in modules
                            for name, buffer in module._buffers.items() if buffer is not None]

    def put_back(self):
        with unseen():
            for module, name, buffer, value in self.buffers:
                module._buffers[name] = buffer
                buffer.copy_(value)


class Counted:
    """Counts the graphs that the API records, and how often a step replays them."""

    def __init__(self):
        self.graphs, self.replayed = [], 0

    def recording(self):
        record = torch.cuda.graph

        def counted(graph, *args, **how):
            self.graphs.append(graph)
            return record(graph, *args, **how)

        return mock.patch.object(torch.cuda, "graph", counted)

    def replaying(self):
        replay = torch.cuda.CUDAGraph.replay

        def counted(graph):
            self.replayed += any(graph is each for each in self.graphs)
            return replay(graph)

        return mock.patch.object(torch.cuda.CUDAGraph, "replay", counted)


def form_of(step):
    """What graphbench.callables() holds; (module, args) is a loop over one."""
    if step.kwargs:
        raise Skip("mode torch.callables takes no keyword arguments: give them by position")
    if step.module is not None:
        return types.SimpleNamespace(callables=[step.module], sample_args=[step.args], options={},
                                     step=lambda made: made[0](*step.args))
    if step.form is None:
        raise Skip("mode torch.callables needs a function that returns (module, args) or "
                   "graphbench.callables(...)")
    return step.form


def graphed(step):
    """Has the API graph copies of the callables, and runs the step with them once. The originals stay eager:
    for the check, and for other batches. Returns a call of the step, and how many graphs there are."""
    form = form_of(step)
    copies = tuple(copy.copy(each) for each in form.callables)
    kept, count = Kept(copies), Counted()
    try:
        with count.recording():
            made = torch.cuda.make_graphed_callables(copies, tuple(map(tuple, form.sample_args)),
                                                     **form.options)
        kept.put_back()
        with count.replaying():
            form.step(made)
    except Exception as error:
        if said := refusal(error, count.graphs):
            raise Skip(said) from error
        raise
    return lambda: form.step(made), {
        "forward_graphs": len(copies), "backward_graphs": len(count.graphs) - len(copies),
        "graphs_replayed": count.replayed}
