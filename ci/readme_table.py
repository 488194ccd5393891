#!/usr/bin/env python3
"""Prints the README's tables from result documents: first, where --torch names sweeps of PyTorch's steps, its
eager and whole side by side; then submit and latency p50 of the document's modes, with half of the 95 %
interval over launches; or, with --steady, after how many steps they are within 2 % of their medians."""

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


def has_throughput(document):
    """Older documents say the gain of latency alone."""
    return any("throughput_over_eager" in (cell.get("summary") or {}) for cell in document["cells"])


def breakeven(summary):
    steps = summary["breakeven_steps"]
    return summary.get("no_breakeven", "never") if steps is None else f"{steps:.0f}"


def cells_of(document, warmup):
    return {(cell["workload"], cell["batch"], cell["mode"]): cell["summary"]
            for cell in document["cells"] if cell["warmup"] == warmup and cell["status"] == "ok"}


def markdown(rows):
    head, *body = rows
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])


def torch_table_of(documents, warmup):
    """A document holds one of PyTorch's steps. Batches that did not run in both modes are left out."""
    rows = [["PyTorch", "eager latency", "whole latency", "whole gains"]]
    for document in documents:
        cells = cells_of(document, warmup)
        for workload, batch, mode in cells:
            eager = cells.get((workload, batch, "eager"))
            if mode != "whole" or eager is None:
                continue
            whole = cells[workload, batch, mode]
            rows.append([f"{workload.split('-', 1)[-1]} b{batch}", estimate(eager["latency_seconds"]),
                         estimate(whole["latency_seconds"]), f"{whole['speedup_over_eager']:.2f}x"])
    return markdown(rows)


def rows_of(document, batches, warmup):
    cells = cells_of(document, warmup)
    for workload in document["plan"]["axes"]["workload"]:
        for batch in batches:
            row = [f"{workload} b{batch}"]
            for mode in document["plan"]["axes"]["mode"]:
                summary = cells[workload, batch, mode]
                row += [duration(summary["submit_seconds"]["p50"]), estimate(summary["latency_seconds"])]
            whole = cells[workload, batch, "whole"]
            row.append(f"{whole['speedup_over_eager']:.2f}x")
            if has_throughput(document):
                row.append(f"{whole['throughput_over_eager']:.2f}x")
            row.append(breakeven(whole))
            yield row


def table_of(document, batches, warmup):
    modes = [f"{mode} {what}" for mode in document["plan"]["axes"]["mode"] for what in ("submit", "latency")]
    gains = ["whole gains", "back to back"] if has_throughput(document) else ["whole gains"]
    return markdown([["", *modes, *gains, "even after"], *rows_of(document, batches, warmup)])


def settling(cells):
    """The middle and the latest of the cells' `steady_after`; cells where it was not seen are counted."""
    seen = [steps for steps in (cell["summary"]["steady_after"] for cell in cells) if steps is not None]
    text = f"{statistics.median_low(seen)} (at most {max(seen)})" if seen else "never"
    unseen = len(cells) - len(seen)
    return f"{text}, not seen in {unseen} of {len(cells)}" if unseen else text


def steady_table_of(document):
    fewest = min(document["plan"]["axes"]["warmup"])
    modes = document["plan"]["axes"]["mode"]
    rows = [["", *modes]]
    for workload in document["plan"]["axes"]["workload"]:
        cells = [cell for cell in document["cells"] if cell["status"] == "ok"
                 and cell["workload"] == workload and cell["warmup"] == fewest]
        of_mode = [[cell for cell in cells if cell["mode"] == mode] for mode in modes]
        rows.append([workload, *map(settling, of_mode)])
    return markdown(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 16, 256])
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--steady", action="store_true", help="steps until a cell is steady, fewest warmups")
    parser.add_argument("--torch", type=pathlib.Path, nargs="+", default=[], metavar="FILE",
                        help="result documents of sweeps with --torch, one per step")
    arguments = parser.parse_args()
    document, *torch = (json.loads(path.read_text()) for path in (arguments.document, *arguments.torch))
    if torch:
        print(torch_table_of(torch, arguments.warmup), end="\n\n")
    print(steady_table_of(document) if arguments.steady
          else table_of(document, arguments.batch, arguments.warmup))


if __name__ == "__main__":
    main()
