"""A complete /metrics that no graphbench made: every family of metrics.json, over a small sweep.

The times are those of a made-up machine in which eager mlp and conv are host-bound at small batches. Counters
rise with the time since the server began, so that rates over them are not zero."""

import collections
import contextlib
import functools
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
    forward = itertools.product(WORKLOADS, ("forward",), (1, 8, 64, 256), (0, 3), MODES)
    training = itertools.product(WORKLOADS, ("training",), (1,), (3,), MODES)
    for workload, what, batch, warmup, mode in (*forward, *training):
        yield {"workload": workload, "preset": "base", "dtype": "bf16", "pass": what,
               "batch": str(batch), "warmup": str(warmup), "mode": mode, "device": DEVICE}


def variants_of(cell):
    """The cell at all defaults; of one batch and warmup also its neighbours away from one."""
    yield cell
    if cell["mode"] != "eager" and cell["batch"] == "1" and cell["warmup"] == "3":
        yield {**cell, "variant": "io=update"}
    if cell["pass"] == "training":
        captured = "backward=callables/" if cell["mode"] != "eager" else ""
        yield {**cell, "variant": f"{captured}optimizer=adamw"}


def submit(cell):
    split = cell["workload"] == "attention" and cell["mode"] == "piecewise"
    return 480e-6 if split and cell["batch"] == "1" else SUBMIT[cell["mode"]]


def device(cell):
    return WORKLOADS[cell["workload"]] * (1 + int(cell["batch"]) / 64)


def latency(cell):
    return max(submit(cell), device(cell)) + 10e-6


VARIANTS = ({}, {"variant": "graph-rewrite=memset/io=copy_in"})
# One comparison of each verdict that is not "same".
CHANGES = {("conv", "8", "latency"): (1.125, "slower"), ("mlp", "8", "submit"): (0.875, "faster"),
           ("mlp", "8", "setup"): (1.05, "inconclusive")}


def change(cell, metric):
    """The ratio and its verdict."""
    return CHANGES.get((cell["workload"], cell["batch"], metric), (1.001, "same"))


TIMES = {"graphbench_latency_seconds": latency, "graphbench_submit_seconds": submit,
         "graphbench_device_seconds": device}
# Of mode whole, except for conv, whose gains are all 1, as those of other modes are.
GAINS = {"graphbench_speedup_over_eager_ratio": 1.5, "graphbench_speedup_over_eager_low_ratio": 1.25,
         "graphbench_speedup_over_eager_high_ratio": 1.75}
COMPARED = ("latency", "submit", "device", "setup")
# What cells of a mode have none of, by how the families' names begin behind graphbench_.
OF_EAGER = ("launch_bound", "predicted_gain")
# What only cells away from an axis's default have.
OF_AXIS = {("training", "evaluation"): "optimizer", ("io_",): "io"}
LACKING = {"eager": ("capture_s", "instantiate", "upload", "pool_private", "graph_", "break_", "breakeven",
                     "no_breakeven", "setup_", "speedup_over_eager_low", "speedup_over_eager_high",
                     "throughput_over", "counters", "shape_walk", "package"),
           "whole": (*OF_EAGER, "break_", "package"), "piecewise": OF_EAGER}
# Values of the labels that a family has beside a cell's, and beside a ladder's.
WORDS = {"reason": ("host_op", "never"), "step": ("0", "1", "2", "4", "8", "16", "31"),
         "outcome": ("traced", "program_hit", "graph_hit", "recorded_again"),
         "quantile": ("0.5", "0.9", "0.99"), "of": ("pool", "graphs", "static", "workspace"),
         "how": ("exact", "padded", "eager_below", "eager_beyond", "captured_now", "warming"),
         "stage": ("prepare", "warmup", "capture", "instantiate", "upload"), "by": ("captures", "line")}
# Those of a bill's families.
BILL_WORDS = {**WORDS, "of": ("pool", "workspace", "code", "graphs"), "how": ("predicted", "measured")}
TABLE = metrics_table.load()


def rows_of(metric, labels, value=1, told=WORDS):
    """One for each value of the labels that the family has beside these."""
    own = [label for label in metric.labels if label not in labels]
    for words in itertools.product(*(told[label] for label in own)):
        yield metric.name, {**labels, **dict(zip(own, words))}, value
    if metric.kind == "summary":
        yield metric.name + "_count", labels, 1000
        yield metric.name + "_sum", labels, 1000 * value


