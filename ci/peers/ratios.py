#!/usr/bin/env python3
"""Prints graphbench's base workloads beside the same steps in PyTorch, from the documents of ci/peers/run.

Exit codes: 0 done; 1 a cell could not be compared, or, with --strict, a limit was missed; 2 bad documents."""

import argparse
import collections
import json
import pathlib
import re
import sys
from statistics import geometric_mean

METRICS = ("submit", "latency", "device")
# Each row: metric, mode, true for training steps, and three limits of ours / torch: for the geometric mean
# over all cells, for the worst workload's mean, and for the worst cell.
LIMITS = (
    ("device", "whole", False, (1.0, 1.0, 1.15)),
    ("submit", "eager", False, (0.35, None, None)),
    ("submit", "torch.replay", False, (0.5, None, None)),
    ("latency", "eager", True, (0.60, None, 1.10)),
    ("latency", "whole", True, (0.85, None, 1.10)),
)


class DocumentError(Exception):
    """Documents that cannot be compared."""


class Ratios:
    """The ratios of all rounds. A cell's key is (step, batch, mode). PyTorch's own graph modes, such as
    torch.replay, are compared with graphbench's whole."""

    def __init__(self):
        # For each key and metric, a list of (ours, PyTorch's) in seconds, one pair per round.
        self.cells = collections.defaultdict(lambda: collections.defaultdict(list))
        self.missing, self.training = [], set()

    def add(self, step, ours, torch, number):
        same_device(ours, torch)
        ours, torch = (by_batch_and_mode(document) for document in (ours, torch))
        ours.update({(batch, mode): ours.get((batch, "whole")) for batch, mode in torch if "." in mode})
        for batch, mode in sorted(ours.keys() | torch.keys()):
            key = (step, batch, mode)
            our, its = ours.get((batch, mode)), torch.get((batch, mode))
            if mode == "whole" and its is None:
                continue  # whole is compared with PyTorch's graph modes too
            problem = problem_of("graphbench", our) or problem_of("torch", its)
            if problem:
                self.missing.append(f"{name_of(key)}, round {number}: {problem}")
                continue
            if our["pass"] == "training":
                self.training.add(step)
            for metric in METRICS:
                pair = [(cell["summary"][f"{metric}_seconds"] or {}).get("p50") for cell in (our, its)]
                if all(pair):
                    self.cells[key][metric].append(pair)
                else:
                    self.missing.append(f"{name_of(key)}, round {number}: a side has no {metric} p50")

    def pair(self, key, metric):
        """The geometric means of both sides over the rounds; None if nothing was measured."""
        pairs = self.cells[key][metric] if key in self.cells else None
        return tuple(map(geometric_mean, zip(*pairs))) if pairs else None

    def ratios(self, metric, mode, steps):
        pairs = {key: self.pair(key, metric) for key in self.cells if key[0] in steps and key[2] == mode}
        return {key: pair[0] / pair[1] for key, pair in pairs.items() if pair}

    def mean(self, metric, mode, steps):
        found = self.ratios(metric, mode, steps).values()
        return geometric_mean(found) if found else None

    def names(self, place):
        return list(dict.fromkeys(key[place] for key in self.cells))


def name_of(key):
    return f"{key[0]} b{key[1]} {key[2]}"


def problem_of(side, cell):
    if cell is None:
        return f"{side} has no such cell"
    reason = cell.get("reason") or {}
    return "" if cell["status"] == "ok" else f"{side}: {cell['status']}: {reason.get('message')}"


def by_batch_and_mode(document):
    cells = {(cell["batch"], cell["mode"]): cell for cell in document["cells"]}
    if len(cells) != len(document["cells"]):
        raise DocumentError("a document has two cells of one batch and mode: give one warmup count")
    return cells


def same_device(*documents):
    names = [tuple(document["environment"]["device"][field] for field in ("name", "uuid"))
             for document in documents]
    if names[0] != names[1]:
        raise DocumentError(f"the two sides ran on different devices: {names[0]} and {names[1]}")


def worst(found):
    key = max(found, key=found.get)
    return found[key], key if isinstance(key, str) else name_of(key)


def limits_of(ratios):
    """(what, limit, measured, where) for each limit whose mode was measured."""
    rows = []
    for metric, mode, trains, limits in LIMITS:
        steps = [step for step in ratios.names(0) if (step in ratios.training) == trains]
        cells = ratios.ratios(metric, mode, steps)
        if not cells:
            continue
        means = {step: ratios.mean(metric, mode, [step]) for step in {key[0] for key in cells}}
        measured = (("geometric mean", geometric_mean(cells.values()), ""),
                    ("worst workload's mean", *worst(means)), ("worst cell", *worst(cells)))
        name = f"{'training step ' if trains else ''}{mode} {metric}"
        rows += [(f"{name}, {what}", limit, value, where)
                 for limit, (what, value, where) in zip(limits, measured) if limit]
    return rows


def table(head, rows):
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def ratio_text(value):
    return "-" if value is None else f"{value:.3f}"


def columns(pair):
    if not pair:
        return ["-"] * 3
    return [f"{pair[0] * 1e6:.4g}", f"{pair[1] * 1e6:.4g}", ratio_text(pair[0] / pair[1])]


def report(ratios):
    modes, parts = ratios.names(2), {}
    head = [f"{metric} {side}" for metric in METRICS for side in ("ours", "torch", "ratio")]
    for mode in modes:
        rows = [[name_of(key), *(text for metric in METRICS for text in columns(ratios.pair(key, metric)))]
                for key in ratios.cells if key[2] == mode]
        title = f"{mode}, beside graphbench's whole" if mode.startswith("torch.") else mode
        parts[title] = table(["p50 in us", *head], rows)
    rows = [[name, *(ratio_text(ratios.mean(metric, mode, steps)) for mode in modes for metric in METRICS)]
            for name, steps in [*((step, [step]) for step in ratios.names(0)), ("all", ratios.names(0))]]
    parts["Geometric means of ours / torch"] = table(
        ["", *(f"{mode} {metric}" for mode in modes for metric in METRICS)], rows)
    parts["Limits"] = table(["ours / torch", "limit", "measured", "", "where"], [
        [what, f"<= {limit:.2f}", ratio_text(value), "pass" if value <= limit else "FAIL", where]
        for what, limit, value, where in limits_of(ratios)])
    if ratios.missing:
        parts["Not compared"] = "\n".join(f"- {line}" for line in ratios.missing)
    return "\n".join(f"### {title}\n\n{text}\n" for title, text in parts.items())


def load(path):
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path}: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != "graphbench.result/1":
        raise DocumentError(f"{path}: it is not a document of graphbench.result/1")
    return document


def read(folder):
    """The pairs of files that `run` wrote: ours-STEP-ROUND.json and torch-STEP-ROUND.json."""
    ratios = Ratios()
    for path in sorted(folder.glob("ours-*.json")):
        step, number = re.fullmatch(r"ours-(.+)-(\d+)", path.stem).groups()
        ratios.add(step, load(path), load(path.with_name(f"torch-{step}-{number}.json")), int(number))
    if not ratios.cells and not ratios.missing:
        raise DocumentError(f"{folder}: it holds no ours-STEP-ROUND.json")
    return ratios


def publish(folder, strict):
    ratios = read(folder)
    print(report(ratios), end="")
    missed = any(value > limit for _, limit, value, _ in limits_of(ratios))
    return 1 if ratios.missing or (strict and missed) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the output folder of ci/peers/run")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a limit is missed")
    arguments = parser.parse_args()
    try:
        return publish(arguments.folder, arguments.strict)
    except DocumentError as error:
        print(f"ratios: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
