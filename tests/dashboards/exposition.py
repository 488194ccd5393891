"""A complete /metrics that no graphbench made: every family of metrics.json, over a small sweep.

The times are those of a made-up machine in which eager mlp and conv are host-bound at small batches. Counters
rise with the time since the server began, so that rates over them are not zero."""

import contextlib
import itertools
import time

import metrics_table
import prometheus_servers

WORKLOADS = {"mlp": 150e-6, "attention": 470e-6, "conv": 165e-6}
MODES = ("eager", "whole", "piecewise")
SUBMIT = {"eager": 380e-6, "whole": 2.2e-6, "piecewise": 17e-6}
DEVICE = "cuda:0"
ROUTES = ("/metrics", "/v1/sweeps")
BUCKETS = (0.001, 0.01, 0.1, 1)


def cells():
    for workload, batch, warmup, mode in itertools.product(WORKLOADS, (1, 8, 64, 256), (0, 3), MODES):
        yield {"workload": workload, "preset": "base", "dtype": "bf16", "pass": "forward",
               "batch": str(batch), "warmup": str(warmup), "mode": mode, "device": DEVICE}


def submit(cell):
    split = cell["workload"] == "attention" and cell["mode"] == "piecewise"
    return 480e-6 if split and cell["batch"] == "1" else SUBMIT[cell["mode"]]


def device(cell):
    return WORKLOADS[cell["workload"]] * (1 + int(cell["batch"]) / 64)


def latency(cell):
    return max(submit(cell), device(cell)) + 10e-6


# One comparison of each verdict that is not "same".
CHANGES = {("conv", "8", "latency"): (1.125, "slower"), ("mlp", "8", "submit"): (0.875, "faster"),
           ("mlp", "8", "setup"): (1.05, "inconclusive")}


def change(cell, metric):
    """The ratio and its verdict."""
    return CHANGES.get((cell["workload"], cell["batch"], metric), (1.001, "same"))


# Per cell: the value, None where a cell has no such number, as eager has no graph.
TIMES = {"graphbench_latency_seconds": latency, "graphbench_submit_seconds": submit,
         "graphbench_device_seconds": device}


def of_eager(value):
    return lambda cell: value if cell["mode"] == "eager" else None


def of_graph(value):
    return lambda cell: None if cell["mode"] == "eager" else value


CELLS = {
    "graphbench_throughput_steps_per_second": lambda cell: 1 / latency(cell),
    "graphbench_prepare_seconds": lambda cell: 1e-2,
    "graphbench_warmup_seconds": lambda cell: 3e-3 * int(cell["warmup"]),
    "graphbench_capture_seconds": of_graph(2e-3),
    "graphbench_instantiate_seconds": of_graph(3e-4),
    "graphbench_upload_seconds": of_graph(1e-4),
    "graphbench_first_step_seconds": lambda cell: 3 * latency(cell),
    "graphbench_steady_after_steps": lambda cell: 0 if cell["warmup"] == "3" else 2,
    "graphbench_pool_bytes": lambda cell: 27e6,
    "graphbench_pool_private_bytes": of_graph(46e6),
    "graphbench_graph_nodes": of_graph(48),
    "graphbench_graph_pieces": lambda cell: {"eager": None, "whole": 1, "piecewise": 8}[cell["mode"]],
    "graphbench_speedup_over_eager_ratio":
        lambda cell: latency({**cell, "mode": "eager"}) / latency(cell),
    "graphbench_throughput_over_eager_ratio":
        lambda cell: latency({**cell, "mode": "eager"}) / latency(cell),
    "graphbench_breakeven_steps": of_graph(19),
    "graphbench_setup_cost_seconds": of_graph(3e-3),
    "graphbench_setup_once_seconds": of_graph(1e-3),
    "graphbench_submit_over_floor_ratio": lambda cell: 1.3,
    "graphbench_launch_bound_ratio": of_eager(0.7),
    "graphbench_predicted_gain_ratio": of_eager(3.1),
    "graphbench_sustained_latency_seconds": lambda cell: 1.1 * latency(cell),
    "graphbench_sustained_device_seconds": lambda cell: 1.1 * device(cell),
    "graphbench_sustained_sm_clock_hertz": lambda cell: 1.65e9,
    "graphbench_sustained_power_watts": lambda cell: 690,
    "graphbench_baseline_latency_seconds": lambda cell: latency(cell) / change(cell, "latency")[0],
    "graphbench_baseline_submit_seconds": lambda cell: submit(cell) / 1.001,
    "graphbench_baseline_device_seconds": lambda cell: device(cell) / 1.001,
}
# Of each graph cell, and of its neighbours away from the default of --io and in training.
COUNTERS = {"programs": 6, "pieces": 8, "capturable": 8, "captured": 112, "instantiated": 49, "updated": 63,
            "compilations": 144}
IO = {"copies": 0, "copy_bytes": 0, "copies_kept": 1, "kernel_nodes_set": 0, "copy_nodes_set": 0,
      "pieces_touched": 1, "set_execs": 0, "recordings": 1, "updates": 63 / 64, "updates_refused": 1 / 64,
      "instantiations": 1 / 64}
