"""Mode piecewise with --torch-pieces traced or --torch-compile: cuts the graph that torch.compile traces into
parts. With --torch-compile they are compiled, and one trace serves all batches that its guards let in."""

import collections
import contextlib
import functools
import math
import operator
import pathlib
import statistics
import time
import types

import torch

from graphbench_abi import CAPTURED, RUN_PART, Refusal, Skip, one_line
from graphbench_compile import compiled, inductor, is_general, set_up
from graphbench_facts import compilations
from graphbench_graphed import compiled_from, compiling
from graphbench_splits import is_marked, marked
from graphbench_versions import shared_pool


def names_of(node):
    """The names that --split-ops may give to a node of a dynamo graph."""
    if node.op not in ("call_method", "call_function"):
        return set()
    schema = getattr(node.target, "_schema", None)  # set for torch.ops
    full = schema.name if schema else getattr(node.target, "__name__", str(node.target))
    return {full, full.split("::")[-1]}


class Cut:
    """The dynamo graph of a step, cut into parts. Ops that `splits` names or that eager() marked run eagerly;
    the ops between them are captured. Parts run in the graph's order, without autograd, so nodes that switch
    autograd are left out."""

    def __init__(self, module, splits, batch):
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
        self.modules = [getattr(split, node.target) for node in self.nodes]
        self.items = [{user: user.args[1] for user in node.users if user.target is operator.getitem}
                      for node in self.nodes]
        self.constants = {node: operator.attrgetter(node.target)(split) for node in constants}
        order = {node: index for index, node in enumerate(self.nodes)}
        order[self.output] = math.inf
        self.last_reader = {each: max((order.get(user, -1) for user in each.users), default=-1)
                            for node in self.nodes for each in (node, *node.users)}
        self.traced_at, self.general = batch, None

    def require_splits(self, step):
        missing, ops = sorted(step.split_ops - set(self.split_at)), ", ".join(sorted(self.ops))
        if missing:
            raise Refusal(f"--split-ops: the step's graph has no {', '.join(missing)}: it has {ops}")
        if not self.split_at:
            raise Skip("mode piecewise: the step's graph has no scaled_dot_product_attention: name other ops "
                       f"with --split-ops, of {ops}")

    def calls(self, step):
        """The parts' functions at the step's batch, and the batch for which they are compiled. With
        --torch-dynamic on the first batch's code is general, and that of the others too."""
        if "torch-compile" not in step.axes:
            return [module.forward for module in self.modules], None
        if is_general(step) and self.general:
            return self.general
        how = {"dynamic": is_general(step), **inductor(step, step.axes["torch-compile"])}
        made = [torch.compile(function_of(module), **how) if captured else module.forward
                for module, captured in zip(self.modules, self.captured)], step.batch
        if is_general(step):
            self.general = made
        return made


def function_of(module):
    """A function that torch.compile takes, as it does not take a graph's own, with code of its own: torch
    keeps what it compiles beside the code object."""
    forward = torch.fx.GraphModule(module, module.graph).forward

    def piece(*inputs):
        return forward(*inputs)

    return types.FunctionType(piece.__code__.replace(), piece.__globals__, piece.__name__, None,
                              piece.__closure__)


class Pieces:
    """The parts of a cut at one batch, and the values between them."""

    def __init__(self, step, cut, inputs):
        self.cut, self.nodes, self.output, self.items = cut, cut.nodes, cut.output, cut.items
        self.captured, self.stages = cut.captured, step.stages
        self.calls, self.compiled_at = cut.calls(step)
        self.values, self.compiled = {**cut.constants, **dict(zip(cut.inputs, inputs))}, []
        for part, captured in enumerate(self.captured):
            self.values.update(dict.fromkeys(self.unread_from(part)))
            if captured:
                if self.compiled_at is not None:
                    self.compile(part)
                torch.cuda.empty_cache()  # torch itself does not do this while a pool is in use
            with torch.cuda.use_mem_pool(shared_pool(step.device)) if captured else contextlib.nullcontext():
                self.run(part)

    def compile(self, part):
        """A run of its own, so that what the compiler tries out takes none of the graphs' memory."""
        seconds, counts = compiling(lambda: self.run(part), compilations)
        if counts:
            self.stages["compile"] += seconds
            found = compiled_from(counts).get("compiled_from", "")
            self.compiled.append({"part": part, "seconds": seconds, "from": found})
        self.drop(part)

    def outputs(self):
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
        self.drop(part)
        self.values.update((node, self.weak(self.values[node])) for node in self.unread_from(part))

    def drop(self, part):
        self.values.update(dict.fromkeys((self.nodes[part], *self.items[part])))

    def give_up(self):
        """Frees what graphs wrote. What the parts between them made stays, for captures to come."""
        for part, captured in enumerate(self.captured):
            if captured:
                self.drop(part)

    def unread_from(self, part):
        """What the captured parts before `part` return and neither it nor a later part reads."""
        return [each for maker in range(part) if self.captured[maker]
                for each in (self.nodes[maker], *self.items[maker]) if self.cut.last_reader[each] < part]

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


