"""Names the ops that stop a capture: captures each op of a step alone, discards the capture, runs the op."""

import collections
import contextlib
import ctypes
import functools
import os
import pathlib
import re
import sys
import threading
import warnings
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from graphbench_abi import ON_CUDA, UNSEEN, Refusal, Request, Skip, one_line, reason_of
from graphbench_check import conversation
from graphbench_ops import Comparison, place
from graphbench_reasons import Answer, sentence_of, with_section
from graphbench_versions import uuid_of

COPIES = "copies and fills"
THREAD_LOCAL, INVALIDATED = 1, 2
WARM_UPS = 3  # a sweep's default
# These ops read a size or a value back to the host. Even probe() does not capture them, because torch's
# pinned memory would keep events of the discarded capture.
WAITING_OPS = {f"aten::{name}" for name in ("item", "nonzero", "masked_select", "unique")}
# Calls that are no ops: methods of torch.cuda's classes, which a dispatch mode does not see.
WAITING_METHODS = {
    **dict.fromkeys(("Event.synchronize", "Event.elapsed_time", "Stream.synchronize",
                     "torch.cuda.synchronize"), "it waits for the device"),
    "CUDAGraph.replay": "the step replays graphs itself, which a capture cannot hold: take "
                        "reduce-overhead, or the step's own graphs, out"}
CAPTURE_QUERY = "is_current_stream_capturing"
USERS_NAMES = {"_local_scalar_dense": "item", "_unique2": "unique"}  # the names that users know


