#!/usr/bin/env python3
"""A model that PyTorch compiled ahead of time (AOTInductor), as a step; and the forms in which it loads.

    graphbench --sweep --torch tests/torch/packaged.py:package --batch 8 --mode eager,whole
    packaged.py [--device cpu] [--form NAME,...]  # which forms load, run, are captured, each in a process

Exit codes of the second: 0 some form runs and is captured (on a CPU: runs); 1 none does; 2 bad usage."""

import argparse
import concurrent.futures
import contextlib
import ctypes
import functools
import glob
import inspect
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

WIDTH = 256


def model(device):
    import torch

    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU(),
                               torch.nn.Linear(WIDTH, WIDTH)).to(device).eval().requires_grad_(False)


def given(batch, device):
    import torch

    return torch.randn(batch, WIDTH, device=device)


def toolkit():
    """The compiler of the artifact wants CUDA's headers: a toolkit's, or those of NVIDIA's packages."""
    import torch

    wheels = sorted(glob.glob(f"{pathlib.Path(torch.__file__).parents[1]}/nvidia/cu1*"))
    if "CUDA_HOME" not in os.environ and not os.path.isdir("/usr/local/cuda") and wheels:
        os.environ["CUDA_HOME"] = wheels[-1]


class Given(dict):
    """Options of the compiler, whose names begin with aot_inductor."""

    def __init__(self, **options):
        super().__init__({f"aot_inductor.{name}": value for name, value in options.items()})


def weightless(device):
    """The model with its weights among the inputs, and these."""
    import torch

    class Weightless(torch.nn.Module):
        def forward(self, x, first, first_bias, second, second_bias):
            hidden = torch.nn.functional.gelu(torch.nn.functional.linear(x, first, first_bias))
            return torch.nn.functional.linear(hidden, second, second_bias)

    return Weightless(), [each.detach() for each in model(device).parameters()]


def compile_package(folder, batch, device, options):
    import torch

    toolkit()
    made, weights = weightless(device) if options is None else (model(device), [])
    exported = torch.export.export(made, (given(batch, device), *weights))
    return torch._inductor.aoti_compile_and_package(exported, package_path=f"{folder}/model.pt2",
                                                    inductor_configs=options)


def compile_library(folder, batch, device, options):
    import torch

    toolkit()
    return torch._export.aot_compile(model(device), (given(batch, device),),
                                     options={**options, **Given(output_path=f"{folder}/model.so")})


# What takes an artifact, as people load it. `apart`: without the logic for several threads, which waits for
# events in a way that no capture allows.


def taken(load, path, *more, **apart):
    accepted = inspect.signature(load).parameters
    return load(path, *more, **{name: value for name, value in apart.items() if name in accepted})


def load_package(path, device):
    import torch

    return taken(torch._inductor.aoti_load_package, path)


def load_apart(path, device):
    import torch

    return taken(torch._inductor.aoti_load_package, path, run_single_threaded=True)


def load_weightless(path, device):
    run, (_, weights) = load_apart(path, device), weightless(device)
    return lambda x: run(x, *weights)


def load_by_loader(path, device):
    """The class beneath, which aoti_load_package asks after others."""
    import torch

    loader = torch._C._aoti.AOTIModelPackageLoader(path, "model", *((True, 1, -1) if device != "cpu" else ()))
    return lambda *inputs: loader.run(list(inputs))[0]


def runner_of(path, device, kernels=""):
    import torch

    runner = getattr(torch._C._aoti, f"AOTIModelContainerRunner{torch.device(device).type.capitalize()}")
    try:
        made = runner(path, 1, *(("cuda", kernels, True) if device != "cpu" else ()))
    except TypeError:  # a PyTorch whose runner cannot be asked to run apart
        made = runner(path, 1, "cuda", kernels)
    return lambda *inputs: made.run(list(inputs))[0]


def load_library(path, device):
    import torch

    return torch._export.aot_load(path, device)


def load_by_runner(path, device):
    return runner_of(path, device)


def load_unpacked(path, device):
    """The library in a package, without its loader."""
    with zipfile.ZipFile(path) as package:
        package.extractall(os.path.dirname(path))
    library, = glob.glob(f"{os.path.dirname(path)}/**/*.so", recursive=True)
    ctypes.CDLL(library)
    print("opens", flush=True)
    return runner_of(library, device, os.path.dirname(library))


ARTIFACTS = {"package": (compile_package, Given()), "library": (compile_library, Given()),
             "weightless": (compile_package, None),
             "mapped": (compile_package, Given(force_mmap_weights=True)),
             "cached": (compile_package, Given(weight_use_caching_allocator=True)),
             "unlinked": (compile_package, Given(link_libtorch=False)),
             "plain": (compile_package, Given(debug_compile=True, debug_symbols=True)),
             "by-c": (compile_package, Given(use_consts_asm_build=False)),
             "embedded": (compile_package, Given(embed_kernel_binary=True))}
