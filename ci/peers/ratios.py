#!/usr/bin/env python3
"""Ratios of graphbench's result documents to the peers', cell by cell, and the limits they are held to.

Stdlib only, so that it works where there is no torch: `ratios.py FOLDER` prints what `run` left."""

import argparse
import collections
import dataclasses
import json
import math
import pathlib
import statistics
import sys

METRICS = ("submit", "latency", "device")
GRAPH_MODES = ("whole", "piecewise", "callables")
SUBMIT_LIMITS = {"whole": 0.5, "eager": 0.35, "piecewise": 0.25}
DEVICE_MEAN_LIMIT, DEVICE_WORKLOAD_LIMIT, DEVICE_CELL_LIMIT = 1.0, 1.0, 1.15
COMPILED_DEVICE_LIMIT = 1.0
SETUP_LIMIT = 0.5
POOL_LIMIT = 0.7
# Of a step's latency in training, beside torch in deterministic mode.
STEP_LIMITS, STEP_CELL_LIMIT = {"eager": 0.60, "whole": 0.85, "callables": 0.85}, 1.10


class DocumentError(Exception):
    """A document that says nothing about ratios, or two that cannot be compared."""


@dataclasses.dataclass
class Pair:
    """One quantity of both sides; over rounds, the geometric mean of each."""
    ours: float
    torch: float

    @property
    def ratio(self):
        return self.ours / self.torch


@dataclasses.dataclass
class Ratios:
    """All that two sides say about each other. A cell's key is (workload, preset, dtype, batch, mode), a
    ladder's (workload, preset, dtype, mode)."""
    cells: dict = dataclasses.field(default_factory=dict)  # cell -> metric -> Pair of seconds
    setup: dict = dataclasses.field(default_factory=dict)  # ladder -> Pair of seconds
    pools: dict = dataclasses.field(default_factory=dict)  # ladder -> Pair of bytes, one pool for all batches
    private: dict = dataclasses.field(default_factory=dict)  # ladder -> Pair of bytes, a pool each
    loop: dict = dataclasses.field(default_factory=dict)  # cell -> Pair: submit against torch's bare loop
    missing: list = dataclasses.field(default_factory=list)  # lines on what could not be compared
    notes: list = dataclasses.field(default_factory=list)  # lines on what a reader should know
    training: bool = False


@dataclasses.dataclass
class Figure:
    name: str
    limit: float
    measured: float  # None where nothing was measured
    where: str = ""

    @property
    def passed(self):
        return self.measured is not None and self.measured <= self.limit


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def load(path, schema):
    try:
        document = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path}: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise DocumentError(f"{path}: its schema is not {schema}")
    return document


def key_of(cell):
    captured_by_layer = cell["mode"] == "whole" and cell.get("backward") == "callables"
    mode = "callables" if captured_by_layer else cell["mode"]
    return (cell["workload"], cell["preset"], cell["dtype"], cell["batch"], mode)


def ladder_of(key):
    return (*key[:3], key[4])


def ok_cells(document, name, missing):
    """The cells that ran, by key; what did not run is said in `missing`."""
    cells = {}
    for cell in document["cells"]:
        if cell["status"] == "ok":
            if key_of(cell) in cells:
                raise DocumentError(f"{name}: {cell['id']} stands beside itself at another warmup count")
            cells[key_of(cell)] = cell
        else:
            reason = cell["reason"] or {}
            missing.append(f"{name}: {cell['id']} {cell['status']}: {reason.get('code')}: "
                           f"{reason.get('message')}")
    return cells


def same_device(ours, torch):
    """The two sides of a ratio must have run on one GPU."""
    devices = [((document.get("environment") or {}).get("device") or {}) for document in (ours, torch)]
    for field in ("name", "uuid"):
        values = [device.get(field) for device in devices]
        if all(values) and values[0].lower() != values[1].lower():
            raise DocumentError(f"the two sides ran on different devices: {values[0]} and {values[1]}")


