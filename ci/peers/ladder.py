"""One ladder of the peers: its batches set up largest first into one pool, measured, checked; needs torch."""

import gc
import random
import sys
import time

import torch

import sampling
from executors import Compiled, Eager, Whole
from piecewise import Piecewise
from programs import PROGRAMS, TRAINED
from quiet import QuietCpu
from training import Callables, Training

EXECUTORS = {"eager": Eager, "whole": Whole, "piecewise": Piecewise, "callables": Callables,
             "compiled": Compiled}
# Relative L2 error that a mode may have against eager. Bits would be asked for, but torch's own eager decode
# attention does not repeat its bits on every run.
TOLERANCE = {"bf16": 1e-2, "fp16": 2e-3, "fp32": 1e-5}
EAGER_REPEATS = 4
LOOP_SAMPLES = 200
SETUP = ("warmup", "capture", "instantiate", "first_step")


def cell_of(task, batch):
    parts = (task["workload"], task["preset"], task["dtype"], task["pass"])
    names = dict(zip(("workload", "preset", "dtype", "pass"), parts))
    # graphbench has callables as a form of `whole`; ids name axes away from their defaults.
    mode = "whole/backward=callables" if task["mode"] == "callables" else task["mode"]
    optimizer = [] if task["optimizer"] == "none" else [f"optimizer={task['optimizer']}"]
    identity = "/".join((*parts, f"b{batch}", f"w{task['warmup']}", mode, *optimizer))
    return {"id": identity, **names, "batch": batch, "warmup": task["warmup"], "mode": task["mode"],
            "optimizer": task["optimizer"], "status": "ok", "reason": None, "check": None, "graph": None,
            "memory": None, "launches": [], "summary": None}


def failed(cell, code, message):
    cell.update(status="failed", reason={"code": code, "message": message}, launches=[], summary=None)


def attempt(cell, stage):
    """A stage that fails costs its own cell only; afterwards the cell is left alone."""
    if cell["status"] != "ok":
        return
    try:
        stage()
    except torch.OutOfMemoryError as error:
        failed(cell, "out_of_memory", str(error).splitlines()[0])
    except Exception as error:  # any other: the ladder goes on and the document names it
        failed(cell, type(error).__name__, str(error))


def pool_bytes(handle):
    """What torch reserved for one private pool."""
    return sum(segment["total_size"] for segment in torch.cuda.memory_snapshot()
               if tuple(segment["segment_pool_id"]) == tuple(handle))


def nothing_pending():
    """As serving engines do in front of a capture, and as graphbench does: outside of what is timed."""
    torch.cuda.synchronize()
    gc.collect()
    torch.cuda.empty_cache()


def all_equal(expected, actual):
    return all(torch.equal(a, b) for a, b in zip(expected, actual))


def worst_error(expected, actual):
    """The largest relative L2 error of any tensor."""
    return max(float((a.double() - b.double()).norm() / a.double().norm()) for a, b in zip(expected, actual))


class Rung:
    """One batch size of the ladder: its executor, its cell, its samples."""

    def __init__(self, task, batch):
        self.batch = batch
        self.cell = cell_of(task, batch)
        self.executor = None
        self.setup = dict.fromkeys((f"{name}_seconds" for name in SETUP), 0.0)
        self.submit, self.latency, self.device, self.loop = [], [], [], []
        self.throughput = None


