"""Figures of stages programs, start-up, training, torch and torch-* of ci/gpu: how programs are built,
loaded and trained, and how PyTorch's steps run."""

import collections
import json
import math
import re
import statistics

from figure_row import RATIO, Row, at_most, document_rows, geometric_mean, published, ratio_row

PACKAGE_OVER_COLD_MAX, PACKAGE_OVER_WARM_MAX = 0.5, 1.05
GRAPH_HIT_SECONDS_MAX = 1e-6
JUDGED_LINE = re.compile(r"^right (?P<right>\d+), wrong (?P<wrong>\d+)$", re.MULTILINE)
PREDICTION_OFF_MAX, PREDICTIONS_NEAR_MIN = 0.1, 0.9
# The setup stages of a batch, from the preparation that all batches share to the end of its first step.
STAGES = ("prepare", "warmup", "capture", "instantiate", "upload", "first_step")


def latency(cell):
    """The median latency of a cell; None if the cell is not ok."""
    return cell["summary"]["latency_seconds"]["p50"] if cell["status"] == "ok" else None


def by_axes(document, *axes):
    """For each workload and batch, its cells by their values of these axes. None means that an axis is at its
    default."""
    grid = collections.defaultdict(dict)
    for cell in document["cells"]:
        grid[cell["workload"], cell["batch"]][tuple(cell.get(axis) for axis in axes)] = cell
    return dict(sorted(grid.items()))


def ratios_of(grid, ours, theirs):
    """For each workload and batch, the latency of `ours` over that of `theirs`; None if a cell is not ok."""
    ratios = {}
    for key, cells in grid.items():
        times = [latency(cells[side]) if side in cells else None for side in (ours, theirs)]
        ratios[key] = times[0] / times[1] if None not in times else None
    return ratios


def ratio_rows(figure, ratios, limit=None):
    """One row per workload: the geometric mean, and the largest ratio, which must not exceed the limit. A row
    fails if one of its ratios is None."""
    rows = []
    for workload in sorted({workload for workload, _ in ratios}):
        name = f"{figure}: {workload}"
        of = {batch: ratio for (owner, batch), ratio in ratios.items() if owner == workload}
        if None in of.values():
            missing = ", ".join(f"b{batch}" for batch, ratio in of.items() if ratio is None)
            rows.append(Row(name, f"<= {limit}" if limit else "measured", f"not measured: {missing}", False))
            continue
        worst = max(of, key=of.get)
        measured = (f"{geometric_mean(list(of.values())):.3f}, largest {of[worst]:.3f} at b{worst} ("
                    + ", ".join(f"b{batch} {ratio:.3f}" for batch, ratio in of.items()) + ")")
        rows.append(Row(name, f"<= {limit}" if limit else "measured", measured,
                        limit is None or of[worst] <= limit))
    return rows or [Row(figure, "measured", "no cell", False)]


def epilogue_rows(document):
    grid = by_axes(document, "epilogues")
    return ratio_rows("--epilogues off / on", ratios_of(grid, ("off",), (None,)))


def attention_rows(document):
    grid = by_axes(document, "attention")
    return ratio_rows("--attention decomposed / fused", ratios_of(grid, ("decomposed",), ("fused",)))


# Student's t at 97.5 % for two to ten launches.
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def gain_text(slow, fast):
    """The gain in latency of one cell over another, with its 95 % interval over the launches of both."""
    pairs = zip(slow["launches"], fast["launches"])
    logs = [math.log(a["latency_seconds"]["p50"] / b["latency_seconds"]["p50"]) for a, b in pairs]
    half = T_975[len(logs) - 2] * statistics.stdev(logs) / math.sqrt(len(logs))
    low, mean, high = (math.exp(statistics.mean(logs) + off) for off in (-half, 0, half))
    return f"{mean:.3f} ({low:.3f}..{high:.3f})"


def gain_rows(figure, document, axis, slow, fast):
    """For each workload, by batch, the gain of the axis's value `fast` over `slow`. None: its default."""
    texts = collections.defaultdict(list)
    for (workload, batch), cells in by_axes(document, axis).items():
        both = [cells.get((slow,)), cells.get((fast,))]
        measured = all(each and latency(each) is not None for each in both)
        texts[workload].append(f"b{batch} {gain_text(*both)}" if measured else None)
    return [published(f"{figure}: {workload}", None if None in each else ", ".join(each))
            for workload, each in texts.items()] or [Row(figure, "measured", "no cell", False)]


