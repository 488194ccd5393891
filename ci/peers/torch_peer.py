#!/usr/bin/env python3
"""Measures the PyTorch peers and writes a document of schema graphbench.peer/1.

It holds the fields of graphbench's result document that apply, under the same names. Needs torch and a CUDA
device; `run` calls it."""

import argparse
import datetime
import json
import multiprocessing
import os
import pathlib
import platform
import sys

import torch  # imported before the fork, which then costs each worker nothing; CUDA starts after it

import options
from ladder import Ladder, cell_of, failed

WORKER_SECONDS_MAX = 300
COMPILER_SECONDS_MAX = 1800


def environment():
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {"hostname": platform.node(), "os": platform.platform(), "python": platform.python_version(),
            "device": {"kind": "cuda", "name": device.name, "uuid": f"GPU-{device.uuid}",
                       "compute_capability": f"{device.major}.{device.minor}",
                       "memory_bytes": device.total_memory, "runtime": torch.version.cuda,
                       "libraries": {"torch": torch.__version__,
                                     "cudnn": str(torch.backends.cudnn.version())}}}


def work(task, connection):
    """A worker process: one ladder. Fixed shapes call for cuDNN's search; fp32 means fp32 (OPS.md)."""
    torch.cuda.set_device(task["device"] if ":" in task["device"] else "cuda:0")
    torch.backends.cudnn.benchmark = True
    if task["deterministic"]:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # it would fill every new tensor
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.inference_mode(task["pass"] == "forward"):
        connection.send((Ladder(task).run(), environment()))


def run_task(task):
    """A ladder in a process of its own: a crash there is that ladder's and no other's."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=work, args=(task, sender))
    worker.start()
    sender.close()
    try:
        compiles = task["mode"] == "compiled"
        if not receiver.poll(COMPILER_SECONDS_MAX if compiles else WORKER_SECONDS_MAX):
            worker.kill()
            raise EOFError
        return receiver.recv()
    except EOFError:
        cells = [cell_of(task, batch) for batch in task["batches"]]
        worker.join()
        for cell in cells:
            failed(cell, "worker_died", f"its process ended with exit code {worker.exitcode}")
        return cells, None
    finally:
        worker.join()


def tasks_of(arguments):
    for workload in arguments.workload:
        for dtype in arguments.dtype:
            for mode in arguments.mode:
                yield {"workload": workload, "preset": arguments.preset, "dtype": dtype, "mode": mode,
                       "pass": arguments.program_pass, "optimizer": arguments.optimizer,
                       "deterministic": arguments.deterministic, "batches": arguments.batch,
                       "warmup": arguments.warmup, "seed": arguments.seed,
                       "device": arguments.device, "time_per_cell": arguments.time_per_cell,
                       "samples_max": arguments.samples_max}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_sweep_options(parser)
    parser.add_argument("--json", type=pathlib.Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    options.check(parser, arguments)
    document = {"schema": "graphbench.peer/1", "tool": {"name": "pytorch", "version": torch.__version__},
                "started_at": now(), "environment": None, "plan": {"argv": sys.argv, "seed": arguments.seed},
                "cells": []}
    for task in tasks_of(arguments):
        print(f"torch {task['workload']} {task['dtype']} {task['mode']}", file=sys.stderr, flush=True)
        cells, found = run_task(task)
        document["cells"] += cells
        document["environment"] = document["environment"] or found
    document["finished_at"] = now()
    arguments.json.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    bad = [cell for cell in document["cells"] if cell["status"] != "ok"]
    for cell in bad:
        print(f"{cell['id']}: {cell['reason']['code']}: {cell['reason']['message']}", file=sys.stderr)
    return 3 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
