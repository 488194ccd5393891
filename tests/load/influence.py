#!/usr/bin/env python3
"""Whether being watched moves what is measured: one cell, swept again and again by the service, in turns
with a scrape of /metrics a second and five event streams on it, and without either.

Prints the ratio of the medians. Exits 1 where the 95 % interval of latency's ratio is not within the
limit. Needs a quiet machine."""

import json
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time

from service import Service, client, read_options

CELL = {"workload": "mlp", "mode": "whole", "batch": 8, "warmup": 1, "time-per-cell": 0.3}
METRICS = ("latency", "submit")
LIMITS = {"cuda": 0.005, "host": 0.02}
STREAMS = 5
SCRAPE_SECONDS = 1


class Watchers:
    """A scraper and followers of one sweep, from construction to stop()."""

    def __init__(self, service, sweep):
        self.url, self.path = service.url, f"/v1/sweeps/{sweep}/events"
        self.over = threading.Event()
        self.scrapes, self.events, self.errors = 0, [0] * STREAMS, []
        self.threads = [threading.Thread(target=self.watch, args=(self.scrape,))]
        self.threads += [threading.Thread(target=self.watch, args=(self.follow, i)) for i in range(STREAMS)]
        for thread in self.threads:
            thread.start()

    def watch(self, what, *arguments):
        try:
            what(*arguments)
        except OSError as error:
            self.errors.append(repr(error))

    def scrape(self):
        while not self.over.is_set():
            with client.open_url(self.url + "/metrics", 60) as answer:
                answer.read()
            self.scrapes += 1
            self.over.wait(SCRAPE_SECONDS)

    def follow(self, i):
        with client.open_url(self.url + self.path, 60) as answer:  # until the sweep has ended
            self.events[i] = sum(line.startswith(b"event:") for line in answer)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.errors or self.scrapes == 0 or 0 in self.events:
            seen = f"{self.scrapes} scrapes, {self.events} events {self.errors}"
            sys.exit(f"influence: not all of them watched: {seen}")


def keep_off_measuring_cpu():
    """This program stands for others on other machines: both ways it keeps off the CPUs that may submit."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) > 1:
        os.sched_setaffinity(0, allowed[:-min(len(allowed) // 2, 8)])


def sweep_once(service, plan, watched):
    """Logarithms of the launches' medians, by metric. Unwatched, the service is asked nothing meanwhile."""
    sweep = service.submit(plan)
    watchers = Watchers(service, sweep) if watched else None
    while True:
        time.sleep(0.3)
        while client.children_of(service.process.pid):
            time.sleep(0.1)
        state = service.ask("GET", f"/v1/sweeps/{sweep}")
        if state["state"] not in ("queued", "running"):
            break
    if watchers:
        watchers.stop()
    if state["state"] != "done" or state["exit_code"] != 0:
        sys.exit(f"influence: the sweep ended {state['state']}: {state['message']}")
    cell, = service.ask("GET", f"/v1/sweeps/{sweep}/results")["cells"]
    return {metric: [math.log(launch[f"{metric}_seconds"]["p50"]) for launch in cell["launches"]]
            for metric in METRICS}


def measure(service, options):
    """A list of blocks: each two sweeps with watchers and two without, in one of the orders ABBA and BAAB."""
    chance = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    plan = {**CELL, "device": options.device, "launches": options.launches}
    sweep_once(service, plan, True)  # what happens for the first time happens before
    blocks, longest = [], 0
    while len(blocks) < options.blocks and time.monotonic() + longest < end:
        began = time.monotonic()
        first = chance.random() < 0.5
        block = {True: [], False: []}
        for watched in (first, not first, not first, first):
            block[watched].append(sweep_once(service, plan, watched))
        blocks.append(block)
        longest = max(longest, time.monotonic() - began)
    return blocks


def t_quantile(probability, degrees):
    """Student's t by bisection over Simpson's rule: the standard library has the normal one alone."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def below(x, steps=2000):
        density = [scale * (1 + (x * i / steps) ** 2 / degrees) ** (-(degrees + 1) / 2)
                   for i in range(steps + 1)]
        inner = 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2])
        return 0.5 + x / steps / 3 * (density[0] + inner + density[-1])

    low, high = 0, 1000
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return low


def ratio_of(blocks, metric):
    """(ratio, low, high): geometric means over launches, paired by block, and the 95 % interval."""
    def mean(sweeps):
        return statistics.fmean(value for sweep in sweeps for value in sweep[metric])
    differences = [mean(block[True]) - mean(block[False]) for block in blocks]
    half = t_quantile(0.975, len(blocks) - 1) * statistics.stdev(differences) / math.sqrt(len(blocks))
    centre = statistics.fmean(differences)
    return tuple(math.exp(value) for value in (centre, centre - half, centre + half))


def report(blocks, options, limit):
    launches = len(blocks) * 4 * options.launches
    print(f"{len(blocks)} blocks of 4 sweeps, {launches} launches, half of them watched by {STREAMS} event "
          f"streams and a scrape every {SCRAPE_SECONDS} s")
    figures = {}
    for metric in METRICS:
        ratio, low, high = ratio_of(blocks, metric)
        medians = [math.exp(statistics.fmean(value for block in blocks for sweep in block[watched]
                                             for value in sweep[metric])) for watched in (True, False)]
        figures[metric] = {"ratio": ratio, "ci95": [low, high], "watched_seconds": medians[0],
                           "alone_seconds": medians[1]}
        print(f"influence on {metric}: {(ratio - 1) * 100:+.3f} % (95 %: {(low - 1) * 100:+.3f}.."
              f"{(high - 1) * 100:+.3f}), limit {limit * 100:g} %; watched {medians[0] * 1e6:.3f} us, "
              f"alone {medians[1] * 1e6:.3f} us")
    low, high = figures["latency"]["ci95"]
    within = 1 - limit <= low and high <= 1 + limit
    beyond = high < 1 - limit or low > 1 + limit
    verdict = "within" if within else "beyond" if beyond else "inconclusive"
    advice = ": measure longer, or on a quieter machine" if verdict == "inconclusive" else ""
    print(f"latency: {verdict}{advice}")
    if options.json:
        document = {"device": options.device, "blocks": len(blocks), "launches": launches, "limit": limit,
                    "verdict": verdict, "metrics": figures}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0 if within else 1


def main():
    # No block begins that would end later than these seconds; the limit is of a ratio's distance from 1.
    options = read_options(__doc__, device=("host", "cuda"), blocks=16, launches=2, seconds=420.0,
                           limit=float, seed=1, json=pathlib.Path)
    limit = LIMITS[options.device] if options.limit is None else options.limit
    with tempfile.TemporaryDirectory() as name:
        with Service(options.binary, pathlib.Path(name).resolve()) as service:
            keep_off_measuring_cpu()
            blocks = measure(service, options)
    if len(blocks) < 2:
        sys.exit("influence: fewer than two blocks fit the time: give --seconds more")
    return report(blocks, options, limit)


if __name__ == "__main__":
    sys.exit(main())