TRAINING = {"saved_bytes": 5e6, "gradient_bytes": 3e6, "optimizer_bytes": 6e6, "peak_bytes": 9e6,
            "copies_skipped": 8, "forward_seconds": 1e-4, "backward_seconds": 2e-4,
            "optimizer_seconds": 5e-5, "step_seconds": 3.5e-4}
EVALUATION_SECONDS = 8e-5
WALK = {"programs": 2, "recordings": 5, "generations": 1, "pool_bytes": 4e6, "hit_seconds": 2.4e-6,
        "replay_seconds": 2.2e-6}
OUTCOMES = {"traced": 2, "program_hit": 3, "graph_hit": 11, "recorded_again": 1}
STARTUP = {"process": 8e-3, "plugin": 4e-3, "module": 0.1, "context": 0.5, "weights": 0.06}
# Eager found nothing, whole did, and piecewise ran from a package.
CACHE = {"hits": 5, "misses": 1, "refused": 0, "bytes": 3072, "seconds_saved": 1.5}
PACKAGE = {"bytes": 25000, "weights_bytes": 1155072, "load_seconds": 0.03, "verify_seconds": 0.001,
           "first_step_seconds": 0.05}
COMPARED = ("latency", "submit", "device", "setup")


def rows_of(family, cell, values):
    for name, value in values.items():
        yield f"graphbench_{family}_{name}", cell, value


def rows_of_caller(cell):
    yield from rows_of("counters", cell, COUNTERS)
    moved = {**cell, "io": "update"}
    yield from rows_of("io", moved, IO)
    yield "graphbench_submit_seconds", {**moved, "quantile": "0.5"}, 4 * submit(cell)


def rows_of_training(cell):
    trained = {**cell, "optimizer": "adamw", "backward": "callables", "optimizer_in": "eager"}
    yield from rows_of("training", trained, TRAINING)
    for name, value in TIMES.items():
        yield name, {**trained, "quantile": "0.5"}, 3 * value(cell)
    yield "graphbench_evaluation_latency_seconds", trained, EVALUATION_SECONDS


def rows_of_start(cell):
    for name, value in STARTUP.items():
        yield f"graphbench_startup_{name}_seconds", cell, value
    yield from rows_of("cache", cell, dict.fromkeys(CACHE, 0) if cell["mode"] == "eager" else CACHE)
    if cell["mode"] == "piecewise":
        yield from rows_of("package", cell, PACKAGE)


def rows_of_walk(cell):
    yield from rows_of("shape_walk", cell, WALK)
    for outcome, count in OUTCOMES.items():
        yield "graphbench_shape_walk_steps", {**cell, "outcome": outcome}, count


def rows_of_cells():
    yield "graphbench_counters_skips", {**next(cells()), "mode": "whole", "reason": "host_op"}, 1
    never = {**next(cells()), "mode": "whole", "warmup": "3", "reason": "never"}
    yield "graphbench_no_breakeven_info", never, 1
    for cell in cells():
        yield from rows_of_start(cell)
        if cell["mode"] != "eager":
            yield from rows_of_walk(cell)
            yield from rows_of_caller(cell)
            yield from rows_of_training(cell)
        for name, value in TIMES.items():
            for quantile, factor in (("0.5", 1), ("0.9", 1.05), ("0.99", 1.4)):
                yield name, {**cell, "quantile": quantile}, value(cell) * factor
            yield name + "_count", cell, 1000
            yield name + "_sum", cell, 1000 * value(cell)
        for name, value in CELLS.items():
            if value(cell) is not None:
                yield name, cell, value(cell)
        for step in (0, 1, 2, 4, 8, 16, 31):
            yield "graphbench_ramp_seconds", {**cell, "step": str(step)}, latency(cell) * (1 + 2 / (1 + step))
        # Beside a neighbour away from the defaults of two axes, with a verdict of its own.
        for metric, axes in itertools.product(COMPARED, ({}, {"graph_rewrite": "memset", "io": "copy_in"})):
            labels = {**cell, **axes, "metric": metric}
            ratio, word = (0.7, "faster") if axes else change(cell, metric)
            yield "graphbench_change_ratio", labels, ratio
            yield "graphbench_verdict_info", {**labels, "verdict": word}, 1


# Of each ladder: the value by the label that the family has of its own.
LADDERS = {
    "hit_ratio": {None: 0.97}, "padding_waste_ratio": {None: 0.12}, "busy_seconds": {None: 1.5},
    "rows_per_second": {None: 4e5}, "stall_seconds": {None: 0.2},
    "steps": {("how", how): 100 for how in ("exact", "padded", "eager_below", "eager_beyond",
                                            "captured_now")},
    "startup_seconds": {("stage", stage): 0.1 for stage in ("prepare", "warmup", "capture", "instantiate",
                                                            "upload")},
    "memory_bytes": {("of", of): 4e7 for of in ("pool", "graphs", "static", "workspace")},
}


