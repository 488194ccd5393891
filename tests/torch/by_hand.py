#!/usr/bin/env python3
"""Gains from graphs as graphbench measures them, beside a script that a user writes by hand.

    by_hand.py [--step NAME,...] [--batch LIST] [--pairs N] [--json FILE]

For each step of steps.py and batch one process builds the step for both, and takes pairs of eager steps and
of replays, ours and the script's in turn; a pair is the median of some steps. The script calls, waits and
reads the clock in Python, and replays with CUDAGraph.replay(), as mode torch.replay does. Printed: both
gains, and whole's, which launches the graph without Python; eager through graphbench less the script's, with
the upper bound of the 95 % interval over pairs; the same for a control, in which a second script takes the
place of graphbench; submit of a bare launch over a loop of cudaGraphLaunch in C.
Exit codes: 0 all but the control are within the limits below, 1 some are not, 2 bad usage, 77 no GPU."""

import argparse
import ctypes
import gc
import json
import math
import os
import pathlib
import statistics
import sys
import time
import types

HERE = pathlib.Path(__file__).resolve().parent
GAIN_LIMIT, CELLS_WITHIN, BARE_LIMIT, EAGER_LIMIT, EAGER_SECONDS = 0.02, 0.95, 1.02, 1.01, 6e-6
PAIR_SECONDS, EAGER_PAIR_SECONDS, BARE_SECONDS = 0.05, 0.1, 1
CPUS = os.sched_getaffinity(0)


def refuse_failure(seconds, *_):
    if seconds < 0:
        raise RuntimeError("a step of graphbench's failed")
    return seconds


def library(tree):
    found = next(path for path in (HERE / "libgraphbench_step_loops.so",
                                   tree / "tests/libgraphbench_step_loops.so") if path.exists())
    lent, loops = ctypes.CDLL(str(found)), types.SimpleNamespace()
    for name, result, arguments in (
            ("open", ctypes.c_void_p, (ctypes.c_void_p, *[ctypes.c_char_p] * 2, ctypes.c_int64,
                                       *[ctypes.c_char_p] * 2)),
            ("latency", ctypes.c_double, (ctypes.c_void_p, ctypes.c_int64)),
            ("submit", ctypes.c_double, (ctypes.c_void_p, ctypes.c_bool, ctypes.c_int64)),
            ("close", None, (ctypes.c_void_p,))):
        function = lent[f"graphbench_loops_{name}"]
        function.restype, function.argtypes = result, arguments
        if result is ctypes.c_double:
            function.errcheck = refuse_failure
        setattr(loops, name, function)
    return loops


def opened():
    """The library, and graphbench's module of the same tree."""
    tree = HERE.parents[1]
    if not (tree / "lib/graphbench").exists():  # not installed
        tree = tree / "build/release"
    sys.path[:0] = [str(tree / "lib/graphbench"), str(HERE)]
    os.environ.setdefault("GRAPHBENCH_MODULE_DIR", str(tree / "lib/graphbench"))
    import graphbench

    return library(tree), graphbench


class ByHand:
    """What a user writes: a step, its graph, and a clock around each."""

    def __init__(self, torch, build, batch):
        self.stream = torch.cuda.Stream()
        with torch.cuda.stream(self.stream):
            made = build(batch, torch.device("cuda", torch.cuda.current_device()))
            self.step = made if callable(made) else lambda: made[0](*made[1])
            for _ in range(3):
                self.step()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.step()
            self.graph.replay()
        torch.cuda.synchronize()
        self.torch = torch

    def latency(self, call):
        with self.torch.cuda.stream(self.stream):
            start = time.perf_counter()
            call()
            self.stream.synchronize()
            return time.perf_counter() - start


def measure(torch, loops, host, build, batch, pairs):
    opened, streams = {}, {}
    for mode in ("eager", "torch.replay", "whole"):
        opened[mode] = loops.open(ctypes.addressof(host.plugin), b"cuda:0", mode.encode(), batch, b"", b"")
        if not opened[mode]:
            return {"failed": True}
        streams[mode] = host.steps[host.last].stream
    hand, again = ByHand(torch, build, batch), ByHand(torch, build, batch)
    pin()

    def ours(mode):
        def timed():
            with torch.cuda.stream(streams[mode]):
                return loops.latency(opened[mode], 1)
        return timed

    eager = compare(ours("eager"), lambda: hand.latency(hand.step), pairs, EAGER_PAIR_SECONDS)
    control = compare(lambda: again.latency(again.step), lambda: hand.latency(hand.step), pairs,
                      EAGER_PAIR_SECONDS)
    replay, whole = (compare(ours(mode), lambda: hand.latency(hand.graph.replay), pairs, PAIR_SECONDS)
                     for mode in ("torch.replay", "whole"))
    by_hand = eager.script / replay.script
    blocks = max(8, min(60, math.ceil(BARE_SECONDS / replay.script / 20)))
    submits = [(loops.submit(opened["whole"], False, 10), loops.submit(opened["whole"], True, 10))
               for _ in range(blocks)]
    row = {"eager_seconds": eager.script, "replay_seconds": replay.script, "gain_by_hand": by_hand,
           "gain": by_hand * eager.ratio / replay.ratio,
           "gain_of_whole": by_hand * eager.ratio / whole.ratio,
           "eager_more_seconds": eager.more, "eager_more_upper_seconds": eager.upper,
           "control_more_seconds": control.more, "control_more_upper_seconds": control.upper,
           "bare_ratio": statistics.median(mine / bare for mine, bare in submits)}
    os.sched_setaffinity(0, CPUS)
    for each in opened.values():
        loops.close(each)
    return row