def name_of(key):
    """A cell's or a ladder's key as people say it."""
    return " ".join(f"b{part}" if isinstance(part, int) else part for part in key)


def not_identical(torch, number):
    """The peers' cells whose outputs are eager's within tolerance, but not bit for bit."""
    unequal = [cell for cell in torch.values() if not (cell["check"] or {}).get("identical")]
    if not unequal:
        return []
    own = sum(cell["check"].get("eager_repeats_its_bits") is False for cell in unequal)
    names = ", ".join(name_of(key_of(cell)) for cell in unequal)
    return [f"torch, round {number}: {len(unequal)} of {len(torch)} cells equal eager within tolerance, not "
            f"bit for bit; in {own} of them eager does not repeat its own bits either: {names}"]


def p50(cell, metric):
    """The cell's summary p50, in seconds; None where there is no usable one."""
    estimate = (cell["summary"] or {}).get(f"{metric}_seconds") or {}
    value = estimate.get("p50")
    return value if value and value > 0 else None


def capture_seconds(cell):
    costs = [launch["setup"]["capture_seconds"] + launch["setup"]["instantiate_seconds"]
             for launch in cell["launches"]]
    return statistics.median(costs)


def add_cells(rounds, ours, torch, missing):
    for key in sorted(set(ours) | set(torch)):
        if key not in ours or key not in torch:
            missing.append(f"{name_of(key)}: only {'torch' if key in torch else 'graphbench'} has it")
            continue
        for metric in METRICS:
            sides = (p50(ours[key], metric), p50(torch[key], metric))
            if None in sides:
                missing.append(f"{name_of(key)}: no {metric} p50 on both sides")
            else:
                rounds.cells.setdefault(key, collections.defaultdict(list))[metric].append(sides)


def add_loops(rounds, ours, torch):
    """Our piecewise submit beside the same replays and eager calls in a bare loop of torch's."""
    for key in sorted(set(ours) & set(torch)):
        loop = torch[key]["launches"][0].get("submit_loop_seconds") or {}
        sides = (p50(ours[key], "submit"), loop.get("p50"))
        if all(sides):
            rounds.loop.setdefault(key, []).append(sides)


def add_ladders(rounds, ours, torch, missing):
    """Sums over a ladder are compared over the batches that both sides have."""
    ladders = collections.defaultdict(list)
    for key in sorted(set(ours) & set(torch)):
        if key[4] in GRAPH_MODES:
            ladders[ladder_of(key)].append((ours[key], torch[key]))
    for ladder, cells in ladders.items():
        costs = [sum(capture_seconds(pair[side]) for pair in cells) for side in (0, 1)]
        if all(costs):
            rounds.setup.setdefault(ladder, []).append(tuple(costs))
        for field, into in (("pool_bytes", rounds.pools), ("pool_bytes_private", rounds.private)):
            sides = tuple((cells[0][side]["memory"] or {}).get(field) for side in (0, 1))
            if all(sides):
                into.setdefault(ladder, []).append(sides)
            else:
                missing.append(f"{name_of(ladder)}: no {field} on both sides")


def over_rounds(sides):
    return Pair(*(geometric_mean([side[index] for side in sides]) for index in (0, 1)))


def compare(rounds):
    """Ratios out of [(graphbench's document, the peers' document)], a pair a round."""
    gathered, missing, notes = Ratios(), [], []
    for number, (ours_document, torch_document) in enumerate(rounds, 1):
        same_device(ours_document, torch_document)
        ours = ok_cells(ours_document, f"graphbench, round {number}", missing)
        torch = ok_cells(torch_document, f"torch, round {number}", missing)
        notes += not_identical(torch, number)
        ours |= {key: ours[whole] for key in torch
                 if key[4] == "compiled" and (whole := (*key[:4], "whole")) in ours}
        add_cells(gathered, ours, torch, missing)
        add_loops(gathered, ours, torch)
        add_ladders(gathered, ours, torch, missing)
    if not gathered.cells:
        raise DocumentError("the two sides have no cell in common")
    cells = {key: {metric: over_rounds(sides) for metric, sides in metrics.items()}
             for key, metrics in gathered.cells.items()}
    others = [{key: over_rounds(sides) for key, sides in table.items()}
              for table in (gathered.setup, gathered.pools, gathered.private, gathered.loop)]
    trains = rounds[0][0]["cells"][0]["pass"] == "training"
    return Ratios(cells, *others, missing, notes, trains)


