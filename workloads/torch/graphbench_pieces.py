"""Mode piecewise of one callable: the graph that torch.compile traces, cut into parts."""

import collections
import functools
import math
import operator
import pathlib
import statistics
import time

from graphbench_abi import CAPTURED, RUN_PART, Skip
from graphbench_state import one_line

MARKED = []


def eager(function):
    """Marks a callable of a step's list, or a function that a step calls with tensors: mode piecewise runs it
    without a graph."""
    function.graphbench_eager = True
    MARKED.append(function)
    return function


def names_of(node):
    """The names that --split-ops may give to a node of a dynamo graph."""
    if node.op not in ("call_method", "call_function"):
        return set()
    schema = getattr(node.target, "_schema", None)  # set for torch.ops
    full = schema.name if schema else getattr(node.target, "__name__", str(node.target))
    return {full, full.split("::")[-1]}


class Pieces:
    """The dynamo graph of a step, cut where `splits` says: ops of those names, and the part that holds one,
    run eagerly. Parts run in the graph's order and without autograd, so nodes that switch autograd are left
    out."""

    SWITCHES = {"_set_grad_enabled", "_enter_inference_mode", "_exit_inference_mode"}

    def __init__(self, torch, module, splits):
        from torch.fx.passes.split_module import split_module

        self.torch, graph = torch, module.graph
        for node in reversed(list(graph.nodes)):
            if names_of(node) & self.SWITCHES:
                graph.erase_node(node)
        self.split_at, self.ops, part_of, kinds = collections.Counter(), set(), {}, []
        for node in graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            follows = node.target is operator.getitem or "wait_tensor" in names_of(node)
            if follows and node.args[0] in part_of:
                # An item belongs to the part that makes its tuple, and a wait to that of its collective.
                part_of[node] = part_of[node.args[0]]
                continue
            self.ops |= names_of(node)
            found = names_of(node) & splits or {each.__name__ for each in MARKED if node.target is each}
            if not kinds or kinds[-1] != (not found):
                kinds.append(not found)
            part_of[node] = len(kinds) - 1
            self.split_at.update(found)
        self.module = split_module(module, None, part_of.__getitem__, keep_original_order=True)
        self.nodes = [node for node in self.module.graph.nodes if node.op == "call_module"]
        self.captured = [kinds[int(node.target.removeprefix("submod_"))] for node in self.nodes]
        self.calls = [getattr(self.module, node.target).forward for node in self.nodes]
        self.output = next(node for node in self.module.graph.nodes if node.op == "output")
        self.values, self.kept, self.made_by, self.entered_at = {}, {}, {}, None

    def enter(self, *inputs):
        """Is called as the compiled callable: runs the step at first, and later returns only its last
        outputs."""
        self.entered_at = time.perf_counter()
        if not self.values:
            given = iter(inputs)
            for node in self.module.graph.nodes:
                if node.op == "placeholder":
                    self.values[node] = next(given)
                elif node.op == "get_attr":
                    self.values[node] = operator.attrgetter(node.target)(self.module)
            for part in range(len(self.nodes)):
                self.run(part)
        return self.results()

    def results(self):
        return self.torch.fx.node.map_arg(self.output.args[0], self.values.__getitem__)

    def run(self, part):
        node = self.nodes[part]
        with self.torch.no_grad():
            made = self.calls[part](*[self.values[each] for each in node.args])
            if not self.captured[part]:
                made = self.keep(part, made)
        self.values[node] = made
        self.made_by[node] = part
        for user in node.users:
            if user.target is operator.getitem:
                self.values[user] = made[user.args[1]]
                self.made_by[user] = part

    def keep(self, part, made):
        """Copies an eager part's results into the tensors of its first run, which the next graph reads."""
        kept = self.kept.setdefault(part, made)
        pairs = zip(kept, made) if isinstance(made, (tuple, list)) else [(kept, made)]
        for old, new in pairs:
            if isinstance(new, self.torch.Tensor) and new is not old:
                old.copy_(new)
        return kept

    def forget(self, part):
        """Is called before a part is captured: outputs of earlier graphs that nothing reads from here on lose
        their owner, so that this graph can use their memory, as it does at every step. Their addresses
        stay."""
        order = {node: index for index, node in enumerate(self.nodes)}
        for node, maker in self.made_by.items():
            value = self.values[node]
            last = max((order.get(user, math.inf if user is self.output else -1) for user in node.users),
                       default=-1)
            if self.captured[maker] and maker < part and last < part:
                self.values[node] = self.weak(value)

    def weak(self, value):
        torch = self.torch
        if not isinstance(value, torch.Tensor):  # the items of a tuple are separate values
            return None if isinstance(value, (tuple, list)) else value
        storage = value.untyped_storage()
        borrowed = torch._C._construct_storage_from_data_pointer(storage.data_ptr(), value.device,
                                                                 storage.nbytes())
        return torch.empty(0, dtype=value.dtype, device=value.device).set_(
            borrowed, value.storage_offset(), value.shape, value.stride())


