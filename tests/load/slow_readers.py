#!/usr/bin/env python3
"""What clients that ask for large documents and do not read them cost the service.

Gives the service two ended sweeps with documents of 13 MiB, lets many clients ask for each kind of answer, in
turns for the two, and prints how much its memory grows meanwhile, what stays, and how long /healthz takes.
Fails where memory or time is above its limit, or where a client that reads at last does not get all of it."""

import json
import pathlib
import socket
import sqlite3
import sys
import tempfile
import time
import urllib.parse

from service import Service, client, end, read_options

TINY = {"workload": "mlp", "preset": "tiny", "device": "host", "batch": [1, 2], "warmup": 0, "launches": 1,
        "time-per-cell": 0.001, "samples-max": 1}
STATES = "graphbench-state/sweeps.sqlite"


def enlarge(folder, sweep, mib):
    """Repeats a cell of an ended sweep until its document is as large."""
    with sqlite3.connect(folder / STATES) as database:
        text, = database.execute("SELECT result FROM sweeps WHERE id = ?", (sweep,)).fetchone()
        document = json.loads(text)
        first = document["cells"][0]
        cells = mib * 2**20 // len(json.dumps(first))
        document["cells"] = [{**first, "id": str(number)} for number in range(cells)]
        # Without the event that it began with, /metrics does not show it again after the start.
        database.execute("UPDATE sweeps SET result = ?, began = '' WHERE id = ?",
                         (json.dumps(document), sweep))
        database.executemany("INSERT INTO cells (sweep, cell, document) VALUES (?, ?, ?)",
                             ((sweep, cell["id"], json.dumps(cell)) for cell in document["cells"]))
    database.close()


def ask(url, path):
    """A connection that has asked and has read nothing."""
    bare = socket.socket()
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    bare.settimeout(60)
    bare.connect((url.hostname, url.port))
    bare.sendall(f"GET {path} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
    return bare


def read_all(bare):
    got = bytearray()
    while chunk := bare.recv(2**20):
        got += chunk
    return bytes(got)


def hold_out(service, seconds):
    """The most memory and the slowest /healthz while clients do not read."""
    most, slowest, until = 0, 0, time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        with client.open_url(service.url + "/healthz", 60) as answer:
            answer.read()
        slowest = max(slowest, time.monotonic() - began)
        most = max(most, service.memory_mib())
        time.sleep(0.02)
    return most, slowest


def trial(options, service, sweeps, what):
    url = urllib.parse.urlsplit(service.url)
    before = service.memory_mib()
    readers = [ask(url, f"/v1/sweeps/{sweeps[i % len(sweeps)]}/{what}") for i in range(options.readers)]
    most, slowest = hold_out(service, options.seconds)
    answer = read_all(readers[-1])  # one reads on, the others leave
    status = answer.split(b"\r\n", 1)[0].decode()
    for reader in readers:
        reader.close()
    deadline = time.monotonic() + 10
    while (after := service.memory_mib()) - before > options.limit_mib / 4 and time.monotonic() < deadline:
        time.sleep(0.1)
    print(f"{options.readers} x /{what:8} {before:6.1f} -> {most:6.1f} MiB, afterwards {after:6.1f}; "
          f"/healthz at most {slowest * 1e3:.0f} ms; who read got {len(answer) / 2**20:.1f} MiB", flush=True)
    faults = []
    if most - before > options.limit_mib:
        faults.append(f"/{what}: memory grew by {most - before:.0f} MiB, at most {options.limit_mib} will do")
    if after - before > options.limit_mib / 4:
        faults.append(f"/{what}: {after - before:.0f} MiB stay")
    if slowest > options.healthz_max:
        faults.append(f"/{what}: /healthz took {slowest:.2f} s, at most {options.healthz_max} s will do")
    if status != "HTTP/1.1 200 OK" or len(answer) < options.mib * 2**20 * 0.9:
        faults.append(f"/{what}: a client that read got {len(answer)} bytes: {status}")
    return faults


def main():
    # A document has so many MiB; for so many seconds no client of a trial reads.
    options = read_options(__doc__, readers=100, mib=13, seconds=5.0, limit_mib=100.0, healthz_max=0.5)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        with Service(options.binary, folder) as service:
            sweeps = [service.submit(TINY) for _ in range(2)]
            for sweep in sweeps:
                service.wait_for_state(sweep, "done", 120)
            service.kill()
            for sweep in sweeps:
                enlarge(folder, sweep, options.mib)
            service.start()
            faults = [fault for what in ("results", "cells", "events")
                      for fault in trial(options, service, sweeps, what)]
    return end(faults)


if __name__ == "__main__":
    sys.exit(main())
