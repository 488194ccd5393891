"""Mode piecewise of a step: runs it once under capture. Before a named call the capture ends, the call runs
eagerly, and the next capture begins."""

import collections
import contextlib
import ctypes
import functools
import gc
import time

import torch
from torch.utils._pytree import tree_flatten, tree_map

from graphbench_abi import CAPTURED, LAUNCHED, RUN_PART, Skip
from graphbench_pieces import without_owner
from graphbench_splits import Splits, records_autograd, where
from graphbench_versions import new_graph, shared_pool


class Breaks:
    """The parts of a step that runs in pieces, for all of its captures."""

    def __init__(self, step):
        self.step, self.splits, self.parts = step, Splits(step), []
        self.draws = any(each.device.type == "cuda" for each, _ in step.state.generators)
        self.pool = PoolMemory(step.device)
        step.begin(False)
        dry = Pass(self)
        self.kinds, self.names = dry.kinds(), dry.names
        if CAPTURED not in self.kinds and LAUNCHED not in self.kinds:
            raise Skip("mode piecewise: the step enqueues nothing outside of the calls that it breaks at")
        step.facts["split_at"] = ", ".join(
            f"{name} x{count}" for name, count in collections.Counter(self.names).items())

    def lend(self, part):
        """The graph of a part. All are captured in one run of the step, which the first one asks for."""
        first = next(index for index, kind in enumerate(self.kinds) if kind != RUN_PART)
        if part == first:
            self.record()
        return self.parts[part][1]

    def record(self):
        self.parts.clear()
        step = self.step
        step.begin(False)
        done = Pass(self)
        step.begin(False)  # the pieces have run, and moved the state on
        if done.kinds() != self.kinds or done.names != self.names:
            raise RuntimeError(
                f"the step broke {len(self.names)} times into {self.count()} pieces when it was opened, but "
                f"{len(done.names)} times into {self.count(done.kinds())} when it was captured: it has to "
                "make the same calls in every step")
        self.parts, step.result = done.parts, done.result
        step.keep_static()
        step.stages["between_captures"] = done.seconds_between
        for index, (kind, held) in enumerate(self.parts):
            if kind != CAPTURED:
                step.runs[index] = held if kind == RUN_PART else held.replay

    def give_up(self):
        for index, (kind, _) in enumerate(self.parts):
            if kind != CAPTURED:
                self.step.runs[index] = None  # it held a graph, or what one writes
        self.parts.clear()
        self.pool.segments.clear()

    def count(self, kinds=None):
        return sum(kind != RUN_PART for kind in kinds or self.kinds)


class Pass:
    """One run of the step under capture, in pieces. `parts`: (kind, graph or function) in order. `names`: of
    the breaks."""

    def __init__(self, breaks):
        self.breaks, self.step, self.parts, self.names = breaks, breaks.step, [], []
        self.driver, self.execs, self.graph = Driver(), [], None
        self.ended_at = self.seconds_between = 0.0
        step = self.step
        step.synchronize()
        gc.collect()
        torch.cuda.empty_cache()
        splits = breaks.splits
        try:
            with step.hiding(), splits.watching(self.call, self.marked, self.between):
                self.begin()
                step.run()
                self.end("the end of the step", launch=False)
        finally:
            self.abandon()
            step.synchronize()
            self.driver.destroy(self.execs)
        self.result, step.result = step.result, None

    def kinds(self):
        return [kind for kind, _ in self.parts]

    def begin(self):
        graph = new_graph(True)
        self.step.register_generators(graph)
        graph.capture_begin(pool=shared_pool(self.step.device).id, capture_error_mode="thread_local")
        self.graph = graph

    def end(self, name, launch=True):
        """Ends the capture. Launches the graph, so that what runs next reads real values."""
        graph, self.graph = self.graph, None
        try:
            graph.capture_end()
        except RuntimeError as error:
            self.stop_allocating()
            if "unjoined" in str(error).lower():
                raise Skip(f"mode piecewise: {where(name, self.step)} breaks where work on another stream is "
                           "not joined: join it before, or name another call with --split-ops") from None
            raise
        self.ended_at = time.perf_counter()
        if not self.driver.nodes_of(graph):
            return
        kind = CAPTURED
        if self.breaks.draws:
            before = self.drawn()
            graph.replay()  # which moves the generators on
            kind = CAPTURED if before == self.drawn() else LAUNCHED
        elif launch:
            self.execs.append(self.driver.launch(graph, self.step.stream))
        self.parts.append((kind, graph))

    def drawn(self):
        return [each.get_state().tolist() for each, _ in self.step.state.generators]

    def abandon(self):
        """Ends a capture that an error broke off."""
        if self.graph is not None:
            with contextlib.suppress(Exception):
                self.graph.capture_end()
            self.stop_allocating()
            self.graph = None

    def stop_allocating(self):
        with contextlib.suppress(Exception):  # capture_end() does this last, so an error leaves it undone
            torch._C._cuda_endAllocateToPool(self.step.device.index, shared_pool(self.step.device).id)

    def call(self, level, names, function, args, kwargs):
        if self.graph is None:  # torch's own op as a capture begins or ends: it registers generators
            return function(*args, **kwargs)
        found = names & self.breaks.splits.names
        if not found:
            if level == "op":
                self.check_stream(max(names, key=len))
            return function(*args, **kwargs)
        return self.run_eagerly(min(found), function, args, kwargs, level == "op")

    def check_stream(self, name):
        """A stream that forked in an earlier piece is captured no more."""
        if torch.cuda.current_stream(self.step.device) != self.step.stream and (
                not torch._C._cuda_isCurrentStreamCapturing()):
            raise Skip(f"mode piecewise: {where(name, self.step)} runs on another stream, which forked "
                       "before a break: let it wait for the captured stream behind the break")

    def marked(self, name, function, args, kwargs):
        return self.run_eagerly(name, function, args, kwargs, False)

    def between(self, module, args):
        with self.broken(type(module).__name__, args, {}):
            pass

    def run_eagerly(self, name, function, args, kwargs, is_op):
        with self.broken(name, args, kwargs), self.breaks.splits.eagerly():
            result = waited(function(*args, **kwargs))
            self.refuse_autograd(name, result, {})
            borrowed = tree_map(self.breaks.pool.borrowed, (args, kwargs))
            self.parts.append((RUN_PART, replayable(function, *borrowed, result, ambient(is_op))))
        return result

    @contextlib.contextmanager
    def broken(self, name, args, kwargs):
        step = self.step
        self.refuse_autograd(name, args, kwargs)
        if torch.cuda.current_stream(step.device) != step.stream:
            raise Skip(f"mode piecewise: {where(name, step)} would break on another stream than the "
                       "captured one: name other calls with --split-ops")
        self.names.append(name)
        self.end(name)
        if step.in_ranks():
            torch.distributed.barrier()
        yield
        self.seconds_between += time.perf_counter() - self.ended_at
        self.begin()

    def refuse_autograd(self, name, args, kwargs):
        if records_autograd(args, kwargs):
            raise Skip(f"mode piecewise: autograd records at {where(name, self.step)}, and a break needs "
                       "torch.no_grad() or torch.inference_mode() around it: give --mode whole")


