"""Keeps and restores the state of a step, and reads other threads' CPU time and torch's compilations."""

import collections
import inspect
import os
import pathlib
import sys
import threading

from graphbench_abi import one_line


class Held:
    """The tensors that a step's callables reach through arguments, closures and globals. A Held keeps copies
    of inputs and buffers and, if the step has an optimizer, of parameters and the optimizer's state."""

    def __init__(self, torch, *values):
        self.torch, found = torch, {}
        reach(values, found)
        self.modules, self.optimizers, tensors = (
            [value for value in found.values() if isinstance(value, kind)]
            for kind in (torch.nn.Module, torch.optim.Optimizer, torch.Tensor))
        parameters = [each for module in self.modules for each in module.parameters()]
        state = [buffer for module in self.modules for buffer in module.buffers()]
        held = {id(tensor) for tensor in (*parameters, *state)}
        if self.optimizers:
            state += parameters
            state += [value for optimizer in self.optimizers for of_parameter in optimizer.state.values()
                      for value in of_parameter.values() if isinstance(value, torch.Tensor)]
        inputs = [tensor for tensor in tensors if id(tensor) not in held]
        self.inputs, self.state = ([(tensor, tensor.detach().clone()) for tensor in each]
                                   for each in (inputs, state))

    def elsewhere(self, device):
        """Names a tensor that lies neither on the step's device nor on the CPU; None if there is none."""
        named = [pair for module in self.modules for pair in (*module.named_parameters(),
                                                              *module.named_buffers())]
        named += [(f"input {i}", tensor) for i, (tensor, _) in enumerate(self.inputs)]
        return next((f"{name} on {tensor.device}" for name, tensor in named
                     if tensor.device.type != "cpu" and tensor.device != device), None)

    def put_back(self, seed):
        """Puts state back as it was, and inputs to their own values in another order, which keeps indices,
        masks and scales valid."""
        for tensor, kept in self.state:
            tensor.detach().copy_(kept)
        for tensor, kept in self.inputs:
            random = self.torch.Generator(device=tensor.device).manual_seed(seed)
            order = self.torch.randperm(tensor.numel(), generator=random, device=tensor.device)
            tensor.detach().copy_(kept.flatten()[order].view(tensor.shape))


def reach(value, found, depth=0):
    """Adds to `found`, by id, the value and all objects that at most five references lead to from it."""
    if id(value) in found or depth > 5:
        return
    found[id(value)] = value
    inside = ()
    if isinstance(value, (list, tuple)):
        inside = value
    elif isinstance(value, dict):
        inside = value.values()
    elif inspect.isfunction(value):
        names = inspect.getclosurevars(value)
        inside = (*names.nonlocals.values(), *names.globals.values(), *(value.__defaults__ or ()))
    elif inspect.ismethod(value):
        inside = (value.__self__,)
    for each in inside:
        reach(each, found, depth + 1)


def seconds_of_other_threads():
    """CPU time, by name, of the threads that Python code started. A busy one holds the interpreter's lock for
    5 ms at a time."""
    used = collections.Counter()
    for thread in threading.enumerate():
        stat = pathlib.Path(f"/proc/self/task/{thread.native_id}/stat")
        # The main thread and threads that Python did not start are the worker's, which runs the step.
        own = thread is threading.main_thread() or isinstance(thread, threading._DummyThread)
        if not own and stat.exists():
            ticks = stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13]
            used[thread.name] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return used


def compilations(opening=False, forget=False):
    """Returns torch._dynamo's counters by their names, and the counts of the most frequent reasons.
    Batches compile the same code, so while a batch is opened, a function's first compilation is not a
    recompilation. `forget` sets the counters to zero."""
    utils = getattr(sys.modules.get("torch._dynamo"), "utils", None)
    found, reasons, compiled = collections.Counter(), collections.Counter(), set()
    for group, counts in getattr(utils, "counters", {}).items():
        if group not in ("graph_break", "unimplemented"):  # the names in these groups are long texts
            found.update({f"{group}.{name}": count for name, count in counts.items()})
    for record in getattr(utils, "get_compilation_metrics", list)():
        function = record.co_filename, record.co_firstlineno
        repeated = not opening or function in compiled
        compiled.add(function)
        for name in ("recompile_reason", "cudagraph_skip_reason")[not repeated:]:
            if reason := getattr(record, name, None):
                reasons[f"{name}.{one_line(reason, 200)}"] += 1
    if forget and utils:
        utils.counters.clear()
        getattr(utils, "clear_compilation_metrics", list)()
    return found + collections.Counter(dict(reasons.most_common(8)))
