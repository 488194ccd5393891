"""PyTorch's side of graphbench, which starts this file with the interpreter of --python: it builds a user's
step and hands its parts to the worker as C callbacks. A step file may import it as `graphbench`."""

import ast
import contextlib
import copy
import ctypes
import faulthandler
import gc
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))  # python -I and -P omit this folder

from graphbench_abi import (  # noqa: E402
    ABI_VERSION, CAPTURE, CAPTURED, CLOSE, FAILED, FILL, LAUNCHED, ON_CUDA, OPEN, OTHER_DTYPE, OUTPUTS, PARTS,
    REPORT, RUN, RUN_PART, SKIP, Output, Plugin, Request, Skip, StepRecord)
from graphbench_doctor import Doctor, examine, reason_of  # noqa: E402
from graphbench_pieces import cut, eager  # noqa: E402, F401 - step files import eager
from graphbench_state import Held, compilations, seconds_of_other_threads  # noqa: E402


class Collections:
    """Measures how long the interpreter has collected garbage."""
    seconds = began = 0

    @classmethod
    def hear(cls, phase, _):
        if phase == "start":
            cls.began = time.monotonic()
        else:
            cls.seconds += time.monotonic() - cls.began


gc.callbacks.append(Collections.hear)


class Step:
    """The user's step at one batch size in one mode. Calls come on one thread, on our stream."""

    def __init__(self, torch, build, request, file):
        self.torch, self.mode, self.file = torch, request.mode.decode(), file
        self.split_ops = {request.split_ops[i].decode() for i in range(request.split_op_count)}
        self.axes = {request.axis_names[i].decode(): request.axis_values[i].decode()
                     for i in range(request.axis_count)}
        self.facts = {"hide_capture": True} if self.axes.get("torch-hide-capture") == "on" else {}
        compilations(forget=True)
        self.on_cuda, self.device = request.place == ON_CUDA, torch.device("cpu")
        if self.on_cuda:
            self.device = device_of(torch, request.device_uuid.decode())
            torch.cuda.set_device(self.device)
            self.stream = torch.cuda.ExternalStream(request.cuda_stream, device=self.device)
            torch.cuda.set_stream(self.stream)
        join_ranks(torch, self.on_cuda)
        if not self.on_cuda and self.mode != "eager":
            raise Skip(f"mode {self.mode} needs a GPU: the host device runs PyTorch's steps eagerly")
        made = build(request.batch, self.device)
        self.module, self.args, self.calls = None, (), []
        if callable(made):
            self.calls = [made]
        elif isinstance(made, tuple) and len(made) == 2 and callable(made[0]):
            self.module, self.args = made[0], tuple(made[1])
            self.calls = [lambda: self.module(*self.args)]
        elif isinstance(made, list) and made and all(map(callable, made)):
            self.calls = made
        else:
            raise TypeError("the function must return a callable, (module, args) or a list of callables, "
                            f"but returned {type(made).__name__}")
        self.result = self.static = self.pieces = self.pool = None
        self.graphs = {}
        self.runs = {-1: self.run_eagerly, 0: self.run_eagerly}
        self.parts = [RUN_PART]

    def prepare(self):
        """Runs the first step of all, whose tensors belong to what is kept; then makes the parts of the
        mode."""
        self.run_eagerly()
        with self.torch.no_grad():
            self.held = Held(self.torch, self.module, self.args, *self.calls)
        if other := self.held.elsewhere(self.device):
            raise Skip(f"the step is on several devices: the step holds {other}, but only {self.device} "
                       "is measured")
        if "torch-compile" in self.axes:
            self.put_inside(self.axes["torch-compile"])
        self.prepare_mode()
        self.synchronize()
        self.compilations = compilations(opening=True, forget=True)
        self.threads, self.opened_at = seconds_of_other_threads(), time.monotonic()

    def synchronize(self):
        if self.on_cuda:
            self.torch.cuda.synchronize(self.device)

    def run_eagerly(self):
        for call in self.calls:
            self.result = call()

    def prepare_mode(self):
        torch, mode = self.torch, self.mode
        if mode in ("whole", "piecewise", "torch.replay") and not hasattr(torch.cuda.CUDAGraph,
                                                                          "raw_cuda_graph"):
            raise Skip(f"mode {mode} needs a PyTorch whose CUDAGraph has raw_cuda_graph: this is PyTorch "
                       f"{torch.__version__}")
        random = False
        if mode in ("whole", "piecewise"):
            generator = torch.cuda.default_generators[self.device.index]
            before = generator.get_offset()
            self.run_eagerly()
            random = generator.get_offset() != before
        if random and mode == "piecewise":
            raise Skip("the step draws random numbers: mode piecewise launches its graphs without "
                       "CUDAGraph.replay(), so each launch would draw the same numbers again: give --mode "
                       "whole")
        if random:
            self.facts["launched_by"] = "CUDAGraph.replay(), which moves the generators on"
        if random or mode == "torch.replay":
            self.parts, self.runs[0] = [LAUNCHED], self.replay
        elif mode == "whole":
            self.parts = [CAPTURED]
        elif mode == "piecewise" and len(self.calls) == 1:
            cut(self)
        elif mode == "piecewise":
            self.parts = [RUN_PART if getattr(call, "graphbench_eager", False) else CAPTURED
                          for call in self.calls]
            self.runs.update(enumerate(self.running([call]) for call in self.calls))
        elif mode == "torch.callables":
            if self.module is None:
                raise Skip("mode torch.callables needs a function that returns (module, args), not callables")
            # torch replaces forward() of the copy; the module itself stays eager, for other batches too
            with self.hiding():
                graphed = torch.cuda.make_graphed_callables(copy.copy(self.module), self.args)
            self.runs[0] = self.running([lambda: graphed(*self.args)])
        elif mode != "eager":
            name = mode.removeprefix("torch.")
            calls = self.compiled(**{"backend" if name == "cudagraphs" else "mode": name})
            self.runs[0] = self.running(calls, torch.compiler.cudagraph_mark_step_begin)
            for _ in range(3):  # these calls compile, warm up and record
                self.runs[0]()

    def put_inside(self, which):
        """Replaces the step's calls by Inductor's code, without Inductor's own graphs."""
        if not hasattr(self.torch, "compile"):
            raise Skip(f"--torch-compile needs PyTorch 2 or newer: this is {self.torch.__version__}")
        how = {"default": {"options": {"triton.cudagraphs": False}}}
        self.calls = self.compiled(**how.get(which, {"mode": "max-autotune-no-cudagraphs"}))
        for _ in range(2):
            self.run_eagerly()

    def hiding(self):
        """Hides a capture from model code; torch's own code asks the driver as before."""
        if "hide_capture" not in self.facts:
            return contextlib.nullcontext()
        from unittest import mock

        return mock.patch.object(self.torch.cuda, "is_current_stream_capturing", lambda: False)

    def running(self, calls, begin=None):
        def run():
            if begin:
                begin()
            for call in calls:
                self.result = call()

        return run

    def compiled(self, **how):
        """Compiles every batch separately, and keeps the code: the batches of a process come in turn."""
        import torch._dynamo

        compilations(forget=True)
        config = {"compiled_autograd": self.axes.get("torch-compiled-autograd") == "on",
                  "recompile_limit": 256, "fail_on_recompile_limit_hit": True}
        for name, value in config.items():
            if hasattr(torch._dynamo.config, name):
                setattr(torch._dynamo.config, name, value)
        if self.module is None:
            return [torch.compile(call, dynamic=False, **how) for call in self.calls]
        module = torch.compile(self.module, dynamic=False, **how)
        return [lambda: module(*self.args)]

    def capture(self, part):
        torch = self.torch
        call = self.runs[part] if self.mode == "piecewise" else self.run_eagerly
        if self.pieces:
            self.pieces.forget(part)
        if self.pool is None:
            self.pool = torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with self.hiding(), torch.cuda.graph(graph, pool=self.pool, stream=self.stream,
                                             capture_error_mode="thread_local"):
            call()
        self.static, self.result = self.result, None
        self.graphs[part] = graph
        return graph

    def lend(self, part):
        try:
            graph = self.capture(part)
        except Exception:
            doctor = Doctor(self.torch, self.stream, self.file)
            with contextlib.suppress(Exception), doctor.watching():  # the process is given up anyway
                self.run_eagerly()
            if doctor.sentence():
                raise RuntimeError(doctor.sentence()) from None
            raise
        if self.parts[part] == LAUNCHED:
            graph.instantiate()
        return graph.raw_cuda_graph()

    def replay(self):
        self.graphs[0].replay()
        self.result = self.static

    def fill(self, seed):
        self.result = None
        with self.torch.inference_mode():
            self.held.put_back(seed)
        self.torch.manual_seed(seed)
        self.synchronize()

    def outputs(self):
        torch = self.torch
        from torch.utils import _pytree

        leaves = _pytree.tree_flatten(self.static if self.result is None else self.result)[0]
        if self.result is None and self.pieces:
            leaves = [self.pieces.values[node] for node in self.pieces.returned]
        tensors = [(str(i), leaf) for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        for optimizer in self.held.optimizers:
            tensors += [(f"parameter {i}", parameter) for group in optimizer.param_groups
                        for i, parameter in enumerate(group["params"])]
        dtypes = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2, torch.int32: 3}
        with torch.no_grad():
            self.dense = [(name, tensor.detach().contiguous()) for name, tensor in tensors]
        self.synchronize()
        self.list = (Output * max(len(self.dense), 1))(*(
            Output(name.encode(), tensor.data_ptr(), tensor.numel() * tensor.element_size(),
                   dtypes.get(tensor.dtype, OTHER_DTYPE), 0)
            for name, tensor in self.dense))
        return len(self.dense), self.list

    def report(self):
        facts = {"torch": self.torch.__version__, **self.facts, **(self.compilations + compilations())}
        least = 0.05 * (time.monotonic() - self.opened_at)
        if busy := [name for name, used in seconds_of_other_threads().items()
                    if used - self.threads.get(name, 0) > least]:
            facts["busy_threads"] = ", ".join(busy)
        if self.on_cuda:
            facts["max_memory_allocated"] = self.torch.cuda.max_memory_allocated(self.device)
            facts["memory_reserved"] = self.torch.cuda.memory_reserved(self.device)
        facts.update(facts_of_ranks(self.torch, self.device if self.on_cuda else None))
        facts["gc_seconds"] = Collections.seconds
        return json.dumps(facts).encode()


