#!/usr/bin/env python3
"""A ladder that served traffic beside torch: the same steps in its eager, and its start-up of the same sizes.

Stdlib only: `beside.py FOLDER` prints what `run --traffic` left. Exit code 1: not all could be compared."""

import bisect
import json
import pathlib
import sys

import ratios
from report import megabytes, milliseconds, ratio_text, table

STEPS = ("ladder", "steps s", "eager", "torch eager", "torch / ladder")
STARTUP = ("ladder", "sizes", "warmup ms", "torch", "capture to first step ms", "torch", "ours / torch",
           "pool MB", "torch")


def rows_served(launch):
    """How often steps of how many rows were served: the traffic's histogram."""
    if launch["split_steps"]:
        raise ratios.DocumentError("steps ran in parts: their rows are not known")
    counts = {}
    served = [pair for size in launch["sizes"] for pair in size["rows"]]
    for rows, count in [(pair["rows"], pair["count"]) for pair in served] + \
                       [(each["rows"], each["uses"]) for each in launch["eager"]]:
        counts[rows] = counts.get(rows, 0) + count
    return counts


def at(seconds, rows):
    """Between measured sizes on a line, below the smallest as long as that one."""
    sizes = sorted(seconds)
    if rows > sizes[-1]:
        raise ratios.DocumentError(f"torch measured no eager batch of {rows} or more: give --batch up to it")
    above = bisect.bisect_left(sizes, rows)
    if above == 0 or sizes[above] == rows:
        return seconds[sizes[above]]
    low, high = sizes[above - 1], sizes[above]
    return seconds[low] + (rows - low) / (high - low) * (seconds[high] - seconds[low])


def cells_of(peer, ladder, mode):
    """Torch's cells of the ladder's program in a mode, by batch."""
    same = ("workload", "preset", "dtype", "warmup")
    return {cell["batch"]: cell for cell in peer["cells"]
            if cell["mode"] == mode and cell["status"] == "ok"
            and all(cell[key] == ladder[key] for key in same)}


def torch_total(ladder, peer):
    """Seconds that torch's eager takes for all steps of the ladder."""
    eager = {batch: ratios.p50(cell, "latency") for batch, cell in cells_of(peer, ladder, "eager").items()}
    if not eager or None in eager.values():
        raise ratios.DocumentError("torch has no eager latencies of it")
    return sum(count * at(eager, rows) for rows, count in rows_served(ladder["launches"][0]).items())


def startup(ladder, peer):
    """Of both sides: seconds of warmups, those from capture to the first step's end, and the pool's bytes."""
    launch = ladder["launches"][0]
    captured = [size for size in launch["sizes"] if "dropped" not in size]
    theirs = cells_of(peer, ladder, ladder["mode"])
    missing = sorted({size["size"] for size in captured} - set(theirs))
    if missing:
        raise ratios.DocumentError(f"torch captured no {', '.join(map(str, missing))}")
    setups = [theirs[size["size"]]["launches"][0]["setup"] for size in captured]
    ours = launch["startup"]
    # Torch uploads in its first step; ours are uploaded, and a first request's cost is added.
    first = sum(size.get("first_request_seconds", size["step_seconds"] or 0) for size in captured)
    pools = {theirs[size["size"]]["memory"]["pool_bytes"] for size in captured}
    return ((ours["warmup_seconds"],
             sum(ours[f"{stage}_seconds"] for stage in ("capture", "instantiate", "upload")) + first,
             launch["memory"]["pool_bytes"]),
            (sum(setup["warmup_seconds"] for setup in setups),
             sum(setup[f"{stage}_seconds"] for setup in setups
                 for stage in ("capture", "instantiate", "first_step")),
             max(pools)), len(captured))


def beside(ours, peer):
    """Rows of both tables, and lines on what could not be compared, of which an empty table has one."""
    ratios.same_device(ours, peer)
    steps, startups, missing = [], [], []
    asked = [ladder for ladder in ours.get("ladders", []) if ladder["role"] == "asked" and ladder["sizes"]]
    for ladder in asked:
        name = " ".join(ladder[key] for key in ("workload", "preset", "dtype", "mode"))
        try:
            if ladder["status"] != "ok":
                raise ratios.DocumentError(f"{ladder['status']}: {ladder['reason']['message']}")
            busy, total = ladder["summary"]["busy_seconds"]["p50"], torch_total(ladder, peer)
            eager = ladder["summary"]["over_eager"]
            steps.append((name, f"{busy:.3f}", f"{busy * eager:.3f}" if eager else "-", f"{total:.3f}",
                          ratio_text(total / busy)))
            (warmup, setup, pool), theirs, count = startup(ladder, peer)
            startups.append((name, str(count), milliseconds(warmup), milliseconds(theirs[0]),
                             milliseconds(setup), milliseconds(theirs[1]), ratio_text(setup / theirs[1]),
                             megabytes(pool), megabytes(theirs[2])))
        except ratios.DocumentError as error:
            missing.append(f"{name}: {error}")
    return steps, startups, missing if asked else ["graphbench: it served no ladder"]


def publish(folder):
    """Prints the rounds in a folder and writes beside.md; exit code 1 where not all could be compared."""
    parts, status = [], 0
    for number, (ours, peer) in enumerate(ratios.read_folder(folder), 1):
        steps, startups, missing = beside(ours, peer)
        parts += [f"### Round {number}: all steps\n\n{table(STEPS, steps)}",
                  f"### Round {number}: start-up\n\n{table(STARTUP, startups)}"]
        if missing:
            parts.append("### Not compared\n\n" + "\n".join(f"- {line}" for line in missing))
            status = 1
    text = "\n\n".join(parts) + "\n"
    print(text, end="")
    (folder / "beside.md").write_text(text)
    return status


def main():
    try:
        return publish(pathlib.Path(sys.argv[1]))
    except IndexError:
        print("beside: give the output folder of ci/peers/run --traffic", file=sys.stderr)
    except (OSError, KeyError, json.JSONDecodeError, ratios.DocumentError) as error:
        print(f"beside: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