class Doctor(TorchDispatchMode):
    """Finds what stops a capture in a step of `file`, whose work goes to `stream`."""

    def __init__(self, stream, file):
        super().__init__()
        self.stream, self.file = ctypes.c_void_p(stream.cuda_stream), file
        paths = re.findall(r"\S*/libcudart\S*", pathlib.Path("/proc/self/maps").read_text(encoding="utf-8"))
        self.runtime = ctypes.CDLL(paths[0] if paths else None)
        self.found = []  # op, place, reason, first_call_only
        self.probing = False

    def probe(self, call):
        """Returns why a capture cannot hold the call; empty if it can."""
        self.runtime.cudaStreamBeginCapture(self.stream, THREAD_LOCAL)
        reason, status, graph = "", ctypes.c_int(), ctypes.c_void_p()
        self.probing = True
        try:
            call()
        except Exception as error:  # noqa: BLE001 - it is what we look for
            reason = one_line(str(error).split("\n")[0], 200) or type(error).__name__
        self.probing = False
        self.runtime.cudaStreamIsCapturing(self.stream, ctypes.byref(status))
        if status.value == INVALIDATED and not reason:
            reason = "the capture was invalidated"
        self.runtime.cudaStreamEndCapture(self.stream, ctypes.byref(graph))
        if graph:
            self.runtime.cudaGraphDestroy(graph)
        self.runtime.cudaGetLastError()  # clears the error
        return reason

    def nodes_of(self, graph):
        count = ctypes.c_size_t()
        self.runtime.cudaGraphGetNodes(ctypes.c_void_p(graph.raw_cuda_graph()), None, ctypes.byref(count))
        return count.value

    def op(self, name, call):
        where = place(self.file)
        if self.probing or any(each["place"] == where for each in self.found):
            return call()
        reason = WAITING_METHODS.get(name) or (
            "it waits for the device" if name in WAITING_OPS else self.probe(call))
        result = call()
        if reason:
            # What a capture holds after its first call made something, such as a library's handle.
            first = name not in WAITING_OPS and name not in WAITING_METHODS and not self.probe(call)
            self.found.append({"op": name, "place": where, "reason": reason, "first_call_only": first})
        return result

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        call = functools.partial(function, *args, **(kwargs or {}))
        if torch.Tag.nondeterministic_seeded in function.tags:
            return call()  # torch's own capture handles generators
        name = function._schema.name.removeprefix("aten::")
        return self.op(f"aten::{USERS_NAMES.get(name, name)}", call)

    def watch(self, step, with_dispatch=(False, True)):
        """Runs the step until a call is found: first without a dispatch mode, under which torch.compile's
        code runs otherwise and replays no graphs of its own, then with one.

        Each time the strictest way is tried first. Code that asks whether it is captured hears that it is,
        because it may leave out under a capture what stops one; a step that fails when it hears that (Adam
        without `capturable`) is watched without the lie; and one that cannot be watched (flex_attention under
        a dispatch mode) runs plainly, so that it fails only by its own fault."""
        for dispatch in with_dispatch:
            told_it_is_captured = mock.patch.object(torch.cuda, CAPTURE_QUERY, lambda: True)
            strictest_first = ([told_it_is_captured, self.watching(dispatch)], [self.watching(dispatch)], [])
            for contexts in strictest_first:
                if self.found or self.succeeds(step, contexts):
                    break

    @staticmethod
    def succeeds(step, contexts):
        """Whether the step runs in these contexts. In none, what it raises is its own."""
        with contextlib.ExitStack() as stack:
            for each in contexts:
                stack.enter_context(each)
            try:
                step()
            except Exception:  # noqa: BLE001 - it may be a context that it does not bear
                if not contexts:
                    raise
                return False
        return True

    @contextlib.contextmanager
    def watching(self, ops=True):
        def watched(original, name):
            return lambda *args, **kwargs: self.op(name(args), functools.partial(original, *args, **kwargs))

        # A dispatch mode sees none of these.
        changed = [(torch.cuda, "synchronize", lambda _: "torch.cuda.synchronize"),
                   (torch.cuda.Event, "synchronize", lambda _: "Event.synchronize"),
                   (torch.cuda.Event, "elapsed_time", lambda _: "Event.elapsed_time"),
                   (torch.cuda.Stream, "synchronize", lambda _: "Stream.synchronize"),
                   (torch.cuda.CUDAGraph, "replay", lambda _: "CUDAGraph.replay"),
                   (torch._tensor_str, "_str", lambda _: "print of a tensor")]
        if "triton.runtime.jit" in sys.modules:  # the dispatcher does not see Triton's kernels
            jit = sys.modules["triton.runtime.jit"].JITFunction
            changed.append((jit, "run", lambda args: f"triton kernel {args[0].fn.__name__}"))
        with contextlib.ExitStack() as stack:
            for owner, attribute, name in changed:
                new = watched(getattr(owner, attribute), name)
                stack.enter_context(mock.patch.object(owner, attribute, new))
            if ops:
                stack.enter_context(self)
            yield

    def sentence(self):
        """Names the first call that stops a capture of a step that has run before; empty if no call does."""
        return next((with_section(sentence_of(each)) for each in self.found if not each["first_call_only"]),
                    "")


@contextlib.contextmanager
def silenced():
    """Drops what is written to file descriptor 2, also by C++."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def work_of(call):
    """Counts what a call runs on the device: kernels by name, and copies and fills as one, because the driver
    runs these by kernels of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
        with silenced():  # the profiler warns of its own affairs
            profile.start()
        try:
            call()
            torch.cuda.synchronize()
        finally:
            with silenced():
                profile.stop()
                events = profile.events()
    names = (event.name for event in events if event.device_type == torch.autograd.DeviceType.CUDA)
    return collections.Counter(COPIES if name.lower().startswith(("memcpy", "memset")) else name
                               for name in names)


