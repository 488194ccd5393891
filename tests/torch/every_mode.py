#!/usr/bin/env python3
"""Sweeps steps of steps.py in every mode, and writes a table: the latency of each, or why it has none.

    every_mode.py OUTPUT_FOLDER [--step NAME,...] [--batch LIST] [--lanes N] [--limit SECONDS]
    every_mode.py OUTPUT_FOLDER --table       # of the documents that are there

A step is a sweep of its own, with a time limit: a hang costs no other step. Sweeps run side by side,
because compilers take most of the time, so latencies are less certain than with `--lanes 1`. OUTPUT_FOLDER
gets modes_STEP.json and .log of each, and modes.md with the table. Exit codes: 0 every cell was measured,
or skipped because its mode cannot hold the step; 1 some failed or are missing; 2 bad usage."""

import argparse
import json
import pathlib
import sys

import lanes

HERE = pathlib.Path(__file__).resolve().parent
# Those that compile longest come first.
STEPS = ("train_bert,train_vit,resnet50,gpt2,bert,decode,vit,llama,train_mlp,marked,layers")
MODES = ("eager", "whole", "piecewise", "torch.cudagraphs", "torch.reduce-overhead", "torch.callables")


def run(names, arguments):
    """Each name's sweep, in lanes. Returns why a sweep may lack cells, by name."""

    def sweep(name, cpu, limit):
        command = [arguments.graphbench, "--sweep", "--torch", f"{HERE}/steps.py:{name}", "--python",
                   arguments.python, "--device", arguments.device, "--batch", arguments.batch, "--mode",
                   ",".join(MODES), "--torch-hide-capture", "on", "--time-per-cell", "0.05",
                   "--launches", "1", "--worker-timeout", "60", "--cpu", str(cpu), "--json",
                   f"modes_{name}.json"]
        return lanes.ended(command, arguments.folder / f"modes_{name}.log", limit)

    for name in names:
        (arguments.folder / f"modes_{name}.json").unlink(missing_ok=True)
    return lanes.side_by_side(names, sweep, arguments)


def duration(seconds):
    value, unit = (seconds * 1e6, "us") if seconds < 1e-3 else (seconds * 1e3, "ms")
    return f"{value:.3g} {unit}"


def measured(cell):
    summary = cell["summary"]
    text = duration(summary["latency_seconds"]["p50"])
    if summary["speedup_over_eager"] is not None and cell["mode"] != "eager":
        text += f", {summary['speedup_over_eager']:.2f}x"
    return text + ("*" if (cell.get("records") or {}).get("other_kernels") else "")


def table_of(names, folder, ended):
    """Lines of markdown, and how many cells are neither measured nor skipped by their mode."""
    lines = [["step", "batch", *MODES], ["---"] * (2 + len(MODES))]
    reasons, missing = {}, 0

    def reason(text):
        return f"[{reasons.setdefault(text, len(reasons) + 1)}]"

    for name in names:
        path = folder / f"modes_{name}.json"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []
        by_batch = {}
        for cell in cells:
            by_batch.setdefault(cell["batch"], {})[cell["mode"]] = cell
        if not cells:
            missing += len(MODES)
            lines.append([name, "", *[reason(ended.get(name) or "no document")] * len(MODES)])
        for batch, of_mode in sorted(by_batch.items()):
            row = [name, str(batch)]
            for mode in MODES:
                cell = of_mode[mode]
                if cell["status"] == "ok":
                    row.append(measured(cell))
                    continue
                missing += cell["status"] != "skipped" or cell["reason"]["code"] == "interrupted"
                row.append(f"{cell['status']} {reason(' '.join(cell['reason']['message'].split()))}")
            lines.append(row)
    text = ["| " + " | ".join(row) + " |" for row in lines]
    text += ["", "`*`: its kernels are not those of the eager step.", ""]
    return text + [f"{number}. {each}" for each, number in reasons.items()], missing


def main():
    parser = argparse.ArgumentParser(prog="every_mode.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUTPUT_FOLDER")
    parser.add_argument("--graphbench", default="graphbench", help="the binary (default: on PATH)")
    parser.add_argument("--python", default="python3", help="the interpreter that has torch")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--step", default=STEPS)
    parser.add_argument("--batch", default="1,8,32")
    parser.add_argument("--lanes", type=int, default=3, help="sweeps side by side")
    parser.add_argument("--limit", type=int, default=220, help="seconds of a step")
    parser.add_argument("--seconds", type=int, default=560, help="seconds of all")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    names = arguments.step.split(",")
    ended = {} if arguments.table else run(names, arguments)
    lines, missing = table_of(names, arguments.folder, ended)
    text = "\n".join(lines)
    print(text)
    (arguments.folder / "modes.md").write_text(text + "\n", encoding="utf-8")
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