def device_of(torch, uuid):
    for index in range(torch.cuda.device_count()):
        if f"GPU-{torch.cuda.get_device_properties(index).uuid}" == uuid:
            return torch.device("cuda", index)
    raise RuntimeError(f"PyTorch sees no device {uuid}: does CUDA_VISIBLE_DEVICES hide it?")


def in_ranks(torch):
    return "GRAPHBENCH_RANKS" in os.environ and torch.distributed.is_initialized()


def join_ranks(torch, on_cuda):
    """Makes the default process group of --ranks, unless the step file has made one."""
    if "GRAPHBENCH_RANKS" in os.environ and not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if on_cuda else "gloo")


def leave_ranks(torch):
    """Gives up all graphs before the communicators: NCCL waits for graphs that hold its collectives."""
    if in_ranks(torch):
        for name, reset in (("torch._dynamo", "reset"),
                            ("torch._inductor.cudagraph_trees", "reset_cudagraph_trees")):
            if name in sys.modules:
                getattr(sys.modules[name], reset)()
        gc.collect()
        torch.distributed.destroy_process_group()


def facts_of_ranks(torch, device):
    """The library of the collectives, and the rank's links to other GPUs."""
    if not in_ranks(torch):
        return {}
    if device is None:
        return {"collectives": torch.distributed.get_backend()}
    asked = ["nvidia-smi", "nvlink", "-s", "-i", f"GPU-{torch.cuda.get_device_properties(device).uuid}"]
    links = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.count("GB/s")
    links = f"{links} NVLinks per GPU" if links else "PCIe"
    return {"collectives": "nccl " + ".".join(map(str, torch.cuda.nccl.version())), "links": links}


