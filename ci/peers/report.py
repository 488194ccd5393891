"""Ratios as Markdown tables, on stdout and in ratios.md, and as plain data in ratios.json; stdlib only."""

import json

import ratios as analysis


def table(head, rows):
    """A Markdown table with aligned columns: names to the left, numbers to the right."""
    rows = [head, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    padded = [[row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:]))]
              for row in rows]
    padded.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def ratio_text(value):
    return "-" if value is None else f"{value:.3f}"


def microseconds(seconds):
    value = seconds * 1e6
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}"


def megabytes(count):
    return f"{count / 1e6:.1f}"


def pair_columns(pair, text):
    return [text(pair.ours), text(pair.torch), ratio_text(pair.ratio)] if pair else ["-"] * 3


def cells_table(ratios, mode):
    head = ["cell", *(f"{metric} {side}" for metric in analysis.METRICS for side in ("us", "torch", "ratio"))]
    rows = []
    for key, metrics in ratios.cells.items():
        if key[4] != mode:
            continue
        row = [analysis.name_of(key[:4])]
        for metric in analysis.METRICS:
            row += pair_columns(metrics.get(metric), microseconds)
        rows.append(row)
    return table(head, rows)


def means_table(ratios, modes):
    head = ["geometric mean"] + [f"{mode} {metric}" for mode in modes for metric in analysis.METRICS]
    rows = []
    for workload in [*analysis.workloads_of(ratios), None]:
        means = [analysis.mean_of(ratios, mode, metric, workload)
                 for mode in modes for metric in analysis.METRICS]
        rows.append([workload or "all", *map(ratio_text, means)])
    return table(head, rows)


def ladders_table(ratios):
    names = ("setup ms", "pool MB", "private MB")
    rows = []
    for key in sorted({*ratios.setup, *ratios.pools, *ratios.private}):
        rows.append([analysis.name_of(key), *pair_columns(ratios.setup.get(key), milliseconds),
                     *pair_columns(ratios.pools.get(key), megabytes),
                     *pair_columns(ratios.private.get(key), megabytes)])
    return table(["ladder", *(text for name in names for text in (name, "torch", "ratio"))], rows)


def figures_table(figures):
    rows = []
    for figure in figures:
        verdict = "pass" if figure.passed else "FAIL" if figure.measured is not None else "not measured"
        limit = f"<= {figure.limit:.2f}"
        rows.append([figure.name, limit, ratio_text(figure.measured), verdict, figure.where])
    return table(["ours / torch", "limit", "measured", "", "where"], rows)


def loop_lines(ratios):
    """How much of the piecewise ratio is the dispatch that engines do around their replays."""
    head = ["piecewise submit", "against the engine's dispatch", "against a bare loop of torch's replays"]
    rows = []
    for workload in [*analysis.workloads_of(ratios), None]:
        bare = [pair.ratio for key, pair in ratios.loop.items() if workload in (None, key[0])]
        rows.append([workload or "all", ratio_text(analysis.mean_of(ratios, "piecewise", "submit", workload)),
                     ratio_text(analysis.geometric_mean(bare) if bare else None)])
    return table(head, rows)


def markdown(ratios):
    known = ("eager", *analysis.GRAPH_MODES, "compiled")
    modes = [mode for mode in known if any(key[4] == mode for key in ratios.cells)]
    parts = []
    for mode in modes:
        parts.append(f"### {mode}: graphbench, torch, and the ratio of the two (p50)\n\n"
                     f"{cells_table(ratios, mode)}")
    parts.append(f"### Geometric means of the ratios\n\n{means_table(ratios, modes)}")
    if ratios.loop:
        parts.append(f"### What dispatch is of it\n\n{loop_lines(ratios)}")
    if ratios.setup or ratios.pools:
        parts.append("### The ladder: capture + instantiate, pool shared by all batches, a pool each\n\n"
                     + ladders_table(ratios))
    parts.append(f"### Limits\n\n{figures_table(analysis.figures(ratios))}")
    if ratios.notes:
        parts.append("### Notes\n\n" + "\n".join(f"- {line}" for line in ratios.notes))
    if ratios.missing:
        parts.append("### Not compared\n\n" + "\n".join(f"- {line}" for line in ratios.missing))
    return "\n\n".join(parts) + "\n"


def plain(pair):
    return {"ours": pair.ours, "torch": pair.torch, "ratio": pair.ratio}


def data(ratios):
    ladders = {name: {"/".join(key): plain(pair) for key, pair in table_of.items()}
               for name, table_of in (("setup_seconds", ratios.setup), ("pool_bytes", ratios.pools),
                                      ("pool_bytes_private", ratios.private))}
    loops = {"/".join(map(str, key)): plain(pair) for key, pair in ratios.loop.items()}
    cells = [dict(zip(("workload", "preset", "dtype", "batch", "mode"), key),
                  **{f"{metric}_seconds": plain(pair) for metric, pair in metrics.items()})
             for key, metrics in ratios.cells.items()]
    figures = [{"name": figure.name, "limit": figure.limit, "measured": figure.measured,
                "where": figure.where, "passed": figure.passed} for figure in analysis.figures(ratios)]
    return {"schema": "graphbench.peer-ratios/1", "cells": cells, **ladders,
            "submit_loop_seconds": loops, "figures": figures,
            "missing": ratios.missing, "notes": ratios.notes}


def publish(ratios, folder, strict):
    """Prints and writes everything; the exit code: 1 where something failed to run or, with `strict`, where a
    limit is missed."""
    text = markdown(ratios)
    print(text, end="")
    (folder / "ratios.md").write_text(text)
    (folder / "ratios.json").write_text(json.dumps(data(ratios), indent=1, allow_nan=False) + "\n")
    missed = any(not figure.passed for figure in analysis.figures(ratios))
    return 1 if ratios.missing or (strict and missed) else 0
