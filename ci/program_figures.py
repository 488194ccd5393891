"""Figures of how programs are compiled, loaded and trained: stages compiled, start-up, training of ci/gpu."""

import collections

from figure_row import Row, at_most, document_rows, geometric_mean, published

CHAINS_OVER_BY_HAND_MAX = 1.05
CHAINS_OVER_PAIRS_MAX = 1.01
PACKAGE_OVER_COLD_MAX, PACKAGE_OVER_WARM_MAX = 0.5, 1.05
GRAPH_HIT_SECONDS_MAX = 1e-6
# The stages of a worker's set-up of one batch, from a ready context to the end of its first step.
STAGES = ("prepare", "warmup", "capture", "instantiate", "upload", "first_step")


def latency(cell):
    """The median of a cell that is ok, else None."""
    return cell["summary"]["latency_seconds"]["p50"] if cell["status"] == "ok" else None


def by_axes(document, *axes):
    """For each workload and batch, the cells by these axes' values; defaults are None."""
    grid = collections.defaultdict(dict)
    for cell in document["cells"]:
        grid[cell["workload"], cell["batch"]][tuple(cell.get(axis) for axis in axes)] = cell
    return dict(sorted(grid.items()))


def ratios_of(grid, ours, theirs):
    """By workload and batch, latency over latency, where both cells are ok."""
    ratios = {}
    for key, cells in grid.items():
        times = [latency(cells[side]) if side in cells else None for side in (ours, theirs)]
        ratios[key] = times[0] / times[1] if None not in times else None
    return ratios


def ratio_rows(figure, ratios, limit=None):
    """A row a workload: the geometric mean and the largest, which the limit is for."""
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


def fuse_rows(document):
    """Generated kernels against those made by hand; what an importer gives against the builder's program."""
    grid = by_axes(document, "epilogues", "fuse")
    by_hand = (None, None)
    rows = ratio_rows("--fuse chains / pairs", ratios_of(grid, (None, "chains"), by_hand),
                      CHAINS_OVER_PAIRS_MAX)
    rows += ratio_rows("--epilogues off --fuse chains / by hand", ratios_of(grid, ("off", "chains"), by_hand),
                       CHAINS_OVER_BY_HAND_MAX)
    for name, fuse in (("none", "none"), ("pairs", None)):
        rows += ratio_rows(f"--epilogues off --fuse {name} / by hand",
                           ratios_of(grid, ("off", fuse), by_hand))
    return rows + ratio_rows("--fuse none / pairs", ratios_of(grid, (None, "none"), by_hand))


def attention_rows(document):
    grid = by_axes(document, "attention")
    return ratio_rows("--attention decomposed / fused", ratios_of(grid, ("decomposed",), ("fused",)))


def first_step_seconds(cell):
    """From a ready context to the end of the first step, as if this batch were the only one."""
    if cell["status"] != "ok":
        return None
    if "package" in cell:
        return cell["package"]["first_step_seconds"]
    launch = cell["launches"][0]
    return launch["startup"]["weights_seconds"] + sum(launch["setup"][f"{stage}_seconds"] for stage in STAGES)


def start_up_rows(folder):
    """All batches together, for each workload; beside it, what the worker needed until it had a context."""
    seconds, exec_seconds = {}, {}

    def read(way):
        def rows(document):
            for cell in document["cells"]:
                seconds[cell["workload"], way, cell["batch"]] = first_step_seconds(cell)
                if cell["status"] == "ok":
                    startup = cell["launches"][0]["startup"]
                    exec_seconds[cell["workload"], way] = sum(
                        startup[f"{stage}_seconds"] for stage in ("process", "plugin", "module", "context"))
            return []
        return rows

    rows = []
    workloads = ("mlp", "attention", "conv")
    ways = ("cold", "warm", "package")
    for workload in workloads:
        for way in ways:
            rows += document_rows(folder, f"start_up_{workload}_{way}.json", read(way))
    for workload in workloads:
        batches = sorted({batch for owner, _, batch in seconds if owner == workload})
        sums = {}
        for way in ways:
            times = [seconds.get((workload, way, batch)) for batch in batches]
            sums[way] = None if None in times or not times else sum(times)
        for way, limit in (("cold", PACKAGE_OVER_COLD_MAX), ("warm", PACKAGE_OVER_WARM_MAX)):
            ratio = sums["package"] / sums[way] if sums["package"] and sums[way] else None
            rows.append(at_most(f"context to first step, package / {way}: {workload}", limit, ratio))
        if None not in sums.values():
            text = ", ".join(
                f"{way} {sums[way] * 1e3:.1f} ms (and {exec_seconds[workload, way] * 1e3:.0f} ms "
                "from exec to the context)" for way in ways)
            rows.append(published(f"context to first step, {len(batches)} batches: {workload}", text))
    return rows


def accumulate_rows(folder):
    """Memory of activations and gradients at once, by when gradients are added and updated."""
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
    """The pool that all layers share, against a single layer's."""
    pools = {}
    rows = []
    for layers in (1, 4, 16):
        def read(document, layers=layers):
            cell = document["cells"][0]
            if cell["status"] == "ok":
                pools[layers] = (cell["memory"]["pool_bytes"], cell["training"]["saved_bytes"],
                                 cell["training"]["gradient_bytes"])
            return []
        rows += document_rows(folder, f"callables_{layers}.json", read)
    text = ", ".join(f"{layers} layers {pool / 1e6:.2f} MB ({saved / 1e6:.2f} MB saved for backward, "
                     f"{gradients / 1e6:.2f} MB of gradients)"
                     for layers, (pool, saved, gradients) in pools.items())
    return rows + [published("pool of callables", text if len(pools) == 3 else None)]


def evaluation_rows(document):
    """The forward program on parameters of training, which no kernel may read early, against forward."""
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


def compiled_rows(folder):
    return [*document_rows(folder, "fuse.json", fuse_rows),
            *document_rows(folder, "attention_ways.json", attention_rows)]


def training_rows(folder):
    return [*accumulate_rows(folder), *callables_rows(folder),
            *document_rows(folder, "evaluate.json", evaluation_rows), *shape_rows(folder)]
