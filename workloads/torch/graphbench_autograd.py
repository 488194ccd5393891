"""Compiled autograd (--torch-compiled-autograd on): what a cell needs for it, and what it traced."""

import collections
import contextlib
from unittest import mock

import torch

from graphbench_abi import one_line
from graphbench_graphed import Ear

before = {}  # what the user, or torch, had set


def set_up(on):
    """Sets what compiled autograd needs for a cell; for the other cells, what there was before."""
    from torch._dynamo import config as dynamo
    from torch._functorch import config as functorch
    from torch._inductor import config as inductor

    for owner, name, value in ((dynamo, "compiled_autograd", True),
                               (inductor.triton, "cudagraphs", True),  # else no scalar is moved to the device
                               (functorch, "enable_autograd_cache", False)):  # what it keeps cannot be traced
        if hasattr(owner, name):
            former = before.setdefault(name, getattr(owner, name))
            setattr(owner, name, value if on else former and name != "compiled_autograd")


class Reasons(Ear):
    """In place of the logger to which C++ says why it traces backward."""

    def debug(self, text, *args, **kwargs):
        if str(text).startswith("Cache miss due to "):
            why = str(text).removeprefix("Cache miss due to ").partition(" with key size")[0]
            self.heard.append(one_line(why, 120))


@contextlib.contextmanager
def told(facts):
    """Adds to the facts why backward was traced inside, and how many scalars traces moved to the device. Not
    longer: listening costs time in each backward."""
    from torch._dynamo import compiled_autograd as traces

    reasons, moved, compiler = [], [], traces.AutogradCompilerInstance
    move = getattr(compiler, "move_graph_nodes_to_cuda", None)

    def counted(self, graph):
        found = move(self, graph)
        moved.extend(found)
        return found

    with contextlib.ExitStack() as stack:
        for owner, name, value in ((traces, "verbose_log", Reasons(traces.verbose_log, reasons)),
                                   (traces, "snapshot_verbose_logging_enabled", lambda: True),
                                   (compiler, "move_graph_nodes_to_cuda", counted)):
            if hasattr(owner, name):
                stack.enter_context(mock.patch.object(owner, name, value))
        yield
    with contextlib.suppress(AttributeError):  # another PyTorch's name
        torch._C._dynamo.compiled_autograd.set_verbose_logger(None)
    facts["compiled_autograd.moved_scalars"] = len(moved)
    facts.update({f"compiled_autograd.traced.{reason}": count
                  for reason, count in collections.Counter(reasons).most_common(8)})
