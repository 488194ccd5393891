#!/usr/bin/env python3
"""Sweeps the steps of expected.json in eager and whole, side by side, and judges each cell by what is right.

    judged.py OUTPUT_FOLDER [--group NAME,...] [--step NAME,...] [--batch LIST] [--lanes N] [--doctor]

A group's steps are the functions of GROUP.py and GROUP_*.py beside this file; those of `examples` are what
graphbench is installed with. An entry of expected.json has for each mode `ok`, `refused`, `any` (both are
right), or `unjudged` (a worker may be lost as well), and why. With `says`, the reason of each refused cell
contains these words; with `remarks`, the check of each ok cell does. With `"program": "same"`, an ok cell of
whole runs eager's kernels and copies. With --doctor each step is also examined by `graphbench doctor`, whose
answer must be whole's. OUTPUT_FOLDER gets judged_GROUP_STEP.json and .log of each, and doctor_GROUP_STEP.log.
Exit codes: 0 all are right; 1 some are wrong, or nothing ran; 2 bad usage."""

import argparse
import ast
import json
import pathlib
import shutil
import sys

import lanes

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "workloads/torch/examples"
MODES = ("eager", "whole")
BATCHES, BATCHES_OF = "1,4", {"models": "2"}  # one batch of models, because each takes as long as ten steps
ANSWERS = {"ok": {"ok"}, "refused": {"refused"}, "any": {"ok", "refused"},
           "unjudged": {"ok", "refused", "lost"}}
STOPS = 10  # the doctor's exit code where something stops a capture
# Codes of reasons that are an answer about the step. All others are troubles: a crash, a hang, an interrupt.
REFUSALS = ("check_failed", "recorded_nothing", "step_failed", "unsupported")


def expected():
    return json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


def builds_of(path):
    """The names of a file's functions build(batch, device), without importing it: this needs no torch."""
    return [node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef)
            and [each.arg for each in node.args.args] == ["batch", "device"]]


def files_of(group):
    """The file of each step of a group."""
    if group == "examples":
        return {path.stem: path for path in EXAMPLES.glob("*.py")}
    paths = [HERE / f"{group}.py", *sorted(HERE.glob(f"{group}_*.py"))]
    return {name: path for path in paths if path.exists() for name in builds_of(path)}


def answer_of(cell):
    if cell["status"] == "ok":
        return "ok"
    return "refused" if cell["reason"]["code"] in REFUSALS else "lost"


def faults_of_cell(cell, right):
    """What is wrong with one cell, in sentences that begin with its name."""
    name, reason = f"{cell['mode']} b{cell['batch']}", cell.get("reason") or {}
    said = f"{reason.get('code')}: {' '.join(str(reason.get('message')).split())}"
    answer, allowed = answer_of(cell), right[cell["mode"]]
    if answer not in ANSWERS[allowed]:
        yield f"{name}: {answer}, and right is {allowed}" + ("" if answer == "ok" else f" ({said})")
    elif answer == "refused" and right.get("says", "") not in said:
        yield f"{name}: the reason does not say '{right['says']}': {said}"
    elif answer == "ok":
        check, records = cell.get("check") or {}, cell.get("records") or {}
        remarks = "; ".join(check.get("remarks") or [])
        if right.get("remarks", "") not in remarks:
            yield f"{name}: no remark says '{right['remarks']}': {remarks or 'there is none'}"
        others = [records.get("other_kernels"), records.get("other_copies")]
        if right.get("program") == "same" and cell["mode"] == "whole" and others != [0, 0]:
            yield f"{name}: {others} other kernels and copies: {records.get('differences')}"


def faults_of(document, right, batches):
    """What is wrong with a result, or with the lack of it (None)."""
    if document is None:
        return ["no document"]
    cells = {(cell["mode"], cell["batch"]): cell for cell in document["cells"]}
    wanted = [(mode, int(batch)) for batch in batches.split(",") for mode in MODES]
    faults = [f"{mode} b{batch}: no cell" for mode, batch in wanted if (mode, batch) not in cells]
    return faults + [fault for key in wanted if key in cells for fault in faults_of_cell(cells[key], right)]


def faults_of_doctor(code, said, document, batch):
    """What is wrong with the doctor's exit code, beside the cell of whole at its batch."""
    cell = next((each for each in (document or {"cells": []})["cells"]
                 if each["mode"] == "whole" and each["batch"] == int(batch)), None)
    answers = {0: "ok", 1: "refused", STOPS: "refused"}
    if code not in answers:
        yield f"doctor b{batch}: exit code {code}: {said}"
    elif cell is not None and answers[code] != answer_of(cell) != "lost":
        yield f"doctor b{batch}: {answers[code]}, and whole is {answer_of(cell)}: {said}"


