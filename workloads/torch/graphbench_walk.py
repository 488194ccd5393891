"""Walks what a step's Python objects hold, by name: tensors, numbers, modules. Also finds the tensors of a
result."""

import collections.abc
import dataclasses
import functools
import inspect
import operator
import random
import sys
import types
import typing
import weakref

import torch

SCALARS = (bool, int, float, complex, str, bytes, type(None))
VISITS_MAX = 200_000  # a step that holds more is walked in part, and some names are then missing
# Objects of these packages are not walked into: they have no state of the user's, or too much of their own.
FOREIGN = {"torch", "numpy", "builtins", "types", "functools", "threading", "logging", "ctypes", "_thread",
           "re", "abc", "inspect", "importlib", "triton", "weakref", "collections", "enum", "typing", "os",
           "io", "_io"}
# Parts of them that are walked into all the same.
WALKED = ("torch.nn", "torch.optim", "torch.amp", "torch.cuda.amp", "torch.distributions")
MISSING = object()  # stands for the value at a path that only the other walk has
RANDOM = {"random": (random.getstate, random.setstate)}  # of Python's own numbers, which no graph draws again


def parts_of(tensor):
    """The dense tensors that make up a tensor: itself, or the parts of a sparse or nested one. Fake and meta
    tensors, which have no memory, have none."""
    fake = getattr(torch, "_subclasses", None)
    if (fake and isinstance(tensor, fake.FakeTensor)) or tensor.device.type not in ("cpu", "cuda"):
        return []
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    for layout, parts in (("sparse_csr", ("crow_indices", "col_indices", "values")),
                          ("sparse_bsr", ("crow_indices", "col_indices", "values")),
                          ("sparse_csc", ("ccol_indices", "row_indices", "values")),
                          ("sparse_bsc", ("ccol_indices", "row_indices", "values"))):
        if tensor.layout == getattr(torch, layout, None):
            return [getattr(tensor, part)() for part in parts]
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) and hasattr(type(tensor), "__tensor_flatten__"):
        names, _ = tensor.__tensor_flatten__()
        return [part for name in names for part in parts_of(getattr(tensor, name))]
    if tensor.layout != torch.strided:
        return []
    return [tensor]


def counted(value):
    """What is compared of a container of numbers that is not walked into: its numbers, or how long it is."""
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if type(value).__module__ == "numpy":
        is_number = value.ndim == 0 and value.dtype != object
        return value.item() if is_number else f"an array of shape {tuple(value.shape)}"
    items = list(value)
    numbers = all(isinstance(each, (bool, int, float)) for each in items)
    return tuple(sorted(items) if isinstance(value, (set, frozenset)) else items) if numbers else len(items)


def is_counted(value):
    return isinstance(value, (range, slice, set, frozenset, collections.deque)) or (
        type(value).__module__ == "numpy" and hasattr(value, "ndim"))


def is_opaque(value):
    """True for an object that is not walked into."""
    kinds = (types.ModuleType, types.BuiltinFunctionType, torch.Generator)
    if type(value) in weakref.ProxyTypes or isinstance(value, kinds):
        return True
    if isinstance(value, types.SimpleNamespace):
        return False
    module = value.__module__ if isinstance(value, type) else type(value).__module__
    return module.partition(".")[0] in FOREIGN and not module.startswith(WALKED)


class Held(typing.NamedTuple):
    """A value by the path that names it. `container` and `key` say where it can be put back: an item of a
    dictionary or list, the content of a cell (key None), or an attribute."""
    path: str
    container: object
    key: object
    value: object