def branch_rows(folder):
    """Branches beside bare loops, then the gains of --branches forked and of --edges programmatic."""
    try:
        text = (folder / "branches.bare.log").read_text()
    except OSError:
        text = ""
    rows = [ratio_row(f"latency / bare loop: {match['branch']}", match)
            for match in re.finditer(r"^(?P<branch>IF [a-z ]+[a-z]|SWITCH of \d+)" + RATIO, text, re.M)]
    rows = rows or [Row("branches / bare loops", "measured", "graphbench_bare_loops printed no ratio", False)]
    return [*rows,
            *document_rows(folder, "forked.json", lambda document: gain_rows(
                "gain of --branches forked over serial", document, "branches", None, "forked")),
            *document_rows(folder, "edges.json", lambda document: gain_rows(
                "gain of --edges programmatic over full", document, "edges", "full", None))]


def task_seconds(document):
    """Three times in seconds: from a ready context to the first step of the task's last batch, without the
    weights; the weights alone; and from exec to the context. All are of the launch whose first time is least,
    because other work only makes start-up longer. None if a cell failed or chose its plans itself."""
    launches = collections.defaultdict(lambda: [0.0, 0.0, 0.0])
    for cell in document["cells"]:
        if cell["status"] != "ok" or cell.get("package", {}).get("plans", "package") != "package":
            return None
        for launch in cell["launches"]:
            startup, sums = launch["startup"], launches[launch["index"]]
            sums[0] += sum(launch["setup"][f"{stage}_seconds"] for stage in STAGES)
            # The weights' time is the same in every cell, because a task is one process.
            sums[1] = startup["weights_seconds"]
            sums[2] = sum(startup[f"{stage}_seconds"] for stage in ("process", "module", "context"))
    for index, sums in launches.items():  # adds the time to build the program, or to read it from a package
        sums[0] += document["cells"][0]["launches"][index]["startup"]["plugin_seconds"]
    return min(launches.values()) if launches else None


def start_up_rows(folder):
    """Compares start-up from a package with start-up from an empty and a filled cache. Weights are reported
    separately: without a package they are made up on the device, which no program that serves a model can
    do."""
    rows = []
    ways = ("cold", "warm", "package")
    for workload in ("mlp", "attention", "conv"):
        seconds = {}
        for way in ways:
            def read(document, way=way):
                seconds[way] = task_seconds(document)
                return []
            rows += document_rows(folder, f"start_up_{workload}_{way}.json", read)
        for way, limit in (("cold", PACKAGE_OVER_COLD_MAX), ("warm", PACKAGE_OVER_WARM_MAX)):
            both = [seconds.get(side) for side in ("package", way)]
            ratio = both[0][0] / both[1][0] if None not in both else None
            rows.append(at_most(f"context to first steps, package / {way}: {workload}", limit, ratio))
        text = None
        if all(seconds.get(way) for way in ways):
            text = ", ".join("{} {:.1f} ms, weights {:.1f} ms (exec to context {:.0f} ms)".format(
                way, *(1e3 * each for each in seconds[way])) for way in ways)
        rows.append(published(f"context to first steps of all batches: {workload}", text))
    return rows


def accumulate_rows(folder):
    """The peak memory of activations and gradients, for each way to add gradients and update parameters."""
    rows = []
    for way in ("asap", "end", "backward"):
        def peak(document, way=way):
            texts = []
            for cell in document["cells"]:
                if cell["status"] != "ok":
                    return [published(f"gradients, {way}", None)]
                texts.append(f"{cell['workload']} {cell['training']['peak_bytes'] / 1e6:.1f} MB, "
                             f"{latency(cell) * 1e6:.0f} us")
            return [published(f"activations and gradients at once, a step, {way}", ", ".join(texts))]
        rows += document_rows(folder, f"accumulate_{way}.json", peak)
    return rows


def callables_rows(folder):
    """The pool that all layers share, in three parts: gradients, values saved for backward, and the memory
    that the one running layer needs."""
    rows, texts = [], []
    for layers in (1, 4, 16):
        def read(document, layers=layers):
            cell = document["cells"][0]
            if cell["status"] == "ok":
                pool = cell["memory"]["pool_bytes"]
                saved, gradients = (cell["training"][f"{what}_bytes"] for what in ("saved", "gradient"))
                texts.append(f"{layers} layers {pool / 1e6:.2f} MB: {gradients / 1e6:.2f} of gradients, "
                             f"{saved / 1e6:.2f} saved for backward, "
                             f"{(pool - saved - gradients) / 1e6:.2f} else")
            return []
        rows += document_rows(folder, f"callables_{layers}.json", read)
    return rows + [published("pool of callables", "; ".join(texts) if len(texts) == 3 else None)]


