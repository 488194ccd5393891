"""Where mode piecewise ends a piece: sees the calls of a step by their names, and chooses among them."""

import collections
import contextlib
import functools
import importlib
import re
import sys
import types
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

import graphbench_state
from graphbench_abi import Refusal, Skip, one_line
from graphbench_facts import compilations
from graphbench_ops import place
from graphbench_state import instances

ATTENTION = re.compile(r"attention|flash_attn|fmha|paged_attn|sageattn")
WITH_PRODUCTS = re.compile(r"multi_head|multihead|encoder_layer")  # attention together with its projections
ROUTED = {"topk"}  # experts are chosen by it, and tokens brought to them and back by the next
EXPERTS = {"sort", "argsort", "scatter", "scatter_", "scatter_add", "scatter_add_", "index_add", "index_add_"}
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu", "_cudnn_rnn"}
BLOCKS = "auto"  # the boundaries between equal blocks, if the step has none of the above
LISTED_MAX = 12


def names_of(function):
    """The names that --split-ops may give to a call, of an op with and without its library."""
    schema = getattr(function, "_schema", None)
    full = schema.name if schema else getattr(function, "__name__", type(function).__name__)
    return {full, full.split("::")[-1]}


def is_marked(value):
    """Whether graphbench.eager marked this function. Other objects are not asked: that may run code."""
    return type(value) is types.FunctionType and bool(value.__dict__.get("graphbench_eager"))


def marked():
    """All functions that graphbench.eager marked."""
    return filter(is_marked, instances(graphbench_state.collected(), types.FunctionType))


class Hands:
    """A mode of torch that hands each call to `called`, with the names that it may have."""

    def __init__(self, called):
        super().__init__()
        self.called = called


