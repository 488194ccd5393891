"""Rules of a result document that JSON Schema cannot express: fields that must agree with each other.

faults_of(document) returns a list of sentences, empty for a sound document."""

import collections
import itertools
import statistics

AXES = ("workload", "preset", "dtype", "pass", "batch", "warmup", "mode")
SUMMARIES = ("submit_seconds", "latency_seconds", "device_seconds")


def same(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def id_of(cell, later=()):
    """`later`: the axes that came later; a cell has those that are not at their default."""
    start = "/".join(str(cell[axis]) for axis in AXES[:4])
    end = "".join(f"/{axis}={cell[axis]}" for axis in later if axis in cell)
    return f"{start}/b{cell['batch']}/w{cell['warmup']}/{cell['mode']}{end}"


def faults_of_order(name, summary):
    """Order statistics are in order, and the mean is between the extremes. The p50 counts every placement
    alike, and the others are of all samples: where placements differ widely, it may lie above the p90."""
    for keys in (("min", "p50", "max"), ("min", "p90", "p99", "p999", "max")):
        ordered = [summary[key] for key in keys if summary[key] is not None]
        if ordered != sorted(ordered):
            yield f"{name}: its percentiles are not in order"
    slack = 1e-9 * summary["max"]
    if not summary["min"] - slack <= summary["mean"] <= summary["max"] + slack:
        yield f"{name}: its mean is outside [min, max]"


def faults_of_summary(cell):
    """A cell's p50 is the median over its launches, inside an interval in order."""
    for key in SUMMARIES:
        estimate = cell["summary"][key]
        p50s = [launch[key]["p50"] for launch in cell["launches"] if launch[key] is not None]
        if estimate is None:
            continue
        if not p50s:
            yield f"{cell['id']}: summary of {key} without a launch that measured it"
        elif not same(estimate["p50"], statistics.median(p50s)):
            yield f"{cell['id']}: summary of {key} is not the median of its launches"
        interval = estimate["ci95"]
        if interval is not None and interval[0] > interval[1]:
            yield f"{cell['id']}: interval of {key} runs backwards"


def faults_of_speedup(cell, cells, later):
    speedup = cell["summary"]["speedup_over_eager"]
    if speedup is None:
        return
    if cell["mode"] == "eager":
        if not same(speedup, 1.0):
            yield f"{cell['id']}: eager's speedup over itself is not 1"
        return
    eager = {**cell, "mode": "eager"}
    reference = cells.get(id_of(eager, later)) or cells.get(id_of(eager))  # an axis may not apply to eager
    if reference is None or reference["summary"]["latency_seconds"] is None:
        yield f"{cell['id']}: a speedup without eager's latency"
        return
    ratio = reference["summary"]["latency_seconds"]["p50"] / cell["summary"]["latency_seconds"]["p50"]
    if not same(ratio, speedup):
        yield f"{cell['id']}: speedup {speedup} where the latencies say {ratio}"


def faults_of_breakeven(cell):
    """A graph mode has a break-even or the reason why not. Documents of older versions lack the reason."""
    summary = cell["summary"]
    if "setup_cost_seconds" not in summary:
        return
    if (summary["breakeven_steps"] is None) != ("no_breakeven" in summary):
        yield f"{cell['id']}: it must have a break-even or say why not"
    interval = summary.get("breakeven_steps_ci95")
    if interval and not interval[0] <= (summary["breakeven_steps"] or -1) <= interval[1]:
        yield f"{cell['id']}: its break-even is outside its interval"


def floor_of(cell, floors):
    """What the cell's launches cost at best; see harness/model/statistics/submit_floor.cpp."""
    graph, kernel = floors["graph_launch_seconds"], floors["kernel_launch_seconds"]
    later_graph = min(graph["p50"], (floors.get("queued_graph_launch_seconds") or graph)["p50"])
    later_kernel = min(kernel["p50"], (floors.get("queued_kernel_launch_seconds") or kernel)["p50"])
    pieces, ops = cell["graph"]["pieces"], cell["graph"]["eager_ops"]
    if cell["preset"] == "own" and ops:  # records count the launches of a foreign step
        ops = cell["records"]["operations"] - cell["graph"]["nodes"]
    first = graph["p50"] - later_graph if pieces else kernel["p50"] - later_kernel
    return first + pieces * later_graph + ops * later_kernel


def faults_of_instruments(cell, document):
    for launch in cell["launches"]:
        machine = launch.get("machine")
        readings = [machine[when] for when in ("before", "after") if machine[when]] if machine else []
        if machine and machine["throttled"] and not any(reading["throttle"] for reading in readings):
            yield f"{cell['id']}: throttled for no reason"
    steady = cell["summary"]["steady_after"]
    if steady is not None and steady < cell["warmup"]:
        yield f"{cell['id']}: steady before its warmups ended"
    multiple = cell["summary"].get("submit_over_floor")
    if multiple is not None:
        floor = floor_of(cell, document["environment"]["floors"])
        if not same(multiple, cell["summary"]["submit_seconds"]["p50"] / floor):
            yield f"{cell['id']}: submit is not {multiple} times its floor"
    profile = cell.get("profile")
    if profile is None:
        return
    # Only documents that say whether a profile was planned have the field `witness`.
    if "witness" in profile and not document["plan"].get("profile"):
        yield f"{cell['id']}: a profile that was not planned"
    seconds = [entry["seconds"] for entry in profile["top"]]
    if seconds != sorted(seconds, reverse=True):
        yield f"{cell['id']}: its kernels are not in order"
    unrecorded = [launch["device_seconds"] for launch in cell["launches"]]
    if profile.get("slowdown") is not None and not any(
            device and same(profile["slowdown"], profile["device_seconds"] / device["p50"])
            for device in unrecorded):
        yield f"{cell['id']}: its slowdown is of no launch"


ACCOUNTS = ("context_bytes", "code_bytes", "static_bytes", "workspace_bytes", "pool_bytes", "graphs_bytes",
            "unaccounted_bytes")


def faults_of_memory(cells):
    """What the driver says is used is the sum of the accounts. What an exec costs is known to a part of it.

    Documents without graphs_bytes are older: they count what the execs of all the worker's cells cost."""
    execs = collections.Counter()
    if not any("graphs_bytes" in (cell["memory"] or {}) for cell in cells):
        for cell in cells:
            execs[worker_of(cell)] += (cell["memory"] or {}).get("exec_bytes") or 0
    for cell in cells:
        memory = cell["memory"] or {}
        resolution = memory.get("exec_resolution_bytes")
        if resolution is not None and not 0 < resolution <= memory["exec_bytes"]:
            yield f"{cell['id']}: an exec costs less than what is known of it"
        if memory.get("unaccounted_bytes") is None:
            continue
        booked = sum(memory.get(account) or 0 for account in ACCOUNTS) + execs[worker_of(cell)]
        if memory["used_bytes"] != booked:
            yield f"{cell['id']}: its memory accounts do not add up"


def worker_of(cell):
    return tuple(cell[axis] for axis in AXES if axis != "batch")


def faults_of_setups(cell):
    for launch in cell["launches"]:
        if launch.get("setups", [launch["setup"]])[0] != launch["setup"]:
            yield f"{cell['id']}: its setup is not that of the first placement"


def faults_of_caller(cell):
    """A step updates no more than it has recorded, and instantiates what was refused."""
    io = cell.get("caller_io")
    if io and io["updates"] + io["updates_refused"] > io["recordings"] * (1 + 1e-9):
        yield f"{cell['id']}: its steps update more than they record"
    if io and io["updates_refused"] > io["instantiations"]:
        yield f"{cell['id']}: an update was refused and nothing instantiated"


def faults_of_floors(floors):
    for ladder in floors["ladders"] if floors else []:
        nodes = [point["nodes"] for point in ladder["points"]]
        if nodes != sorted(set(nodes)):
            yield f"floors: the node counts of {ladder['shape']} graphs do not ascend"


def faults_of_choices(choices):
    entries = [(entry["key"], entry["algorithm"]) for entry in choices["entries"]] if choices else []
    if entries != sorted(set(entries)):
        yield "library choices: they are not in order, or repeat"


def faults_of_cache(document):
    cells = [cell["cache"] for cell in document["cells"] if "cache" in cell]
    total = document.get("cache", {})
    if bool(cells) != bool(total) or not all(
            same(total[name], sum(cell[name] for cell in cells)) for name in total):
        yield "cache: it is not the sum of its cells"


def faults_of(document):
    faults = list(faults_of_floors(document["environment"].get("floors")))
    faults.extend(faults_of_choices(document["environment"].get("library_choices")))
    faults.extend(faults_of_cache(document))
    cells = {}
    grids = [document["plan"]["axes"], *document["plan"].get("more_grids", [])]
    later = sorted({axis for grid in grids for axis in grid if axis not in AXES})
    for cell in document["cells"]:
        if cell["id"] != id_of(cell, later):
            faults.append(f"{cell['id']}: its fields say {id_of(cell, later)}")
        if cell["id"] in cells:
            faults.append(f"{cell['id']}: stands there twice")
        cells[cell["id"]] = cell
        of_cell = (*AXES, *(axis for axis in later if axis in cell))
        if not any(all(cell[axis] in grid.get(axis, []) for axis in of_cell) for grid in grids):
            faults.append(f"{cell['id']}: no grid of the plan has it")
        if [launch["index"] for launch in cell["launches"]] != sorted({l["index"] for l in cell["launches"]}):
            faults.append(f"{cell['id']}: its launches are not in order")
        if any(launch["index"] >= document["plan"]["launches"] for launch in cell["launches"]):
            faults.append(f"{cell['id']}: a launch that was not planned")
    planned = {id_of(dict(zip(AXES, point))) for grid in grids
               for point in itertools.product(*(grid[axis] for axis in AXES))}
    if missing := planned - {id_of(cell) for cell in cells.values()}:
        faults.append(f"{len(missing)} planned cells are missing, such as {sorted(missing)[0]}")
    for cell in cells.values():
        for launch in cell["launches"]:
            for key in SUMMARIES:
                if launch[key] is not None:
                    faults.extend(faults_of_order(f"{cell['id']}: {key}", launch[key]))
        faults.extend(faults_of_summary(cell))
        faults.extend(faults_of_speedup(cell, cells, later))
        faults.extend(faults_of_breakeven(cell))
        faults.extend(faults_of_instruments(cell, document))
        faults.extend(faults_of_setups(cell))
        faults.extend(faults_of_caller(cell))
    faults.extend(faults_of_memory(document["cells"]))
    findings = document.get("conclusions", []) + document.get("notes", [])
    faults.extend(f"{each['code']}: {cell} is not one of the cells" for each in findings
                  for cell in each["cells"] if cell not in cells)
    if document["finished_at"] is not None and document["finished_at"] < document["started_at"]:
        faults.append("it finished before it started")
    return faults