def cut(step):
    """Parts of the graph that torch.compile hands to a backend. More calls show what the guards cost."""
    from torch import _dynamo
    from torch.utils import _pytree

    torch, found = step.torch, []
    if step.held.optimizers:
        raise Skip("mode piecewise runs its parts without autograd, but the step holds an optimizer: give "
                   "--mode whole")
    _dynamo.reset()  # the parts stay; no batch calls its compiled code again
    for function in MARKED:
        torch.compiler.allow_in_graph(function)
    splits = step.split_ops or {"scaled_dot_product_attention"}

    def backend(module, _):
        try:
            found.append(Pieces(torch, module, splits))
        except Exception as error:  # noqa: BLE001 - dynamo would wrap it
            found.append(error)
            return module.forward
        return found[-1].enter

    call, = step.compiled(backend=backend)
    result = call()
    breaks = step.facts["graph_breaks"] = sum(_dynamo.utils.counters["graph_break"].values())
    if breaks or len(found) != 1:
        raise Skip("mode piecewise needs a step that torch.compile traces as one graph: "
                   f"{why_broken(step, _dynamo, len(found))}")
    pieces = step.pieces = found[0]
    if isinstance(pieces, Exception):
        raise pieces
    missing, ops = sorted(step.split_ops - set(pieces.split_at)), ", ".join(sorted(pieces.ops))
    if missing:
        raise LookupError(f"--split-ops: the step's graph has no {', '.join(missing)}: it has {ops}")
    if not pieces.split_at:
        raise Skip("mode piecewise: the step's graph has no scaled_dot_product_attention: name other ops "
                   f"with --split-ops, of {ops}")
    guards = []
    for _ in range(21):
        began = time.perf_counter()
        result = call()
        guards.append(pieces.entered_at - began)
    step.facts["guard_seconds"] = statistics.median(guards)
    step.facts["split_at"] = ", ".join(f"{name} x{count}" for name, count in pieces.split_at.items())
    places = {id(value): index for index, value in enumerate(_pytree.tree_flatten(pieces.results())[0])}
    leaves = [(places.get(id(leaf)), leaf) for leaf in _pytree.tree_flatten(result)[0]]
    if any(place is None and isinstance(leaf, torch.Tensor) for place, leaf in leaves):
        raise Skip("mode piecewise: the step returns a tensor that is no output of its traced graph: give "
                   "--mode whole")
    step.places = [place for place, _ in leaves if place is not None]
    step.parts = [CAPTURED if captured else RUN_PART for captured in pieces.captured]
    step.runs.update((part, functools.partial(pieces.run, part)) for part in range(len(pieces.nodes)))


def why_broken(step, dynamo, graphs):
    """The first graph break: dynamo's words and the user's line."""
    try:
        first = dynamo.explain(step.module or step.calls[0])(*step.args).break_reasons[0]
        line = [f" at {pathlib.Path(step.file).name}:{each.lineno}" for each in first.user_stack
                if each.filename == step.file]
        return one_line(first.reason, 300) + "".join(line[-1:])
    except Exception:  # noqa: BLE001 - then it has none to tell
        return one_line(next(iter(dynamo.utils.counters["graph_break"]), f"it made {graphs} graphs"), 300)