def is_of(metric, cell):
    """Whether such a cell has the family; those that are worked out below are none of these."""
    name = metric.name.removeprefix("graphbench_")
    worked_out = metric.name in TIMES or name.startswith(("ladder_", "bill_")) or "metric" in metric.labels
    lacking = [*LACKING[cell["mode"]]]
    for families, axis in OF_AXIS.items():
        lacking += families if axis not in cell.get("variant", "") else ()
    return "workload" in metric.labels and not worked_out and not name.startswith(tuple(lacking))


def value_of(metric, cell):
    if cell["mode"] == "eager":
        return 0 if "_cache_" in metric.name else 1
    gains = cell["mode"] == "whole" and cell["workload"] != "conv"
    return GAINS.get(metric.name, 1) if gains else 1


def rows_of_cells():
    for cell, (place, one) in ((cell, each) for cell in cells() for each in enumerate(variants_of(cell))):
        for metric in TABLE.metrics:
            if metric.name in TIMES:
                yield from rows_of(metric, one, (1 + 3 * place) * TIMES[metric.name](cell))
            elif is_of(metric, one):
                yield from rows_of(metric, one, value_of(metric, one))
    # Beside a neighbour away from the defaults of two axes, with a verdict of its own.
    for cell, metric, variant in itertools.product(cells(), COMPARED, VARIANTS):
        labels = {**cell, **variant, "metric": metric}
        ratio, word = (0.7, "faster") if variant else change(cell, metric)
        yield "graphbench_change_ratio", labels, ratio
        yield "graphbench_verdict_info", {**labels, "verdict": word}, 1


def rows_of_ladders():
    for workload, mode, role in itertools.product(WORKLOADS, ("whole", "piecewise"), ("asked", "every")):
        ladder = {"workload": workload, "preset": "base", "dtype": "bf16", "pass": "forward", "batch": "512",
                  "warmup": "3", "mode": mode, "device": DEVICE, "ladder": "0123abcd",
                  "traffic": "0123456789ab", "role": role}
        for metric in TABLE.metrics:
            if metric.name.startswith("graphbench_ladder_"):
                yield from rows_of(metric, ladder)
            elif metric.name.startswith("graphbench_bill_") and role == "asked":
                bill = {label: ladder[label] for label in metric.labels if label in ladder}
                yield from rows_of(metric, {**bill, "bill": "0123abcd"}, told=BILL_WORDS)


def rows_of_service(seconds):
    yield "graphbench_build_info", {"version": "0.1.0"}, 1
    yield "graphbench_device_info", {"device": DEVICE, "kind": "cuda", "name": "NVIDIA H200", "uuid": "GPU-0",
                                     "compute_capability": "9.0", "driver": "580", "runtime": "13.0"}, 1
    yield "graphbench_library_info", {"device": DEVICE, "name": "cublas", "version": "13.0"}, 1
    yield "graphbench_note_info", {"device": DEVICE, "code": "trust_high"}, 1
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
    yield "graphbench_cells_dropped_total", {}, int(seconds)
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


def lines_of(rows):
    """Series by family."""
    family_of = {metric.name + suffix: metric.name for metric in TABLE.metrics
                 for suffix in ("", *metrics_table.SUFFIXES.get(metric.kind, ()))}
    lines = collections.defaultdict(list)
    for name, labels, value in rows:
        written = ",".join(f'{label}="{content}"' for label, content in labels.items())
        lines[family_of[name]].append(f"{name}{{{written}}} {value:.9g}")
    return lines


@functools.cache
def lines_at_rest():
    return lines_of(itertools.chain(rows_of_cells(), rows_of_ladders()))


def text(seconds=60):
    """The exposition, families together, each with its type and help."""
    rising = lines_of(rows_of_service(seconds))
    out = []
    for metric in TABLE.metrics:
        out += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        out += lines_at_rest()[metric.name] + rising[metric.name]
    return "\n".join(out) + "\n"


@contextlib.contextmanager
def served():
    """The exposition on a free port of the loopback; yields HOST:PORT."""
    lines_at_rest()
    began = time.monotonic() - 60
    with prometheus_servers.answering(lambda _: (200, "text/plain; version=0.0.4",
                                                 text(time.monotonic() - began))) as server:
        yield f"127.0.0.1:{server.server_port}"
