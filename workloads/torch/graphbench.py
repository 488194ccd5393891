"""PyTorch's side of graphbench, which starts this file with the interpreter of --python. Builds a user's step
and hands its parts to the worker as C callbacks. A step file may import this file as `graphbench`."""

import ast
import contextlib
import copy
import ctypes
import faulthandler
import functools
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
from unittest import mock

collected_at = []  # when the interpreter began and ended each collection of garbage, in turn
gc.callbacks.append(lambda *_: collected_at.append(time.monotonic()))
if __name__ == "__main__" and str(os.getppid()) != sys.argv[2]:
    sys.exit(f"graphbench: a wrapper started {sys.executable}: give --python the interpreter itself")
try:
    import torch
except ImportError as missing:
    sys.exit(f"graphbench: {sys.executable} has no torch ({missing}): name one that has with --python")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))  # python -I and -P omit this folder

import graphbench_abi as abi  # noqa: E402
from graphbench_abi import Refusal, Skip, reason_of  # noqa: E402
from graphbench_doctor import Doctor, examine  # noqa: E402
from graphbench_pieces import cut, eager, shared_pool  # noqa: E402, F401 - step files import eager
from graphbench_state import Held, compilations, seconds_of_other_threads  # noqa: E402


class Step:
    """The user's step at one batch size in one mode. Calls come on one thread, on our stream."""

    def __init__(self, build, request, file):
        self.mode, self.file = request.mode.decode(), file
        self.split_ops = {request.split_ops[i].decode() for i in range(request.split_op_count)}
        self.axes = {request.axis_names[i].decode(): request.axis_values[i].decode()
                     for i in range(request.axis_count)}
        self.facts = {"hide_capture": True} if self.axes.get("torch-hide-capture") == "on" else {}
        compilations(forget=True)
        self.on_cuda, self.device = request.place == abi.ON_CUDA, torch.device("cpu")
        self.uuid = request.device_uuid.decode()
        if self.on_cuda:
            uuids = [f"GPU-{torch.cuda.get_device_properties(index).uuid}"
                     for index in range(torch.cuda.device_count())]
            if self.uuid not in uuids:
                raise RuntimeError(f"PyTorch sees no device {self.uuid}: does CUDA_VISIBLE_DEVICES hide it?")
            self.device = torch.device("cuda", uuids.index(self.uuid))
            torch.cuda.set_device(self.device)
            with contextlib.suppress(RuntimeError):  # an allocator of the user may count nothing
                torch.cuda.reset_peak_memory_stats(self.device)
            self.stream = torch.cuda.ExternalStream(request.cuda_stream, device=self.device)
            torch.cuda.set_stream(self.stream)
        if "GRAPHBENCH_RANKS" in os.environ and not torch.distributed.is_initialized():
            torch.distributed.init_process_group("nccl" if self.on_cuda else "gloo")
        if not self.on_cuda and self.mode != "eager":
            raise Skip(f"mode {self.mode} needs a GPU: the host device runs PyTorch's steps only eagerly")
        made = build(request.batch, self.device)
        self.module, self.args, self.calls = None, (), made if isinstance(made, list) else [made]
        if isinstance(made, tuple) and len(made) == 2 and callable(made[0]):
            self.module, self.args = made[0], tuple(made[1])
            self.calls = [lambda: self.module(*self.args)]
        if not self.calls or not all(map(callable, self.calls)):
            raise TypeError("the function must return a callable, (module, args) or a list of callables, "
                            f"but returned {type(made).__name__}")
        self.result = self.static = self.pieces = None
        self.graphs = {}
        self.kinds, self.runs = [abi.RUN_PART], {-1: self.run, 0: self.run}

    def prepare(self):
        """Runs the very first step, so that `held` also finds the tensors that this step makes. Then makes
        the mode's parts."""
        self.run()
        with torch.no_grad():
            self.held = Held(torch, self.module, self.args, *self.calls)
        if other := self.held.elsewhere(self.device):
            raise Skip(f"the step is on several devices: the step holds {other}, but only {self.device} "
                       "is measured")
        if which := self.axes.get("torch-compile"):  # Inductor's code, without Inductor's own graphs
            if not hasattr(torch, "compile"):
                raise Skip(f"--torch-compile needs PyTorch 2 or newer: this is {torch.__version__}")
            how = {"default": {"options": {"triton.cudagraphs": False}}}
            self.calls = self.compiled(**how.get(which, {"mode": "max-autotune-no-cudagraphs"}))
            for _ in range(2):
                self.run()
        self.prepare_mode()
        self.synchronize()
        self.peaks = self.read_peaks()  # the next step that opens resets them
        self.compilations = compilations(opening=True, forget=True)
        self.threads, self.opened_at = seconds_of_other_threads(), time.monotonic()

    def read_peaks(self):
        with contextlib.suppress(RuntimeError):
            if self.on_cuda:
                return (torch.cuda.max_memory_allocated(self.device),
                        torch.cuda.max_memory_reserved(self.device))
        return 0, 0

    def synchronize(self):
        if self.on_cuda:
            torch.cuda.synchronize(self.device)

    def run(self, calls=(), begin=None):
        """Runs the calls, or the step's own calls if none are given. `begin` runs first."""
        if begin:
            begin()
        for call in calls or self.calls:
            self.result = call()

    def prepare_mode(self):
        mode = self.mode
        if mode in ("whole", "piecewise", "torch.replay") and not hasattr(torch.cuda.CUDAGraph,
                                                                          "raw_cuda_graph"):
            raise Skip(f"mode {mode} needs a PyTorch whose CUDAGraph has raw_cuda_graph: this is PyTorch "
                       f"{torch.__version__}")
        random = False
        if mode in ("whole", "piecewise"):
            generator = torch.cuda.default_generators[self.device.index]
            before = generator.get_offset()
            self.run()
            random = generator.get_offset() != before
        if random and mode == "piecewise":
            raise Skip("the step draws random numbers: mode piecewise launches its graphs without "
                       "CUDAGraph.replay(), so each launch would draw the same numbers again: give --mode "
                       "whole")
        if random:
            self.facts["launched_by"] = "CUDAGraph.replay(), which moves the generators on"
        if random or mode == "torch.replay":
            self.kinds, self.runs[0] = [abi.LAUNCHED], self.replay
        elif mode == "whole":
            self.kinds = [abi.CAPTURED]
        elif mode == "piecewise" and len(self.calls) == 1:
            cut(self)
        elif mode == "piecewise":
            self.kinds = [abi.RUN_PART if getattr(call, "graphbench_eager", False) else abi.CAPTURED
                          for call in self.calls]
            self.runs.update(enumerate(functools.partial(self.run, [call]) for call in self.calls))
        elif mode == "torch.callables":
            if self.module is None:
                raise Skip("mode torch.callables needs a function that returns (module, args), not callables")
            # torch replaces forward() of the copy; the module itself stays eager, for other batches too
            with self.hiding():
                graphed = torch.cuda.make_graphed_callables(copy.copy(self.module), self.args)
            self.runs[0] = functools.partial(self.run, [lambda: graphed(*self.args)])
        elif mode != "eager":
            name = mode.removeprefix("torch.")
            calls = self.compiled(**{"backend" if name == "cudagraphs" else "mode": name})
            self.runs[0] = functools.partial(self.run, calls, torch.compiler.cudagraph_mark_step_begin)
            for _ in range(3):  # these calls compile, warm up and record
                self.runs[0]()

    def hiding(self):
        """Hides a capture from model code with --torch-hide-capture. torch's own code asks the driver."""
        if "hide_capture" not in self.facts:
            return contextlib.nullcontext()
        return mock.patch.object(torch.cuda, "is_current_stream_capturing", lambda: False)

    def compiled(self, **how):
        """Compiles the step for its batch only. The limit lets the process keep the code of all batches."""
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
        call = self.runs[part] if self.mode == "piecewise" else self.run
        self.result = None  # so that torch.cuda.graph(), when it begins, can return the memory of this result
        if self.pieces:
            self.pieces.forget(part)
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with self.hiding(), torch.cuda.graph(graph, pool=shared_pool(self.device).id, stream=self.stream,
                                             capture_error_mode="thread_local"):
            call()
        self.static, self.result = self.result, None
        self.graphs[part] = graph
        return graph

    def replay(self):
        self.graphs[0].replay()
        self.result = self.static

    def outputs(self):
        """The names and dense values of the last step's outputs, and of all optimizers' parameters."""
        if self.result is None and self.pieces:
            leaves = [self.pieces.values[node] for node in self.pieces.returned]
        else:
            leaves = torch.utils._pytree.tree_flatten(self.static if self.result is None else self.result)[0]
        tensors = [(str(i), leaf) for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        for optimizer in self.held.optimizers:
            tensors += [(f"parameter {i}", parameter) for group in optimizer.param_groups
                        for i, parameter in enumerate(group["params"])]
        with torch.no_grad():
            dense = [(name, tensor.detach().contiguous()) for name, tensor in tensors]
        self.synchronize()
        return dense

    # Functions of the record gb_step

    def lend_kinds(self, kinds, capacity):
        ctypes.memmove(kinds, bytes(self.kinds), min(len(self.kinds), capacity))
        return len(self.kinds)

    def lend_graph(self, part, lent):
        try:
            graph = self.capture(part)
        except Exception:
            doctor = Doctor(self.stream, self.file)
            with contextlib.suppress(Exception), doctor.watching():  # the process is given up anyway
                self.run()
            if doctor.sentence():
                raise RuntimeError(doctor.sentence()) from None
            raise
        if self.kinds[part] == abi.LAUNCHED:
            graph.instantiate()
        lent[0] = graph.raw_cuda_graph()

    def fill(self, seed):
        self.result = None
        with torch.inference_mode():
            self.held.put_back(seed)
        torch.manual_seed(seed)
        self.synchronize()

    def lend_outputs(self, lent):
        dtypes = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2, torch.int32: 3}
        self.dense = self.outputs()
        self.list = (abi.Output * len(self.dense))(*(
            abi.Output(name.encode(), tensor.data_ptr(), tensor.numel() * tensor.element_size(),
                       dtypes.get(tensor.dtype, abi.OTHER_DTYPE), 0)
            for name, tensor in self.dense))
        lent[0] = self.list
        return len(self.list)

    def report(self):
        facts = {"torch": torch.__version__, **self.facts, **(self.compilations + compilations())}
        least = 0.05 * (time.monotonic() - self.opened_at)
        used = seconds_of_other_threads() - self.threads
        if busy := [name for name, seconds in used.items() if seconds > least]:
            facts["busy_threads"] = ", ".join(busy)
        if self.on_cuda:
            torch.cuda.empty_cache()  # so that `reserved` is what tensors and graphs keep
            facts["memory_allocated"] = torch.cuda.memory_allocated(self.device)
            with contextlib.suppress(RuntimeError):  # backend:cudaMallocAsync has no snapshot
                facts["memory_free_in_graph_pools"] = sum(
                    each["total_size"] - each["allocated_size"] for each in torch.cuda.memory_snapshot()
                    if each["device"] == self.device.index and each.get("segment_pool_id", (0, 0)) != (0, 0))
            peaks = map(max, self.peaks, self.read_peaks())
            facts["max_memory_allocated"], facts["max_memory_reserved"] = peaks
            facts["memory_reserved"] = torch.cuda.memory_reserved(self.device)
        if in_ranks() and self.on_cuda:
            facts["collectives"] = "nccl " + ".".join(map(str, torch.cuda.nccl.version()))
            asked = ["nvidia-smi", "nvlink", "-s", "-i", self.uuid]
            links = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.count("GB/s")
            facts["links"] = f"{links} NVLinks per GPU" if links else "PCIe"
        elif in_ranks():
            facts["collectives"] = torch.distributed.get_backend()
        facts["gc_seconds"] = sum(end - began for began, end in zip(collected_at[::2], collected_at[1::2]))
        self.text = ctypes.create_string_buffer(json.dumps(facts).encode())
        return ctypes.addressof(self.text)


