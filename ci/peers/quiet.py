"""Keeps the measuring thread on a quiet CPU, by the rules of harness/measure/machine, so that both sides of a
ratio are disturbed equally; stdlib only."""

import os
import statistics
import time

CANDIDATES_MAX = 8
DISTURBED = 1.1  # over the quietest seen
TURNS = 2000
REPEATS = 5


def arithmetic_seconds():
    """A fixed computation, bound by what a core does in a cycle: the median of five."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        a, b, c = 1, 2, 3
        for i in range(TURNS):
            a, b, c = (b + i) & 65535, c ^ a, a + 1
        seconds.append((time.perf_counter_ns() - start) * 1e-9)
    return statistics.median(seconds)


def processor_of(cpu):
    try:
        with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0  # where the system does not say, there is one


def submitter_cpus(allowed, processor=processor_of):
    """The higher half of the allowed, eight at most and all of one processor."""
    ordered = sorted(allowed)
    higher = ordered[-min(max(len(ordered) // 2, 1), CANDIDATES_MAX):]
    return [cpu for cpu in higher if processor(cpu) == processor(higher[-1])]


class QuietCpu:
    """`pin(cpus)` moves the calling thread; `probe()` times the computation where it is."""

    def __init__(self, allowed=None, pin=lambda cpus: os.sched_setaffinity(0, cpus),
                 probe=arithmetic_seconds):
        self.allowed = sorted(allowed if allowed is not None else os.sched_getaffinity(0))
        self.candidates = submitter_cpus(self.allowed)
        self.pin, self.probe = pin, probe
        self.cpu, self.quietest = None, float("inf")

    def keep_others_off(self):
        """Threads that are started from here on keep off the candidates."""
        others = [cpu for cpu in self.allowed if cpu not in self.candidates]
        if others:
            self.pin(others)

    def _probe_on(self, cpu):
        self.pin([cpu])
        self.cpu = cpu
        seconds = self.probe()
        self.quietest = min(self.quietest, seconds)
        return seconds

    def take(self):
        """The highest CPU that is not disturbed; where all are, the least disturbed."""
        probed = [(self._probe_on(cpu), cpu) for cpu in reversed(self.candidates)]
        quiet = [cpu for seconds, cpu in probed if seconds <= DISTURBED * self.quietest]
        self.cpu = quiet[0] if quiet else min(probed)[1]
        self.pin([self.cpu])

    def hold(self):
        """Between samples: stays where it is quiet, else as take()."""
        if self._probe_on(self.cpu) > DISTURBED * self.quietest and len(self.candidates) > 1:
            self.take()
