#!/usr/bin/env python3
"""How long, and in how much memory, `graphbench fleet` takes for many replicas.

    fleet_scale.py BINARY [--replicas 10000] [--cells 324] [--keep FOLDER]

Writes a folder of replicas, eight GPUs a node, one of them 20 % slow. Reads them three times and prints the
best time and the peak memory: the later runs find the files in the page cache where it holds them. Not a
test: times depend on the machine."""

import argparse
import math
import pathlib
import random
import sys
import tempfile

from compare_scale import FIXED, HEAD, launch, measure

SLOW = 3


def write(path, replica, cells):
    generator = random.Random(replica)
    factor = math.exp(generator.gauss(0, 0.015)) * (1.2 if replica == SLOW else 1)
    head = HEAD % 1
    head = head.replace('"large"', f'"node-{replica // 8:04}"').replace('"GPU-0"', f'"GPU-{replica:05}"')
    with open(path, "w", encoding="utf-8") as file:
        file.write(head)
        for cell in range(cells):
            each = launch(0, lambda median: median * (1 + 0.003 * generator.gauss(0, 1)), factor)
            file.write(f'{"," if cell else ""}{{"id":"mlp/base/bf16/forward/b{cell + 1}/w0/whole",'
                       f'"workload":"mlp","preset":"base","dtype":"bf16","pass":"forward","batch":{cell + 1},'
                       f'"warmup":0,"mode":"whole","status":"ok",{FIXED},"launches":[{each}],'
                       f'"summary":{{"speedup_over_eager":1.1,"breakeven_steps":10}}}}\n')
        file.write("]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binary")
    parser.add_argument("--replicas", type=int, default=10_000)
    parser.add_argument("--cells", type=int, default=324)
    parser.add_argument("--keep", type=pathlib.Path, help="write the documents here and leave them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphbench-scale-") as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)) / "replicas"
        folder.mkdir(parents=True, exist_ok=True)
        for replica in range(arguments.replicas):
            write(folder / f"r-{replica:05}.json", replica, arguments.cells)
        gigabytes = sum(file.stat().st_size for file in folder.iterdir()) / 1e9
        runs = [measure([arguments.binary, "fleet", str(folder)]) for _ in range(3)]
    print("".join(line + "\n" for line in runs[0][4].splitlines()[:6]))
    print(f"{arguments.replicas} replicas of {arguments.cells} cells, {gigabytes:.1f} GB together: "
          f"{min(run[0] for run in runs):.1f} s ({min(run[1] for run in runs):.1f} s of CPU), "
          f"{max(run[2] for run in runs) / 1e3:.0f} MB, exit code {runs[0][3]}")
    return 0 if all(run[3] == 10 for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