# By name: the artifact, what loads it, and what the process did before: nothing with the device, a tensor, a
# run of the model, or the compilation.
FORMS = {"package": ("package", load_package, "tensor"),
         "package-first": ("package", load_apart, "nothing"),
         "package-apart": ("package", load_apart, "tensor"),
         "package-warm": ("package", load_apart, "run"),
         "package-in-one": ("package", load_apart, "compiled"),
         "package-by-loader": ("package", load_by_loader, "tensor"),
         "package-unpacked": ("package", load_unpacked, "tensor"),
         "library": ("library", load_library, "tensor"),
         "library-by-runner": ("library", load_by_runner, "tensor"),
         "weightless": ("weightless", load_weightless, "tensor"),
         **{name: (name, load_apart, "tensor") for name in list(ARTIFACTS)[3:]}}


@functools.cache
def loaded(form, batch, device):
    """Compiles once per process and batch: a second build would be another artifact."""
    artifact, load, _ = FORMS[form]
    compile_, options = ARTIFACTS[artifact]
    return load(compile_(tempfile.mkdtemp(prefix="graphbench-packaged-"), batch, device, options), device)


def step_of(form):
    def build(batch, device):
        run, x = loaded(form, batch, str(device).partition(":")[0]), given(batch, device)
        return lambda: run(x)

    return build


package = step_of("package-apart")
library = step_of("library-by-runner")


# --- each form in a process of its own ----------------------------------------------------------------------


def child(name, folder, device, compiles):
    """Compiles an artifact, or loads one that another process compiled. Prints how far it came."""
    import faulthandler

    import torch

    faulthandler.enable()
    if compiles:
        compile_, options = ARTIFACTS[name]
        pathlib.Path(folder, "path").write_text(compile_(folder, 8, device, options), encoding="utf-8")
        return
    artifact, load, before = FORMS[name]
    path = pathlib.Path(folder, "path").read_text(encoding="utf-8")
    torch.manual_seed(2)
    x = given(8, device) if before != "nothing" else None
    if before == "run":
        model(device)(x)
    if before == "compiled":
        compile_, options = ARTIFACTS[artifact]
        path = compile_(tempfile.mkdtemp(prefix="graphbench-packaged-"), 8, device, options)
    run = load(path, device)
    print("loads", flush=True)
    x = given(8, device) if x is None else x
    out, right = run(x), model(device)(x)
    if device != "cpu":
        torch.cuda.synchronize()
    print("runs", "right" if torch.allclose(out, right, rtol=1e-2, atol=1e-2) else "WRONG", flush=True)
    if device == "cpu":
        return
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = run(x)
    x.mul_(2)
    graph.replay()
    torch.cuda.synchronize()
    right = torch.allclose(out, model(device)(x), rtol=1e-2, atol=1e-2)
    print("captures", "right" if right else "WRONG", flush=True)


def ended(*arguments):
    """What a child printed, and how it ended; by a signal: with its frames, where a debugger is."""
    command = [sys.executable, "-B", __file__, "--child", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    except subprocess.TimeoutExpired:
        return [], "not done after 150 s"
    code, said = done.returncode, done.stdout.splitlines()
    if code >= 0:
        last = (done.stderr.strip().splitlines() or [""])[-1][:250]
        return said, code and f"exit code {code}: {last}" or ""
    words = [line for line in done.stderr.splitlines() if not line.startswith(("  File", "Extension"))][-6:]
    why = f"{signal.Signals(-code).name} behind '{(said or ['the start'])[-1]}': {' | '.join(words)[:500]}"
    if debugger := shutil.which("gdb") or shutil.which("cuda-gdb"):
        words = ["-batch", "-nx", "-ex", "run", "-ex", "bt 16", "-ex", "info sharedlibrary cud", "--args"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            seen = subprocess.run([debugger, *words, *command], capture_output=True, text=True, timeout=100,
                                  check=False, stdin=subprocess.DEVNULL).stdout.splitlines()
            why += "".join(f"\n    {line[:180]}" for line in seen if line.startswith("#") or ".so" in line)
    return said, why


def main():
    parser = argparse.ArgumentParser(prog="packaged.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--form", default=",".join(FORMS), help="(default: all)")
    parser.add_argument("--lanes", type=int, default=6, help="processes side by side")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        name, folder, device, compiles = arguments.child
        return child(name, folder, device, compiles == "compiles")
    names = arguments.form.split(",")
    folders = {FORMS[name][0]: tempfile.mkdtemp(prefix="graphbench-packaged-") for name in names}
    device = arguments.device

    def tried(name):
        said, why = ended(name, folders[FORMS[name][0]], device, "loads")
        print(f"{name:18} {', '.join(said) or 'does not load'} {why}", flush=True)
        return not why and f"{'runs' if device == 'cpu' else 'captures'} right" in said

    with concurrent.futures.ThreadPoolExecutor(arguments.lanes) as pool:
        for artifact, (_, why) in zip(folders, pool.map(
                lambda each: ended(each, folders[each], device, "compiles"), folders)):
            print(f"{artifact:18} {why or 'compiles'}", flush=True)
        works = [name for name, good in zip(names, pool.map(tried, names)) if good]
    print(f"{len(works)} forms work: {', '.join(works)}")
    return int(not works)


if __name__ == "__main__":
    sys.exit(main())
