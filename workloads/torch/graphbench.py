"""PyTorch's side of graphbench, which starts this file with the interpreter of --python. Builds a user's step
and hands its parts to the worker as C callbacks. A step file's `import graphbench` gives the package."""

import ast
import contextlib
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
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))  # python -I and -P omit this folder

import graphbench_facts  # noqa: E402, F401 - before torch, because it counts collections of garbage

if __name__ == "__main__" and str(os.getppid()) != sys.argv[2]:
    sys.exit(f"graphbench: a wrapper started {sys.executable}: give --python the interpreter itself")
try:
    import torch
except ImportError as missing:
    sys.exit(f"graphbench: {sys.executable} has no torch ({missing}): name one that has with --python")

if tuple(map(int, re.findall(r"\d+", torch.__version__)[:2])) < (1, 13):
    sys.exit(f"graphbench: PyTorch {torch.__version__} of {sys.executable} is too old: 1.13 is the least; "
             "name another interpreter with --python")

import graphbench_abi as abi  # noqa: E402
import graphbench_package  # noqa: E402
from graphbench_abi import Refusal, Skip, reason_of  # noqa: E402
from graphbench_doctor import examine  # noqa: E402
from graphbench_doctor_host import examine_on_host, is_without_gpu  # noqa: E402
from graphbench_graphed import FreshCache  # noqa: E402
from graphbench_modules import run_by_modules  # noqa: E402
from graphbench_rows import rows_of  # noqa: E402
from graphbench_state import unfrozen  # noqa: E402
from graphbench_step import Step, in_ranks  # noqa: E402


def leave_ranks():
    """Gives up all graphs before the communicators: NCCL waits for graphs that hold its collectives."""
    if in_ranks():
        if dynamo := sys.modules.get("torch._dynamo"):
            dynamo.reset()
        if trees := sys.modules.get("torch._inductor.cudagraph_trees"):
            trees.reset_cudagraph_trees()
        unfrozen()
        torch.distributed.destroy_process_group()


