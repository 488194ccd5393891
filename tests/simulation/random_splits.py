#!/usr/bin/env python3
"""What `graphbench compare` finds, and what it makes up, between random sides of one measured result.

    random_splits.py BINARY [--document FILE] [--splits 60] [--seed 1]

The launches of a result are drawn into two sides, in NEW of which a change is planted. Where there are enough
launches for both sides, each comparison is another split of them; else launches are drawn with replacement.
A change is found where the planted metric and mode is slower, in its mean or in a cell. Without a change,
exit code 10 is a false alarm. The gate's rows ask for the power that ci/gate asks for: exit code 11 says that
the sides spread too far to find a slowdown of 10 %."""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMES = ("latency_seconds", "submit_seconds", "device_seconds")
SETUP = ("capture_seconds", "instantiate_seconds", "upload_seconds")

# Which cells change, by the beginning and the end of their ids, in which launches, and by how much.
Plant = collections.namedtuple("Plant", "metric mode factor workload launches", defaults=("", None))
# With `inflate`, each launch differs from its cell's mean by so many times as much, on a logarithmic scale.
Case = collections.namedtuple("Case", "launches plant what gate inflate", defaults=(False, 1))
CASES = (
    Case(5, None, "nothing"),
    Case(5, Plant("submit", "whole", 1.20), "submit of whole +20 %"),
    Case(15, Plant("submit", "whole", 1.12), "submit of whole +12 %"),
    Case(5, Plant("submit", "eager", 1.15), "submit of eager +15 %"),
    Case(5, Plant("submit", "piecewise", 1.15), "submit of piecewise +15 %"),
    Case(10, Plant("submit", "piecewise", 1.15), "submit of piecewise +15 %"),
    Case(5, Plant("setup", "", 1.50), "setup +50 %"),
    Case(5, Plant("latency", "whole", 1.04), "latency of whole +4 %"),
    Case(5, Plant("all", "", 1.50, launches=(2,)), "launch 2 of NEW 1.5 times slower"),
    Case(5, Plant("all", "", 1.10, launches=(2,)), "launch 2 of NEW 1.1 times slower"),
    Case(5, Plant("all", "whole", 2.00, "mlp", (1, 3)), "whole of mlp twice as slow in 2 of 5 launches"),
    Case(5, None, "gate: nothing", True),
    Case(8, None, "gate: nothing", True),
    Case(5, Plant("all", "", 1.10), "gate: all times +10 %", True),
    Case(5, Plant("all", "", 1.10), "gate: the same, spread ten times as far", True, 10),
    Case(5, Plant("all", "", 1.10), "gate: the same, spread sixty times as far", True, 60),
)
POWER = ("--require-power", "latency=10%,submit=10%")


def scaled(value, factor):
    """A number, a summary or a list of them, with times `factor`; counts stay."""
    if isinstance(value, dict):
        return {key: each if key == "count" else scaled(each, factor) for key, each in value.items()}
    if isinstance(value, list):
        return [scaled(each, factor) for each in value]
    return value * factor if isinstance(value, float) else value


def planted(launch, plant):
    metrics = {"all": TIMES}.get(plant.metric, (plant.metric + "_seconds",))
    changed = {name: scaled(launch[name], plant.factor) for name in metrics if launch.get(name)}
    if plant.metric in ("setup", "all"):
        changed["setup"] = {key: scaled(value, plant.factor) if key in SETUP else value
                            for key, value in launch["setup"].items()}
    return {**launch, **changed}


def is_in(cell_id, plant):
    return cell_id.startswith(plant.workload) and cell_id.endswith(plant.mode)


def side(result, chosen, plant):
    """The result with these of its launches, numbered from 0, and without what a comparison does not read."""
    cells = []
    for cell in result["cells"]:
        launches = []
        for index, original in enumerate(chosen):
            launch = {key: value for key, value in cell["launches"][original].items()
                      if key not in ("placements", "ramp_seconds", "machine", "setups", "startup")}
            launch["index"] = index
            here = plant and is_in(cell["id"], plant) and (not plant.launches or index in plant.launches)
            launches.append(planted(launch, plant) if here else launch)
        cells.append({**cell, "launches": launches, "summary": {}})  # that of other launches would be refused
    return {**result, "plan": {**result["plan"], "launches": len(chosen)}, "cells": cells}


