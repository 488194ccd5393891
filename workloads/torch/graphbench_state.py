"""What a step holds and is put back to, and what runs beside it in its interpreter."""

import inspect
import os
import pathlib
import threading
import time


class Found:
    """The tensors, modules and optimizers that a step's callables reach: what they are called with, close
    over or name as globals."""

    def __init__(self, torch, calls, args):
        self.torch = torch
        self.modules, self.optimizers, self.inputs = [], [], []
        self.seen = set()
        for value in args:
            self.add(value)
        for call in calls:
            self.add(call)
        held = {id(tensor) for tensor in self.weights()}
        self.inputs = [tensor for tensor in self.inputs if id(tensor) not in held]

    def weights(self):
        return [tensor for module in self.modules for tensor in (*module.parameters(), *module.buffers())]

    def add(self, value, depth=0):
        if id(value) in self.seen or depth > 4:
            return
        self.seen.add(id(value))
        if isinstance(value, self.torch.nn.Module):
            self.modules.append(value)
        elif isinstance(value, self.torch.optim.Optimizer):
            self.optimizers.append(value)
        elif isinstance(value, self.torch.Tensor):
            self.inputs.append(value)
        elif isinstance(value, (list, tuple)):
            for each in value:
                self.add(each, depth + 1)
        elif isinstance(value, dict):
            for each in value.values():
                self.add(each, depth + 1)
        elif inspect.isfunction(value):
            names = inspect.getclosurevars(value)
            for each in (*names.nonlocals.values(), *names.globals.values(), *(value.__defaults__ or ())):
                self.add(each, depth + 1)
        elif inspect.ismethod(value):
            self.add(value.__self__, depth + 1)


class Kept:
    """Tensors as they were: inputs, buffers of all modules, and where a step trains its parameters and what
    its optimizers hold."""

    def __init__(self, found):
        tensors = [buffer for module in found.modules for buffer in module.buffers()]
        if found.optimizers:
            tensors += [parameter for module in found.modules for parameter in module.parameters()]
            for optimizer in found.optimizers:
                tensors += [value for state in optimizer.state.values() for value in state.values()
                            if isinstance(value, found.torch.Tensor)]
        self.state, self.inputs = self.copies(tensors), self.copies(found.inputs)

    @staticmethod
    def copies(tensors):
        return [(tensor, tensor.detach().clone()) for tensor in tensors]

    def put_back(self, order_of):
        """State as it was; inputs with their own values in another order, which keeps indices, masks and
        scales valid."""
        for tensor, kept in self.state:
            tensor.detach().copy_(kept)
        for tensor, kept in self.inputs:
            tensor.detach().copy_(kept.flatten()[order_of(tensor)].view(tensor.shape))


class OtherThreads:
    """CPU time of Python's other threads from here on. A busy one takes the interpreter's lock for 5 ms."""

    def __init__(self):
        self.began, self.at_first = time.monotonic(), self.seconds()

    @staticmethod
    def seconds():
        used = {}
        for thread in threading.enumerate():
            stat = pathlib.Path(f"/proc/self/task/{thread.native_id}/stat")
            # A thread that is not Python's own is the worker's, which runs the step.
            own = thread is threading.main_thread() or isinstance(thread, threading._DummyThread)
            if own or not stat.exists():
                continue
            ticks = stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13]
            used[thread.name] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        return used

    def busy(self):
        least = 0.05 * (time.monotonic() - self.began)
        return [name for name, used in self.seconds().items() if used - self.at_first.get(name, 0) > least]