class Host:
    """The C record of the user's step, and its functions."""
    leaves_garbage = False  # a step that was closed or did not open, and the garbage may be frozen
    stacks = None  # the file from which --ranks reads what this process does
    MODES = (b"whole", b"piecewise", b"torch.replay", b"torch.cudagraphs", b"torch.reduce-overhead",
             b"torch.callables")

    def __init__(self, file, function):
        self.file, self.build = file, load(file, function)
        self.steps, self.last = {}, None  # by address, which is the step's handle in C
        path = pathlib.Path(file)
        example = path.parent == pathlib.Path(__file__).resolve().parent / "examples"
        name = f"example-{path.stem}" if example else f"{path.stem}-{function}"
        name = re.sub(r"[^a-z0-9_-]", "_", name.lower())[:58]
        name = name if name[:1].isalpha() else f"step-{name}"
        self.record = abi.StepRecord(
            ctypes.sizeof(abi.StepRecord), len(self.MODES), name.encode(), b"a step that PyTorch runs",
            (ctypes.c_char_p * len(self.MODES))(*self.MODES),
            abi.OPEN(lambda *given: self.answer(self.open)(*given[:-1])),
            abi.PARTS(self.answer(Step.lend_kinds)), abi.RUN(self.run),
            abi.CAPTURE(self.answer(Step.lend_graph)), abi.FILL(), abi.OUTPUTS(), abi.REPORT(self.report),
            abi.CLOSE(self.close), None,
            abi.STATE(self.answer(Step.lend_state)), abi.CHECK(self.answer(Step.check)),
            abi.ROWS(self.answer(lambda step, lent: rows_of(step).lend(lent), counts=True)),
            abi.NARROW(self.answer(lambda step, rows: rows_of(step).narrow(rows))),
            abi.DROP(self.answer(Step.drop)), abi.BY_MODULES(self.answer(run_by_modules)))
        self.plugin = abi.Plugin(
            ctypes.sizeof(abi.Plugin), abi.VERSION, b"torch", versions(file).encode(), step_count=1,
            steps=ctypes.pointer(ctypes.pointer(self.record)))

    def step(self, request):
        return Step(self.build, request, self.file)

    def answer(self, work, counts=False):
        """Makes a function for C: an exception becomes a code, and a line in the caller's buffer. One that
        `counts` fails with a negative number."""
        def call(*given):
            *given, reason, size = given
            try:
                return work(*given) or 0
            except BaseException as error:  # noqa: BLE001 - it crosses into C
                code = self.tell(error, reason, size)
                return -abs(code) if counts else code

        return call

    def tell(self, error, reason, size):
        """Writes the reason. Raises nothing: what a callback returns to C after an exception is arbitrary."""
        skips = isinstance(error, Skip)
        try:
            text = str(error) if skips else reason_of(error, self.file)
        except BaseException as another:  # noqa: BLE001 - an exception whose text cannot be made
            text = f"{type(error).__name__}, whose text cannot be made ({type(another).__name__})"
        encoded = text.encode(errors="backslashreplace")[:size - 1] + b"\0"
        ctypes.memmove(reason, encoded, len(encoded))
        return abi.SKIP if skips else abi.FAILED

    def report(self, step):
        try:
            return step.report()
        except BaseException as error:  # noqa: BLE001 - it crosses into C
            said = json.dumps({"report": reason_of(error, self.file)})
            self.text = ctypes.create_string_buffer(said.encode())
            return ctypes.addressof(self.text)

    def run(self, step, part, reason, size):
        """Runs a part of the step. This is timed, so it does not go through the wrapper of answer()."""
        try:
            step.runs[part]()
            return 0
        except BaseException as error:  # noqa: BLE001 - it crosses into C
            return self.tell(error, reason, size)

    def close(self, step):
        """What a step had that gave up its graphs while sizes are served is to be free for the next."""
        made = self.steps.pop(id(step), None)
        self.leaves_garbage = True
        if made is not None and made.serves and made.has_dropped:
            vars(made).clear()  # who calls holds the step itself until this returns
            unfrozen()
            torch.cuda.empty_cache()

    def open(self, request, step):
        if self.leaves_garbage:
            unfrozen()
        self.leaves_garbage = True  # until this one stands
        made = self.step(request.contents)
        made.prepare()
        self.leaves_garbage = False
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
    if spec is None:
        raise Refusal(f"--torch: {file} is no Python file: its name must end with .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(pathlib.Path(file).parent))
    ours, sys.argv = sys.argv, [file]  # a step file that reads arguments must not read ours
    try:
        spec.loader.exec_module(module)
    finally:
        sys.argv = ours
    build = getattr(module, function, None)
    if not callable(build):
        raise Refusal(f"--torch: {file} has no function {function}")
    return build


def main(role, parent, file, function, *more):
    sys.modules["graphbench"] = graphbench_package  # the step file may import it
    graphbench_package.in_worker = True
    if "GRAPHBENCH_RANK_STACKS" in os.environ:
        Host.stacks = open(os.environ["GRAPHBENCH_RANK_STACKS"], "a")
        print("ready", file=Host.stacks, flush=True)
        faulthandler.register(signal.SIGUSR1, Host.stacks)
    if role != "--doctor":
        library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parents[1] / "libgraphbench_step.so"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            host = Host(file, function)
            code, words = 0, ""
            if role == "--doctor":
                code, words = (examine_on_host if is_without_gpu(more[1]) else examine)(host, *more)
    except Exception as error:  # noqa: BLE001 - the user's
        print(f"graphbench: {reason_of(error, file)}", file=sys.stderr)
        sys.exit(2 if isinstance(error, Refusal) else 1)
    sys.stdout.write(words)
    if role != "--doctor":
        code = library.graphbench_child(role.encode(), parent.encode(), ctypes.byref(host.plugin),
                                        f"{file}:{function}".encode())
        leave_ranks()
    sys.stdout.flush()
    sys.stderr.flush()
    FreshCache.remove()
    os._exit(code)  # skips Python's shutdown, after which the driver's shutdown may crash


if __name__ == "__main__":
    main(*sys.argv[1:])
