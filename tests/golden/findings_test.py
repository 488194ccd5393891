#!/usr/bin/env python3
"""Writes the conclusions of ci/baselines/h200.json again, from the document's numbers alone, and
compares them with what the binary concludes (json/h200.findings.json): each sentence and figure."""

import json
import math
import pathlib
import statistics
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
BASELINE = FOLDER.parents[1] / "ci" / "baselines" / "h200.json"
FOUND = FOLDER / "json" / "h200.findings.json"


def three_digits(value):
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def ratio(value):
    return three_digits(value) + "x"


def difference(value):
    return f"{round(100 * (value - 1)):+} %"


def milliseconds(seconds):
    return three_digits(seconds * 1e3) + "ms"


def shown_time(seconds):
    scale, unit = next(each for each in ((1, "s"), (1e3, "ms"), (1e6, "us")) if seconds * each[0] >= 1)
    return three_digits(seconds * scale) + unit


def megabytes(count):
    return three_digits(count / 1e6) + " MB"


def seconds(setup):
    return setup["capture_seconds"] + setup["instantiate_seconds"] + setup["upload_seconds"]


def width_at(launches):
    """Half the width of an interval of so many launches, up to a factor: Student's 97.5 % quantile, by
    Cornish and Fisher's expansion of the normal one, over the root."""
    z, free = 1.959964, launches - 1
    powers = [z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96,
              (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384]
    return sum(power / free**place for place, power in enumerate(powers)) / math.sqrt(launches)


def by_ranks(values):
    """The interval of a median of ten: between the second and third from each end, 4.5 % beyond."""
    assert len(values) == 10
    ordered, below = sorted(values), [math.comb(10, k) / 1024 for k in range(3)]
    share = (0.045 - sum(below[:2])) / below[2]
    inward = 8 * share / (2 + 6 * share)
    return [one + inward * (two - one) for one, two in (ordered[1:3], ordered[:-4:-1][1:3])]


def gain_interval(over, under):
    """Of median(over) / median(under), and never narrower than launches that vary by 0.1 %."""
    centre, students = statistics.median(over) / statistics.median(under), 2.262157
    least = math.exp(students * 0.001 * math.sqrt(2 / 10))
    (low, high), (below, above) = by_ranks(over), by_ranks(under)
    return [min(low / above, centre / least), max(high / below, centre * least)]


class Sweep:
    """One workload of the document, by batch and mode."""

    def __init__(self, document, workload):
        cells = [cell for cell in document["cells"] if cell["workload"] == workload]
        self.cells = {(cell["batch"], cell["mode"]): cell for cell in cells if "prepare" not in cell}
        self.first_uses = sorted((cell for cell in cells if "prepare" in cell), key=lambda c: c["warmup"])
        self.batches = document["plan"]["axes"]["batch"]

    def gains_again(self, cell, eager):
        """What a graph cell's summary says of its gains, from the launches."""
        def launches(of, number):
            return [number(launch) for launch in of["launches"]]
        def latency(launch):
            return launch["latency_seconds"]["p50"]
        def rate(launch):
            return launch["throughput_steps_per_second"]
        interval = gain_interval(launches(eager, latency), launches(cell, latency))
        saved = eager["summary"]["latency_seconds"]["p50"] - cell["summary"]["latency_seconds"]["p50"]
        steps = math.ceil(cell["summary"]["setup_cost_seconds"] / saved) if interval[0] > 1 else None
        return interval, gain_interval(launches(cell, rate), launches(eager, rate)), steps

    def summary(self, batch, mode):
        return self.cells[batch, mode]["summary"]

    def latency(self, batch, mode):
        return self.summary(batch, mode)["latency_seconds"]["p50"]

    def gain(self, batch):
        """Whole's, which the document's own medians say too."""
        summary = self.summary(batch, "whole")
        of_medians = self.latency(batch, "eager") / self.latency(batch, "whole")
        assert abs(summary["speedup_over_eager"] / of_medians - 1) < 1e-9
        return summary["speedup_over_eager"], *summary["speedup_over_eager_ci95"]

    def ranges(self, some):
        """"1 to 8, 32": all of them stand in the order of the batches."""
        parts, run = [], []
        for batch in [*self.batches, None]:
            if batch in some:
                run.append(batch)
            elif run:
                joined = " to " if len(run) > 2 else ", "
                parts.append(str(run[0]) + (joined + str(run[-1]) if len(run) > 1 else ""))
                run = []
        return ", ".join(parts)

    def gains_text(self, some):
        most, least = max(some, key=self.gain), min(some, key=self.gain)

        def text(batch):
            gain, low, high = self.gain(batch)
            over = " over eager" if batch == most else ""
            at = f" at batch {batch}" if len(some) > 1 else ""
            return f"{ratio(gain)} [{low:.2f}, {high:.2f}]{over}{at}"
        joined = ", " if len(some) == 2 else " down to "
        if most == least:
            return text(most)
        widest = max(some, key=lambda batch: self.gain(batch)[2] / self.gain(batch)[1])
        least_sure = "" if widest in (most, least) else "; least certain: " + text(widest)
        return text(most) + joined + text(least) + least_sure

    def modes(self):
        alike, unknown = self.of_choice("either"), self.of_choice("unknown")
        use = self.of_choice("whole")
        yield f"Use whole at batch {self.ranges(use)}, for latency on an idle stream: {self.gains_text(use)}."
        if alike:
            yield f"At batch {self.ranges(alike)} graphs gain less than 2 %, so either will do "\
                  f"({self.gains_text(alike)})."
        if unknown:
            yield f"At batch {self.ranges(unknown)} these launches do not show whether graphs or eager are "\
                  f"faster ({self.gains_text(unknown)}): --launches {self.launches_needed(unknown)} "\
                  "(now 10) should show it."

    def choice(self, batch):
        _, low, high = self.gain(batch)
        if 1 / 1.02 <= low <= high <= 1.02:
            return "either"
        assert high >= 1, "none here is slower"
        return "whole" if low > 1 else "unknown"

    def of_choice(self, choice):
        return [batch for batch in self.batches if self.choice(batch) == choice]

    def launches_needed(self, some):
        """Until each interval would lie beside 1, or within 2 % of it."""
        def needed(gain, low, high):
            distance = abs(math.log(gain))
            wanted = max(distance, math.log(1.02) - distance)
            width = math.log(high / low) / 2 / width_at(10)
            return next(count for count in range(11, 101) if width * width_at(count) <= wanted)
        return max(needed(*self.gain(batch)) for batch in some)

    def breaks(self):
        """What each of a step's breaks costs, and as how many whole's gain over eager lasts."""
        known = [b for b in self.batches if "break_latency_seconds" in self.summary(b, "piecewise")]
        def each(batch, name):
            pieces, whole = (self.summary(batch, mode)[name]["p50"] for mode in ("piecewise", "whole"))
            return (pieces - whole) / self.cells[batch, "piecewise"]["graph"]["eager_ops"]
        costs = {b: each(b, "latency_seconds") for b in known}
        for batch, cost in costs.items():
            assert abs(cost / self.summary(batch, "piecewise")["break_latency_seconds"] - 1) < 1e-9
        paid = [math.floor((self.latency(b, "eager") - self.latency(b, "whole")) / costs[b])
                for b in known if self.gain(b)[1] > 1]
        submits = [each(b, "submit_seconds") for b in self.batches
                   if "break_submit_seconds" in self.summary(b, "piecewise")]
        def text(values):
            low, high = shown_time(min(values)), shown_time(max(values))
            return low if low == high else f"{low} to {high}"
        return (f" A break between pieces costs {text(list(costs.values()))} of latency and {text(submits)} "
                f"of submit; with at most {min(paid)} to {max(paid)} breaks piecewise stays faster than "
                "eager, and the step has 8.")

    def piecewise(self):
        ratios = [self.latency(b, "piecewise") / self.latency(b, "whole") for b in self.batches]
        slower = [b for b in self.batches if self.summary(b, "piecewise")["speedup_over_eager_ci95"][1] < 1]
        more = f", and is above eager's at batch {self.ranges(slower)}" if slower else ""
        low, high = difference(min(ratios)), difference(max(ratios))
        return f"Piecewise's latency differs from whole's by {low} to {high}{more}.{self.breaks()}"

    def throughput(self):
        """"whole at 64, piecewise at 8": captures that pay back and yet may do no more steps per second."""
        modes = []
        for mode in ("whole", "piecewise"):
            some = [b for b in self.batches if self.summary(b, mode)["breakeven_steps"] is not None
                    and self.summary(b, mode)["throughput_over_eager_ci95"][0] <= 1]
            modes += [f"{mode} at batch {self.ranges(some)}"] if some else []
        if modes:
            yield f"Back to back, {' and '.join(modes)} may be no faster than eager: not decided."

    def bound(self):
        """By the device's idle time: no step of this document is launch-bound."""
        idle = {b: 1 - self.summary(b, "whole")["device_seconds"]["p50"] / self.latency(b, "eager")
                for b in self.batches}
        assert max(idle.values()) < 0.5
        between, device = ([b for b in self.batches if (idle[b] > 0.1) == more] for more in (True, False))
        shares = [f"{100 * idle[some[0]]:.0f} % to {100 * idle[some[-1]]:.0f} %" if some else ""
                  for some in (between, device)]
        if not device:
            return f"The device idles {shares[0]} of eager's latency at batch {self.ranges(between)}."
        return (f"Steps are device-bound at batch {self.ranges(device)} (the device idles {shares[1]} of "
                f"eager's latency); it idles {shares[0]} at batch {self.ranges(between)}.")

    def enqueueing(self):
        first, last = (100 * self.summary(b, "eager")["submit_seconds"]["p50"] / self.latency(b, "eager")
                       for b in (self.batches[0], self.batches[-1]))
        return (f"Eager's CPU enqueues for {first:.0f} % to {last:.0f} % of the latency "
                f"at batch {self.ranges(self.batches)}: a graph frees that CPU time.")

    def costs(self, mode):
        """Medians over later setups of a launch, then over launches."""
        cells = [self.cells[b, mode] for b in self.batches]
        later = [[statistics.median(seconds(each) for each in launch["setups"][1:])
                  for launch in cell["launches"] if len(launch["setups"]) > 1] for cell in cells]
        return {"setup_seconds": sum(map(statistics.median, later)),
                 "exec_bytes": sum(cell["memory"]["exec_bytes"] for cell in cells),
                 "pool_bytes": max(cell["memory"]["pool_bytes"] for cell in cells), "sizes": len(cells)}

    def cost(self):
        def text(mode, takes="", again="", of_memory=""):
            costs = self.costs(mode)
            return (f"{mode}{takes} {milliseconds(costs['setup_seconds'])}{again}, "
                    f"~{megabytes(costs['exec_bytes'])}{of_memory} for graphs, "
                    f"{megabytes(costs['pool_bytes'])} for their pool")
        return (f"All {len(self.batches)} sizes together: "
                f"{text('whole', ' takes', ' to set up again', ' of memory')}; {text('piecewise')}.")

    def startup(self):
        """The process in the middle, and what it did before its first warmup."""
        stages = {"warmups": "warmup", "capture": "capture", "instantiate": "instantiate", "upload": "upload",
                  "first steps": "first_step"}
        texts = []
        for mode in ("whole", "piecewise"):
            startups = [launch["startup"] for launch in self.cells[self.batches[0], mode]["launches"]]
            def total(startup):
                return sum(startup[key + "_seconds"] for key in stages.values())
            middle = sorted(startups, key=total)[4]
            logs = [math.log(total(each)) for each in startups]
            half = 2.262157 * statistics.stdev(logs) / math.sqrt(10)
            low, high = (milliseconds(math.exp(statistics.mean(logs) + end)) for end in (-half, half))
            parts = ", ".join(f"{name} {shown_time(middle[key + '_seconds'])}"
                              for name, key in stages.items())
            texts.append(f"with {mode}{' takes' if mode == 'whole' else ''} "
                         f"{milliseconds(total(middle))} [{low}, {high}]"
                         + (f" ({parts})" if mode == "whole" else ""))
            if mode == "whole":
                before = sum(middle[key + "_seconds"] or 0 for key in (
                    "process", "plugin", "module", "context", "weights", "prepare"))
        return (f"Start-up {', '.join(texts)}, each after {shown_time(before)} to start the process and "
                "build the step.")

    def warmups(self):
        """Of the cells that prepare nothing ahead: the median over all launches, and that of the table, which
        leaves the first launch out."""
        return [[statistics.median(seconds(launch["setup"]) for launch in cell["launches"][first:])
                 for first in (0, 1)] for cell in self.first_uses]

    def warmups_sentence(self):
        made = self.warmups()
        best = min(shown for _, shown in made)
        return (f"1 warmup is enough (whole's set-up at batch {self.first_uses[0]['batch']}: "
                f"{milliseconds(made[0][1])} with 0 warmups, {three_digits(best * 1e6)}us at best).")

    def payback(self):
        unknown = [b for b in self.batches if self.gain(b)[1] <= 1]
        steps = [self.summary(b, "whole")["breakeven_steps"] for b in self.batches if b not in unknown]
        open_at = f"; unknown at batch {self.ranges(unknown)}" if unknown else ""
        return ("The set-up of whole (and 3 warmups) is paid back after "
                f"{min(steps):.0f} to {max(steps):.0f} replays, by batch{open_at}.")

    def sentences(self):
        return [*self.modes(), self.piecewise(), *self.throughput(), self.bound(),
                self.enqueueing(), self.cost(), self.startup(), self.payback()]


class Findings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = json.loads(BASELINE.read_text(encoding="utf-8"))
        cls.found = json.loads(FOUND.read_text(encoding="utf-8"))

    def test_gains_follow_from_the_launches(self):
        self.assertEqual(2, self.document["plan"]["gains"])
        looked = 0
        for workload in self.document["plan"]["axes"]["workload"]:
            sweep = Sweep(self.document, workload)
            for (batch, mode), cell in sweep.cells.items():
                if mode == "eager":
                    continue
                gain, rate, steps = sweep.gains_again(cell, sweep.cells[batch, "eager"])
                said = cell["summary"]
                for again, key in ((gain, "speedup_over_eager_ci95"), (rate, "throughput_over_eager_ci95")):
                    for one, other in zip(again, said[key], strict=True):
                        self.assertAlmostEqual(one, other, delta=1e-6 * other, msg=f"{cell['id']} {key}")
                self.assertEqual(steps, said["breakeven_steps"], cell["id"])
                looked += 1
        self.assertEqual(54, looked)

    def test_each_sentence_is_what_the_document_says(self):
        for workload in self.document["plan"]["axes"]["workload"]:
            said = [each["text"] for each in self.found["conclusions"] if each["subject"] == workload]
            sweep = Sweep(self.document, workload)
            self.assertEqual(sweep.sentences(), said)
            said = [each["text"] for each in self.found["conclusions"]
                    if each["subject"] == workload + " prepare=first-use"]
            self.assertEqual([sweep.warmups_sentence()], said)

    def test_a_card_draws_the_numbers_of_its_sentences(self):
        for each in self.found["conclusions"]:
            sweep = Sweep(self.document, each["subject"].split()[0])
            for number in each["shown"]:
                if number["name"] != "gain":
                    self.assertIn(" ".join(filter(None, (number["text"], number["interval"]))), each["text"])
                    continue
                gain, low, high = sweep.gain(number["batch"])
                self.assertEqual((ratio(gain), f"[{low:.2f}, {high:.2f}]"),
                                 (number["text"], number["interval"]))
                self.assertEqual(sweep.choice(number["batch"]), number["mode"])
        gains = [number["batch"] for each in self.found["conclusions"] if each["subject"] == "conv"
                 for number in each["shown"] if number["name"] == "gain"]
        self.assertEqual(self.document["plan"]["axes"]["batch"], gains)
        self.assertEqual({"use", "why", "cost", "pays back", "details"},
                         {each["label"] for each in self.found["conclusions"]})

    def test_each_figure_is_the_one_in_its_sentence(self):
        for each in self.found["conclusions"]:
            sweep, figures = Sweep(self.document, each["subject"].split()[0]), each["figures"]
            with self.subTest(each["text"]):
                self.assertLessEqual(set(each["cells"]), {cell["id"] for cell in self.document["cells"]})
                getattr(self, "figures_of_" + each["code"].split("_")[0])(sweep, figures, each["text"])

    def figures_of_cannot(self, sweep, figures, text):
        self.assertEqual(sweep.launches_needed(sweep.of_choice("unknown")), figures["launches_needed"])
        self.figures_of_use(sweep, figures, text)

    def figures_of_use(self, sweep, figures, text):
        for name in ("gain_max", "gain_min", "gain_widest"):
            if name not in figures:
                continue
            expected = sweep.gain(figures[name + "_batch"])
            self.assertEqual(expected, tuple(figures[name + end] for end in ("", "_ci95_low", "_ci95_high")))
            self.assertIn(ratio(expected[0]), text)
        some = [b for b in sweep.batches if figures["batch_min"] <= b <= figures["batch_max"]]
        self.assertIn("batch " + sweep.ranges(some), text)

    def figures_of_piecewise(self, _, figures, text):
        for name in ("ratio_min", "ratio_max"):
            self.assertIn(difference(figures[name]), text)

    def figures_of_bound(self, _, figures, text):
        for name in ("idle_first", "idle_last"):
            self.assertIn(f"{100 * figures[name]:.0f} % ", text)

    def figures_of_enqueueing(self, _, figures, text):
        for name in ("share_first", "share_last"):
            self.assertIn(f"{100 * figures[name]:.0f} % ", text)

    def figures_of_cost(self, sweep, figures, _):
        for mode in ("whole", "piecewise"):
            for name, expected in sweep.costs(mode).items():
                self.assertAlmostEqual(expected, figures[f"{mode}_{name}"], places=12)

    def figures_of_startup(self, _, figures, text):
        self.assertIn(f"with whole takes {milliseconds(figures['whole_startup_seconds'])} [", text)

    def figures_of_warmups(self, sweep, figures, _):
        made = sweep.warmups()
        self.assertEqual(made[0][1], figures["fewest_seconds"])
        self.assertEqual(min(shown for _, shown in made), figures["best_seconds"])
        self.assertEqual(1, figures["enough"])

    def figures_of_throughput(self, _, figures, __):
        self.assertEqual({}, figures, "it names cells alone")

    def figures_of_payback(self, _, figures, text):
        self.assertIn(f"after {figures['replays_min']:.0f} to {figures['replays_max']:.0f} replays", text)

    def test_the_judgement_counts_what_is_known_and_names_the_limit(self):
        cells = self.document["cells"]
        for cell in cells:
            low, high = cell["summary"]["latency_seconds"]["ci95"]
            self.assertLess(math.sqrt(high / low), 1.1, cell["id"])
        limited = [cell["id"] for cell in cells if sum(
            launch["machine"]["throttled"] and launch["machine"]["after"]["throttle"] == ["sw_power_cap"]
            for launch in cell["launches"]) >= 5]
        trust, limit = self.found["notes"][:2]
        self.assertEqual("trust: high", trust["text"])
        self.assertIn(f"{len(limited)} of {len(cells)} cells ran at the card's power limit", limit["text"])
        self.assertEqual(limited, limit["cells"])


if __name__ == "__main__":
    unittest.main()