def rows_of_ladders():
    for workload, mode, role in itertools.product(WORKLOADS, ("whole", "piecewise"), ("asked", "every")):
        ladder = {"workload": workload, "preset": "base", "dtype": "bf16", "pass": "forward", "batch": "512",
                  "warmup": "3", "mode": mode, "device": DEVICE, "ladder": "0123abcd",
                  "traffic": "0123456789ab", "role": role}
        for name, values in LADDERS.items():
            for own, value in values.items():
                yield f"graphbench_ladder_{name}", {**ladder, **dict([own] if own else [])}, value
        for what in ("latency", "submit", "response"):
            name = f"graphbench_ladder_{what}_seconds"
            for quantile in ("0.5", "0.9", "0.99", "0.999"):
                yield name, {**ladder, "quantile": quantile}, 1e-4 * (1 + float(quantile))
            yield name + "_count", ladder, 10000
            yield name + "_sum", ladder, 1.5


def rows_of_service(seconds):
    yield "graphbench_build_info", {"version": "0.1.0"}, 1
    yield "graphbench_device_info", {"device": DEVICE, "kind": "cuda", "name": "NVIDIA H200", "uuid": "GPU-0",
                                     "compute_capability": "9.0", "driver": "580", "runtime": "13.0"}, 1
    for coverage, count in (("compared", 70), ("base_only", 2), ("new_only", 0), ("failed_now", 0),
                            ("skipped_now", 0), ("recovered", 0), ("neither", 0)):
        yield "graphbench_baseline_cells", {"device": DEVICE, "coverage": coverage}, count
    for mode, metric in itertools.product(("eager", "whole", "piecewise"), ("latency", "submit")):
        mean = {"device": DEVICE, "mode": mode, "metric": metric}
        ratio, word = (1.031, "slower") if metric == "submit" else (1.001, "same")
        yield "graphbench_mean_change_ratio", mean, ratio
        yield "graphbench_mean_verdict_info", {**mean, "verdict": word}, 1
    yield "graphbench_mean_verdict_info", {**mean, "verdict": "less steady"}, 1
    # A second device, whose last sweep was not the baseline's plan.
    yield "graphbench_baseline_comparable", {"device": DEVICE}, 1
    yield "graphbench_baseline_comparable", {"device": "host"}, 0
    yield "graphbench_baseline_mismatch_info", {"device": "host", "field": "plan"}, 1
    yield "graphbench_sweep_progress_ratio", {"device": DEVICE}, 0.5
    yield "graphbench_sweep_running", {"device": DEVICE}, 1
    yield "graphbench_last_success_timestamp_seconds", {"device": DEVICE}, 1e9
    for status in ("ok", "skipped", "failed"):
        yield "graphbench_cells_total", {"status": status}, int(2 * seconds)
    yield "graphbench_steps_total", {}, int(1000 * seconds)
    yield "graphbench_capture_skips_total", {"reason": "host_op"}, 1
    for status in ("done", "failed", "cells_failed", "cancelled", "interrupted"):
        yield "graphbench_sweeps_total", {"status": status}, 1
    yield "graphbench_queue_sweeps", {}, 16
    yield "graphbench_queue_capacity_sweeps", {}, 16
    yield "graphbench_event_streams", {}, 2
    for route in ROUTES:
        yield "graphbench_http_requests_total", {"route": route, "code": "200"}, int(10 * seconds)
        name = "graphbench_http_request_duration_seconds"
        for bucket in BUCKETS:
            count = int(10 * seconds * min(1, 20 * bucket))
            yield name + "_bucket", {"route": route, "le": str(bucket)}, count
        yield name + "_bucket", {"route": route, "le": "+Inf"}, int(10 * seconds)
        yield name + "_count", {"route": route}, int(10 * seconds)
        yield name + "_sum", {"route": route}, 0.02 * seconds


def text(seconds=60):
    """The exposition, families together, each with its type and help."""
    table = metrics_table.load()
    family_of = {metric.name + suffix: metric for metric in table.metrics
                 for suffix in ("", *metrics_table.SUFFIXES.get(metric.kind, ()))}
    lines = {metric.name: [] for metric in table.metrics}
    rows = itertools.chain(rows_of_cells(), rows_of_ladders(), rows_of_service(seconds))
    for name, labels, value in rows:
        written = ",".join(f'{label}="{content}"' for label, content in labels.items())
        series = f"{name}{{{written}}}" if labels else name
        lines[family_of[name].name].append(f"{series} {value:.9g}")
    out = []
    for metric in table.metrics:
        out += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        out += lines[metric.name]
    return "\n".join(out) + "\n"


@contextlib.contextmanager
def served():
    """The exposition on a free port of the loopback; yields HOST:PORT."""
    began = time.monotonic() - 60
    with prometheus_servers.answering(lambda _: (200, "text/plain; version=0.0.4",
                                                 text(time.monotonic() - began))) as server:
        yield f"127.0.0.1:{server.server_port}"