def waited(result):
    """The result of a collective once it is there: a wait cannot be captured apart from its collective."""
    def wait(each):
        return each.wait() if hasattr(each, "trigger_wait") else each
    return tree_map(wait, result)


def ambient(is_op):
    """What torch keeps apart from a call's arguments: functions that make the contexts to call it in."""
    found = []
    if torch.is_inference_mode_enabled():
        found.append(torch.inference_mode)
    elif not torch.is_grad_enabled():
        found.append(torch.no_grad)
    if is_op:  # below autocast and the choice of attention
        return found
    if torch.is_autocast_enabled():
        found.append(functools.partial(torch.autocast, "cuda", dtype=torch.get_autocast_gpu_dtype(),
                                       cache_enabled=torch.is_autocast_cache_enabled()))
    attention = getattr(torch.nn, "attention", None)
    if backends := getattr(attention, "_cur_sdpa_kernel_backends", list)():
        if len(backends) < len(attention._backend_names):
            found.append(functools.partial(attention.sdpa_kernel, backends))
    return found


def replayable(function, args, kwargs, result, contexts):
    """A function that makes the call again, and leaves its result in the memory of the first one, which the
    next graph reads. What shares the memory of an argument is there already."""
    given = {each.data_ptr() for each in tree_flatten((args, kwargs))[0] if isinstance(each, torch.Tensor)}
    kept = [(index, each) for index, each in enumerate(tree_flatten(result)[0])
            if isinstance(each, torch.Tensor) and each.data_ptr() not in given]

    first = kept[0][1] if kept else None

    def only():
        made = function(*args, **kwargs)
        if made.shape != first.shape:
            raise other_shape(function, first, made)
        first.copy_(made)

    def several():
        made = tree_flatten(function(*args, **kwargs))[0]
        for index, old in kept:
            if made[index].shape != old.shape:
                raise other_shape(function, old, made[index])
            old.copy_(made[index])

    run = only if kept and isinstance(result, torch.Tensor) else several
    for context in reversed(contexts):
        run = within(context, run)
    return run


def within(context, run):
    def inside():
        with context():
            run()
    return inside


def other_shape(function, old, new):
    return RuntimeError(f"{getattr(function, '__name__', function)} returned a tensor {list(new.shape)}, but "
                        f"{list(old.shape)} when the graph behind it was captured")


class PoolMemory:
    """Which tensors lie in the memory of the graphs' pool: these are held without owning them, because their
    memory is used again within a step, as it was while the step was captured."""

    def __init__(self, device):
        self.device, self.segments = device, []

    def holds(self, address):
        return any(begin <= address < end for begin, end in self.segments)

    def look(self):
        self.segments = [(each["address"], each["address"] + each["total_size"])
                         for each in torch.cuda.memory_snapshot()
                         if tuple(each.get("segment_pool_id", (0, 0))) == tuple(
                             shared_pool(self.device).id)]

    def borrowed(self, value):
        plain = isinstance(value, torch.Tensor) and type(value) is torch.Tensor and value.is_cuda and (
            value.layout == torch.strided) and not (value.is_conj() or value.is_neg())
        if not plain or not value.numel():
            return value
        address = value.untyped_storage().data_ptr()
        if not self.holds(address):
            self.look()
        return without_owner(value) if self.holds(address) else value


class Driver:
    """Launches a graph once, and counts its nodes: an exec of torch's would stay as long as the graph."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def check(self, name, *arguments):
        if code := getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name} returned {code}")

    def nodes_of(self, graph):
        count = ctypes.c_size_t()
        self.check("cuGraphGetNodes", ctypes.c_void_p(graph.raw_cuda_graph()), None, ctypes.byref(count))
        return count.value

    def launch(self, graph, stream):
        launched = ctypes.c_void_p()
        self.check("cuGraphInstantiateWithFlags", ctypes.byref(launched),
                   ctypes.c_void_p(graph.raw_cuda_graph()), ctypes.c_ulonglong(0))
        self.check("cuGraphLaunch", launched, ctypes.c_void_p(stream.cuda_stream))
        return launched

    def destroy(self, execs):
        for each in execs:
            self.check("cuGraphExecDestroy", each)
        execs.clear()
