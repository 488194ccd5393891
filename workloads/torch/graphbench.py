"""PyTorch's side of graphbench: builds a user's step and hands its parts to the worker as C callbacks.

graphbench starts this file with the interpreter of --python; a step file may import it as `graphbench`, for
`eager`. docs/torch.md says what a step file holds and what each mode does.
"""

import ast
import contextlib
import copy
import ctypes
import gc
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))  # python -I and -P leave it out

from graphbench_abi import (  # noqa: E402
    ABI_VERSION, CAPTURE, CAPTURED, CLOSE, FILL, LAUNCHED, ON_CUDA, OPEN, OTHER_DTYPE, OUTPUTS, PARTS, REPORT,
    RUN, RUN_PART, SKIP, Output, Plugin, Request, Skip, StepRecord)
from graphbench_doctor import Doctor, examine, reason_of  # noqa: E402
from graphbench_pieces import cut, eager  # noqa: E402, F401 - step files import eager
from graphbench_state import Found, Kept, OtherThreads  # noqa: E402


class Step:
    """The user's step at one batch size in one mode. Calls come on one thread, on our stream."""

    def __init__(self, torch, build, request, file):
        self.torch = torch
        self.mode = request.mode.decode()
        self.file = file
        self.split_ops = {request.split_ops[i].decode() for i in range(request.split_op_count)}
        self.axes = {request.axis_names[i].decode(): request.axis_values[i].decode()
                     for i in range(request.axis_count)}
        self.facts = {}
        if self.axes.get("torch-hide-capture") == "on":
            self.facts["hide_capture"] = True
        self.pieces = None
        self.on_cuda = request.place == ON_CUDA
        self.device = torch.device("cpu")
        if self.on_cuda:
            self.device = device_of(torch, request.device_uuid.decode())
            torch.cuda.set_device(self.device)
            self.stream = torch.cuda.ExternalStream(request.cuda_stream, device=self.device)
            torch.cuda.set_stream(self.stream)
        elif self.mode != "eager":
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
                            f"and returned {type(made).__name__}")
        self.result = self.static = None
        self.graphs = {}
        self.pool = None
        self.runs = {-1: self.run_eagerly}
        self.parts = [RUN_PART]

    def prepare(self):
        """The first step of all, whose tensors belong to what is kept; then what the mode needs."""
        self.run_eagerly()
        self.found = Found(self.torch, self.calls, (self.module, self.args))
        with self.torch.no_grad():
            self.kept = Kept(self.found)
        if "torch-compile" in self.axes:
            self.inside(self.axes["torch-compile"])
        self.prepare_mode()
        self.synchronize()
        self.threads = OtherThreads()

    def synchronize(self):
        if self.on_cuda:
            self.torch.cuda.synchronize(self.device)

    def run_eagerly(self):
        for call in self.calls:
            self.result = call()

    # What a mode's parts are.

    def prepare_mode(self):
        torch = self.torch
        if self.mode in ("whole", "piecewise", "torch.replay") and not hasattr(torch.cuda.CUDAGraph,
                                                                               "raw_cuda_graph"):
            raise Skip(f"mode {self.mode} needs a torch whose CUDAGraph has raw_cuda_graph: this is "
                       f"{torch.__version__}")
        random = self.mode in ("whole", "piecewise") and self.draws_random_numbers()
        if self.mode == "torch.replay" or random and self.mode == "whole":
            self.parts = [LAUNCHED]
            self.runs[0] = self.replay
            if random:
                self.facts["launched_by"] = "CUDAGraph.replay(), which moves the generators on"
        elif self.mode == "whole":
            self.parts = [CAPTURED]
        elif random:
            raise Skip("the step draws random numbers, which a bare launch would repeat: take whole")
        elif self.mode == "piecewise":
            if len(self.calls) == 1:
                cut(self)
                return
            self.parts = [CAPTURED if not getattr(call, "graphbench_eager", False) else RUN_PART
                          for call in self.calls]
            for index, call in enumerate(self.calls):
                self.runs[index] = self.keep_result(call)
        elif self.mode in ("torch.cudagraphs", "torch.reduce-overhead"):
            name = self.mode.removeprefix("torch.")
            self.runs[0] = self.own_graphs(**{"backend" if name == "cudagraphs" else "mode": name})
        elif self.mode == "torch.callables":
            if self.module is None:
                raise Skip("mode torch.callables needs (module, args): the function returned callables")
            with self.hiding():  # it replaces forward: the module itself stays eager, for other batches too
                graphed = torch.cuda.make_graphed_callables(copy.copy(self.module), self.args)
            self.runs[0] = self.keep_result(lambda: graphed(*self.args))
        else:
            self.runs[0] = self.run_eagerly

    def inside(self, which):
        """Inductor's code in place of the step's calls, without graphs of its own."""
        if not hasattr(self.torch, "compile"):
            raise Skip(f"--torch-compile needs torch 2 or newer: this is {self.torch.__version__}")
        how = {"mode": "max-autotune-no-cudagraphs"}
        if which == "default":
            how = {"options": {"triton.cudagraphs": False}}
        self.calls = self.compiled(dynamic=False, **how)
        for _ in range(2):
            self.run_eagerly()

    @contextlib.contextmanager
    def hiding(self):
        """Model code hears that nothing is captured; torch's own goes on asking the driver."""
        cuda, original = self.torch.cuda, self.torch.cuda.is_current_stream_capturing
        if "hide_capture" in self.facts:
            cuda.is_current_stream_capturing = lambda: False
        try:
            yield
        finally:
            cuda.is_current_stream_capturing = original

    def keep_result(self, call):
        def run():
            self.result = call()

        return run

    def fresh_dynamo(self):
        import torch._dynamo

        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        config = {"compiled_autograd": self.axes.get("torch-compiled-autograd") == "on",
                  "recompile_limit": 256, "fail_on_recompile_limit_hit": True}
        for name, value in config.items():
            if hasattr(torch._dynamo.config, name):
                setattr(torch._dynamo.config, name, value)
        return torch._dynamo

    def compiled(self, **how):
        self.fresh_dynamo()
        if self.module is None:
            return [self.torch.compile(call, **how) for call in self.calls]
        module = self.torch.compile(self.module, **how)
        return [lambda: module(*self.args)]

    def own_graphs(self, **how):
        """Compiled calls that PyTorch captures and launches: they compile, warm up and record here."""
        calls, begin = self.compiled(**how), self.torch.compiler.cudagraph_mark_step_begin

        def run():
            begin()
            for call in calls:
                self.result = call()

        for _ in range(3):
            run()
        return run

    # Graphs.

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

    def draws_random_numbers(self):
        generator = self.torch.cuda.default_generators[self.device.index]
        before = generator.get_offset()
        self.run_eagerly()
        return generator.get_offset() != before

    def replay(self):
        self.graphs[0].replay()
        self.result = self.static

    # Checks.

    def fill(self, seed):
        torch = self.torch
        self.result = None

        def order_of(tensor):
            random = torch.Generator(device=tensor.device).manual_seed(seed)
            return torch.randperm(tensor.numel(), generator=random, device=tensor.device)

        with torch.inference_mode():
            self.kept.put_back(order_of)
        torch.manual_seed(seed)
        self.synchronize()

    def outputs(self):
        torch = self.torch
        from torch.utils import _pytree

        result = self.static if self.result is None else self.result
        leaves = _pytree.tree_flatten(result)[0]
        if self.result is None and self.pieces:
            made = _pytree.tree_flatten(self.pieces.results())[0]
            leaves = [made[place] for place in self.places]
        tensors = [(str(i), leaf) for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        for optimizer in self.found.optimizers:
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
        facts = {"torch": self.torch.__version__, **self.facts}
        if busy := self.threads.busy():
            facts["busy_threads"] = ", ".join(busy)
        if self.on_cuda:
            facts["max_memory_allocated"] = self.torch.cuda.max_memory_allocated(self.device)
        if "torch._dynamo" in sys.modules:
            for group, counts in sys.modules["torch._dynamo"].utils.counters.items():
                if group not in ("graph_break", "unimplemented"):  # whose names are paragraphs
                    facts.update({f"{group}.{name}": count for name, count in counts.items()})
        return json.dumps(facts).encode()


def device_of(torch, uuid):
    for index in range(torch.cuda.device_count()):
        if f"GPU-{torch.cuda.get_device_properties(index).uuid}" == uuid:
            return torch.device("cuda", index)
    raise RuntimeError(f"PyTorch sees no device {uuid}: does CUDA_VISIBLE_DEVICES hide it?")


class Host:
    """The C record of the user's step, and its functions."""
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
            OPEN(self.open), PARTS(self.parts), RUN(self.run), CAPTURE(self.capture), FILL(self.fill),
            OUTPUTS(self.outputs), REPORT(self.report), CLOSE(self.close), None)
        self.list = (ctypes.POINTER(StepRecord) * 1)(ctypes.pointer(self.record))
        self.plugin = Plugin(ctypes.sizeof(Plugin), ABI_VERSION, b"torch", versions(torch, file).encode(),
                             None, None, 0, 0, None, 0, 1, self.list)

    def told(self, error, reason, size):
        text = reason_of(error, self.file)
        if isinstance(error, Skip):
            text = str(error)
        bytes_ = text.encode()[:size - 1] + b"\0"
        ctypes.memmove(reason, bytes_, len(bytes_))
        return SKIP if isinstance(error, Skip) else 1

    def checked(self, work, reason, size):
        try:
            work()
            return 0
        except BaseException as error:  # noqa: BLE001 - it crosses into C
            return self.told(error, reason, size)

    def open(self, request, step, reason, size, _):
        def make():
            made = Step(self.torch, self.build, request.contents, self.file)
            made.prepare()
            gc.disable()  # until the process ends: a collection in a sample would be timed
            gc.collect()
            self.last += 1
            self.steps[self.last] = made
            step[0] = self.last

        return self.checked(make, reason, size)

    def parts(self, step, kinds, capacity, reason, size):
        parts = self.steps[step].parts
        for index, kind in enumerate(parts[:capacity]):
            kinds[index] = kind
        return len(parts)

    def run(self, step, part, reason, size):
        return self.checked(lambda: self.steps[step].runs[part](), reason, size)

    def capture(self, step, part, graph, reason, size):
        def lend():
            graph[0] = self.steps[step].lend(part)

        return self.checked(lend, reason, size)

    def fill(self, step, seed, reason, size):
        return self.checked(lambda: self.steps[step].fill(seed), reason, size)

    def outputs(self, step, outputs, reason, size):
        try:
            count, array = self.steps[step].outputs()
            outputs[0] = ctypes.cast(array, ctypes.POINTER(Output))
            return count
        except BaseException as error:  # noqa: BLE001
            self.told(error, reason, size)
            return -1

    def report(self, step):
        self.text = ctypes.create_string_buffer(self.steps[step].report())
        return ctypes.addressof(self.text)

    def close(self, step):
        self.steps.pop(step, None)


