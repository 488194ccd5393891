#!/usr/bin/env python3
"""Judges the files that ci/gpu left in a folder: prints a row per figure with limit, value, and pass or FAIL.
Exits 1 if any figure fails or its evidence is missing."""

import argparse
import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

import program_figures
from figure_row import RATIO, Row, at_most, document_rows, interval_row, ratio_row

SANITIZERS = {"sanitizer": ["memcheck"], "kernels": ["racecheck", "synccheck", "initcheck"]}
STAGES = ["devices", "sweep", "witness", "variants", "bare", "cycles", "tests", "sanitizer"]
CELLS = 93
# Limits of the default sweep's time in seconds, with an empty cache, by the card's name.
SWEEP_SECONDS_MAX = {"H100": 125, "H200": 110}
POOL_RATIO_MAX = 1.05
UNACCOUNTED_MAX = 0.02
LOST_BYTES_MAX = 2 << 20
WITNESS_SHARE_MAX, WITNESS_SECONDS_MAX = 0.02, 1e-6
# Reasons for a skip that hold on every machine, because the test does not apply to the program.
NOT_APPLICABLE = ("the program has no state",)
BARE_LINE = re.compile(r"^(?P<workload>[\w-]+)\s+(?P<batch>\d+)\s+(?P<mode>[a-z]+)" + RATIO, re.MULTILINE)
CALLER_LINE = re.compile(r"^(?P<io>[a-z_]+)\s+(?P<nodes>\d+)" + RATIO, re.MULTILINE)
LADDER_LINE = re.compile(r"^(?P<workload>[\w-]+)\s+(?P<rows>\d+) in\s+(?P<size>\d+)" + RATIO, re.MULTILINE)
UPDATES_LINE = re.compile(
    r"^(?P<updates>\d+) updates of (?P<nodes>\d+) nodes: device (?P<device>[+-]\d+), heap (?P<heap>[+-]\d+),"
    r" resident (?P<resident>[+-]\d+) bytes(?P<over>\s+OVER)?$", re.MULTILINE)
RESPONSE_MAX = 1.01
INSTRUMENT_NS_MAX = 50
INSTRUMENT_LINE = re.compile(
    r"^(?P<workload>[\w-]+)\s+(?P<mode>[a-z]+)\s+\d+\s+\d+\s+(?P<difference>[+-]\d+)"
    r"\s+(?P<low>[+-]\d+)\s+(?P<high>[+-]\d+)(\s+OVER)?$",
    re.MULTILINE)
CYCLE_LINE = re.compile(
    r"^(?P<workload>[\w-]+)\s+(?P<cycles>\d+) capture/destroy cycles, (?P<replays>\d+) replays:"
    r".* lost (?P<lost>-?\d+) bytes", re.MULTILINE)
INFLUENCE_LINE = re.compile(
    r"^influence on latency: (?P<influence>\S+) % \(95 %: (?P<low>[-+.\d]+)\.\.(?P<high>[-+.\d]+)\),"
    r" limit (?P<limit>\S+) %", re.MULTILINE)
GRAPH_MODES = ("whole", "piecewise")
# Pairs (spread, share): at least this share of the cells must have this spread or less.
SPREADS = ((0.005, 0.95), (0.002, 0.5))
SUSTAINED_MAX = 0.01


def cells_row(document, expected=CELLS):
    """Every cell of the default sweep is ok, and its outputs equal the reference's."""
    cells = document["cells"]
    good = sum(cell["status"] == "ok" and (cell["check"] or {}).get("identical") is True for cell in cells)
    passed = good == len(cells) == expected
    return [Row("cells ok and identical", f"{expected} of {expected}", f"{good} of {len(cells)}", passed)]