def children(value, path, step_globals):
    """Yields all that the value refers to by name. Items and attributes go on from its path, as Python is
    written; a function's variables stand alone, as in its code."""
    if isinstance(value, dict):
        for index, (key, child) in enumerate(list(value.items())):
            name = repr(key) if isinstance(key, (str, int)) else f"#{index}"
            yield Held(f"{path}[{name}]", value, key, child)
    elif isinstance(value, (list, tuple)):
        for index, child in enumerate(value):
            yield Held(f"{path}[{index}]", value, index, child)
    elif isinstance(value, types.FunctionType):
        yield from closure_of(value)
        for name in ("__defaults__", "__kwdefaults__"):
            yield Held(f"{path}.{name}", value, name, getattr(value, name))
        if value.__globals__ is step_globals:
            yield from (Held(name, step_globals, name, step_globals[name])
                        for name in names_of_code(value.__code__) if name in step_globals)
    elif isinstance(value, types.MethodType):
        yield Held(type(value.__self__).__name__, value, "__self__", value.__self__)
    elif isinstance(value, type):  # what a class of the user's has of data
        if not is_opaque(value):
            yield from (Held(f"{value.__name__}.{name}", value, name, child)
                        for name, child in list(vars(value).items())
                        if not name.startswith("__") and isinstance(child, (*SCALARS, torch.Tensor)))
    elif isinstance(value, functools.partial) or not is_opaque(value):
        yield from attributes_of(value, f"{path}." if path else "")


def closure_of(function):
    """The variables that a function has of the functions around it."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            yield Held(name, cell, None, cell.cell_contents)
        except ValueError:  # an empty cell
            pass


def attributes_of(value, prefix):
    """The attributes of an object. Those of a module are named as its user names them: without the
    dictionaries in which torch keeps parameters, buffers and modules."""
    if isinstance(value, functools.partial):
        for name in ("func", "args", "keywords"):
            yield Held(prefix + name, value, name, getattr(value, name))
        return
    for name, child in fields_of(value):
        if isinstance(value, torch.nn.Module) and name in ("_parameters", "_buffers", "_modules"):
            for inner, each in list(child.items()):
                yield Held(prefix + inner, child, inner, each)
        else:
            yield Held(prefix + name, value, name, child)


def fields_of(value):
    """The attributes that an object itself has, in its dictionary and in slots."""
    found = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return list(found.items())


def globals_of(function):
    """The names of the module in which a callable was written, also if it is decorated or an object."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    return getattr(function, "__globals__", None) or vars(sys.modules[function.__module__])