def in_ranks():
    return "GRAPHBENCH_RANKS" in os.environ and torch.distributed.is_initialized()


def leave_ranks():
    """Gives up all graphs before the communicators: NCCL waits for graphs that hold its collectives."""
    if in_ranks():
        if dynamo := sys.modules.get("torch._dynamo"):
            dynamo.reset()
        if trees := sys.modules.get("torch._inductor.cudagraph_trees"):
            trees.reset_cudagraph_trees()
        gc.collect()
        torch.distributed.destroy_process_group()


class Host:
    """The C record of the user's step, and its functions."""
    stacks = None  # the file from which --ranks reads what this process does
    MODES = (b"whole", b"piecewise", b"torch.replay", b"torch.cudagraphs", b"torch.reduce-overhead",
             b"torch.callables")

    def __init__(self, file, function):
        self.file, self.build = file, load(file, function)
        self.steps, self.last = {}, None  # by address, which is the step's handle in C
        name = re.sub(r"[^a-z0-9_-]", "_", f"{pathlib.Path(file).stem}-{function}".lower())[:58]
        name = name if name[:1].isalpha() else f"step-{name}"
        self.record = abi.StepRecord(
            ctypes.sizeof(abi.StepRecord), len(self.MODES), name.encode(), b"a step that PyTorch runs",
            (ctypes.c_char_p * len(self.MODES))(*self.MODES),
            abi.OPEN(lambda *given: self.answer(self.open)(*given[:-1])),
            abi.PARTS(self.answer(Step.lend_kinds)), abi.RUN(self.run),
            abi.CAPTURE(self.answer(Step.lend_graph)), abi.FILL(self.answer(Step.fill)),
            abi.OUTPUTS(self.answer(Step.lend_outputs)), abi.REPORT(Step.report),
            abi.CLOSE(lambda step: self.steps.pop(id(step))))
        self.plugin = abi.Plugin(
            ctypes.sizeof(abi.Plugin), abi.VERSION, b"torch", versions(file).encode(), step_count=1,
            steps=ctypes.pointer(ctypes.pointer(self.record)))

    def step(self, request):
        return Step(self.build, request, self.file)

    def answer(self, work):
        """Makes a function for C: an exception becomes a code, and a line in the caller's buffer."""
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
        return abi.SKIP if skips else abi.FAILED

    def run(self, step, part, reason, size):
        """Runs a part of the step. This is timed, so it does not go through the wrapper of answer()."""
        try:
            step.runs[part]()
            return 0
        except BaseException as error:  # noqa: BLE001 - it crosses into C
            return self.tell(error, reason, size)

    def open(self, request, step):
        made = self.step(request.contents)
        made.prepare()
        gc.disable()  # until the process ends: a collection in a sample would be timed
        gc.collect()
        if Host.stacks:
            code = getattr(getattr(made.module, "forward", made.calls[0]), "__code__", None)
            print(f'  File "{code.co_filename}", line {code.co_firstlineno} in {code.co_name}\n  File '
                  '"graphbench.py", line 0 in open' if code else "", file=Host.stacks, flush=True)
        self.steps[id(made)] = made
        step[0] = self.last = id(made)