def inflated(result, factor):
    """The result whose launches differ `factor` times as much from their cell's geometric mean."""
    cells = []
    for cell in result["cells"]:
        launches = [dict(launch) for launch in cell["launches"]]
        for metric in TIMES:
            found = [launch for launch in launches if launch.get(metric)]
            logs = [math.log(launch[metric]["p50"]) for launch in found]
            for launch, log in zip(found, logs):
                off = log - sum(logs) / len(logs)
                wider = min(9.0, max(-9.0, (factor - 1) * off))  # a time stays one that a document may have
                launch[metric] = scaled(launch[metric], math.exp(wider))
        cells.append({**cell, "launches": launches})
    return {**result, "cells": cells}


def draws(count, launches, splits, rng):
    """Pairs of lists of launches; those without replacement differ."""
    seen = set()
    while len(seen) < splits:
        if 2 * launches <= count:
            order = rng.sample(range(count), 2 * launches)
        else:
            order = [rng.randrange(count) for _ in range(2 * launches)]
        pair = tuple(sorted(order[:launches])), tuple(sorted(order[launches:]))
        if pair not in seen:
            seen.add(pair)
            yield pair


def compare(binary, base, new, folder, options):
    for name, document in (("base", base), ("new", new)):
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    done = subprocess.run([binary, "compare", folder / "base.json", folder / "new.json", "--format", "json",
                           *options], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 10, 11):
        sys.exit(f"exit code {done.returncode}: {done.stderr or done.stdout[:500]}")
    return done.returncode, json.loads(done.stdout)


def found(comparison, plant):
    means = any(mean["verdict"] == "slower" and plant.metric in ("all", mean["metric"]) and
                mean["mode"].endswith(plant.mode) for mean in comparison["means"])
    return means or any(metric["verdict"] == "slower" and plant.metric in ("all", metric["metric"])
                        for cell in comparison["cells"] if is_in(cell["id"], plant)
                        for metric in cell["metrics"])


def rates(binary, result, case, splits, rng):
    """How many of the comparisons found the change, exited with 10, named a launch, said less steady."""
    counts = collections.Counter()
    result = inflated(result, case.inflate) if case.inflate != 1 else result
    with tempfile.TemporaryDirectory() as name:
        for base, new in draws(len(result["cells"][0]["launches"]), case.launches, splits, rng):
            code, comparison = compare(binary, side(result, base, None), side(result, new, case.plant),
                                       pathlib.Path(name), POWER if case.gate else ())
            odd = comparison["odd_launches"]
            named = {launch["launch"] for launch in odd if launch["side"] == "new"}
            planted_launches = set(case.plant.launches or ()) if case.plant else set()
            counts["found"] += bool(case.plant and found(comparison, case.plant))
            counts["exit 10"] += code == 10
            counts["exit 11"] += code == 11
            counts["named"] += bool(planted_launches & named)
            counts["named wrongly"] += bool(named - planted_launches) or any(
                launch["side"] == "base" for launch in odd)
            counts["less steady"] += any(mean.get("steadiness", {}).get("verdict") == "less steady"
                                         for mean in comparison["means"])
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--document", default=ROOT / "ci" / "baselines" / "h200.json",
                        type=pathlib.Path)
    parser.add_argument("--splits", default=60, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--only", default="", help="run the rows that hold this text")
    asked = parser.parse_args()
    result = json.loads(asked.document.read_text(encoding="utf-8"))
    columns = ("found", "exit 10", "exit 11", "named", "named wrongly", "less steady")
    print(f"{asked.document.name}, {asked.splits} comparisons a row, seed {asked.seed}\n")
    print("| planted | launches a side | " + " | ".join(columns) + " |")
    print("| --- | --- |" + " --- |" * len(columns))
    for case in (case for case in CASES if asked.only in case.what):
        counts = rates(asked.binary, result, case, asked.splits, random.Random(asked.seed))
        figures = " | ".join(str(counts[each]) for each in columns)
        print(f"| {case.what} | {case.launches} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