def versions(torch, file):
    """Those of torch and of the packages that the step file imports anywhere by their own name: for resume,
    history and comparison."""
    tree = ast.parse(pathlib.Path(file).read_bytes())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
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
        raise LookupError(f"{file} has no function {function}")
    return build


def doctor(torch, file, function, batch, device, output):
    """`graphbench doctor`: no worker and no plan, and its own stream."""
    try:
        build = load(file, function)
    except LookupError as error:
        if type(error) is not LookupError:  # the step file's own
            raise
        print(f"graphbench: --torch: {error}", file=sys.stderr)
        return 2
    index = int(device.partition(":")[2] or 0)
    if device == "host" or index >= torch.cuda.device_count():
        print(f"graphbench: --device: {device} has no GPU that PyTorch {torch.__version__} sees, and "
              "only one shows what stops a capture", file=sys.stderr)
        return 2
    uuid, stream = f"GPU-{torch.cuda.get_device_properties(index).uuid}", torch.cuda.Stream(index)
    request = Request(place=ON_CUDA, batch=batch, mode=b"whole", cuda_stream=stream.cuda_stream,
                      device_uuid=uuid.encode())
    with contextlib.redirect_stdout(sys.stderr):
        step = Step(torch, build, request, file)
    return examine(torch, step, batch, output)


def main(role, parent, file, function, *more):
    if str(os.getppid()) != parent:
        sys.exit(f"graphbench: a wrapper started {sys.executable}: give --python the interpreter itself")
    sys.modules["graphbench"] = sys.modules["__main__"]  # for the step file
    try:
        import torch
    except ImportError as error:
        sys.exit(f"graphbench: {sys.executable} has no torch ({error}): name one that has with --python")
    if role == "--doctor":
        batch, device, output = more
        try:
            code = doctor(torch, file, function, int(batch), device, output)
        except Exception as error:  # noqa: BLE001 - the user's
            sys.exit(f"graphbench: {reason_of(error, file)}")
        sys.stdout.flush()
        os._exit(code)
    library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parents[1] / "libgraphbench_step.so"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            host = Host(torch, file, function)
    except Exception as error:  # noqa: BLE001 - the user's
        sys.exit(f"graphbench: {reason_of(error, file)}")
    code = library.graphbench_child(role.encode(), parent.encode(), ctypes.byref(host.plugin),
                                    f"{file}:{function}".encode())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # without Python's end, which the driver's may not survive


if __name__ == "__main__":
    main(*sys.argv[1:])