class Host:
    """The C record of the user's step, and its functions."""
    stacks = None  # the file from which --ranks reads what this process does
    MODES = ("whole", "piecewise", "torch.replay", "torch.cudagraphs", "torch.reduce-overhead",
             "torch.callables")

    def __init__(self, torch, file, function):
        self.torch, self.file, self.build = torch, file, load(file, function)
        self.steps, self.last = {}, 0
        modes = (ctypes.c_char_p * len(self.MODES))(*(mode.encode() for mode in self.MODES))
        name = re.sub(r"[^a-z0-9_-]", "_", f"{pathlib.Path(file).stem}-{function}".lower())[:58]
        name = name if name[:1].isalpha() else f"step-{name}"
        self.record = StepRecord(
            ctypes.sizeof(StepRecord), len(self.MODES), name.encode(), b"a step that PyTorch runs", modes,
            OPEN(lambda *given: self.answer(self.open)(*given[:-1])), PARTS(self.answer(self.parts)),
            RUN(self.run),
            CAPTURE(self.answer(self.capture)),
            FILL(self.answer(lambda step, seed: self.steps[step].fill(seed))),
            OUTPUTS(self.answer(self.outputs)), REPORT(self.report),
            CLOSE(lambda step: self.steps.pop(step, None)), None)
        self.list = (ctypes.POINTER(StepRecord) * 1)(ctypes.pointer(self.record))
        self.plugin = Plugin(ctypes.sizeof(Plugin), ABI_VERSION, b"torch", versions(torch, file).encode(),
                             None, None, 0, 0, None, 0, 1, self.list)

    def answer(self, work):
        """Makes a function that C calls: an exception of `work` becomes a line in the caller's buffer, and a
        code."""
        def call(*given):
            *given, reason, size = given
            try:
                return work(*given) or 0
            except BaseException as error:  # noqa: BLE001 - it crosses into C
                return self.tell(error, reason, size)

        return call

    def tell(self, error, reason, size):
        skips = isinstance(error, Skip)
        text = (str(error) if skips else reason_of(error, self.file)).encode()[:size - 1] + b"\0"
        ctypes.memmove(reason, text, len(text))
        return SKIP if skips else FAILED

    def run(self, step, part, reason, size):
        """Is timed, so it takes a shorter way than answer()."""
        try:
            self.steps[step].runs[part]()
            return 0
        except BaseException as error:  # noqa: BLE001 - it crosses into C
            return self.tell(error, reason, size)

    def open(self, request, step):
        made = Step(self.torch, self.build, request.contents, self.file)
        made.prepare()
        gc.disable()  # until the process ends: a collection in a sample would be timed
        gc.collect()
        if Host.stacks:
            code = getattr(getattr(made.module, "forward", made.calls[0]), "__code__", None)
            print(f'  File "{code.co_filename}", line {code.co_firstlineno} in {code.co_name}\n  File '
                  '"graphbench.py", line 0 in open' if code else "", file=Host.stacks, flush=True)
        self.last += 1
        self.steps[self.last] = made
        step[0] = self.last

    def parts(self, step, kinds, capacity):
        parts = self.steps[step].parts
        for index, kind in enumerate(parts[:capacity]):
            kinds[index] = kind
        return len(parts)

    def capture(self, step, part, graph):
        graph[0] = self.steps[step].lend(part)

    def outputs(self, step, outputs):
        count, array = self.steps[step].outputs()
        outputs[0] = ctypes.cast(array, ctypes.POINTER(Output))
        return count

    def report(self, step):
        self.text = ctypes.create_string_buffer(self.steps[step].report())
        return ctypes.addressof(self.text)