def versions(file):
    """The versions of torch and of the packages that the step file imports, if a package has the name of the
    imported module. Resume, history and comparison use these versions."""
    tree = ast.parse(pathlib.Path(file).read_bytes())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    found = [torch.__version__]
    for name in sorted({name.partition(".")[0] for name in names} - {"torch"}):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


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


def main(role, parent, file, function, *more):
    sys.modules["graphbench"] = sys.modules["__main__"]  # the step file may import it
    if "GRAPHBENCH_RANK_STACKS" in os.environ:
        Host.stacks = open(os.environ["GRAPHBENCH_RANK_STACKS"], "a")
        print("ready", file=Host.stacks, flush=True)
        faulthandler.register(signal.SIGUSR1, Host.stacks)
    if role != "--doctor":
        library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parents[1] / "libgraphbench_step.so"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            host = Host(file, function)
            code, words = examine(host, *more) if role == "--doctor" else (0, "")
    except Exception as error:  # noqa: BLE001 - the user's
        refused = isinstance(error, Refusal)
        print(f"graphbench: {error if refused else reason_of(error, file)}", file=sys.stderr)
        sys.exit(2 if refused else 1)
    sys.stdout.write(words)
    if role != "--doctor":
        code = library.graphbench_child(role.encode(), parent.encode(), ctypes.byref(host.plugin),
                                        f"{file}:{function}".encode())
        leave_ranks()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # skips Python's shutdown, after which the driver's shutdown may crash


if __name__ == "__main__":
    main(*sys.argv[1:])
