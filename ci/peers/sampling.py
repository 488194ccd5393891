"""How many steps a pass takes and what its samples say: the rules of graphbench's harness/measure, so that
both sides of a ratio are sampled alike; stdlib only, no clock but the one passed in."""

import dataclasses
import math
import statistics

# A cell's time among its passes, as graphbench shares it out.
LATENCY_SHARE = 0.5
DEVICE_SHARE = 0.3
THROUGHPUT_SHARE = 0.1
SAMPLES_MIN = 16
SAMPLES_FOR_P90 = 44
SAMPLES_FOR_P99 = 459


@dataclasses.dataclass
class Bounds:
    """A pass ends at samples_max, or once seconds_max is used up and there are samples_min."""
    seconds_max: float
    samples_max: int

    def share(self, fraction):
        return Bounds(self.seconds_max * fraction, self.samples_max)

    @property
    def samples_min(self):
        return min(SAMPLES_MIN, self.samples_max)

    def next_round(self, taken, seconds_used):
        """Steps for the next round, 0 when the pass is done."""
        left = self.samples_max - taken
        if left <= 0:
            return 0
        if taken == 0:
            return 1
        if seconds_used >= self.seconds_max:
            return max(0, min(self.samples_min - taken, left))
        affordable = math.ceil((self.seconds_max - seconds_used) / max(seconds_used / taken, 1e-9))
        return max(1, min(affordable, left, max(taken * 4, self.samples_min)))


def run_pass(bounds, clock_ns, loop):
    """Calls loop(steps) round by round until the pass is done."""
    start, taken = clock_ns(), 0
    while steps := bounds.next_round(taken, (clock_ns() - start) * 1e-9):
        loop(steps)
        taken += steps


def nearest_rank(ordered, fraction):
    rank = math.ceil(fraction * len(ordered))
    return ordered[min(max(rank, 1), len(ordered)) - 1]


def summary(samples):
    """The summary{} of one launch in a result document; percentiles only where there are enough samples."""
    ordered = sorted(samples)
    if not ordered:
        return None
    count = len(ordered)
    return {
        "count": count,
        "min": ordered[0],
        "p50": nearest_rank(ordered, 0.5),
        "p90": nearest_rank(ordered, 0.9) if count >= SAMPLES_FOR_P90 else None,
        "p99": nearest_rank(ordered, 0.99) if count >= SAMPLES_FOR_P99 else None,
        "max": ordered[-1],
        "mean": statistics.fmean(ordered),
        "stddev": statistics.stdev(ordered) if count > 1 else None,
    }