class Functions(Hands, TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return self.called(names_of(function), function, args, kwargs or {})


class Ops(Hands, TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return self.called(names_of(function), function, args, kwargs or {})


def function_at(path):
    """The function `package.module:function` or `package.module:Class.method`, with its owner and name."""
    module, _, names = path.partition(":")
    try:
        owner = importlib.import_module(module)
        *outer, name = names.split(".")
        for each in outer:
            owner = getattr(owner, each)
        return owner, name, getattr(owner, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise Refusal(f'--split-ops: "{path}" is no function of a module ({one_line(error, 200)}): give '
                          "package.module:function") from None


def holders(owner, name, function):
    """All places that hold the function: its owner, and the modules that imported it by name."""
    yield owner, name
    for module in list(sys.modules.values()):
        if module is not owner and isinstance(module, types.ModuleType):
            yield from ((module, key) for key, value in list(vars(module).items()) if value is function)


class Splits:
    """The calls before which a step's graphs end. `names`: of ops and functions; `paths`: functions that are
    wrapped where they are held; `blocks`: modules, before which a piece ends and nothing runs eagerly. First
    comes what the user named and marked; then the step runs once, and its calls decide the rest."""

    def __init__(self, step):
        self.step, self.names, self.paths, self.blocks = step, set(), {}, []
        self.inside = False  # a call that runs eagerly: what it calls is not seen
        self.on_marked = None  # takes the calls of marked and wrapped functions, while someone is watching
        self.for_package = self.call_marked  # one object, or compiled code would be compiled again
        self.levels = {"function": Functions, "op": Ops}
        self.compiled = step.has_compiled or compilations()["frames.ok"] > 0
        wanted = step.split_ops - {BLOCKS}
        self.find_named(wanted)
        self.find_marked()
        self.choose(wanted, *self.run_once(wanted))

    def find_named(self, wanted):
        """Wraps functions that are named by their place, and those of torch.distributed, which torch does not
        let a mode see. All other names are compared with the calls of the step."""
        self.names = {each for each in wanted if not re.search(r"[^:]:[^:]", each)}
        for path in wanted - self.names:
            self.wrap(path, *function_at(path))
        for name in self.names:
            function = getattr(torch.distributed, name, None) if torch.distributed.is_available() else None
            if isinstance(function, types.FunctionType):
                self.wrap(name, torch.distributed, name, function)

    def find_marked(self):
        """Wraps functions of modules that have the mark but are not the package's wrapper of one."""
        for function in marked():
            module = sys.modules.get(function.__module__)
            if not hasattr(function, "__wrapped__") and getattr(module, function.__name__, None) is function:
                self.wrap(function.__name__, module, function.__name__, function)

    def wrap(self, path, owner, name, function):
        """One wrapper for all passes: compiled code that calls it is compiled again for each new one."""
        @functools.wraps(function)
        def called(*args, **kwargs):
            return self.call_marked(function, args, kwargs, path)

        self.paths[path] = called, list(holders(owner, name, function))

    def call_marked(self, function, args, kwargs, name=""):
        """Receives each call of a marked or wrapped function; the package's eager() calls it too."""
        if self.inside or self.on_marked is None or is_compiling():
            return function(*args, **kwargs)
        return self.on_marked(name or function.__name__, function, args, kwargs)

    def run_once(self, wanted):
        """What one run of the step calls, and the lists of equal blocks that it enters."""
        blocks = []
        if not self.compiled:  # a hook or a wrapper would have the code compiled again
            blocks = equal_blocks(self.step.walk().modules.values())
            for path, found in attention_functions() if not wanted else ():
                self.wrap(path, *found)
        try:
            seen = Seen(self, blocks)
        except Exception:  # noqa: BLE001 - some steps do not run under a dispatch mode
            del self.levels["op"]
            seen = Seen(self, blocks)
        return seen, [[module for module in run if id(module) in seen.entered] for run in blocks]

    def choose(self, wanted, seen, blocks):
        """Keeps what the step calls of what was found, and chooses names or blocks if the user named none."""
        self.paths = {path: held for path, held in self.paths.items() if path in seen.marks}
        called = {name for names in seen.levels for name in names}
        if missing := sorted(wanted - called - seen.marks):
            raise Refusal(f"--split-ops: the step calls no {', '.join(missing)}{self.inside_compiled()}: "
                          f"it calls {listed(seen.counts)}")
        if not wanted:
            attention = {name for name in called if ATTENTION.search(name)}
            self.names = {name for name in attention if not WITH_PRODUCTS.search(name)} or attention
            if BLOCKS in self.step.split_ops and not (self.names or self.paths):
                self.choose_more(called, blocks)
        if not (self.names or self.blocks or seen.marks):
            raise Skip(self.nothing_found(seen))
        used = {level for names, level in seen.levels.items() if names & self.names}
        used |= {"op"} if seen.streams else set()
        self.levels = {level: mode for level, mode in self.levels.items() if level in used}

    def choose_more(self, called, blocks):
        if ROUTED & called and EXPERTS & called:
            self.names = EXPERTS & called
        elif RECURRENT & called:
            self.names = RECURRENT & called
        else:
            self.blocks = max(blocks, key=len, default=[])[1:]

    def nothing_found(self, seen):
        lacks, other = "the step calls no attention", ", or give --split-ops auto"
        if BLOCKS in self.step.split_ops:
            lacks += ", no sort or scatter of experts and no recurrent layer, and has no list of equal blocks"
            other = ""
        return (f"mode piecewise: {lacks}{self.inside_compiled()}: name other calls with --split-ops{other}; "
                f"it calls {listed(seen.counts)}")

    def inside_compiled(self):
        return (", as far as it is seen: nothing breaks inside code of torch.compile (mark a function by "
                "graphbench.eager, or name one by package.module:function)") if self.compiled else ""

    @contextlib.contextmanager
    def watching(self, called, marked, between=None):
        """While the step runs, hands each call to `called(level, names, function, args, kwargs)`, each of a
        marked or wrapped function to `marked(name, function, args, kwargs)`, and calls `between(module,
        args)` before each of `blocks`. What runs inside of these is not seen."""
        def entering(level):
            return lambda names, function, args, kwargs: (
                function(*args, **kwargs) if self.inside else called(level, names, function, args, kwargs))

        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(self, "on_marked", marked))
            for wrapper, held in self.paths.values():
                for owner, name in held:
                    stack.enter_context(mock.patch.object(owner, name, wrapper))
            if package := sys.modules.get("graphbench_package"):  # whose eager() made the marked functions
                stack.enter_context(mock.patch.object(package, "at_eager", self.for_package))
            if between:
                for module in self.blocks:
                    hook = module.register_forward_pre_hook(
                        lambda module, args: None if self.inside else between(module, args))
                    stack.callback(hook.remove)
            for level, mode in self.levels.items() if not self.compiled else ():
                stack.enter_context(mode(entering(level)))
            yield

    @contextlib.contextmanager
    def eagerly(self):
        self.inside = True
        try:
            yield
        finally:
            self.inside = False


class Seen:
    """What one run of the step calls. `levels`: where the names of a call were seen; `counts`: how often, by
    the longer name; `marks`: the marked and wrapped functions; `entered`: the ids of modules; `streams`:
    whether an op ran on another stream than the step's."""

    def __init__(self, splits, blocks):
        self.splits, self.levels, self.counts = splits, {}, collections.Counter()
        self.marks, self.entered, self.streams = set(), set(), False
        with contextlib.ExitStack() as stack:
            for module in (module for modules in blocks for module in modules):
                hook = module.register_forward_pre_hook(lambda module, _: self.entered.add(id(module)))
                stack.callback(hook.remove)
            stack.enter_context(splits.watching(self.see, self.see_mark))
            splits.step.run()

    def see(self, level, names, function, args, kwargs):
        self.counts[max(names, key=len)] += 1
        if level == "op" and self.splits.step.on_cuda:
            step = self.splits.step
            self.streams |= torch.cuda.current_stream(step.device) != step.stream
        self.levels.setdefault(frozenset(names), level)
        named = splits_at(names, self.splits.names)
        with self.splits.eagerly() if named else contextlib.nullcontext():
            return function(*args, **kwargs)

    def see_mark(self, name, function, args, kwargs):
        self.counts[name] += 1
        self.marks.add(name)
        with self.splits.eagerly():
            return function(*args, **kwargs)


def splits_at(names, wanted):
    """Those of the names at which a step breaks, if `wanted` were all that the user named."""
    if wanted:
        return names & wanted
    return {each for each in names if ATTENTION.search(each) and not WITH_PRODUCTS.search(each)}


def is_compiling():
    return getattr(getattr(torch, "compiler", None), "is_compiling", bool)()


def attention_functions():
    """Functions of loaded models that compute attention from products: path, (module, name, function)."""
    name = "eager_attention_forward"
    for module in list(sys.modules.values()):
        function = getattr(module, "__dict__", {}).get(name)
        if isinstance(function, types.FunctionType) and function.__module__ == module.__name__:
            yield f"{module.__name__}:{name}", (module, name, function)


def equal_blocks(modules):
    """The runs of modules of one class within each list, without those that have no modules inside."""
    runs = []
    for module in modules:
        if not isinstance(module, (torch.nn.ModuleList, torch.nn.Sequential)):
            continue
        run = []
        for child in module:
            if run and type(child) is not type(run[-1]):
                runs.append(run)
                run = []
            if next(child.children(), None) is not None:
                run = [*run, child]
        runs.append(run)
    return [run for run in runs if len(run) > 1]


def listed(called):
    """Names of calls with their counts, the most frequent first."""
    plain = collections.Counter({name: count for name, count in called.items()
                                 if "::" not in name and not name.startswith("_")})
    some = [f"{name} x{count}" for name, count in (plain or called).most_common(LISTED_MAX)]
    more = len(plain or called) - len(some)
    return ", ".join(some or ["nothing that is seen"]) + (f" and {more} more" if more > 0 else "")


def records_autograd(args, kwargs):
    return torch.is_grad_enabled() and any(
        isinstance(each, torch.Tensor) and each.requires_grad for each in tree_flatten((args, kwargs))[0])


def where(name, step):
    return f"{name} at {place(step.file)}"