def is_traced(step):
    """Whether the step's pieces are those of a trace."""
    return step.mode == "piecewise" and len(step.calls) == 1 and (
        step.axes.get("torch-pieces") == "traced" or "torch-compile" in step.axes)


class Trace:
    """The backend of torch.compile for a step: makes a cut of each graph, and pieces when it is first called
    at a batch. Later calls return the pieces' last outputs."""
    kept = None  # that of compiled pieces, which later batches call too

    def __init__(self, key, step):
        self.key, self.splits = key, step.split_ops or {"scaled_dot_product_attention"}
        self.weights, self.batch, self.cuts = weights_of(step), step.batch, []

    @classmethod
    def of(cls, step):
        compiles = "torch-compile" in step.axes
        key = compiles and (step.builder, step.split_ops, step.axes["torch-compile"],
                            step.axes.get("torch-inductor"))
        if not cls.kept or cls.kept.key != key:
            dynamo().reset()  # the parts stay; no batch calls its compiled code again
            cls.kept = None
        found = cls.kept or cls(key, step)
        if compiles:
            cls.kept = found
        return found

    def backend(self, module, _):
        try:
            made = Cut(module, self.splits, self.step.batch)
        except Exception as error:  # noqa: BLE001 - dynamo would wrap it
            self.error = error
            return module.forward
        self.cuts.append(made)

        def enter(*inputs):
            self.entered_at = time.perf_counter()
            self.entered += 1
            if self.breaks_outside():
                return module.forward(*inputs)
            if self.pieces is None:
                made.require_splits(self.step)
                self.pieces = Pieces(self.step, made, inputs)
                if inside := graph_breaks():  # of pieces that torch.compile took in parts
                    self.step.facts["graph_breaks_in_pieces"] = inside
            return self.pieces.outputs()
        return enter

    def breaks_outside(self):
        """Of the step's own trace. What breaks in a piece that is compiled belongs to that piece."""
        return graph_breaks() - self.step.facts.get("graph_breaks_in_pieces", 0)

    def call(self, step):
        """Returns the compiled step, and the result of its first call, which makes the pieces."""
        self.step, self.pieces, self.error, self.entered = step, None, None, 0
        before = len(self.cuts)
        with only_sizes_general():
            call, = compiled(step, backend=self.backend, dynamic="torch-compile" in step.axes)
            result = call()
        step.facts["graph_breaks"] = self.breaks_outside()
        if self.error:
            raise self.error
        if step.facts["graph_breaks"] or self.entered != 1:
            raise Skip("mode piecewise needs a step that torch.compile traces as one graph: "
                       f"{why_broken(step, dynamo(), len(self.cuts) - before)}")
        return call, result

    def require_weights(self, step):
        """One server has one model: another one at each batch would be another program."""
        found = weights_of(step)
        if other := sorted(path for path in {**found, **self.weights}
                           if found.get(path) != self.weights.get(path)):
            raise Skip(f"mode piecewise traces a step once to compile its pieces, and {other[0]} is another "
                       f"tensor at batch {step.batch} than at {self.batch}, which was traced: let all calls "
                       "of the function use one model, as functools.cache makes it")


@contextlib.contextmanager
def only_sizes_general():
    """Else torch takes sizes that are equal in the trace for one, such as batch 16 with 16 heads, and makes
    each number of a module a tensor whose item() breaks the graph of a piece that is compiled."""
    from torch.fx.experimental import _config

    with contextlib.ExitStack() as patches:
        for config, name, value in ((_config, "use_duck_shape", False),
                                    (dynamo().config, "specialize_float", True)):
            if hasattr(config, name):
                patches.enter_context(config.patch(**{name: value}))
        yield


def weights_of(step):
    return {path: id(tensor) for path, tensor in step.walk().tensors.items()
            if isinstance(tensor, torch.nn.Parameter)}


def dynamo():
    from torch import _dynamo

    return _dynamo


def graph_breaks():
    return sum(dynamo().utils.counters["graph_break"].values())


def cut(step):
    """Makes the step's parts from the graph that torch.compile hands to a backend. Further calls measure the
    time of the guards. Raises Skip if the step cannot run as such parts."""
    if step.optimizers:
        raise Skip("mode piecewise runs its parts without autograd, but the step holds an optimizer: give "
                   "--mode whole")
    set_up(step)
    for function in marked():
        torch.compiler.allow_in_graph(function)
    trace, guards = Trace.of(step), []
    trace.require_weights(step)
    try:
        call, result = trace.call(step)
        step.pieces = pieces = trace.pieces
        for _ in range(21):
            began = time.perf_counter()
            result = call()
            guards.append(trace.entered_at - began)
    except BaseException:
        Trace.kept = None
        raise
    finally:
        trace.step = trace.pieces = None
    step.facts["guard_seconds"] = statistics.median(guards)
    step.facts["split_at"] = ", ".join(f"{name} x{count}" for name, count in pieces.cut.split_at.items())
    if pieces.compiled_at is not None:
        step.facts.update(traced_at=pieces.cut.traced_at, compiled_at=pieces.compiled_at)
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
