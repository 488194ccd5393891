#!/usr/bin/env python3
"""Holds many event streams open, and scrapes /metrics with many clients, while the service runs a sweep.

Fails where a connection is refused or cut, a request fails, a stream misses a cell that another was told, or
the service's memory grows; and says what it counted. The figure is the default. The sweep has nine cells for
each of --warmups; memory counts --settle seconds after the first scrape; clients pause between scrapes."""

import asyncio
import collections
import json
import pathlib
import sys
import tempfile
import time
import urllib.parse

from scrape import Scraper, quantile
from service import Service, end, read_options

# Steps long enough for the time to bound a cell: cells are done all the time, for about two minutes.
SWEEP = {"workload": "mlp", "device": "host", "batch": [256, 512, 1024], "launches": 1,
         "time-per-cell": 0.25}
# The same cells, quickly: the service knows their series before its memory counts.
BRIEF = {"time-per-cell": 0.001, "samples-max": 1}
# Memory at rest is flat where it grows by less than this per minute, and per run of less than a minute: a
# leak of 100 bytes a scrape, or of 8 an event and stream, is more. The watched sweep's cells have
# percentiles, which the brief one's lack: their lines grow by 1.2 KiB each, about 0.3 MiB a minute in all.
SLOPE_MAX_MIB_A_MINUTE = 1


class Stream:
    """One client of one sweep's events, from its opening to its end."""

    def __init__(self, url, path):
        self.url, self.path = urllib.parse.urlsplit(url), path
        self.numbers = []  # of the cells it was told
        self.events = collections.Counter()
        self.bytes = 0
        self.errors = []
        self.opened = asyncio.Event()

    async def run(self):
        try:
            reader, writer = await asyncio.open_connection(self.url.hostname, self.url.port, limit=2**22)
            writer.write(f"GET {self.path}/events HTTP/1.1\r\nHost: {self.url.netloc}\r\n\r\n".encode())
            head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), timeout=60)).decode()
            if not head.startswith("HTTP/1.1 200"):
                raise ValueError(head.splitlines()[0])
            self.opened.set()
            while not self.events["done"]:
                self.take(await asyncio.wait_for(reader.readuntil(b"\n\n"), timeout=60))
            writer.close()
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            self.errors.append(repr(error))
        self.opened.set()

    def take(self, event):
        self.bytes += len(event)
        lines = [line for line in event.splitlines() if line and not line.startswith(b":")]
        fields = dict(line.split(b": ", 1) for line in lines)
        name = fields.get(b"event", b"comment").decode()
        self.events[name] += 1
        if name == "cell":
            number = int(fields[b"id"])
            if self.numbers and number <= self.numbers[-1]:
                self.errors.append(f"cell {number} came after {self.numbers[-1]}")
            self.numbers.append(number)

    def missing(self, told):
        """Cells that others were told after this one's first, and this one was not."""
        first = self.numbers[0] if self.numbers else 0
        return len({number for number in told if number >= first} - set(self.numbers))


async def at_rest(service):
    """The least memory of a second without a scrape: an answer that is being sent is a megabyte or two."""
    seen = []
    for _ in range(10):
        await asyncio.sleep(0.1)
        seen.append(service.memory_mib())
    return min(seen)


async def sample_memory(service, until, samples):
    while (now := time.monotonic()) < until:
        samples.append((now, service.memory_mib()))
        await asyncio.sleep(min(1, max(0, until - now)))


async def load(options, service, sweep):
    """Streams, scrapers, samples (seconds, MiB) of the service's memory while all of them are there, and its
    memory at rest before and after them."""
    streams = [Stream(service.url, f"/v1/sweeps/{sweep}") for _ in range(options.streams)]
    readers = [asyncio.create_task(stream.run()) for stream in streams]
    for stream in streams:
        await stream.opened.wait()
    scrapers = [Scraper(service.url + "/metrics", options.pause) for _ in range(options.scrapers)]
    warm = time.monotonic() + options.settle
    await asyncio.gather(*(scraper.run(warm) for scraper in scrapers))
    rest = [await at_rest(service)]
    samples, until = [], time.monotonic() + options.seconds
    scraping = [scraper.run(until) for scraper in scrapers]
    await asyncio.gather(sample_memory(service, until, samples), *scraping)
    rest.append(await at_rest(service))
    # On a busy machine the first cell may take longer than all of this.
    end = time.monotonic() + 120
    while not any(stream.numbers for stream in streams) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    await asyncio.to_thread(service.ask, "DELETE", f"/v1/sweeps/{sweep}")
    await asyncio.wait(readers, timeout=60)
    for reader in readers:
        reader.cancel()
    return streams, scrapers, samples, rest


