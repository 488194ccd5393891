#!/usr/bin/env python3
"""Prints the README's tables from a result document: submit and latency p50 of its modes, with half of the
95 % interval over launches, beside PyTorch's eager where --torch names a document of ci/peers; or, with
--steady, after how many steps they are within 2 % of their medians."""

import argparse
import json
import pathlib
import statistics


def duration(seconds):
    """Three significant digits, in microseconds or milliseconds."""
    value, unit = (seconds * 1e6, "us") if seconds < 1e-3 else (seconds * 1e3, "ms")
    return f"{value:.3g} {unit}"


def estimate(values):
    """The p50 and, where there are enough launches, half its interval in percent."""
    if values["ci95"] is None:
        return duration(values["p50"])
    low, high = values["ci95"]
    return f"{duration(values['p50'])} ±{(high - low) / 2 / values['p50'] * 100:.1g} %"


def cells_of(document, warmup):
    return {(cell["workload"], cell["batch"], cell["mode"]): cell["summary"]
            for cell in document["cells"] if cell["warmup"] == warmup and cell["status"] == "ok"}


def rows_of(document, batches, warmup, torch):
    cells = cells_of(document, warmup)
    for workload in document["plan"]["axes"]["workload"]:
        for batch in batches:
            row = [f"{workload} b{batch}"]
            if torch:
                row.append(duration(torch[workload, batch, "eager"]["latency_seconds"]["p50"]))
            for mode in document["plan"]["axes"]["mode"]:
                summary = cells[workload, batch, mode]
                row += [duration(summary["submit_seconds"]["p50"]), estimate(summary["latency_seconds"])]
            row.append(f"{cells[workload, batch, 'whole']['speedup_over_eager']:.2f}x")
            steps = cells[workload, batch, "whole"]["breakeven_steps"]
            row.append("never" if steps is None else f"{steps:.0f}")
            yield row


def table_of(document, batches, warmup, torch):
    modes = [f"{mode} {what}" for mode in document["plan"]["axes"]["mode"] for what in ("submit", "latency")]
    head = ["", *(["PyTorch eager latency"] if torch else []), *modes, "whole gains", "even after"]
    rows = [head, ["---"] * len(head), *rows_of(document, batches, warmup, torch)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def settling(cells):
    """The middle and the latest of the cells' `steady_after`; cells where it was not seen are counted."""
    seen = [steps for steps in (cell["summary"]["steady_after"] for cell in cells) if steps is not None]
    text = f"{statistics.median_low(seen)} (at most {max(seen)})" if seen else "never"
    unseen = len(cells) - len(seen)
    return f"{text}, not seen in {unseen} of {len(cells)}" if unseen else text


def steady_table_of(document):
    fewest = min(document["plan"]["axes"]["warmup"])
    modes = document["plan"]["axes"]["mode"]
    rows = [["", *modes], ["---"] * (len(modes) + 1)]
    for workload in document["plan"]["axes"]["workload"]:
        cells = [cell for cell in document["cells"] if cell["status"] == "ok"
                 and cell["workload"] == workload and cell["warmup"] == fewest]
        of_mode = [[cell for cell in cells if cell["mode"] == mode] for mode in modes]
        rows.append([workload, *map(settling, of_mode)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 16, 256])
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--steady", action="store_true", help="steps until a cell is steady, fewest warmups")
    parser.add_argument("--torch", type=pathlib.Path, metavar="FILE", help="a document of ci/peers")
    arguments = parser.parse_args()
    document = json.loads(arguments.document.read_text())
    torch = arguments.torch and cells_of(json.loads(arguments.torch.read_text()), arguments.warmup)
    print(steady_table_of(document) if arguments.steady
          else table_of(document, arguments.batch, arguments.warmup, torch))


if __name__ == "__main__":
    main()