def ratios_of(ratios, mode, metric, workload=None):
    """{cell key: ratio} of a mode, of one workload or of all."""
    return {key: metrics[metric].ratio for key, metrics in ratios.cells.items()
            if key[4] == mode and metric in metrics and workload in (None, key[0])}


def mean_of(ratios, mode, metric, workload=None):
    values = ratios_of(ratios, mode, metric, workload).values()
    return geometric_mean(values) if values else None


def worst(values):
    """The largest of {key: ratio} and the name of its key; (None, "") of nothing."""
    if not values:
        return None, ""
    key = max(values, key=values.get)
    return values[key], name_of(key)


def workloads_of(ratios):
    return list(dict.fromkeys(key[0] for key in ratios.cells))


def figures(ratios):
    """The limits, and what was measured against each. A limit over several ladders is for the worst."""
    if ratios.training:
        modes = list(dict.fromkeys(key[4] for key in ratios.cells))
        rows = [Figure(f"step {mode}, geometric mean", STEP_LIMITS[mode], mean_of(ratios, mode, "latency"))
                for mode in modes]
        return [*rows, *(Figure(f"step {mode}, worst cell", STEP_CELL_LIMIT,
                                *worst(ratios_of(ratios, mode, "latency"))) for mode in modes)]
    means = {(workload,): mean_of(ratios, "whole", "device", workload) for workload in workloads_of(ratios)}
    rows = [
        Figure("device whole, geometric mean", DEVICE_MEAN_LIMIT, mean_of(ratios, "whole", "device")),
        Figure("device whole, worst workload's mean", DEVICE_WORKLOAD_LIMIT,
               *worst({key: value for key, value in means.items() if value is not None})),
        Figure("device whole, worst cell", DEVICE_CELL_LIMIT, *worst(ratios_of(ratios, "whole", "device"))),
    ]
    compiled = ratios_of(ratios, "compiled", "device")
    if compiled:
        high, where = worst(compiled)
        rows.append(Figure("device whole beside torch.compile, geometric mean", COMPILED_DEVICE_LIMIT,
                           geometric_mean(compiled.values()), f"worst cell {high:.3f}: {where}"))
    for mode, limit in SUBMIT_LIMITS.items():
        high, where = worst(ratios_of(ratios, mode, "submit"))
        rows.append(Figure(f"submit {mode}, geometric mean", limit, mean_of(ratios, mode, "submit"),
                           f"worst cell {high:.3f}: {where}" if where else ""))
    for name, table, limit in (("capture + instantiate of the ladder", ratios.setup, SETUP_LIMIT),
                               ("pool bytes, shared", ratios.pools, POOL_LIMIT)):
        rows.append(Figure(f"{name}, worst", limit,
                           *worst({key: pair.ratio for key, pair in table.items()})))
    return rows


def read_folder(folder):
    """The rounds that `run` left in a folder."""
    rounds = []
    for path in sorted(folder.glob("graphbench-*.json")):
        peer = path.with_name(path.name.replace("graphbench-", "torch-"))
        rounds.append((load(path, "graphbench.result/1"), load(peer, "graphbench.peer/1")))
    if not rounds:
        raise DocumentError(f"{folder}: it holds no graphbench-N.json")
    return rounds


def main():
    import report  # it imports this module
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the output folder of ci/peers/run")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a limit is missed")
    arguments = parser.parse_args()
    try:
        return report.publish(compare(read_folder(arguments.folder)), arguments.folder, arguments.strict)
    except DocumentError as error:
        print(f"ratios: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
