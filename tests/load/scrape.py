#!/usr/bin/env python3
"""Scrapes a metrics server with many clients at once and says how long that took.

Fails where a scrape failed or was short, where the server's memory grew, or where the median is above
--p50-max-ms."""

import asyncio
import subprocess
import sys
import time
import urllib.parse

from service import client, end, read_options


class Scraper:
    """One client with one connection, as Prometheus has. Times are of whole answers."""

    def __init__(self, url, pause_seconds):
        self.url = urllib.parse.urlsplit(url)
        self.pause_seconds = pause_seconds
        self.seconds = []
        self.errors = []
        self.lines = 0

    async def run(self, until):
        reader = writer = None
        while time.monotonic() < until:
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection(self.url.hostname, self.url.port,
                                                                   limit=2**26)
                begin = time.perf_counter()
                body, keep = await asyncio.wait_for(self.scrape(reader, writer), timeout=30)
                self.seconds.append(time.perf_counter() - begin)
                self.lines = body.count(b"\n") - body.count(b"\n#") - body.startswith(b"#")
                if not keep:
                    writer.close()
                    writer = None
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
                self.errors.append(repr(error))
                writer = None
            await asyncio.sleep(self.pause_seconds)
        if writer is not None:
            writer.close()

    async def scrape(self, reader, writer):
        writer.write(f"GET {self.url.path} HTTP/1.1\r\nHost: {self.url.netloc}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if not head.startswith("http/1.1 200"):
            raise ValueError(head.splitlines()[0])
        length = int(head.split("content-length:")[1].split()[0])
        return await reader.readexactly(length), "connection: close" not in head


def quantile(values, fraction):
    return sorted(values)[min(len(values) - 1, int(fraction * len(values)))]


async def scrape_all(options, url, pid):
    scrapers = [Scraper(url, options.pause) for _ in range(options.scrapers)]
    warm = time.monotonic() + min(1, options.seconds / 2)
    await asyncio.gather(*(scraper.run(warm) for scraper in scrapers))
    before = client.memory_mib(pid)
    for scraper in scrapers:
        scraper.seconds.clear()
    until = time.monotonic() + options.seconds
    await asyncio.gather(*(scraper.run(until) for scraper in scrapers))
    return scrapers, before, client.memory_mib(pid)


def verdict(options, scrapers, before, after):
    seconds = [value for scraper in scrapers for value in scraper.seconds]
    errors = [error for scraper in scrapers for error in scraper.errors]
    if not seconds:
        return [f"no scrape succeeded: {errors[:3]}"]
    p50, p99 = (quantile(seconds, fraction) * 1e3 for fraction in (0.5, 0.99))
    print(f"{options.series} series, {options.scrapers} scrapers, {options.seconds:g} s: "
          f"{len(seconds)} scrapes, {len(errors)} errors, p50 {p50:.2f} ms, p99 {p99:.2f} ms, "
          f"max {max(seconds) * 1e3:.2f} ms; server {before:.1f} -> {after:.1f} MiB")
    faults = []
    if errors:
        faults.append(f"{len(errors)} scrapes failed: {errors[:3]}")
    if min(scraper.lines for scraper in scrapers) < options.series:
        faults.append("an answer had too few series")
    if after > before * 1.2 + 16:
        faults.append(f"the server's memory grew from {before:.1f} to {after:.1f} MiB")
    if options.p50_max_ms is not None and p50 > options.p50_max_ms:
        faults.append(f"p50 {p50:.2f} ms is above {options.p50_max_ms:g} ms")
    return faults


def main():
    options = read_options(__doc__, "server", series=10000, scrapers=1, seconds=5.0, pause=0.01, changes=0,
                           p50_max_ms=float)
    with subprocess.Popen([options.server, str(options.series), str(options.changes)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        outcome = asyncio.run(scrape_all(options, url, process.pid))
        process.stdin.close()
    return end(verdict(options, *outcome))


if __name__ == "__main__":
    sys.exit(main())