def versions(torch, file):
    """The versions of torch and of the packages that the step file imports anywhere by their own name: for
    resume, history and comparison."""
    tree = ast.parse(pathlib.Path(file).read_bytes())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    found = [torch.__version__]
    for name in sorted({name.partition(".")[0] for name in names} - {"torch"}):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


class Refusal(LookupError):
    """A name that the user gave does not exist."""


def load(file, function):
    spec = importlib.util.spec_from_file_location("graphbench_step_file", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(pathlib.Path(file).parent))
    spec.loader.exec_module(module)
    build = getattr(module, function, None)
    if not callable(build):
        raise Refusal(f"--torch: {file} has no function {function}")
    return build


def doctor(host, batch, device, output):
    """Runs `graphbench doctor`, without a worker or a plan, on a stream of its own. Returns the exit code and
    the words."""
    torch, index = host.torch, int(device.partition(":")[2] or 0)
    if device == "host" or index >= torch.cuda.device_count():
        raise Refusal(f"--device: {device} has no GPU that PyTorch {torch.__version__} sees, and only a GPU "
                      "shows what stops a capture")
    uuid, stream = f"GPU-{torch.cuda.get_device_properties(index).uuid}", torch.cuda.Stream(index)
    request = Request(place=ON_CUDA, batch=int(batch), mode=b"whole", cuda_stream=stream.cuda_stream,
                      device_uuid=uuid.encode())
    return examine(torch, Step(torch, host.build, request, host.file), int(batch), output)


def main(role, parent, file, function, *more):
    if str(os.getppid()) != parent:
        sys.exit(f"graphbench: a wrapper started {sys.executable}: give --python the interpreter itself")
    sys.modules["graphbench"] = sys.modules["__main__"]  # the step file may import it
    try:
        import torch
    except ImportError as error:
        sys.exit(f"graphbench: {sys.executable} has no torch ({error}): name one that has with --python")
    if "GRAPHBENCH_RANK_STACKS" in os.environ:
        Host.stacks = open(os.environ["GRAPHBENCH_RANK_STACKS"], "a")
        print("ready", file=Host.stacks, flush=True)
        faulthandler.register(signal.SIGUSR1, Host.stacks)
    if role != "--doctor":
        library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parents[1] / "libgraphbench_step.so"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            host = Host(torch, file, function)
            code, words = doctor(host, *more) if role == "--doctor" else (0, "")
    except Exception as error:  # noqa: BLE001 - the user's
        refused = isinstance(error, Refusal)
        print(f"graphbench: {error if refused else reason_of(error, file)}", file=sys.stderr)
        sys.exit(2 if refused else 1)
    sys.stdout.write(words)
    if role != "--doctor":
        code = library.graphbench_child(role.encode(), parent.encode(), ctypes.byref(host.plugin),
                                        f"{file}:{function}".encode())
        leave_ranks(torch)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # skips Python's shutdown, after which the driver's may crash


if __name__ == "__main__":
    main(*sys.argv[1:])
