#!/usr/bin/env python3
"""Systems of PyTorch that are answered by running them: callables with their backward (callables.py),
compiled autograd (backward.py), artifacts compiled ahead of time (packaged.py). Sweeps each step, side by
side, and judges what its document says.

    systems.py OUTPUT_FOLDER [--graphbench BINARY] [--python PYTHON] [--step NAME,...] [--lanes N]

OUTPUT_FOLDER gets systems_STEP.json and .log. Exit codes: 0 all is right; 1 something is not; 2 bad usage."""

import argparse
import json
import os
import pathlib
import sys

import lanes

HERE = pathlib.Path(__file__).resolve().parent
API = "torch.cuda.make_graphed_callables refuses: "
TRACED, GRAPHS = {"compiled_autograd.captures": 1}, "torch.cudagraphs"


def graphs(forward, backward, replayed):
    return {"forward_graphs": forward, "backward_graphs": backward, "graphs_replayed": replayed,
            "graphed_kernels": min(replayed, 1)}


# By step, what the judged mode must say. Numbers: at least so much, of library and records. Words: of the
# reason. None: it is only printed. Other modes must be ok.
CALLABLES = {
    "one": graphs(1, 0, 1), "loop": graphs(3, 3, 6), "functions": graphs(2, 2, 4),
    "evaluation": graphs(2, 2, 2), "train_graphed_eval_run": graphs(2, 2, 0),
    "train_and_eval": graphs(2, 2, 4), "input_gradients": graphs(2, 2, 4), "unasked_gradients": "grad",
    "hooked": API + "Modules must not have hooks", "trained_buffer": API, "twice": "once_differentiable",
    "unused": API, "unused_allowed": graphs(1, 1, 2)}
BACKWARD = {
    "scalars": {**TRACED, "compiled_autograd.moved_scalars": 1, "graphed_kernels": 1},
    "two_losses": {"compiled_autograd.captures": 2}, "tensor_hooks": TRACED, "node_hooks": TRACED,
    "module_hooks": TRACED, "saved_tensors": TRACED, "callbacks": TRACED, "views": TRACED,
    "built_in_hooks": TRACED, "several": TRACED}  # PyTorch 2.6 has not the last three
PACKAGED = {"package": None, "library": None}  # PyTorch 2.11's loaders end by SIGSEGV on an H200
AUTOGRAD = ("--torch-compiled-autograd", "off,on")
# By file and step: modes, the mode that is judged and how, more options.
CASES = {f"packaged.py:{name}": ("eager,whole", "whole", right, ()) for name, right in PACKAGED.items()}
CASES["steps.py:train_mlp"] = (f"eager,{GRAPHS},torch.reduce-overhead", GRAPHS, TRACED, AUTOGRAD)
CASES |= {f"callables.py:{name}": (f"eager{',whole' * (name == 'loop')},torch.callables", "torch.callables",
                                   right, ()) for name, right in CALLABLES.items()}
CASES |= {f"backward.py:{name}": (f"eager,{GRAPHS}", GRAPHS, right, AUTOGRAD)
          for name, right in BACKWARD.items()}


def numbers_of(cell):
    """What a cell says in numbers, by the names of this file."""
    found = {f"graph.{name}": value for name, value in (cell.get("graph") or {}).items()}
    found |= {**(cell.get("records") or {}), **(cell.get("library") or {})}
    return {name: float(value) for name, value in found.items()
            if str(value).replace(".", "", 1).isdigit()}


def faults_of(cell, right):
    """What is wrong with a judged cell, in words."""
    if right is None:
        return []
    if isinstance(right, str):
        said = "" if cell["status"] == "ok" else cell["reason"]["message"]
        refused = "skipped" if "refuses" in right or right == "once_differentiable" else "failed"
        return [] if right in said and cell["status"] == refused else [f"{cell['status']}, without '{right}'"]
    if cell["status"] != "ok":
        return [cell["status"]]
    have = numbers_of(cell)
    return [f"{name} is {have.get(name)}, not {least}" for name, least in right.items()
            if have.get(name, 0) < least]


def row_of(cell):
    if cell["status"] != "ok":
        return f"{cell['status']}: {' '.join(cell['reason']['message'].split())[:260]}"
    have, interesting = numbers_of(cell), ("kernels", "nodes", "_graphs", "replayed", "compiled_autograd.")
    counts = ", ".join(f"{name} {value:g}" for name, value in have.items()
                       if name.endswith(interesting[:4]) or name.startswith(interesting[4]))
    skips = "; ".join(skip["words"][:70] for skip in cell.get("capture_skips") or [])
    check = "" if cell["check"]["identical"] else f" [{cell['check'].get('tolerated') or 'not identical'}]"
    return f"{1e6 * cell['summary']['latency_seconds']['p50']:.1f} us, {counts} ({skips}){check[:130]}"


def judge(step, path):
    """Prints a line for each cell. Returns the number of wrong ones."""
    _, judged, right, more = CASES[step]
    wrong = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        on = cell["id"].endswith("torch-compiled-autograd=on")
        asked = cell["mode"] == judged and (on or not more)
        printed = right is None or not asked and (on or cell["mode"] == judged)
        faults = faults_of(cell, None if printed else right if asked else {})
        wrong += bool(faults)
        print(f"{'wrong' if faults else 'right' if asked else '     '} {step} {cell['mode']}{' +ca' * on}: "
              f"{row_of(cell)} {'; '.join(faults)}")
    return wrong


def main():
    parser = argparse.ArgumentParser(prog="systems.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUTPUT_FOLDER")
    parser.add_argument("--graphbench", default="graphbench", help="the binary (default: on PATH)")
    parser.add_argument("--python", default="python3", help="the interpreter that has torch")
    parser.add_argument("--step", default=",".join(["packaged.py", *CASES]), help="(default: all)")
    parser.add_argument("--lanes", type=int, default=7, help="sweeps side by side")
    parser.add_argument("--limit", type=int, default=150, help="seconds of a step")
    parser.add_argument("--seconds", type=int, default=350, help="seconds of all")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "2")  # each sweep has its own

    def one(step, cpu, limit):
        log = arguments.folder / f"systems_{step.partition(':')[2] or 'packaged'}.log"
        if step == "packaged.py":
            lanes.exit_code([arguments.python, "-B", str(HERE / step)], log, arguments.seconds)
            return ""  # it is only printed, as PACKAGED are
        modes, _, _, more = CASES[step]
        command = [arguments.graphbench, "--sweep", "--torch", f"{HERE}/{step}", "--python", arguments.python,
                   "--device", "cuda", "--batch", "8", "--mode", modes, *more, "--launches", "1",
                   "--time-per-cell", "0.03", "--worker-timeout", "100", "--cpu", str(cpu), "--json",
                   f"{log.stem}.json"]
        return lanes.ended(command, log, limit)

    wrong, names = 0, arguments.step.split(",")
    for step, why in lanes.side_by_side(names, one, arguments).items():
        path = arguments.folder / f"systems_{step.partition(':')[2]}.json"
        if step == "packaged.py":
            print((arguments.folder / "systems_packaged.log").read_text(encoding="utf-8", errors="replace"))
        elif path.exists():
            wrong += judge(step, path)
        if why or step != "packaged.py" and not path.exists():
            print(f"wrong {step}: {why or 'no document'}")
            wrong += 1
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