def pool_rows(document):
    """Compares the pool that all batches of a worker share with the pool that its largest batch needs by
    itself, for the worst worker of each workload and mode."""
    workers = collections.defaultdict(lambda: collections.defaultdict(list))
    for cell in document["cells"]:
        if cell["mode"] not in GRAPH_MODES:
            continue
        key = (cell["workload"], cell["preset"], cell["dtype"], cell["pass"], cell["mode"])
        # A cell that prepares nothing in advance has its own process.
        alone = cell["batch"] if "prepare" in cell else None
        workers[key][cell["warmup"], alone].append(cell["memory"])
    rows = []
    for key, of_key in sorted(workers.items()):
        ratios = []
        for memories in of_key.values():
            own = max((memory["pool_bytes_own"] for memory in memories if memory), default=0)
            known = None not in memories and own > 0
            ratios.append(max(memory["pool_bytes"] for memory in memories) / own if known else None)
        worst = None if None in ratios else max(ratios)
        rows.append(at_most(f"pool / largest batch's own: {key[0]} {key[4]}", POOL_RATIO_MAX, worst))
    nothing = Row("pool / largest batch's own", f"<= {POOL_RATIO_MAX}", "no graph mode was swept", False)
    return rows or [nothing]


def memory_rows(document):
    """Compares the memory that no account explains with the memory that the driver reports as used."""
    worst = {}
    for cell in document["cells"]:
        if cell["mode"] not in GRAPH_MODES:
            continue
        memory, key = cell["memory"] or {}, (cell["workload"], cell["mode"])
        left = memory.get("unaccounted_bytes")
        share = float("inf") if left is None else abs(left) / memory["used_bytes"]
        worst[key] = max(worst.get(key, 0.0), share)
    return [at_most(f"memory in no account: {key[0]} {key[1]}", UNACCOUNTED_MAX, share)
            for key, share in sorted(worst.items())] or [
        Row("memory in no account", f"<= {UNACCOUNTED_MAX}", "no graph mode was swept", False)]


def witness_rows(document):
    """Compares event time with the busy time and gaps of the device's own records, over the same steps. The
    time between two events with no work between them is measured separately, and subtracted here."""
    cells = [cell for cell in document["cells"] if cell["status"] == "ok"]
    seen, beyond, worst = 0, 0, (0.0, "none")
    for cell in cells:
        witness = (cell.get("profile") or {}).get("witness")
        if not witness:
            continue
        seen += 1
        limit = max(WITNESS_SECONDS_MAX, WITNESS_SHARE_MAX * witness["device_seconds"])
        beside = witness["difference_seconds"] - witness["events_seconds"]
        excess = abs(beside) / limit
        beyond += excess > 1
        text = (f"{beside * 1e6:+.2f} us (and {witness['events_seconds'] * 1e6:.2f} us of the events) "
                f"of {witness['device_seconds'] * 1e6:.1f} us in {cell['id']}")
        worst = max(worst, (excess, text))
    measured = f"{beyond} of {seen}, worst {worst[1]}"
    return [Row("device time against records: cells beyond 2 % or 1 us", f"0 of {len(cells)}", measured,
                beyond == 0 and seen == len(cells) > 0)]


def counts_against(case):
    """True for a failure, and for a skip whose reason depends on the machine."""
    if case.find("failure") is not None or case.find("error") is not None:
        return True
    skipped = case.find("skipped")
    if skipped is None:
        return case.get("result") == "suppressed" or case.get("status") == "notrun"
    return not any(reason in skipped.get("message", "") for reason in NOT_APPLICABLE)


def tests_rows(folder):
    """Counts failed tests. A skip counts as a failure, unless its reason is in NOT_APPLICABLE."""
    ran, bad = 0, []
    for report in sorted(folder.glob("tests.*.xml")):
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            ran += 1
            if counts_against(case):
                bad.append(f"{case.get('classname')}.{case.get('name')}")
    for name in bad[:20]:
        print(f"failed or skipped: {name}")
    return [Row("GPU tests failed or skipped", "0", f"{len(bad)} of {ran}", ran > 0 and not bad)]