class Ladder:
    """The cells of one workload, dtype and mode: captured largest batch first into one pool, measured in a
    shuffled order, checked against eager, and captured once more into a pool each."""

    def __init__(self, task):
        self.task = task
        self.cpu = QuietCpu()
        self.cpu.keep_others_off()
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.pool = torch.cuda.graph_pool_handle()
        self.rungs = [Rung(task, batch) for batch in sorted(task["batches"], reverse=True)]
        trains = task["pass"] == "training"
        self.program = (TRAINED if trains else PROGRAMS)[task["workload"]](
            task["preset"], self.rungs[0].batch, task["dtype"], "cuda", task["seed"])
        if trains:
            self.program = Training(self.program, task["optimizer"], task["seed"])
        torch.cuda.synchronize()

    def timed(self, rung, name, stage):
        start = time.perf_counter_ns()
        stage()
        rung.setup[f"{name}_seconds"] = (time.perf_counter_ns() - start) * 1e-9

    def warm_up(self, executor):
        for _ in range(self.task["warmup"]):
            executor.warm_up()
        self.stream.synchronize()

    def prepare(self, rung):
        executor = EXECUTORS[self.task["mode"]](self.program, rung.batch, self.pool)
        self.timed(rung, "prepare", executor.prepare)
        self.stream.synchronize()

    def set_up(self, rung):
        executor = EXECUTORS[self.task["mode"]](self.program, rung.batch, self.pool)
        self.timed(rung, "warmup", lambda: self.warm_up(executor))
        if self.task["mode"] != "eager":
            nothing_pending()
            self.timed(rung, "capture", executor.capture)
            self.timed(rung, "instantiate", executor.instantiate)
        rung.executor = executor
        rung.cell["graph"] = {"pieces": len(executor.graphs), "eager_ops": executor.eager_ops}
        self.time_steps(rung, 1)
        rung.setup["first_step_seconds"] = rung.latency[0]

    def time_steps(self, rung, steps):
        """Submit is start to the last enqueue's return, latency start to completion as the host sees it."""
        self.cpu.hold()
        clock, submit, synchronize = time.perf_counter_ns, rung.executor.submit, self.stream.synchronize
        for _ in range(steps):
            start = clock()
            output = submit()
            submitted = clock()
            synchronize()
            completed = clock()
            rung.submit.append((submitted - start) * 1e-9)
            rung.latency.append((completed - start) * 1e-9)
            del output  # eager's output is given back outside of what is timed

    def time_loop(self, rung, steps):
        """Host time of the same replays and eager calls without an engine's dispatch around them."""
        self.cpu.hold()
        clock, submit, synchronize = time.perf_counter_ns, rung.executor.submit_loop, self.stream.synchronize
        for _ in range(steps):
            start = clock()
            submit()
            rung.loop.append((clock() - start) * 1e-9)
            synchronize()

    def time_device(self, rung, steps):
        self.cpu.hold()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        submit = rung.executor.submit
        for _ in range(steps):
            begin.record(self.stream)
            output = submit()
            end.record(self.stream)
            self.stream.synchronize()
            rung.device.append(begin.elapsed_time(end) * 1e-3)
            del output

    def measure(self, rung):
        bounds = sampling.Bounds(self.task["time_per_cell"], self.task["samples_max"])
        clock = time.perf_counter_ns
        sampling.run_pass(bounds.share(sampling.LATENCY_SHARE), clock, lambda n: self.time_steps(rung, n))
        sampling.run_pass(bounds.share(sampling.DEVICE_SHARE), clock, lambda n: self.time_device(rung, n))
        rounds = []

        def back_to_back(steps):
            self.cpu.hold()
            start = clock()
            for _ in range(steps):
                rung.executor.submit()
            self.stream.synchronize()
            rounds.append((steps, (clock() - start) * 1e-9))
        sampling.run_pass(bounds.share(sampling.THROUGHPUT_SHARE), clock, back_to_back)
        if hasattr(rung.executor, "submit_loop"):
            self.time_loop(rung, LOOP_SAMPLES)
        full = [each for each in rounds if each[0] > 1]  # one step is a latency, not a throughput
        if full:
            rung.throughput = sum(steps for steps, _ in full) / sum(seconds for _, seconds in full)

    def outputs_of(self, executor):
        """One step on poisoned state: its output and what it wrote."""
        self.program.poison_state()
        output = executor.output(executor.submit()).clone()
        self.stream.synchronize()
        return [output, *self.program.written_state(executor.io)]

    def check(self, rung):
        """On inputs that no capture has seen: finite, and what eager computes."""
        self.program.fill_inputs(self.task["seed"] + 1000 + rung.batch)
        eager = EXECUTORS["eager"](self.program, rung.batch, None)
        expected = self.outputs_of(eager)
        actual = self.outputs_of(rung.executor)
        check = {"reference": "eager_again" if self.task["mode"] == "eager" else "eager",
                 "finite": all(bool(values.isfinite().all()) for values in expected + actual)}
        rung.cell["check"] = check
        if not check["finite"]:
            raise RuntimeError("check: an output is not finite")
        check["identical"] = all_equal(expected, actual)
        check["relative_l2_error"] = worst_error(expected, actual)
        if not check["identical"]:
            check["eager_repeats_its_bits"] = all(
                all_equal(expected, self.outputs_of(eager)) for _ in range(EAGER_REPEATS))
        if check["relative_l2_error"] > TOLERANCE[self.task["dtype"]]:
            raise RuntimeError(f"check: outputs differ from eager's by {check['relative_l2_error']:.3g} "
                               "in relative L2 error")

    def own_pool_bytes(self, rung):
        nothing_pending()
        handle = torch.cuda.graph_pool_handle()
        executor = EXECUTORS[self.task["mode"]](self.program, rung.batch, handle)
        executor.capture()
        return pool_bytes(handle)

    def measure_pools(self, shared):
        for rung in self.rungs:
            rung.cell["memory"] = {"weights_bytes": self.program.weights_bytes()}
        if self.task["mode"] == "eager":
            return
        for rung in self.rungs:
            rung.cell["memory"]["pool_bytes"] = shared
        ran = [rung for rung in self.rungs if rung.cell["status"] == "ok"]
        try:
            own = {rung.batch: self.own_pool_bytes(rung) for rung in ran}
        except torch.OutOfMemoryError as error:  # a second set of pools may not fit; the cells stand
            print(f"a pool each was not measured: {str(error).splitlines()[0]}", file=sys.stderr)
            return
        for rung in self.rungs:
            rung.cell["memory"]["pool_bytes_private"] = sum(own.values())
            rung.cell["memory"]["pool_bytes_own"] = own.get(rung.batch)

    def finish(self, rung):
        if rung.cell["status"] != "ok":
            return
        launch = {"index": 0, "setup": rung.setup, "throughput_steps_per_second": rung.throughput}
        for name in ("submit", "latency", "device"):
            launch[f"{name}_seconds"] = sampling.summary(getattr(rung, name))
        if rung.loop:
            launch["submit_loop_seconds"] = sampling.summary(rung.loop)
        rung.cell["launches"] = [launch]
        rung.cell["summary"] = {f"{name}_seconds": {"p50": launch[f"{name}_seconds"]["p50"], "ci95": None}
                                for name in ("submit", "latency", "device")}

    def run(self):
        if hasattr(EXECUTORS[self.task["mode"]], "prepare"):
            # Ahead of take(): a compiler's threads stay on the CPUs that they are started on.
            for rung in self.rungs:
                attempt(rung.cell, lambda: self.prepare(rung))
        self.cpu.take()
        for rung in self.rungs:
            attempt(rung.cell, lambda: self.set_up(rung))
        shared = pool_bytes(self.pool)
        order = list(self.rungs)
        random.Random(self.task["seed"]).shuffle(order)
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection inside a timed step would be Python's time, not the framework's
        for rung in order:
            attempt(rung.cell, lambda: self.measure(rung))
            attempt(rung.cell, lambda: self.check(rung))
        gc.enable()
        self.measure_pools(shared)
        for rung in self.rungs:
            self.finish(rung)
        return [rung.cell for rung in self.rungs]