def document_at(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # never begun, or ended while it wrote


def judged(steps, arguments):
    """Sweeps each of {(group, step): entry} and prints a line for it. Returns which are right."""
    names = {f"{group}/{step}": (group, step) for group, step in steps}
    files = {group: files_of(group) for group, _ in steps}
    verdicts = {}

    def stem_of(name):
        return "judged_" + name.replace("/", "_")

    def given(name):
        group, step = names[name]
        where = "example" if group == "examples" else files[group][step]  # a bundle has examples elsewhere
        return ["--torch", f"{where}:{step}", "--python", arguments.python, "--device", arguments.device]

    def sweep(name, cpu, limit):
        group, step = names[name]
        batches = arguments.batch or BATCHES_OF.get(group, BATCHES)
        command = [arguments.graphbench, "--sweep", *given(name), "--batch", batches, "--mode",
                   ",".join(MODES), "--launches", "1", "--time-per-cell", "0.03", "--worker-timeout", "90",
                   "--cpu", str(cpu), "--json", f"{stem_of(name)}.json"]
        ended = lanes.ended(command, arguments.folder / f"{stem_of(name)}.log", limit)
        document = document_at(arguments.folder / f"{stem_of(name)}.json")
        right = steps[group, step]
        faults = [ended] * bool(ended) + faults_of(document, right, batches)
        if all(right[mode] == "unjudged" for mode in MODES):  # it may be lost at any point
            faults = []
        if arguments.doctor and right["whole"] != "unjudged":
            faults += examined(name, batches.partition(",")[0], document, limit)
        verdicts[name] = not faults
        return "WRONG " + "; ".join(faults) if faults else "right"

    def examined(name, batch, document, limit):
        command = [arguments.graphbench, "doctor", *given(name), "--batch", batch]
        log = arguments.folder / f"doctor_{name.replace('/', '_')}.log"
        code = lanes.exit_code(command, log, limit)
        return faults_of_doctor(code, lanes.last_line(log), document, batch)

    for name in names:
        (arguments.folder / f"{stem_of(name)}.json").unlink(missing_ok=True)
    lanes.side_by_side(list(names), sweep, arguments)
    return [name for name in names if verdicts.get(name)]


def chosen(parser, arguments):
    """The entries to judge, by group and step. A name that does not exist ends the program."""
    table = expected()
    groups = arguments.group.split(",") if arguments.group else list(table)
    if unknown := [group for group in groups if group not in table]:
        parser.error(f"--group: there is no group '{unknown[0]}': take {', '.join(table)}")
    steps = {(group, step): right for group in groups for step, right in table[group].items()}
    if arguments.step:
        wanted = arguments.step.split(",")
        if unknown := [step for step in wanted if step not in {name for _, name in steps}]:
            parser.error(f"--step: there is no step '{unknown[0]}' in {', '.join(groups)}")
        steps = {key: right for key, right in steps.items() if key[1] in wanted}
    return steps


def main():
    parser = argparse.ArgumentParser(prog="judged.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUTPUT_FOLDER")
    parser.add_argument("--graphbench", default="graphbench", help="the binary (default: on PATH)")
    parser.add_argument("--python", default="python3", help="the interpreter that has torch")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--group", help="of expected.json (default: all)")
    parser.add_argument("--step", help="names of steps (default: all of the groups)")
    parser.add_argument("--batch", help=f"(default: {BATCHES}; {BATCHES_OF})")
    parser.add_argument("--doctor", action="store_true", help="ask the doctor, too")
    parser.add_argument("--lanes", type=int, default=6, help="sweeps side by side")
    parser.add_argument("--limit", type=int, default=170, help="seconds of a step")
    parser.add_argument("--seconds", type=int, default=560, help="seconds of all")
    arguments = parser.parse_args()
    found = shutil.which(arguments.graphbench)
    if not found:
        parser.error(f"--graphbench: there is no program '{arguments.graphbench}'")
    arguments.graphbench = str(pathlib.Path(found).resolve())
    steps = chosen(parser, arguments)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    right = judged(steps, arguments)
    print(f"right {len(right)}, wrong {len(steps) - len(right)}")
    return int(not right or len(right) < len(steps))


if __name__ == "__main__":
    sys.exit(main())