def table_of(options, streams, scrapers, samples, rest):
    seconds = [value for scraper in scrapers for value in scraper.seconds]
    p50, p99 = (quantile(seconds, fraction) * 1e3 for fraction in (0.5, 0.99))
    events = {name: sum(stream.events[name] for stream in streams)
              for name in ("progress", "cell", "comment", "done")}
    cells = [stream.events["cell"] for stream in streams]
    memory = [mib for _, mib in samples]
    return [
        ("event streams", f"{len(streams)} for {options.seconds:g} s and more"),
        ("events received", ", ".join(f"{count} {name}" for name, count in events.items())),
        ("cells a stream", f"{min(cells)} to {max(cells)}"),
        ("stream bytes", f"{sum(stream.bytes for stream in streams) / 2**20:.1f} MiB"),
        ("scrapers", f"{len(scrapers)}, {options.pause:g} s between two scrapes of one"),
        ("scrapes", f"{len(seconds)}, p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {max(seconds) * 1e3:.1f} ms"),
        ("series", f"{max(scraper.lines for scraper in scrapers)}"),
        ("service memory", f"{memory[0]:.1f} -> {memory[-1]:.1f} MiB, at most {max(memory):.1f}, "
                           f"at rest {rest[0]:.2f} -> {rest[1]:.2f} MiB"),
    ]


def faults_of(streams, scrapers, samples, rest):
    faults = []
    errors = [error for each in (*streams, *scrapers) for error in each.errors]
    if errors:
        faults.append(f"{len(errors)} errors: {sorted(set(errors))[:5]}")
    told = {number for stream in streams for number in stream.numbers}
    missing = [count for stream in streams if (count := stream.missing(told))]
    if missing:
        faults.append(f"{len(missing)} streams missed cells, {max(missing)} at most")
    cut = sum(not stream.events["done"] for stream in streams)
    if cut:
        faults.append(f"{cut} streams did not hear of the sweep's end")
    if not told:
        faults.append("no cell was told: nothing was shown")
    if any(not scraper.seconds for scraper in scrapers):
        faults.append("a scraper was never answered")
    minutes = (samples[-1][0] - samples[0][0]) / 60
    growth = rest[1] - rest[0]
    if growth > SLOPE_MAX_MIB_A_MINUTE * max(1, minutes):
        faults.append(f"the service's memory grew by {growth:.2f} MiB in {minutes:.2f} minutes")
    return faults


def main():
    options = read_options(__doc__, streams=50, scrapers=20, seconds=60.0, warmups=40, settle=15.0, pause=1.0)
    with tempfile.TemporaryDirectory() as name:
        with Service(options.binary, pathlib.Path(name).resolve()) as service:
            axes = {**SWEEP, "warmup": list(range(options.warmups))}
            brief = service.submit({**axes, **BRIEF})
            service.wait_for_state(brief, "done", 300)
            sweep = service.submit(axes)
            service.wait_for_state(sweep, "running")
            outcome = asyncio.run(load(options, service, sweep))
            state = service.ask("GET", f"/v1/sweeps/{sweep}")
    faults = faults_of(*outcome)
    if state["state"] not in ("cancelled", "running"):
        faults.append(f"the sweep did not run all the time: {json.dumps(state)}")
    if not any("never answered" in fault for fault in faults):
        for figure, value in table_of(options, *outcome):
            print(f"{figure:18}{value}")
    return end(faults, "no error")


if __name__ == "__main__":
    sys.exit(main())
