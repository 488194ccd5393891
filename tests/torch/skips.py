#!/usr/bin/env python3
"""Ten little steps of which torch's own modes take all into graphs, a part, or nothing. Sweeps each, side by
side, and judges what is said of it: the share, the reason, the line, the gain, and the stages of opening.

    skips.py OUTPUT_FOLDER [--graphbench BINARY] [--python PYTHON] [--step NAME,...] [--lanes N]

OUTPUT_FOLDER gets skips_STEP.json and .log. Exit codes: 0 all is right; 1 something is wrong; 2 bad usage."""

import argparse
import json
import pathlib
import sys

import torch

import lanes

HERE = pathlib.Path(__file__).resolve().parent
MODES = ("torch.cudagraphs", "torch.reduce-overhead")


class Module(torch.nn.Module):
    """torch.callables wants a module, and the other modes compile it."""

    def __init__(self, function, device):
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.function = torch.nn.Linear(64, 64).to(device).requires_grad_(False), function
        self.on_host, self.state = [torch.ones(64)], [torch.zeros(64, device=device)]  # no buffers

    def forward(self, x):
        return self.function(self, x)


def made(function):
    def build(batch, device):
        return Module(function, device), (torch.randn(batch, 64, device=device),)

    return build


def in_place(tensor, value):
    tensor.add_(value)
    return tensor


plain = made(lambda on, x: torch.relu(on.linear(x)) @ on.linear.weight)
cpu = made(lambda on, x: torch.relu(on.linear(x)) * on.on_host[0][0])
mutated = made(lambda on, x: on.linear(in_place(x, 1)))
mutated_state = made(lambda on, x: on.linear(x) + in_place(on.state[0], 1))
nonzero = made(lambda on, x: on.linear(x)[torch.nonzero(x[:, 0] > -9).squeeze(1)])
item = made(lambda on, x: on.linear(x) * x.shape[0] + x.sum().item() * 0)
sort = made(lambda on, x: torch.sort(on.linear(x))[0])
dropout = made(lambda on, x: torch.nn.functional.dropout(on.linear(x), 0.5, True))
cpu_result = made(lambda on, x: (on.linear(x), torch.ones(3)))
unique = made(lambda on, x: torch.unique(on.linear(x)))

# What ran in graphs with torch 2.11 on an H200, and why not all of it. `any`: torch itself fails here.
RIGHT = {"plain": ("all", "all"), "cpu": ("none cpu_device", "any"), "mutated": ("all", "none mutated_input"),
         "mutated_state": ("all", "all"), "nonzero": ("part dynamic_shape",) * 2,
         "item": ("part incompatible_op",) * 2, "sort": ("all", "all"), "dropout": ("all", "any"),
         "cpu_result": ("none cpu_device unplaced", "all"), "unique": ("part dynamic_shape",) * 2}


def modes_of(name):
    """torch.callables takes what whole would: one step shows that it is counted."""
    return ["eager", *MODES, *(["torch.callables"] if name == "plain" else [])]


def said_of(cell):
    """What the document says: which part ran in graphs, and why not all of it."""
    if cell["status"] != "ok":
        return cell["status"]
    graphed, kernels = (cell["records"][name] for name in ("graphed_kernels", "kernels"))
    return "none" if graphed == 0 else "all" if graphed == kernels else "part"