def evaluation_rows(document):
    """Compares the latency of --evaluate, the forward program on training's parameters, which no kernel may
    read early, with the latency of the pass forward."""
    times = {}
    for cell in document["cells"]:
        evaluation = (cell.get("training") or {}).get("evaluation")
        seconds = evaluation["latency_seconds"]["p50"] if evaluation else latency(cell)
        times[cell["workload"], cell["batch"], cell["pass"]] = seconds
    ratios = {}
    for workload, batch, form in times:
        both = [times.get((workload, batch, side)) for side in ("training", "forward")]
        ratios[workload, batch] = both[0] / both[1] if None not in both else None
    return ratio_rows("parameters read in order / ahead", ratios)


def shape_rows(folder):
    rows = []
    for layers in (4, 8, 16, 32):
        def walk_rows(document, layers=layers):
            walk = next((cell["shape_walk"] for cell in document["cells"] if "shape_walk" in cell), None)
            if walk is None:
                return [published(f"--shape-trace, {layers} layers", None)]
            found = [at_most(f"a graph hit above a replay, {layers} layers", GRAPH_HIT_SECONDS_MAX,
                             walk["hit_seconds"] - walk["replay_seconds"], "s")]
            for outcome in ("traced", "program_hit", "graph_hit", "recorded_again"):
                of = [trace for trace in walk["traces"] if trace["outcome"] == outcome]
                if of:
                    times = sorted(trace["seconds"] for trace in of)
                    traces = [trace["trace_seconds"] for trace in of if trace.get("trace_seconds")]
                    tracing = f", {min(traces) * 1e3:.3g} ms of it tracing" if traces else ""
                    found.append(published(
                        f"{outcome}, {layers} layers",
                        f"{len(of)} of {of[0]['ops']} ops, "
                        f"{times[0] * 1e3:.3g} to {times[-1] * 1e3:.3g} ms" + tracing))
            return found
        rows += document_rows(folder, f"shapes_{layers}.json", walk_rows)
    return rows


def program_rows(folder):
    return [*document_rows(folder, "epilogues.json", epilogue_rows),
            *document_rows(folder, "attention_ways.json", attention_rows)]


def training_rows(folder):
    return [*accumulate_rows(folder), *callables_rows(folder),
            *document_rows(folder, "evaluate.json", evaluation_rows), *shape_rows(folder)]


def cells_of(folder, pattern):
    return [cell for path in sorted(folder.glob(pattern)) for cell in json.loads(path.read_text())["cells"]]


def torch_rows(folder):
    """Compares the gain that is predicted from eager alone with the measured gain of whole, for steps whose
    graph has the same kernels as eager."""
    predicted, gains = {}, {}
    for cell in cells_of(folder, "torch_*.json"):
        key, summary = f"{cell['workload']} b{cell['batch']}", cell.get("summary") or {}
        if cell["mode"] == "eager":
            predicted[key] = summary.get("predicted_gain")
        elif cell["mode"] == "whole" and cell["status"] == "ok" and cell["records"]["other_kernels"] == 0:
            gains[key] = summary["speedup_over_eager"]
    ratios = {key: predicted[key] / gain for key, gain in gains.items() if gain and predicted.get(key)}
    near = sum(abs(ratio - 1) <= PREDICTION_OFF_MAX for ratio in ratios.values())
    figure, limit = "predicted gain / whole's, within 10 %", f">= {PREDICTIONS_NEAR_MIN:.0%} of the steps"
    if not ratios:
        return [Row(figure, limit, "no step ran eager's kernels in its graph", False)]
    worst = max(ratios, key=lambda key: abs(ratios[key] - 1))
    measured = f"{near} of {len(gains)}, farthest {ratios[worst]:.2f} of {worst}"
    return [Row(figure, limit, measured, near >= PREDICTIONS_NEAR_MIN * len(gains))]


def torch_modes_rows(folder):
    states = collections.Counter(cell["status"] for cell in cells_of(folder, "modes_*.json"))
    text = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    return [published("steps of PyTorch in every mode", text or None)]


def judged_rows(stage, text):
    """Reads the output of tests/torch/judged.py: its last line counts the steps that are right and wrong."""
    figure, match = f"steps of PyTorch judged right: {stage}", JUDGED_LINE.search(text)
    if not match:
        return [Row(figure, "all", "judged.py counted none", False)]
    right, wrong = int(match["right"]), int(match["wrong"])
    return [Row(figure, "all", f"{right} of {right + wrong}", right > 0 and wrong == 0)]
