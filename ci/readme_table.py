#!/usr/bin/env python3
"""Prints the README's table from a result document: submit and latency p50 of the three modes."""

import argparse
import json
import pathlib

MODES = ("eager", "whole", "piecewise")


def duration(seconds):
    """Three significant digits, in microseconds or milliseconds."""
    value, unit = (seconds * 1e6, "us") if seconds < 1e-3 else (seconds * 1e3, "ms")
    return f"{value:.3g} {unit}"


def rows_of(document, batches, warmup):
    cells = {(cell["workload"], cell["batch"], cell["mode"]): cell["summary"]
             for cell in document["cells"] if cell["warmup"] == warmup and cell["status"] == "ok"}
    for workload in document["plan"]["axes"]["workload"]:
        for batch in batches:
            row = [f"{workload} b{batch}"]
            for mode in MODES:
                summary = cells[workload, batch, mode]
                row += [duration(summary[what]["p50"]) for what in ("submit_seconds", "latency_seconds")]
            row.append(f"{cells[workload, batch, 'whole']['speedup_over_eager']:.2f}x")
            steps = cells[workload, batch, "whole"]["breakeven_steps"]
            row.append("never" if steps is None else f"{steps:.0f}")
            yield row


def table_of(document, batches, warmup):
    modes = [f"{mode} {what}" for mode in MODES for what in ("submit", "latency")]
    head = ["", *modes, "whole gains", "even after"]
    rows = [head, ["---"] * len(head), *rows_of(document, batches, warmup)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 16, 256])
    parser.add_argument("--warmup", type=int, default=3)
    arguments = parser.parse_args()
    print(table_of(json.loads(arguments.document.read_text()), arguments.batch, arguments.warmup))


if __name__ == "__main__":
    main()
