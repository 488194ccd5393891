#!/usr/bin/env python3
"""Makes the tables of docs/figures.md and docs/torch.md from committed result documents.

    ci/tables.py                       # rewrites both pages
    ci/tables.py --print TABLE FILE... # one table (torch, base or warmups) of other documents

Each table stands between two comments, `<!-- table NAME -->` and `<!-- end of NAME -->`, and names the card
and the commit that measured it. Exit codes: 0 done; 1 the documents are of several commits or cards,
or a page lacks its table."""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINES = ROOT / "ci" / "baselines"
# For each table, its page and the names of its documents.
PLACES = {"base": ("figures.md", ["h200"]), "warmups": ("figures.md", ["h200"]),
          "torch": ("torch.md", sorted(path.stem for path in BASELINES.glob("h200-torch-*.json")))}
BATCHES = (1, 16, 256)


def duration(seconds):
    """The time with three significant digits, in microseconds or milliseconds."""
    value, unit = (seconds * 1e6, "us") if seconds < 1e-3 else (seconds * 1e3, "ms")
    return f"{value:.3g}{unit}"


def half_width(value, interval):
    """Half of the 95 % interval in percent of the value; empty if there are too few launches."""
    if interval is None:
        return ""
    percent = (interval[1] - interval[0]) / 2 / value * 100
    return f" ±{percent:.0f}%" if percent >= 1 else f" ±{percent:.1g}%"


def estimate(values):
    return duration(values["p50"]) + half_width(values["p50"], values["ci95"])


def gain(summary):
    interval = summary["speedup_over_eager_ci95"]
    ends = " [{:.2f}, {:.2f}]".format(*interval) if interval else ""
    return f"{summary['speedup_over_eager']:.2f}x{ends}"


def breakeven(summary):
    steps = summary["breakeven_steps"]
    return summary.get("no_breakeven", "never") if steps is None else f"{steps:.0f}"


def cells_of(document):
    """The summaries of the ok cells in the plan's first grid. Later grids answer other questions."""
    axes = document["plan"]["axes"]
    return {(cell["workload"], cell["batch"], cell["mode"]): cell["summary"] for cell in document["cells"]
            if cell["status"] == "ok" and cell["warmup"] in axes["warmup"] and "prepare" not in cell}


def markdown(rows):
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|---" * len(rows[0]) + "|", *body])


def torch_table(documents):
    """A document holds one of PyTorch's steps. Batches that did not run in both modes are left out."""
    rows = [["PyTorch", "eager latency", "whole latency", "whole gains"]]
    for document in documents:
        cells = cells_of(document)
        for workload, batch, mode in cells:
            if mode != "whole" or (workload, batch, "eager") not in cells:
                continue
            whole = cells[workload, batch, mode]
            rows.append([f"{workload.split('-', 1)[-1]} b{batch}",
                         estimate(cells[workload, batch, "eager"]["latency_seconds"]),
                         estimate(whole["latency_seconds"]), gain(whole)])
    return markdown(rows)


def base_table(documents):
    document, = documents
    cells, axes = cells_of(document), document["plan"]["axes"]
    rows = [["", *(f"{mode} {what}" for mode in axes["mode"] for what in ("submit", "latency")),
             "whole gains", "even after"]]
    for workload in axes["workload"]:
        for batch in BATCHES:
            of_mode = [cells[workload, batch, mode] for mode in axes["mode"]]
            times = [estimate(summary[f"{what}_seconds"]) for summary in of_mode
                     for what in ("submit", "latency")]
            whole = cells[workload, batch, "whole"]
            rows.append([f"{workload} b{batch}", *times, gain(whole), breakeven(whole)])
    return markdown(rows)


def setup(launch):
    return sum(launch["setup"][f"{part}_seconds"] for part in ("capture", "instantiate", "upload"))


def median_interval(values):
    """The 95 % interval of the median by order statistics, or the range where values are too few."""
    values, tail, rank = sorted(values), 0.0, 0
    while (tail := tail + math.comb(len(values), rank) / 2 ** len(values)) <= 0.025:
        rank += 1
    cut = max(rank - 1, 0)
    return values[cut], values[-1 - cut]


def warmups_table(documents):
    """Setup of the cells of the plan's second grid: the median launch, and its 95 % interval."""
    document, = documents
    grid = document["plan"]["more_grids"][0]
    rows = [["setup of whole", *(f"W = {warmup}" for warmup in grid["warmup"])]]
    for workload in grid["workload"]:
        row = [f"{workload} b{grid['batch'][0]}"]
        for warmup in grid["warmup"]:
            cell, = (cell for cell in document["cells"] if cell["workload"] == workload
                     and cell["warmup"] == warmup and cell.get("prepare") == "first-use")
            times = [setup(launch) * 1e3 for launch in cell["launches"]]
            low, high = median_interval(times)
            row.append(f"{statistics.median(times):.2g}ms ({low:.2g}-{high:.2g})")
        rows.append(row)
    return markdown(rows)


TABLES = {"torch": torch_table, "base": base_table, "warmups": warmups_table}


def origin(documents):
    """The card and the commit of all documents, and the number of launches."""
    origins = {one_origin(document) for document in documents}
    if len(origins) > 1:
        sys.exit("ci/tables.py: documents of several commits or cards:\n" + "\n".join(sorted(origins)))
    launches = min(len(cell["launches"]) for document in documents for cell in document["cells"]
                   if cell["status"] == "ok")
    return f"{origins.pop()}, {launches} launches."


def one_origin(document):
    device = document["environment"]["device"]
    libraries = device.get("libraries") or {}
    torch = f", PyTorch {libraries['torch'].split(',')[0]}" if "torch" in libraries else ""
    return f"One {device['name']} (driver {device['driver']}{torch}), commit {document['tool']['commit']}"


def rewritten(page, text):
    """The text of docs/PAGE with new tables."""
    for name, (place, files) in PLACES.items():
        if place != page:
            continue
        documents = [json.loads((BASELINES / f"{each}.json").read_text()) for each in files]
        block = "\n\n".join([f"<!-- table {name} -->", origin(documents), TABLES[name](documents),
                             f"<!-- end of {name} -->"])
        pattern = f"<!-- table {name} -->.*?<!-- end of {name} -->"
        text, found = re.subn(pattern, lambda _, block=block: block, text, flags=re.DOTALL)
        if found != 1:
            sys.exit(f"ci/tables.py: docs/{page} has {found} tables {name}: give it one")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", nargs="+", metavar=("TABLE", "FILE"), help="print a table instead")
    asked = parser.parse_args().print
    if asked is None:
        for page in {page for page, _ in PLACES.values()}:
            path = ROOT / "docs" / page
            path.write_text(rewritten(page, path.read_text()))
        return
    if asked[0] not in TABLES:
        parser.error(f"--print: '{asked[0]}' is not a table: give {', '.join(TABLES)}")
    if len(asked) < 2 or (asked[0] != "torch" and len(asked) > 2):
        parser.error(f"--print: {asked[0]} is made of {'results' if asked[0] == 'torch' else 'one result'}")
    try:
        documents = [json.loads(pathlib.Path(path).read_text()) for path in asked[1:]]
        print(TABLES[asked[0]](documents))
    except (OSError, ValueError, KeyError, IndexError) as error:
        given = ", ".join(asked[1:])
        parser.error(f"--print: {given}: {type(error).__name__}: {error}: give a sweep's result")


if __name__ == "__main__":
    main()
