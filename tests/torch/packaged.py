#!/usr/bin/env python3
"""A model that PyTorch compiled ahead of time (AOTInductor), as a step; and the forms in which it loads.

    graphbench --sweep --torch tests/torch/packaged.py:package --batch 8 --mode eager,whole
    packaged.py [--device cpu] [--form NAME,...]  # which forms load, run, are captured, each in a process

Exit codes of the second: 0 some form runs and is captured (on a CPU: runs); 1 none does; 2 bad usage."""

import argparse
import functools
import glob
import inspect
import os
import pathlib
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


def compile_package(folder, batch, device):
    import torch

    toolkit()
    exported = torch.export.export(model(device), (given(batch, device),))
    return torch._inductor.aoti_compile_and_package(exported, package_path=f"{folder}/model.pt2")


def compile_library(folder, batch, device):
    import torch

    toolkit()
    return torch._export.aot_compile(model(device), (given(batch, device),),
                                     options={"aot_inductor.output_path": f"{folder}/model.so"})


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


def load_by_package(path, device):
    from torch._inductor.package import load_package

    return taken(load_package, path, run_single_threaded=True)


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
    return runner_of(library, device, os.path.dirname(library))


# By name: what compiles the artifact, what loads it, and what the process did before: nothing with the
# device, a tensor, a run of the model, or the compilation.
FORMS = {"package": (compile_package, load_package, "tensor"),
         "package-first": (compile_package, load_apart, "nothing"),
         "package-apart": (compile_package, load_apart, "tensor"),
         "package-apart-warm": (compile_package, load_apart, "run"),
         "package-in-one": (compile_package, load_apart, "compiled"),
         "package-by-package": (compile_package, load_by_package, "tensor"),
         "package-by-loader": (compile_package, load_by_loader, "tensor"),
         "package-unpacked": (compile_package, load_unpacked, "tensor"),
         "library": (compile_library, load_library, "tensor"),
         "library-by-runner": (compile_library, load_by_runner, "tensor"),
         "library-by-runner-warm": (compile_library, load_by_runner, "run")}


@functools.cache
def loaded(form, batch, device):
    """Compiles once per process and batch: a second build would be another artifact."""
    compile_, load, _ = FORMS[form]
    folder = tempfile.mkdtemp(prefix="graphbench-packaged-")
    return load(compile_(folder, batch, device), device)


def step_of(form):
    def build(batch, device):
        run, x = loaded(form, batch, str(device).partition(":")[0]), given(batch, device)
        return lambda: run(x)

    return build


package = step_of("package-apart")
library = step_of("library-by-runner")


# --- each form in a process of its own ----------------------------------------------------------------------


def child(form, folder, device, compiles):
    """Compiles an artifact, or loads one that another process compiled. Prints how far it came."""
    import faulthandler

    import torch

    faulthandler.enable()
    compile_, load, before = FORMS[form]
    if compiles:
        print("path", compile_(folder, 8, device), flush=True)
        return
    path = pathlib.Path(folder, "path").read_text(encoding="utf-8")
    torch.manual_seed(2)
    x = given(8, device) if before != "nothing" else None
    if before == "run":
        model(device)(x)
    if before == "compiled":
        path = compile_(tempfile.mkdtemp(prefix="graphbench-packaged-"), 8, device)
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
    """What a child printed, and how it ended."""
    try:
        done = subprocess.run([sys.executable, "-B", __file__, "--child", *arguments], capture_output=True,
                              text=True, timeout=150, check=False)
    except subprocess.TimeoutExpired:
        return [], "not done after 150 s"
    code = done.returncode
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    where = [line.strip() for line in done.stderr.splitlines() if line.strip().startswith("File ")][:2]
    last = (done.stderr.strip().splitlines() or [""])[-1][:150]
    return done.stdout.splitlines(), "" if code == 0 else f"{name}: {'; '.join(where) if code < 0 else last}"


def main():
    parser = argparse.ArgumentParser(prog="packaged.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--form", default=",".join(FORMS), help="(default: all)")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        form, folder, device, compiles = arguments.child
        return child(form, folder, device, compiles == "compiles")
    artifacts, works = {}, []
    for form in arguments.form.split(","):
        if (compile_ := FORMS[form][0]) not in artifacts:
            folder = artifacts[compile_] = tempfile.mkdtemp(prefix="graphbench-packaged-")
            said, why = ended(form, folder, arguments.device, "compiles")
            path = [line.removeprefix("path ") for line in said if line.startswith("path ")]
            print(f"{compile_.__name__}: {path[0] if path else why}", flush=True)
            pathlib.Path(folder, "path").write_text((path or [""])[0], encoding="utf-8")
        said, why = ended(form, artifacts[compile_], arguments.device, "loads")
        print(f"{form:24} {', '.join(said) or 'does not load'} {why}", flush=True)
        if f"{'runs' if arguments.device == 'cpu' else 'captures'} right" in said and not why:
            works.append(form)
    print(f"{len(works)} forms work: {', '.join(works)}")
    return int(not works)


if __name__ == "__main__":
    sys.exit(main())