def stage_rows(stages, prefix):
    """One row per stage named `prefix` or `prefix.PART`, with the exit status of the stage."""
    rows = []
    for name, status, _ in stages:
        if name == prefix or name.startswith(prefix + "."):
            measured = "past its time limit" if status in ("124", "137") else status
            rows.append(Row(f"{name}: exit status", "0", measured, status == "0"))
    return rows


def sanitizer_rows(folder, stages, tool):
    """How many shards of a tool of compute-sanitizer reported something, failed a test or did not end."""
    shards = [(name, status) for name, status, _ in stages if name.startswith(tool + ".")]
    bad = [name for name, status in shards if status != "0"]
    for name in bad:
        print(f"failed or reported: {name}")
    tests = sum(case.get("status") == "run" for report in folder.glob(f"{tool}.*.xml")
                for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    return [Row(f"{tool}: shards of tests with a report", "0", f"{len(bad)} of {len(shards)}, {tests} tests",
                tests > 0 and not bad)]


def bare_rows(text):
    """Reads the output of graphbench_bare_loops: workload, batch, mode, and a ratio."""
    rows = [ratio_row(f"submit / bare loop: {match['workload']} b{match['batch']} {match['mode']}", match)
            for match in BARE_LINE.finditer(text)]
    return rows or [Row("submit / bare loops", "measured", "graphbench_bare_loops printed no ratio", False)]


def caller_rows(text):
    """Reads the output of graphbench_caller_loops: io, nodes, and a ratio (limit 0.00: none); and the memory
    that remains after updates, on the device and on the host."""
    rows = []
    for match in CALLER_LINE.finditer(text):
        if float(match["limit"]) > 0:
            rows.append(ratio_row(f"submit / bare loop: io {match['io']}, {match['nodes']} nodes", match))
    for match in UPDATES_LINE.finditer(text):
        rows.append(Row(f"memory grown by {match['updates']} updates of {match['nodes']} nodes", "flat",
                        f"device {match['device']}, heap {match['heap']}, resident {match['resident']} bytes",
                        not match["over"]))
    return rows or [Row("io / bare loops", "measured", "graphbench_caller_loops printed no ratio", False)]


def ladder_rows(text):
    """Reads the output of graphbench_ladder_loops: workload, rows, size, and a ratio."""
    rows = [ratio_row(f"submit / bare loop: {hit['workload']}, {hit['rows']} rows in {hit['size']}", hit)
            for hit in LADDER_LINE.finditer(text)]
    return rows or [Row("hits / bare loops", "measured", "graphbench_ladder_loops printed no ratio", False)]


def response_rows(document):
    """Compares the latest response of steps that arrive at once with the sum of their latencies: the harness
    must not delay a step."""
    rows = []
    for ladder in document["ladders"]:
        figure = f"latest response / all latencies: {ladder['role']} {ladder['id']}"
        if not ladder["launches"]:
            rows.append(Row(figure, f"<= {RESPONSE_MAX}", ladder["reason"]["message"], False))
        for launch in ladder["launches"]:
            busy = max(placement["busy_seconds"] for placement in launch["placements"])
            rows.append(at_most(figure, RESPONSE_MAX, launch["response_seconds"]["max"] / busy))
    nothing = Row("latest response / all latencies", f"<= {RESPONSE_MAX}", "nothing was served", False)
    return rows or [nothing]


def instrument_rows(text):
    """Reads the output of graphbench_instrument_cost: submit by our sampling minus submit in a bare loop."""
    rows = []
    for match in INSTRUMENT_LINE.finditer(text):
        figure = f"instrument cost a step: {match['workload']} {match['mode']}"
        rows.append(interval_row(figure, INSTRUMENT_NS_MAX, match["difference"], match["low"], match["high"],
                                 " ns"))
    return rows or [Row("instrument cost", "measured", "graphbench_instrument_cost printed none", False)]


def cycle_rows(text):
    """Reads the output of graphbench_bare_loops --cycles: one line per workload, which ends with the bytes
    lost."""
    rows = []
    for match in CYCLE_LINE.finditer(text):
        times = f"{match['cycles']} captures, {match['replays']} replays"
        figure = f"bytes lost over {times}: {match['workload']}"
        rows.append(at_most(figure, LOST_BYTES_MAX, int(match["lost"])))
    return rows or [Row("bytes lost over captures", "measured", "graphbench_bare_loops printed none", False)]


def influence_rows(text):
    """Reads the output of tests/load/influence.py: the change of the median latency, whose whole
    interval must lie within the limit."""
    figure = "scraping and event streams move the median latency"
    match = INFLUENCE_LINE.search(text)
    if not match:
        return [Row(figure, "measured", "influence.py printed none", False)]
    limit = float(match["limit"])
    measured = f"{match['influence']} % (95 %: {match['low']}..{match['high']})"
    passed = -limit <= float(match["low"]) and float(match["high"]) <= limit
    return [Row(figure, f"<= {match['limit']} %", measured, passed)]


def spread_rows(document):
    """How far the launches of each graph cell lie apart: the standard deviation of their log medians."""
    cells = [cell for cell in document["cells"] if cell["mode"] in GRAPH_MODES]
    spreads = {cell["id"]: cell["summary"]["latency_seconds"]["between_launches"]
               for cell in cells if cell["status"] == "ok"}
    rows = []
    for spread_max, share in SPREADS:
        figure = f"launches of a cell spread by {spread_max:.1%} or less"
        limit = f">= {share:.0%} of the cells"
        if not cells or len(spreads) < len(cells) or None in spreads.values():
            measured = f"{len(spreads)} of {len(cells)} cells ok, or too few launches"
            rows.append(Row(figure, limit, measured, False))
            continue
        good = [name for name, spread in spreads.items() if spread <= spread_max]
        modes = [f"{mode} {sum(name.endswith(mode) for name in good)} of "
                 f"{sum(name.endswith(mode) for name in spreads)}" for mode in GRAPH_MODES]
        worst = max(spreads, key=spreads.get)
        measured = f"{len(good)} of {len(cells)} ({', '.join(modes)}), worst {spreads[worst]:.2%} in {worst}"
        rows.append(Row(figure, limit, measured, len(good) >= share * len(cells)))
    return rows


def sustained_rows(folder):
    """Compares mean latencies under sustained load with the times of Google Benchmark's second repetition."""
    document = json.loads((folder / "sustained.json").read_text())
    bench = json.loads((folder / "sustained_bench.json").read_text())["benchmarks"]
    rows = []
    for cell in document["cells"]:
        figure = f"latency under load against Google Benchmark: {cell['id']}"
        sustained = cell["launches"][0]["sustained"] if cell["status"] == "ok" else None
        means = [run["real_time"] * 1e-9 for run in bench
                 if cell["id"] in run["name"] and run.get("repetition_index") == 1]
        if not sustained or sustained["latency_seconds"] is None or len(means) != 1:
            rows.append(Row(figure, f"<= {SUSTAINED_MAX:.0%}", f"not measured: {sustained}, {means}", False))
            continue
        mean = sustained["latency_seconds"]["mean"]
        rested = cell["summary"]["latency_seconds"]["p50"]
        clock, power = sustained["sm_clock_hz"] or 0, sustained["power_watts"] or 0
        change = mean / means[0] - 1
        measured = (f"{change:+.2%}: {mean * 1e6:.1f} us at {clock / 1e6:.0f} MHz and {power:.0f} W "
                    f"after {sustained['seconds_to_steady']:.1f} s; rested {rested * 1e6:.1f} us")
        rows.append(Row(figure, f"<= {SUSTAINED_MAX:.0%}", measured, abs(change) <= SUSTAINED_MAX))
    return rows


def first_use_rows(document):
    """Publishes, without a limit, the times of a cell's first launch, which include the loading of code."""
    rows = []
    for cell in document["cells"]:
        figure = f"first use: {cell['id']}"
        if cell["status"] != "ok":
            rows.append(Row(figure, "measured", f"{cell['reason']['code']}: {cell['reason']['message']}",
                            cell["status"] == "skipped"))
            continue
        setup = cell["launches"][0]["setup"]
        measured = ", ".join(f"{what} {setup[what + '_seconds'] * 1e3:.3g} ms"
                             for what in ("prepare", "warmup", "capture", "first_step"))
        rows.append(Row(figure, "measured", measured, True))
    return rows


def sweep_rows(folder, stages):
    seconds = next((float(seconds) for name, _, seconds in stages if name == "sweep"), None)
    try:
        document = json.loads((folder / "result.json").read_text())
    except (OSError, ValueError) as error:
        return [Row("result document", "readable", str(error), False)]
    card = document["environment"]["device"]["name"]
    limit = next((seconds for name, seconds in SWEEP_SECONDS_MAX.items() if name in card),
                 min(SWEEP_SECONDS_MAX.values()))
    return [at_most(f"default sweep, {card}", limit, seconds, "s"), *cells_row(document),
            *pool_rows(document), *memory_rows(document)]


def log_of(folder, stage):
    path = folder / f"{stage}.log"
    return path.read_text(errors="replace") if path.exists() else ""


def rows_of(folder, wanted):
    lines = (folder / "stages.tsv").read_text().splitlines() if (folder / "stages.tsv").exists() else []
    stages = [line.split("\t") for line in lines]
    rows = []
    for stage in wanted:
        rows.extend(stage_rows(stages, stage))
        for tool in SANITIZERS.get(stage, ()):
            rows.extend(sanitizer_rows(folder, stages, tool))
        if stage == "sweep":
            rows.extend(sweep_rows(folder, stages))
        elif stage == "witness":
            rows.extend(document_rows(folder, "profile.json", witness_rows))
        elif stage == "spread":
            rows.extend(document_rows(folder, "spread.json", spread_rows))
        elif stage == "sustained":
            rows.extend(sustained_rows(folder))
        elif stage == "first-use":
            rows.extend(document_rows(folder, "first_use.json", first_use_rows))
        elif stage == "branches":
            rows.extend(program_figures.branch_rows(folder))
        elif stage == "programs":
            rows.extend(program_figures.program_rows(folder))
        elif stage == "start-up":
            rows.extend(program_figures.start_up_rows(folder))
        elif stage == "training":
            rows.extend(program_figures.training_rows(folder))
        elif stage == "torch":
            rows.extend(program_figures.torch_rows(folder))
        elif stage == "torch-modes":
            rows.extend(program_figures.torch_modes_rows(folder))
        elif stage in ("torch-steps", "torch-public", "torch-models"):
            rows.extend(program_figures.judged_rows(stage, log_of(folder, stage)))
        elif stage == "bare":
            rows.extend(bare_rows(log_of(folder, stage)))
            rows.extend(caller_rows(log_of(folder, "bare.caller")))
            rows.extend(ladder_rows(log_of(folder, "bare.ladder")))
            rows.extend(document_rows(folder, "arrivals.json", response_rows))
            rows.extend(instrument_rows(log_of(folder, "bare.instrument")))
        elif stage == "cycles":
            rows.extend(cycle_rows(log_of(folder, stage)))
        elif stage == "tests":
            rows.extend(tests_rows(folder))
        elif stage == "influence":
            rows.extend(influence_rows(log_of(folder, stage)))
    return rows


def table_of(rows):
    cells = [("figure", "limit", "measured", "")]
    cells += [(row.figure, row.limit, row.measured, "pass" if row.passed else "FAIL") for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the output folder of ci/gpu")
    parser.add_argument("--stages", nargs="+", default=STAGES)
    arguments = parser.parse_args()
    rows = rows_of(arguments.folder, arguments.stages)
    table = table_of(rows)
    print(table)
    (arguments.folder / "figures.md").write_text(table + "\n")
    passed = sum(row.passed for row in rows)
    print(f"{passed} of {len(rows)} figures pass")
    return 0 if rows and passed == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
