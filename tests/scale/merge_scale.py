#!/usr/bin/env python3
"""How long, and in how much memory, `graphbench merge` takes for many shards.

    merge_scale.py BINARY [--files 100] [--cells 10000] [--launches 3] [--keep FOLDER]

Writes a folder of task shards, merges it three times and prints the best time and the peak memory. Not a
test: times depend on the machine."""

import json
import pathlib
import sys
import tempfile

from compare_scale import HEAD, best_of_three, cell, drawing, launch, read_arguments


def write(folder, files, cells, launches):
    """Each shard has the group of one warmup count: all batches in one mode."""
    draw, batches = drawing(1), cells // files
    head = json.loads(HEAD % launches + "]}")
    head["plan"]["axes"].update(batch=list(range(1, batches + 1)), warmup=list(range(files)))
    del head["cells"]
    for index in range(files):
        head["plan"]["shard"] = {"index": index + 1, "count": files, "by": "task", "assignment": "00bb"}
        (folder / f"graphbench.{index + 1}-of-{files}.json").write_text(
            json.dumps(head)[:-1] + ',"cells":[\n' + ",\n".join(
                cell(batch, index, [launch(k, draw, 1) for k in range(launches)])
                for batch in range(1, batches + 1)) + "]}\n", encoding="utf-8")


def main():
    arguments, _ = read_arguments(__doc__, files=100, cells=10_000, launches=3)
    with tempfile.TemporaryDirectory(prefix="graphbench-scale-") as temporary:
        shards = (arguments.keep or pathlib.Path(temporary)) / "shards"
        shards.mkdir(parents=True, exist_ok=True)
        write(shards, arguments.files, arguments.cells, arguments.launches)
        megabytes = sum(file.stat().st_size for file in shards.iterdir()) / 1e6
        merged = shards.parent / "merged.json"
        said, took, codes = best_of_three(arguments.binary, "merge", shards, "-o", merged)
    print(said, end="")
    print(f"{arguments.files} files, {megabytes:.0f} MB: {took}")
    return 0 if codes == {0} else 1


if __name__ == "__main__":
    sys.exit(main())
