#!/usr/bin/env python3
"""What a break of mode piecewise costs, beside the traced way and a script that a user writes by hand.

    by_breaks.py [--step NAME,...] [--batch LIST] [--rounds N] [--processes N]

For each step of steps.py whole, piecewise by breaks, piecewise traced, and the script's whole pieces run in
turns. A break costs what pieces take more than graphbench's whole, over the number of breaks: a small part of
a step, and where a process places its memory changes a step by as much. So each process is one measurement,
and with --processes the row is their median, with the smallest and the largest. Exit codes: 0 all are within
the limits, 1 some are not, 2 bad usage, 77 no GPU."""

import argparse
import concurrent.futures
import ctypes
import gc
import multiprocessing
import statistics
import sys
import time

import by_hand

TRACED_LIMIT, BREAK_LIMIT = 1.02, 1.05
SAMPLES = 20


class Script:
    """By hand: attention runs between graphs, and copies its result to where the next graph reads it."""

    def __init__(self, torch, build, batch):
        attention, self.torch = torch.nn.functional.scaled_dot_product_attention, torch
        self.stream, self.parts, pool = torch.cuda.Stream(), [], torch.cuda.graph_pool_handle()

        def begin():
            self.parts.append(torch.cuda.CUDAGraph())
            self.parts[-1].capture_begin(pool=pool)

        def broken(*args, **kwargs):
            self.parts[-1].capture_end()
            self.parts[-1].replay()
            result = attention(*args, **kwargs)
            self.parts.append(lambda: result.copy_(attention(*args, **kwargs)))
            begin()
            return result

        with torch.cuda.stream(self.stream):
            # The graphs read them, so they live as long.
            self.model, self.args = build(batch, torch.device("cuda", torch.cuda.current_device()))
            for _ in range(3):
                self.model(*self.args)
            torch.cuda.synchronize()
            begin()
            torch.nn.functional.scaled_dot_product_attention = broken
            try:
                self.model(*self.args)
            finally:
                torch.nn.functional.scaled_dot_product_attention = attention
            self.parts[-1].capture_end()
        self.calls = [getattr(part, "replay", part) for part in self.parts]
        torch.cuda.synchronize()

    def pieces(self):
        for call in self.calls:
            call()

    def times(self):
        """(latency, submit): medians in seconds."""
        found = []
        with self.torch.cuda.stream(self.stream):
            for _ in range(SAMPLES):
                start = time.perf_counter()
                self.pieces()
                submitted = time.perf_counter()
                self.stream.synchronize()
                found.append((time.perf_counter() - start, submitted - start))
        return tuple(map(statistics.median, zip(*found)))


def measure(name, batch, rounds):
    """A row of the table, in this process."""
    import torch

    loops, graphbench = by_hand.opened()
    gc.disable()
    host = graphbench.Host(str(by_hand.HERE / "steps.py"), name)
    ours = {}
    for way, mode, pieces in (("whole", "whole", ""), ("breaks", "piecewise", ""),
                              ("traced", "piecewise", "traced")):
        handle = loops.open(ctypes.addressof(host.plugin), b"cuda:0", mode.encode(), batch, b"",
                            pieces.encode())
        if not handle:
            raise RuntimeError(f"{name}: {way} did not open")
        ours[way] = handle, host.steps[host.last]
    breaks = len(ours["breaks"][1].breaks.names)
    script = Script(torch, host.build, batch)
    by_hand.pin()

    def times(way):
        handle, step = ours[way]
        with torch.cuda.stream(step.stream):
            return loops.latency(handle, SAMPLES), loops.submit(handle, False, SAMPLES)

    ways = {way: lambda way=way: times(way) for way in ours}
    ways["hand"] = script.times
    found = {way: [] for way in ways}
    for _ in range(rounds):
        for way, timed in ways.items():
            found[way].append(timed())
    row = {"breaks": breaks}
    for index, quantity in enumerate(("latency", "submit")):
        of = {way: [each[index] for each in times] for way, times in found.items()}
        row[f"{quantity}_over_traced"] = statistics.median(
            mine / other for mine, other in zip(of["breaks"], of["traced"]))
        medians = {way: statistics.median(each) for way, each in of.items()}
        ours_costs, hand_costs = ((medians[pieces] - medians["whole"]) / breaks
                                  for pieces in ("breaks", "hand"))
        row[f"break_{quantity}_us"], row[f"break_{quantity}_by_hand_us"] = ours_costs * 1e6, hand_costs * 1e6
        row[f"break_{quantity}_above_limit_us"] = (ours_costs - BREAK_LIMIT * hand_costs) * 1e6
        row[f"{quantity}_over_script"] = statistics.median(
            mine / other for mine, other in zip(of["breaks"], of["hand"]))
    for handle, _ in ours.values():
        loops.close(handle)
    return row


def alone(*given):
    """measure() in a process of its own."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(measure, *given).result()


def main():
    parser = argparse.ArgumentParser(prog="by_breaks.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("--step", default="llama,decode,gpt2,bert,vit,whisper")
    parser.add_argument("--batch", type=by_hand.sizes, default="1,8")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("by_breaks.py: skipped, needs a GPU", file=sys.stderr)
        return 77
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {arguments.rounds} rounds")
    within = []
    for name in arguments.step.split(","):
        for batch in arguments.batch:
            rows = [alone(name, batch, arguments.rounds) for _ in range(arguments.processes)]
            row = {key: statistics.median(each[key] for each in rows) for key in rows[0]}
            good = row["latency_over_traced"] <= TRACED_LIMIT and all(
                row[f"break_{each}_above_limit_us"] <= 0 for each in ("latency", "submit"))
            within.append(good)
            print(f"{name:8} {batch:3} {'' if good else '* '}" + ", ".join(
                f"{key} {value:.4g}" + (f" ({min(each[key] for each in rows):.4g} to "
                                        f"{max(each[key] for each in rows):.4g})" if len(rows) > 1 else "")
                for key, value in row.items()), flush=True)
    print(f"within the limits: {sum(within)} of {len(within)}")
    return int(not all(within))


if __name__ == "__main__":
    sys.exit(main())
