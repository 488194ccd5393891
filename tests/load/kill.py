#!/usr/bin/env python3
"""Kills graphbench serve with signal 9 again and again, at random moments, while it is given sweeps; counts
sweeps that were accepted and are lost, cells that were shown and are lost, and processes that stay behind.
Then resumes what was interrupted, and counts cells that were finished and are measured again.

    kill.py BINARY --of sweep       kills one sweep after the other, resumes each and counts the same of it"""

import collections
import contextlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from service import Service, client, read_options

SWEEP = {"workload": "mlp", "device": "host", "batch": [1, 2], "warmup": 0, "time-per-cell": 0.005,
         "samples-max": 5, "launches": 5}
SEED = 9


def main():
    options = read_options(__doc__, kills=50, of=("service", "sweep"))
    chance = random.Random(SEED)
    return (kill_service if options.of == "service" else kill_sweeps)(options, chance)


def kill_service(options, chance):
    with tempfile.TemporaryDirectory() as name:
        service = Service(options.binary, pathlib.Path(name).resolve())
        accepted, cells, lost, stayed = [], {}, 0, 0
        for turn in range(options.kills):
            waiting = [sweep["id"] for sweep in service.sweeps() if sweep["state"] in ("queued", "running")]
            if len(waiting) < 4:
                waiting += (more := [service.submit(SWEEP) for _ in range(2)])
                accepted += more
            time.sleep(chance.uniform(0, 1))
            told = hear(service, waiting, cells)
            if turn % 2 == 0 and not told:  # on a busy machine every moment may be before the first cell
                client.wait_for("a first cell", lambda: hear(service, waiting, cells))
            service.kill()
            end = time.monotonic() + 10
            while (left := client.processes_in(service.folder, service.binary)) and time.monotonic() < end:
                time.sleep(0.01)
            stayed += len(left)
            service.start()
            known = {sweep["id"]: sweep for sweep in service.sweeps()}
            lost += len(set(accepted) - set(known))
            for sweep, told in cells.items():
                kept = service.ask("GET", f"/v1/sweeps/{sweep}/cells")["cells"]
                lost += len(told - {cell["id"] for cell in kept})
        sweeps = client.wait_for("the queue to drain", lambda: all_ended(service))
        states = dict(collections.Counter(sweep["state"] for sweep in sweeps))
        lost += sum(not service.ask("GET", f"/v1/sweeps/{sweep['id']}/results")["complete"]
                    for sweep in sweeps if sweep["state"] == "done")
        resumed, again = resume_all(service, [sweep["id"] for sweep in sweeps if sweep["resumable"]])
        service.kill()
        told = sum(map(len, cells.values()))
        print(f"{options.kills} kills, {len(accepted)} sweeps accepted, {told} cells told: {lost} lost, "
              f"{stayed} processes stayed; {states}; "
              f"resumed with {resumed} finished cells, {again} of them measured again")
        # Sweeps that ran when the service was killed are interrupted, the others are done.
        # A run that compared no cell shows nothing.
        nothing = not told or not resumed
        return 1 if lost or stayed or again or set(states) - {"done", "interrupted"} or nothing else 0


def kill_sweeps(options, chance):
    """The same command again keeps each launch that is in the journal of the killed sweep."""
    named = [f"--{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
             for name, value in SWEEP.items()]
    again = lost = stayed = kept = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        document, journal = folder / "r.json", folder / "r.json.partial"
        command = [options.binary.resolve(), "--sweep", *named, "--quiet", "--json", document]
        seconds = time.monotonic()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        seconds = time.monotonic() - seconds
        for _ in range(options.kills):
            document.unlink(missing_ok=True)
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(chance.uniform(0, 1.1 * seconds))
                process.kill()
            end = time.monotonic() + 10
            while (left := client.processes_in(folder, options.binary)) and time.monotonic() < end:
                time.sleep(0.01)
            stayed += len(left)
            told = launches_in(journal)
            kept += len(told)
            if not document.exists():
                lost += subprocess.run(command, cwd=folder, capture_output=True).returncode != 0
            result = json.loads(document.read_text())
            now = {(cell["id"], launch["index"]): launch["latency_seconds"]
                   for cell in result["cells"] for launch in cell["launches"]}
            lost += not result["complete"] or journal.exists()
            again += sum(now.get(launch) != latency for launch, latency in told.items())
        print(f"{options.kills} kills, {kept} finished launches: {lost} sweeps lost, {stayed} processes "
              f"stayed, {again} launches measured again")
    return 1 if lost or stayed or again or not kept else 0  # a run that compared no launch shows nothing


def launches_in(journal):
    """The latency of each launch, by cell and index, of any record that holds cells: a record that gets
    another name must not leave this without anything to compare. The last line may be half written."""
    found = {}
    for line in journal.read_text().splitlines() if journal.exists() else []:
        for cell in cells_in(line.partition(" ")[2]):
            for launch in cell["launches"]:
                found[cell["id"], launch["index"]] = launch["latency_seconds"]
    return found


def cells_in(value):
    """What has an id and launches, at any depth, also in JSON within a text."""
    if isinstance(value, str) and "launches" in value:
        with contextlib.suppress(json.JSONDecodeError):
            yield from cells_in(json.loads(value))
    elif isinstance(value, dict) and "id" in value and value.get("launches"):
        yield value
    elif isinstance(value, (dict, list)):
        for below in value.values() if isinstance(value, dict) else value:
            yield from cells_in(below)


def hear(service, sweeps, cells):
    """Adds the cells that the service shows of these sweeps; returns how many."""
    heard = 0
    for sweep in sweeps:
        for cell in service.ask("GET", f"/v1/sweeps/{sweep}/cells")["cells"]:
            cells.setdefault(sweep, set()).add(cell["id"])
            heard += 1
    return heard


def resume_all(service, sweeps):
    """How many cells of them were finished, and how many of those were measured again or are lost."""
    finished = {}
    for sweep in sweeps:
        finished[sweep] = {cell["id"]: cell["launches"]
                           for cell in service.ask("GET", f"/v1/sweeps/{sweep}/cells")["cells"]}
        service.ask("POST", f"/v1/sweeps/{sweep}/resume")
        client.wait_for("a place in the queue", lambda: all_ended(service), seconds=120)
    again = 0
    for sweep, kept in finished.items():
        document = service.ask("GET", f"/v1/sweeps/{sweep}/results")
        now = {cell["id"]: cell["launches"] for cell in document["cells"]}
        again += sum(now.get(cell) != launches for cell, launches in kept.items())
        again += not document["complete"]
    return sum(map(len, finished.values())), again


def all_ended(service):
    sweeps = service.sweeps()
    return sweeps if all(sweep["state"] not in ("queued", "running") for sweep in sweeps) else None


if __name__ == "__main__":
    sys.exit(main())
