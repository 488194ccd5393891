"""Mode piecewise with --torch-pieces traced: cuts the graph that torch.compile traces into parts."""

import collections
import contextlib
import functools
import gc
import math
import operator
import pathlib
import statistics
import time

import torch

from graphbench_abi import CAPTURED, RUN_PART, Skip, one_line
from graphbench_splits import is_marked
from graphbench_versions import shared_pool


def names_of(node):
    """The names that --split-ops may give to a node of a dynamo graph."""
    if node.op not in ("call_method", "call_function"):
        return set()
    schema = getattr(node.target, "_schema", None)  # set for torch.ops
    full = schema.name if schema else getattr(node.target, "__name__", str(node.target))
    return {full, full.split("::")[-1]}


class Pieces:
    """The dynamo graph of a step, cut into parts. Ops that `splits` names or that eager() marked run eagerly;
    the ops between them are captured. Parts run in the graph's order, without autograd, so nodes that switch
    autograd are left out."""

    def __init__(self, module, splits, pool):
        from torch.fx.passes.split_module import split_module

        graph = module.graph
        for node in reversed(list(graph.nodes)):
            if names_of(node) & {"_set_grad_enabled", "_enter_inference_mode", "_exit_inference_mode"}:
                graph.erase_node(node)
        self.split_at, self.ops, part_of, kinds = collections.Counter(), set(), {}, []
        for node in graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            follows = node.target is operator.getitem or "wait_tensor" in names_of(node)
            if follows and node.args[0] in part_of:
                # An item belongs to the part that makes its tuple, a wait to the part with its collective.
                part_of[node] = part_of[node.args[0]]
                continue
            self.ops |= names_of(node)
            found = names_of(node) & splits or ({node.target.__name__} if is_marked(node.target) else set())
            if not kinds or kinds[-1] != (not found):
                kinds.append(not found)
            part_of[node] = len(kinds) - 1
            self.split_at.update(found)
        split = split_module(module, None, part_of.__getitem__, keep_original_order=True)
        self.inputs, self.nodes, constants, (self.output,) = (
            [node for node in split.graph.nodes if node.op == op]
            for op in ("placeholder", "call_module", "get_attr", "output"))
        self.captured = [kinds[int(node.target.removeprefix("submod_"))] for node in self.nodes]
        self.calls = [getattr(split, node.target).forward for node in self.nodes]
        self.items = [{user: user.args[1] for user in node.users if user.target is operator.getitem}
                      for node in self.nodes]
        self.values = {node: operator.attrgetter(node.target)(split) for node in constants}
        order = {node: index for index, node in enumerate(self.nodes)}
        order[self.output] = math.inf
        self.last_reader = {each: max((order.get(user, -1) for user in each.users), default=-1)
                            for node in self.nodes for each in (node, *node.users)}
        self.pool, self.entered_at = pool, None

    def enter(self, *inputs):
        """The compiled callable runs this. The first call runs all parts, those to capture in the memory that
        their graphs will use. Returns the last outputs."""
        first, self.entered_at = self.entered_at is None, time.perf_counter()
        if first:
            self.values.update(zip(self.inputs, inputs))
            for part, captured in enumerate(self.captured):
                self.values.update(dict.fromkeys(self.unread_from(part)))
                if captured:
                    torch.cuda.empty_cache()  # torch itself does not do this while a pool is in use
                with torch.cuda.use_mem_pool(self.pool) if captured else contextlib.nullcontext():
                    self.run(part)
        return torch.fx.node.map_arg(self.output.args[0], self.values.__getitem__)

    def run(self, part):
        node = self.nodes[part]
        with torch.no_grad():
            made = self.calls[part](*[self.values[each] for each in node.args])
            if not self.captured[part]:
                made = self.keep(self.values.setdefault(node, made), made)
        self.values[node] = made
        for item, place in self.items[part].items():
            self.values[item] = made[place]

    def keep(self, kept, made):
        """Copies an eager part's results into the tensors of its first run, which the next graph reads."""
        pairs = zip(kept, made) if isinstance(made, (tuple, list)) else [(kept, made)]
        for old, new in pairs:
            if isinstance(new, torch.Tensor) and new is not old:
                old.copy_(new)
        return kept

    def forget(self, part):
        """Is called before a part is captured. Frees what its eager run made. Outputs of earlier graphs that
        no part reads from here on keep their addresses, but no longer own their memory: this graph may use
        it, as in every step."""
        self.values.update(dict.fromkeys((self.nodes[part], *self.items[part])))
        self.values.update((node, self.weak(self.values[node])) for node in self.unread_from(part))

    def unread_from(self, part):
        """What the captured parts before `part` return and neither it nor a later part reads."""
        return [each for maker in range(part) if self.captured[maker]
                for each in (self.nodes[maker], *self.items[maker]) if self.last_reader[each] < part]

    def weak(self, value):
        if not isinstance(value, torch.Tensor):  # the items of a tuple are separate values
            return None if isinstance(value, (tuple, list)) else value
        return without_owner(value)


def without_owner(tensor):
    """A tensor over the same memory that does not own it."""
    if tensor.layout != torch.strided:
        return tensor
    storage = tensor.untyped_storage()
    borrowed = torch._C._construct_storage_from_data_pointer(storage.data_ptr(), tensor.device,
                                                             storage.nbytes())
    return torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
        borrowed, tensor.storage_offset(), tensor.shape, tensor.stride())


def cut(step):
    """Makes the step's parts from the graph that torch.compile hands to a backend. Further calls measure the
    time of the guards. Raises Skip if the step cannot run as such parts."""
    from torch import _dynamo

    if step.optimizers:
        raise Skip("mode piecewise runs its parts without autograd, but the step holds an optimizer: give "
                   "--mode whole")
    _dynamo.reset()  # the parts stay; no batch calls its compiled code again
    for function in filter(is_marked, gc.get_objects()):
        torch.compiler.allow_in_graph(function)
    found, splits = [], step.split_ops or {"scaled_dot_product_attention"}

    def backend(module, _):
        try:
            found.append(Pieces(module, splits, shared_pool(step.device)))
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
    made = {id(pieces.values[node]): node for node in pieces.output.all_input_nodes}
    leaves = [leaf for leaf in torch.utils._pytree.tree_flatten(result)[0] if isinstance(leaf, torch.Tensor)]
    if any(id(leaf) not in made for leaf in leaves):
        raise Skip("mode piecewise: the step returns a tensor that is not an output of the traced graph: "
                   "give --mode whole")
    pieces.returned = [made[id(leaf)] for leaf in leaves]
    step.kinds = [CAPTURED if captured else RUN_PART for captured in pieces.captured]
    step.runs.update((part, functools.partial(pieces.run, part)) for part in range(len(pieces.nodes)))


def why_broken(step, dynamo, graphs):
    """The first graph break: dynamo's words and the user's line."""
    try:
        first = dynamo.explain(step.module or step.calls[0])(*step.args, **step.kwargs).break_reasons[0]
        line = [f" at {pathlib.Path(step.file).name}:{each.lineno}" for each in first.user_stack
                if each.filename == step.file]
        return one_line(first.reason, 300) + "".join(line[-1:])
    except Exception:  # noqa: BLE001 - then it has none to tell
        return one_line(next(iter(dynamo.utils.counters["graph_break"]), f"it made {graphs} graphs"), 300)