def judged(step, doctor):
    """Captures the step and judges its replays as a sweep's check does. Returns (cause, remarks); the cause
    is empty if nothing fails, or if doctor.found says what does. As in a sweep, the doctor looks for the call
    only after a capture that failed: a step may leave out under a capture what stops one, and some steps do
    not bear to be watched."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of an empty graph where a capture broke off
            step.capture(0)
    except Exception as error:  # noqa: BLE001 - what stops it may pass neither the dispatcher nor Triton
        with contextlib.suppress(Exception):
            doctor.watch(step.run)
        return "" if doctor.sentence() else f"the whole step: {reason_of(error, step.file)}", []
    return replayed_wrong(step, doctor)


def replayed_wrong(step, doctor):
    """Judges the replays of the captured step; returns (cause, remarks)."""
    graph_is_ours = step.kinds[0] != UNSEEN
    if graph_is_ours:
        step.graphs[0].instantiate()
    draws = any(generator.device.type == "cuda" for generator, _ in step.state.generators)
    step.begin(False)
    eager = work_of(step.run)
    replay = work_of(step.graphs[0].replay)
    if not (doctor.nodes_of(step.graphs[0]) if graph_is_ours else replay):
        return "the graph is empty: the step enqueued nothing while it was captured", []
    # A replay of a step that draws also sets the generators' state, which are no kernels of the step.
    # Copies and fills are left out, as the driver runs some by kernels of its own.
    same = None if draws else {**eager, COPIES: 0} == {**replay, COPIES: 0}
    # Runs each step that the check asks for, as a sweep's worker does.
    for word in conversation(step, {"renew": True, "same_kernels": same}):
        if "verdict" in word:
            failed, remarks = word["verdict"]["failed"], word["verdict"]["remarks"]
            return "; ".join([failed, *causes(step, eager - replay)]) if failed else "", remarks
        if word["run"] == "eager":
            step.run()
        else:
            step.graphs[0].replay()
            step.result = None


def causes(step, missing):
    """What a second capture shows of why replays differ: ops that went to another stream, where the graph
    lacks work of eager's, and the first op whose output differs."""
    if step.has_compiled:
        return
    looked = Comparison(step)
    with contextlib.suppress(Exception):  # it may need more memory than there is: then nothing is known
        looked.run()
    if missing:
        lost = ", ".join(f"{name} x{count}" for name, count in missing.items())
        yield one_line(f"the graph lacks {lost}", 300) + (
            f": {looked.elsewhere} went to another stream" if looked.elsewhere else "")
    if looked.difference:
        yield looked.difference


def failing_cold(step, warm_places):
    """The ops of a first step that a capture cannot hold, as where a library makes its handle. Builds the
    step again on a thread that has no handles yet, last of all, because a library may stay broken."""
    cold = Doctor(step.stream, step.file)

    def run():
        torch.cuda.set_device(step.device)
        with contextlib.suppress(Exception), torch.cuda.stream(step.stream):
            step.take(step.build())
            with cold.watching():
                step.run()

    if not step.has_compiled:  # compiled code may run differently on a new thread
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    return [each for each in cold.found if each["first_call_only"] and each["place"] not in warm_places]


def examine(host, batch, device, output):
    """Runs `graphbench doctor`, without a worker or a plan, on a stream of its own. Returns the exit code and
    the text for stdout."""
    index = int(device.partition(":")[2] or 0)
    if index >= torch.cuda.device_count():
        raise Refusal(f"--device: PyTorch {torch.__version__} sees no {device}: give --device host for what "
                      "can be said without a GPU")
    uuid, stream = uuid_of(index), torch.cuda.Stream(index)
    step = host.step(Request(place=ON_CUDA, batch=int(batch), mode=b"whole", cuda_stream=stream.cuda_stream,
                             device_uuid=uuid.encode()))
    doctor, note, remarks, once = Doctor(step.stream, step.file), "", [], []
    try:
        step.prepare()
    except Skip as why:
        note = str(why)
    else:
        for _ in range(WARM_UPS):
            step.run()
        step.synchronize()
        note, remarks = judged(step, doctor)
        if not note and not doctor.sentence():
            once = failing_cold(step, {each["place"] for each in doctor.found})
    return Answer(step.file, int(batch), doctor.found, note, remarks, once).give(output)