def compare(ours, script, pairs, seconds):
    """Times both in turn. A pair takes about `seconds` of steps of each."""
    steps = max(8, min(80, math.ceil(seconds / script())))
    times, more, ratios = [], [], []
    for _ in range(pairs):
        both = [(ours(), script()) for _ in range(steps // 2)]
        both += [(mine, other) for other, mine in [(script(), ours()) for _ in range(steps // 2)]]
        times.append(statistics.median(other for _, other in both))
        more.append(statistics.median(mine - other for mine, other in both))
        ratios.append(statistics.median(mine / other for mine, other in both))
    return types.SimpleNamespace(script=statistics.median(times), more=statistics.median(more),
                                 upper=upper_of_median(more), ratio=statistics.median(ratios))


def upper_of_median(values):
    """The upper end of the 95 % interval that the order of independent values gives their median."""
    count, below = len(values), 0
    for rank in range(count):
        below += math.comb(count, rank) / 2 ** count
        if below >= 0.975:
            return sorted(values)[rank]
    return math.inf


def pin():
    """This thread to the CPU on which a fixed computation was disturbed least; others stay where they are."""
    def worst(cpu):
        os.sched_setaffinity(0, {cpu})
        seconds = []
        for _ in range(20):
            start = time.perf_counter()
            sum(range(10000))
            seconds.append(time.perf_counter() - start)
        return max(seconds)

    os.sched_setaffinity(0, {min(CPUS, key=worst)})


def judge(name, batch, row):
    """Prints a row, and returns whether gain, bare launch, eager and the control are within their limits."""
    if "failed" in row:
        print(f"{name:12} {batch:5}  failed")
        return (False, False, False, False)
    gain = row["gain"] / row["gain_by_hand"]
    eager, control = row["eager_more_upper_seconds"], row["control_more_upper_seconds"]
    limit = max(EAGER_SECONDS, (EAGER_LIMIT - 1) * row["eager_seconds"])
    within = (abs(gain - 1) <= GAIN_LIMIT, row["bare_ratio"] <= BARE_LIMIT, eager <= limit, control <= limit)
    print(f"{name:12} {batch:5} {row['eager_seconds'] * 1e3:9.3f} {row['replay_seconds'] * 1e3:9.3f} "
          f"{row['gain_of_whole']:7.3f} {row['gain_by_hand']:7.3f} {row['gain']:7.3f} "
          f"{gain:7.4f}{'' if within[0] else '*'} {row['eager_more_seconds'] * 1e6:8.1f} "
          f"{eager * 1e6:8.1f}{'' if within[2] else '*'} {control * 1e6:8.1f}{'' if within[3] else '*'} "
          f"{row['bare_ratio']:7.3f}{'' if within[1] else '*'}", flush=True)
    return within


def sizes(text):
    found = [int(each) for each in text.split(",")]
    if min(found) < 1:
        raise ValueError(text)
    return found


def main():
    parser = argparse.ArgumentParser(prog="by_hand.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("--step", default="llama,decode,gpt2,bert,vit,resnet50,train_mlp,train_vit")
    parser.add_argument("--batch", type=sizes, default="1,8,32")
    parser.add_argument("--pairs", type=sizes, default="40")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    pairs = arguments.pairs[0]
    import torch

    if not torch.cuda.is_available():
        print("by_hand.py: skipped, needs a GPU", file=sys.stderr)
        return 77
    loops, graphbench = opened()
    gc.disable()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {pairs} pairs\n"
          f"{'step':12} {'batch':>5} {'eager ms':>9} {'replay ms':>9} {'whole':>7} {'by hand':>7} "
          f"{'ours':>7} {'ratio':>7} {'eager+us':>8} {'upper':>8} "
          f"{'control':>8} {'bare':>7}")
    rows, within = [], []
    for name in arguments.step.split(","):
        try:
            host = graphbench.Host(str(HERE / "steps.py"), name)
        except graphbench.Refusal as error:
            parser.error(f"--step {name}: {error}")
        for batch in arguments.batch:
            row = measure(torch, loops, host, host.build, batch, pairs)
            rows.append({"step": name, "batch": batch, **row})
            within.append(judge(name, batch, row))
            gc.collect()
            torch.cuda.empty_cache()
    gains, bare, eager, control = (sum(column) for column in zip(*within))
    print(f"gain within 2 %: {gains} of {len(within)}; bare launch: {bare}; eager: {eager}; "
          f"control: {control}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return int(gains < CELLS_WITHIN * len(within) or bare < len(within) or eager < len(within))


if __name__ == "__main__":
    sys.exit(main())
