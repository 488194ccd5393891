"""A real graphbench: its sweeps, its service and a sweep that publishes by itself, on the loopback.

Everything is on the host device and small: what is proven is that numbers arrive, not what they are."""

import contextlib
import json
import os
import pathlib
import subprocess

import metrics_table  # noqa: F401, it puts client on the path
from client import ask, free_port, wait_for
from prometheus_servers import running

BINARY = os.environ.get("GRAPHBENCH_BINARY", "")
PLUGINS = pathlib.Path(os.environ.get("GRAPHBENCH_TEST_PLUGINS", ""))
# Three launches per side are the least that verdicts are made of; 600 samples are enough for a p99.
PLAN = {"device": "host", "workload": ["mlp", "conv"], "batch": [1, 2], "warmup": [0, 2], "launches": 3,
        "time-per-cell": 0.03, "samples-max": 600}
# Ten terabytes a buffer fit nowhere: those cells fail, the others are measured.
TOO_LARGE = {"device": "host", "workload": "mlp", "batch": [1, 10**10], "warmup": 0, "time-per-cell": 0.005,
             "samples-max": 5}
# A request that only the device can refuse: the sweep fails as a whole.
REFUSED = {"device": "host", "workload": "mlp", "dtype": "fp16"}
# What the baseline is made to have been, so that some verdict is slower and some is faster on any machine.
FACTORS = {"mlp": 1 / 100, "conv": 100}
SWEEP_SECONDS = 240  # on a machine that does much else


def arguments_of(request):
    words = []
    for name, value in request.items():
        values = value if isinstance(value, list) else [value]
        words += [f"--{name}", ",".join(str(one) for one in values)]
    return words


def record_baseline(folder):
    """A real sweep's document, its times changed by FACTORS."""
    path = folder / "baseline.json"
    subprocess.run([BINARY, "--sweep", "--quiet", "--json", str(path), *arguments_of(PLAN)], cwd=folder,
                   check=True, timeout=SWEEP_SECONDS)
    document = json.loads(path.read_text())
    for cell in document["cells"]:
        cell["summary"] = {}  # it would contradict the launches
        for launch in cell["launches"]:
            for times in ("latency_seconds", "submit_seconds", "device_seconds"):
                for name, value in launch[times].items():
                    if name != "count" and value is not None and not isinstance(value, list):
                        launch[times][name] = value * FACTORS[cell["workload"]]
    path.write_text(json.dumps(document))
    return path


def service(folder, baseline):
    """Yields HOST:PORT."""
    return running([BINARY, "serve", "--listen", "127.0.0.1:0", "--baseline", baseline], folder,
                   lambda log: "serving http://" in log and log.split("http://")[1].split()[0], "serve")


def run_on(address, request):
    """Queues the sweep and waits for its end, which it returns."""
    status, sweep = ask(f"http://{address}/v1/sweeps", "POST", request)
    assert status == 202, sweep

    def ended():
        found = ask(f"http://{address}/v1/sweeps/{sweep['id']}")[1]
        return found["state"] not in ("queued", "running") and found
    return wait_for(f"sweep {request}", ended, SWEEP_SECONDS)


# A sweep with a cell that cannot be captured.
UNCAPTURED = {"plugin": PLUGINS / "host_op.so", "workload": "host_op", "batch": 1, "warmup": 0,
              "time-per-cell": 0.005, "samples-max": 5}
# A sweep whose graphs are all away from the defaults of axes.
VARIANTS = {"workload": "mlp", "batch": [1, 2], "warmup": 1, "pass": ["forward", "training"], "io": "copy_in",
            "optimizer": "adamw", "backward": "callables", "launches": 1, "time-per-cell": 0.01,
            "samples-max": 600}
# A sweep of a step that a library runs itself, as PyTorch's are.
FOREIGN = {"plugin": PLUGINS / "foreign_step.so", "workload": "foreign_step", "batch": [1, 2],
           "launches": 1, "time-per-cell": 0.01, "samples-max": 600}


@contextlib.contextmanager
def lingering_sweep(folder, request):
    """A sweep that goes on serving its metrics; yields HOST:PORT."""
    address = f"127.0.0.1:{free_port()}"
    with running([BINARY, "--sweep", "--device", "host", *arguments_of(request), "--prometheus-listen",
                  address, "--linger", "3600"], folder, lambda log: "more seconds" in log, address,
                 SWEEP_SECONDS):
        yield address