def faults_of(cell, eager, right):
    """What is wrong with a cell, in words."""
    if cell["status"] != "ok":
        return [] if right == "any" else [f"{cell['reason']['code']}: {cell['reason']['message'][:150]}"]
    part, reason, place = (*right.split(), "", "")[:3]  # unplaced: torch names no line
    said, summary, skips = said_of(cell), cell["summary"], cell.get("capture_skips") or []
    faults = [f"{said} of the kernels ran in graphs"] if right != "any" and said != part else []
    if reason and reason not in [skip["reason"] for skip in skips]:
        faults.append(f"the reason is not {reason}")
    if reason and not any((skip["line"] or "").startswith("skips.py:")
                          for skip in skips) and part == "none" and not place:
        faults.append("no line of skips.py")
    if said == "none" and (summary["speedup_over_eager"] is not None
                           or summary.get("no_breakeven") != "no graph"):
        faults.append("a gain without a graph")
    if said == "all" and summary["speedup_over_eager"] is None:
        faults.append("no gain in spite of a graph")
    setup, mode = cell["launches"][0]["setup"], cell["mode"]
    wanted = {"record_seconds"} | ({"compile_seconds"} if mode != "torch.callables" else set())
    faults += [f"setup has no {name}" for name in wanted if not setup.get(name)]
    told = sum(setup.get(name) or 0 for name in ("compile_seconds", "record_seconds"))
    if (summary["setup_cost_seconds"] or 0) < told:
        faults.append(f"the cost that is paid back, {summary['setup_cost_seconds']}, lacks the {told:.3g} s")
    if mode == "torch.reduce-overhead" and setup.get("compiled_from") != "cold":
        faults.append(f"compiled from {setup.get('compiled_from')}")
    if eager["launches"][0]["setup"].get("compile_seconds"):
        faults.append("eager compiles")
    return faults


def judge(name, path):
    """Prints a line for each cell. Returns the number of wrong ones."""
    cells = {cell["mode"]: cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}
    wrong = 0
    for mode, right in zip(modes_of(name)[1:], (*RIGHT[name], "all")):
        cell = cells[mode]
        faults = faults_of(cell, cells["eager"], right)
        wrong += bool(faults)
        records, setup = cell.get("records") or {}, (cell.get("launches") or [{}])[0].get("setup", {})
        stages = ", ".join(f"{stage} {setup[f'{stage}_seconds']:.3g}s"
                           for stage in ("build", "compile", "record", "open")
                           if setup.get(f"{stage}_seconds"))
        skips = "; ".join(f"{skip['reason']} at {skip['line'] or '-'}: {skip['words'][:60]}"
                          for skip in cell.get("capture_skips") or [])
        print(f"{'wrong' if faults else 'right'} {name} {mode}: {said_of(cell)} "
              f"({records.get('graphed_kernels')} of {records.get('kernels')}) [{skips}] {stages} "
              f"{setup.get('compiled_from', '')} even {cell['summary'].get('breakeven_steps')} "
              f"{'; '.join(faults)}")
    return wrong


def main():
    parser = argparse.ArgumentParser(prog="skips.py", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUTPUT_FOLDER")
    parser.add_argument("--graphbench", default="graphbench", help="the binary (default: on PATH)")
    parser.add_argument("--python", default="python3", help="the interpreter that has torch")
    parser.add_argument("--step", default=",".join(RIGHT))
    parser.add_argument("--lanes", type=int, default=10, help="sweeps side by side")
    parser.add_argument("--limit", type=int, default=120, help="seconds of a step")
    parser.add_argument("--seconds", type=int, default=240, help="seconds of all")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)

    def sweep(name, cpu, limit):
        command = [arguments.graphbench, "--sweep", "--torch", f"{HERE}/skips.py:{name}", "--python",
                   arguments.python, "--device", "cuda", "--batch", "8", "--mode", ",".join(modes_of(name)),
                   "--launches", "1", "--time-per-cell", "0.03", "--worker-timeout", "60", "--cpu", str(cpu),
                   "--json", f"skips_{name}.json"]
        return lanes.ended(command, arguments.folder / f"skips_{name}.log", limit)

    wrong = 0
    names = arguments.step.split(",")
    for name, why in lanes.side_by_side(names, sweep, arguments).items():
        path = arguments.folder / f"skips_{name}.json"
        if why or not path.exists():
            print(f"wrong {name}: {why or 'no document'}")
            wrong += 1
        else:
            wrong += judge(name, path)
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