def names_of_code(code):
    """The global names that a function and the functions inside of it use."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names += names_of_code(constant)
    return dict.fromkeys(names)


class Walk:
    """What `roots` reach, by path, in the order of finding. `tensors`, `scalars` and `counts` (of containers
    of numbers) map a path to a value, `places` to (container, key), where the value can be put back. Each
    object is visited once."""

    def __init__(self, roots, step_globals=None):
        self.step_globals, self.seen = step_globals, set()
        self.tensors, self.scalars, self.counts, self.places, self.modules = {}, {}, {}, {}, {}
        self.generators = []
        self.random = {name: get_state() for name, (get_state, _) in RANDOM.items()}
        todo = collections.deque(Held("", None, None, root) for root in roots)
        while todo and len(self.seen) < VISITS_MAX:
            todo.extend(self.visit(todo.popleft()))

    def visit(self, held):
        """Keeps what is held by its path, and returns what it refers to, once for each object."""
        path, container, key, value = held
        if type(value) in weakref.ProxyTypes:
            return ()
        if isinstance(value, SCALARS):
            self.scalars[path], self.places[path] = value, (container, key)
            return ()
        if isinstance(value, torch.Tensor):
            self.tensors[path], self.places[path] = value, (container, key)
        if id(value) in self.seen:
            return ()
        self.seen.add(id(value))
        if isinstance(value, torch.Generator):
            self.generators.append(value)
        if isinstance(value, torch.nn.Module):
            self.modules.setdefault(id(value), value)
        if type(value).__name__.endswith("iterator"):  # by how many items are left: to read one would take it
            self.scalars[path] = operator.length_hint(value, -1)
            self.places[path] = None, None  # it cannot be put back
            return ()
        if is_counted(value):
            self.counts[path] = counted(value)
        return () if isinstance(value, torch.Tensor) else children(value, path, self.step_globals)

    def changes(self, later):
        return changes_between(self, later)

    def names(self):
        """The path of each tensor by the address of its memory."""
        found = {}
        for path, tensor in self.tensors.items():
            for part in parts_of(tensor):
                found.setdefault(part.data_ptr(), path or "the callable")
        return found


class Change:
    """What a Python object held at a path before and after a step."""

    def __init__(self, path, old, new, place):
        self.path, self.old, self.new, self.place = path, old, new, place

    def __str__(self):
        if self.old is MISSING or self.new is MISSING:
            return f"{self.path} {'appeared' if self.old is MISSING else 'went'}"
        if isinstance(self.old, torch.Tensor) or isinstance(self.new, torch.Tensor):
            return f"{self.path} became another tensor"
        return f"{self.path} went from {self.old!r:.40} to {self.new!r:.40}"

    def undo(self):
        container, key = self.place
        try:
            if self.old is MISSING:
                if isinstance(container, list):
                    del container[key:]
                elif isinstance(container, dict):
                    del container[key]
                else:
                    delattr(container, key)
            elif isinstance(container, types.CellType):
                container.cell_contents = self.old
            elif isinstance(container, (dict, list)):
                container[key] = self.old
            else:
                setattr(container, key, self.old)
        except Exception:  # noqa: BLE001 - what cannot be put back is not shown to be the cause
            pass


def changes_between(first, second):
    """What the second walk found other than the first one: numbers, and tensors over other memory."""
    found = []
    held = [{**walk.scalars, **walk.tensors} for walk in (first, second)]
    for path in {**held[0], **held[1]}:
        old, new = (each.get(path, MISSING) for each in held)
        if old is new:
            continue
        if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
            if [part.data_ptr() for part in parts_of(old)] == [part.data_ptr() for part in parts_of(new)]:
                continue
        elif type(old) is type(new) and (old == new or (old != old and new != new)):  # NaN is not NaN
            continue
        found.append(Change(path, old, new, (first if path in held[0] else second).places[path]))
    for name, (_, set_state) in RANDOM.items():
        if first.random[name] != second.random[name]:
            found.append(Drawn(name, set_state, first.random[name]))
    return found


class Drawn:
    """Python's own random numbers, which a graph does not draw again."""

    def __init__(self, name, set_state, state):
        self.name, self.set_state, self.state = name, set_state, state

    def __str__(self):
        return f"module {self.name} drew a number"

    def undo(self):
        self.set_state(self.state)


def leaves_of(result, name="", depth=0, found=None):
    """The tensors of a step's result by name, at any depth: lists, mappings, dataclasses, and fields of
    objects."""
    found = {} if found is None else found
    dot = f"{name}." if name else ""
    if type(result) in weakref.ProxyTypes:
        pass
    elif isinstance(result, torch.Tensor):
        found[name or "0"] = result
    elif depth > 8 or isinstance(result, SCALARS) or (
            callable(result) and not dataclasses.is_dataclass(result)):
        pass
    elif isinstance(result, collections.abc.Mapping):
        for key, value in result.items():
            leaves_of(value, f"{dot}{key}", depth + 1, found)
    elif isinstance(result, (list, tuple)):
        for index, value in enumerate(result):
            leaves_of(value, f"{dot}{index}", depth + 1, found)
    elif isinstance(result, (set, frozenset)):
        for index, value in enumerate(sorted(result, key=id)):
            leaves_of(value, f"{dot}{index}", depth + 1, found)
    elif dataclasses.is_dataclass(result):
        for field in dataclasses.fields(result):
            leaves_of(getattr(result, field.name, None), f"{dot}{field.name}", depth + 1, found)
    elif not is_opaque(result):
        for key, value in fields_of(result):
            leaves_of(value, f"{dot}{key}", depth + 1, found)
    return found
