#!/usr/bin/env python3
"""How evenly shards by task divide a sweep whose costs an earlier result tells.

    shard_balance.py BINARY [--shards 8] [--groups 32] [SWEEP-OPTION...]

Sweeps on the host device once whole and once in shards with its --costs, one after the other; merges them,
and holds the cells of both to each other. Prints the slowest shard's time over the mean: of its workers, and
of the whole process. Not a test: times depend on the machine, which should be quiet."""

import json
import pathlib
import sys
import tempfile

from compare_scale import measure, read_arguments


def worker_seconds(document):
    return sum(launch["worker_seconds"] for cell in document["cells"] for launch in cell["launches"])


def main():
    arguments, options = read_arguments(__doc__, shards=8, groups=32)
    sweep = [arguments.binary, "--sweep", "--device", "host", "--workload", "mlp,conv", "--batch", "1,2,4",
             "--warmup", f"1:{arguments.groups // 2}:+1", "--time-per-cell", "0.05",
             "--launches", "1", "--quiet", *options]
    with tempfile.TemporaryDirectory(prefix="graphbench-scale-") as temporary:
        folder = pathlib.Path(temporary)
        whole = folder / "whole.json"
        codes, walls, workers = [measure([*sweep, "--json", whole])[3]], [], []
        (folder / "shards").mkdir()
        for index in range(1, arguments.shards + 1):
            part = folder / "shards" / f"{index}.json"
            run = measure([*sweep, "--shard", f"{index}/{arguments.shards}", "--costs", whole,
                           "--json", part])
            codes.append(run[3])
            walls.append(run[0])
            workers.append(worker_seconds(json.loads(part.read_text(encoding="utf-8"))))
        merged = folder / "merged.json"
        codes.append(measure([arguments.binary, "merge", folder / "shards", "-o", merged])[3])
        single, union = ([cell["id"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
                         for path in (whole, merged))
    for name, seconds in (("workers", workers), ("processes", walls)):
        mean = sum(seconds) / len(seconds)
        print(f"{name}: {min(seconds):.2f} to {max(seconds):.2f} s a shard, mean {mean:.2f}: "
              f"the slowest takes {max(seconds) / mean:.3f} of the mean")
    print(f"{len(union)} cells in {arguments.shards} shards, "
          f"{'those' if single == union else 'NOT those'} of the single sweep")
    return 0 if single == union and not any(codes) else 1


if __name__ == "__main__":
    sys.exit(main())
