#!/usr/bin/env python3
"""Runs the examples of docs/reference/capture-failures.md through the doctor, on a GPU.

    cures.py OUTPUT_FOLDER [--section NAME,...] [--lanes N]

`before` of each section must be refused with the section's name, and of `after` nothing may stop a capture.
`first-call` is no reason: its name stands beside what needs a warm-up. OUTPUT_FOLDER gets cures/NAME.py with
both steps, and a .log of each. `--compare` runs the steps here instead, on the CPU with stand-ins for what
needs a GPU, and compares what they return: it needs torch in the interpreter that runs it. Exit codes: 0 all
are right; 1 some are wrong; 2 bad usage."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import types

import lanes

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/reference/capture-failures.md"


def examples(text):
    """The examples of a page's sections: the code before `after`, and all of it."""
    found = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        code = "\n".join(line[4:] for line in section.splitlines() if not line or line.startswith("    "))
        # What stands between the two functions belongs to `after`.
        before = re.match(r"((?:.*\n)*?def before\(\):\n(?:(?: .*)?\n)*)(?=\S)", code)
        found[section.splitlines()[0]] = (before.group(1).strip() if before else "", code.strip())
    return found


def step_file(pair):
    """A file whose functions `before` and `after` build the steps of one example."""
    text = '"""Written by tests/torch/cures.py."""\n\nimport torch\n'
    for name, code in zip(("before", "after"), pair):
        body = "\n".join(f"    {line}" if line else "" for line in code.splitlines())
        text += (f"\n\ndef build_{name}(batch, device):\n    x = torch.rand(batch, 64, device=device)\n\n"
                 f"{body}\n\n    return {name}\n")
    return text


# --- on the CPU ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def stand_ins():
    import torch

    sys.path.append(str(HERE.parents[1] / "workloads/torch"))
    import stand_in

    with stand_in.installed():
        yield torch


def compare(pairs):
    """Prints a line for each section whose steps return different tensors. Returns the number of those."""
    wrong = 0
    with stand_ins() as torch, contextlib.redirect_stdout(sys.stderr):
        for section, pair in pairs.items():
            made = {}
            exec(compile(step_file(pair), section, "exec"), made)  # noqa: S102 - the page's own code
            results = []
            for name in ("before", "after"):
                torch.manual_seed(1)
                result = made[f"build_{name}"](4, torch.device("cpu"))()
                result = list(result) if isinstance(result, types.GeneratorType) else result
                results.append(result[0] if isinstance(result, list) else result)
            first, second = results
            if first.dtype != second.dtype or not torch.equal(first, second):
                print(f"{section}: `before` and `after` return different tensors", file=sys.__stdout__)
                wrong += 1
    print(f"{len(pairs)} examples, {wrong} wrong")
    return wrong


# --- on a GPU -----------------------------------------------------------------------------------------------


def fault_of(section, name, code, document):
    """What is wrong with the doctor's answer to one step; empty if it is right."""
    named = [each["section"] for each in document["found"]] + [document["silent_section"]]
    reasons = [each["reason"] for each in document["found"]] + [document["silent"]]
    needs = bool(document["needs_warm_up"])
    if name == "after":
        right = code == 0 and not (needs and section == "first-call")
    else:
        right = code == 0 and needs if section == "first-call" else code == 10 and section in named
    return "" if right else f"exit code {code}, warm-up {needs}, sections {named}: {reasons}"


def examined(pairs, arguments):
    """Runs the doctor on each step. Returns how many it answers wrongly."""
    folder = arguments.folder / "cures"
    folder.mkdir(parents=True, exist_ok=True)
    for section, pair in pairs.items():
        (folder / f"{section.replace('-', '_')}.py").write_text(step_file(pair), encoding="utf-8")

    def examine(name, cpu, limit):
        section, _, which = name.partition(" ")
        stem = section.replace("-", "_")
        command = [*arguments.doctor, "--torch", f"{stem}.py:build_{which}", "--batch", "4", "--json", "-"]
        if arguments.python:
            command += ["--python", arguments.python]
        try:
            done = subprocess.run(command, cwd=folder, timeout=limit, capture_output=True, text=True,
                                  check=False)
        except subprocess.TimeoutExpired:
            return f"WRONG ended after {limit:.0f} s"
        (folder / f"{stem}_{which}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        try:
            fault = fault_of(section, which, done.returncode, json.loads(done.stdout))
        except ValueError:
            fault = f"exit code {done.returncode}: {(done.stderr.splitlines() or ['no document'])[-1]}"
        if warned := re.search(r".*(kineto|profiler|CUPTI).*", done.stderr, re.IGNORECASE):
            fault = fault or f"stderr has {warned.group()}"
        return f"WRONG {fault}" if fault else "right"

    names = [f"{section} {which}" for section in pairs for which in ("before", "after")]
    said = lanes.side_by_side(names, examine, arguments)
    wrong = [name for name in names if said[name] != "right"]
    print(f"right {len(names) - len(wrong)}, wrong {len(wrong)}")
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(prog="cures.py", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUTPUT_FOLDER", nargs="?")
    parser.add_argument("--graphbench", default="graphbench", help="the binary (default: on PATH)")
    parser.add_argument("--python", help="the interpreter that has torch")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="(default: the tree's)")
    parser.add_argument("--section", help="(default: all)")
    parser.add_argument("--compare", action="store_true", help="run the steps here, on the CPU")
    parser.add_argument("--lanes", type=int, default=6, help="doctors side by side")
    parser.add_argument("--limit", type=int, default=120, help="seconds of a step")
    parser.add_argument("--seconds", type=int, default=400, help="seconds of all")
    arguments = parser.parse_args()
    pairs = examples(arguments.page.read_text(encoding="utf-8"))
    wanted = arguments.section.split(",") if arguments.section else list(pairs)
    if unknown := [name for name in wanted if name not in pairs]:
        parser.error(f"--section: there is no section '{unknown[0]}' on {arguments.page.name}: take "
                     f"{', '.join(pairs)}")
    pairs = {name: pairs[name] for name in wanted}
    if arguments.compare:
        return int(compare(pairs) > 0)
    if arguments.folder is None:
        parser.error("give OUTPUT_FOLDER, or --compare")
    arguments.doctor = [os.path.abspath(arguments.graphbench) if "/" in arguments.graphbench
                        else arguments.graphbench, "doctor"]
    return int(examined(pairs, arguments) > 0)


if __name__ == "__main__":
    sys.exit(main())
