#!/usr/bin/env python3
"""Runs the models of pieces.py in mode piecewise, split where `--split-ops auto` finds, and checks replays.
With --situations: the steps of breaking.py, split at `sort`.

    in_pieces.py [--situations] [--step [FILE.py:]NAME,...] [--batch N] [--split NAME] [--lanes N]

A process for each step captures its pieces, captures those of another batch, lets other tensors come and go,
and judges the replays as a sweep's check does. A model that whole cannot hold either is not counted. Exit
codes: 0 at least 18 of 20 ran and agree with eager, and each situation went as its docstring says; 1 fewer
did, 2 bad usage, 77 no GPU."""

import argparse
import concurrent.futures
import contextlib
import ctypes
import multiprocessing
import pathlib
import re
import sys
import threading

import by_hand

HERE = pathlib.Path(__file__).resolve().parent
STEPS = re.findall(r"^def (\w+)\(batch, device\)", (HERE / "pieces.py").read_text(encoding="utf-8"), re.M)
SITUATIONS = re.findall(r'^def (\w+)\((?:batch, device|first, x)\):\n    """(.+?)(?:"""|\n)',
                        (HERE / "breaking.py").read_text(encoding="utf-8"), re.M)
RIGHT_MIN = 0.9
FORKING = threading.Lock()  # another thread may be within a library that a fork must not cut in two


def judged(loops, graphbench, name, batch, mode, split):
    """What became of a step: "ok, ..." or why it did not run."""
    import torch
    from graphbench_check import conversation

    sys.modules["graphbench"] = graphbench.graphbench_package  # what a step file imports
    file, _, function = name.rpartition(":")
    host = graphbench.Host(str(HERE / (file or "pieces.py")), function)
    told = []
    host.tell, tell = lambda error, *given: told.append(error) or tell(error, *given), host.tell
    steps = []
    for size in (batch, batch + 1):
        handle = loops.open(ctypes.addressof(host.plugin), b"cuda:0", mode.encode(), size, split.encode(),
                            b"")
        if not handle:
            return f"{type(told[-1]).__name__}: {told[-1]}" if told else "it did not open"
        steps.append((handle, host.steps[host.last]))

    def run(handle, step):
        with torch.cuda.stream(step.stream):
            loops.latency(handle, 1)
        step.result = None

    run(*steps[1])  # its graphs write the memory that both share
    for power in range(8, 27):  # what the first size holds must not be given to these
        torch.full((1 << power,), 255, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    handle, step = steps[0]
    for word in conversation(step, {"renew": True}):
        if "verdict" in word:
            break
        if word["run"] == "eager":
            with torch.cuda.stream(step.stream):
                step.run()
        else:
            run(handle, step)
    found = word["verdict"]
    if found["failed"]:
        return f"wrong: {found['failed']}"
    return ("ok, " + (f"{step.breaks.count()} pieces, {len(step.breaks.names)} breaks: "
                      f"{step.facts['split_at']}; " if step.breaks else "")
            + ("identical" if found["identical"] else found["tolerated"]))


def child(pipe, *given):
    try:
        with contextlib.redirect_stdout(sys.stderr):
            pipe.send(judged(*by_hand.opened(), *given))
    except BaseException as error:  # noqa: BLE001 - it crosses to the parent
        pipe.send(f"{type(error).__name__}: {' '.join(str(error).split())}")


def of_process(limit, *given):
    forked = multiprocessing.get_context("fork")  # after the imports, which take the longest
    ours, theirs = forked.Pipe()
    process = forked.Process(target=child, args=(theirs, *given))
    with FORKING:
        process.start()
    theirs.close()
    said = "it ended without a word"
    with contextlib.suppress(EOFError):
        said = ours.recv() if ours.poll(limit) else f"nothing within {limit} s"
    process.kill()
    process.join()
    return said


def verdict(name, arguments):
    """True: it went as it should; None: whole holds the step no more than piecewise does."""
    split = arguments.split
    if name.startswith("breaking.py:"):
        split = "" if name.endswith(":compiled_around") else "sort"
    said = of_process(arguments.limit, name, arguments.batch, "piecewise", split)
    right = bool(re.match(dict(SITUATIONS).get(name.removeprefix("breaking.py:"), "ok"), said))
    if not right and ":" not in name:
        whole = of_process(arguments.limit, name, arguments.batch, "whole", "")
        if not whole.startswith("ok"):
            right, said = None, f"whole: {whole}"
    print(f"{name:18} {'WRONG ' if right is False else 'NOT COUNTED ' if right is None else ''}{said}",
          flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(prog="in_pieces.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("--situations", action="store_true")
    parser.add_argument("--step", default=",".join(STEPS))
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--split", default="auto")
    parser.add_argument("--lanes", type=int, default=6, help="processes side by side")
    parser.add_argument("--limit", type=int, default=60, help="seconds of a model")
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.device_count():
        print("in_pieces.py: skipped, needs a GPU", file=sys.stderr)
        return 77
    import timm  # noqa: F401 - so that no child does
    import transformers.models.auto.modeling_auto  # noqa: F401

    names, least = arguments.step.split(","), RIGHT_MIN
    if arguments.situations:
        names, least = [f"breaking.py:{name}" for name, _ in SITUATIONS], 1
    with concurrent.futures.ThreadPoolExecutor(arguments.lanes) as lanes:
        found = list(lanes.map(lambda name: verdict(name, arguments), names))
    counted = [each for each in found if each is not None]
    print(f"{sum(counted)} of {len(counted)} went as they should")
    return int(sum(counted) < least * len(counted))


if __name__ == "__main__":
    sys.exit(main())
