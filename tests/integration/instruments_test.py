"""Floors, profiles, traces, pinning and cold caches, as a person uses them on the host device."""

import csv
import datetime
import os
import re

from harness_case import TINY, HarnessCase

ONE = [*TINY, "--workload", "mlp"]


class Instruments(HarnessCase):
    def test_floors_are_a_table_and_a_document(self):
        done = self.run_graphbench("floor", "--device", "host", "--json", "floors.json", code=0)
        self.assert_all_in(("kernel launch", "graph launch", "queue hand-off", "4096", "slope"), done.stdout)
        self.assertFalse((self.folder / "graphbench.json").exists())
        help_text = self.run_graphbench("floor", "--help").stdout
        self.assertIn("default: none", help_text)
        self.assertNotIn("graphbench.json", help_text)
        document = self.result("floors.json")
        self.assertEqual("graphbench.floors/1", document["schema"])
        self.assert_valid(document["environment"], "result.schema.json#/$defs/environment")
        points = document["environment"]["floors"]["ladders"][0]["points"]
        self.assertEqual([2 ** i for i in range(13)], [point["nodes"] for point in points])

    def test_floors_say_what_may_have_spoilt_them(self):
        done = self.run_graphbench("floor", "--device", "host", "--no-pin", code=0)
        self.assertRegex(done.stdout, r"trust: low \(.*the submitting thread was not pinned\): .*--no-pin\b")

    def test_a_sweep_carries_floors_profiles_and_a_trace(self):
        done = self.run_graphbench(*ONE, "--profile", "--trace", "trace.json", code=0)
        self.assertIn("submit over its floor", done.stdout)
        result = self.result()
        self.assert_valid(result, "result.schema.json")
        self.assertTrue(result["environment"]["profiler"]["available"])
        self.assertTrue(result["plan"]["profile"])
        self.assertIn("instruments: device time is ", done.stdout)
        first = result["cells"][0]
        self.assertIn(f"profile of {first['id']}\n", done.stdout)
        longest = first["profile"]["top"][0]  # a kernel of the host device is an op
        self.assertRegex(longest["ops"][0], r"^layer\d+\.")
        self.assertRegex(done.stdout, r"\n +time +share +count +ops +kernel\n +[\d.]+[mun]?s +[\d.]+ % +\d+ +"
                         + re.escape(longest["ops"][0]) + r".* " + re.escape(longest["name"]) + r"\n")
        sheet = self.run_graphbench("show", "graphbench.json", "--format", "csv", "--columns",
                                    "busy_seconds,gap_seconds,profile.kernels,profile.slowdown",
                                    code=0).stdout
        row = next(iter(csv.DictReader(sheet.splitlines())))
        for key in ("busy_seconds", "gap_seconds", "kernels", "slowdown"):
            self.assertAlmostEqual(first["profile"][key], float(row[f"profile.{key}"]))
        # Among these: submit over floors is submit over floors, a slowdown is that of its device time.
        self.assert_sound(result)
        began, ended = (datetime.datetime.fromisoformat(result[name].replace("Z", "+00:00")).timestamp()
                        for name in ("started_at", "finished_at"))
        for cell in result["cells"]:
            self.assertTrue(began <= cell["launches"][0]["measured_unix_seconds"] <= ended, cell["id"])
            self.assertIn("submit_over_floor", cell["summary"], cell["id"])
            self.check_profile(cell)
        self.check_trace(self.result("trace.json"), {cell["id"] for cell in result["cells"]})

    def check_profile(self, cell):
        """An op is a kernel on the host device, and both witnesses read one clock: events enclose records."""
        profile, graph = cell["profile"], cell["graph"]
        self.assertEqual(graph["captured_ops"] + graph["eager_ops"], profile["kernels"], cell["id"])
        self.assertEqual(profile["kernels"], sum(each["count"] for each in profile["top"]), cell["id"])
        self.assertLess(profile["busy_seconds"], 2 * profile["device_seconds"], cell["id"])
        self.assertIsNotNone(profile["slowdown"], cell["id"])
        witness = profile["witness"]
        self.assertGreaterEqual(witness["steps"], 5, cell["id"])
        self.assertTrue(0 < witness["recorded_seconds"] <= witness["device_seconds"], witness)
        self.assertGreaterEqual(witness["difference_seconds"], 0, cell["id"])

    def check_trace(self, events, ids):
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual(ids, set(names.values()))
        spans = [event for event in events if event["ph"] == "X"]
        for span in spans:
            self.assertGreaterEqual(span["ts"], 0)
            self.assertGreaterEqual(span["dur"], 0)
            self.assertIn(span["cat"], ("host", "device"))
        for pid in names:
            own = [span for span in spans if span["pid"] == pid]
            steps = [span for span in own if span["name"] == "step"]
            kernels = [span for span in own if span["cat"] == "device"]
            self.assertTrue(steps and kernels)
            # Both clocks are one: the last kernel lies within the last step.
            last = max(kernels, key=lambda span: span["ts"])
            around = max(steps, key=lambda span: span["ts"])
            self.assertGreaterEqual(last["ts"] + 1, around["ts"])
            self.assertLessEqual(last["ts"] + last["dur"], around["ts"] + around["dur"] + 1)

    def test_the_submitting_thread_is_pinned_unless_told_otherwise(self):
        allowed = sorted(os.sched_getaffinity(0))
        usual = self.measuring_cpu()
        for flags, cpu in (([], usual), (["--cpu", allowed[0]], allowed[0]), (["--no-pin"], None)):
            done = self.run_graphbench(*ONE, "--mode", "eager", *flags, code=0, pins=True)
            result = self.result()
            self.assertEqual(cpu, result["cells"][0]["launches"][0]["machine"]["cpu"])
            self.assertEqual(cpu is not None, result["environment"]["machine"]["pinned"])
            self.assertEqual(cpu is None, "was not pinned" in done.stdout)

    def test_a_cold_cache_is_another_plan(self):
        self.run_graphbench(*ONE, "--mode", "eager", "--quiet", code=0)
        warm = self.result()["plan"]
        self.run_graphbench(*ONE, "--mode", "eager", "--quiet", "--cold-l2", code=0)
        cold = self.result()["plan"]
        self.assertNotIn("cold_l2", warm)
        self.assertTrue(cold["cold_l2"])
        self.assertNotEqual(warm["hash"], cold["hash"])

    def test_bad_input_is_refused(self):
        self.refuse_each((("--cpu 1023", ("--cpu", "1023")), ("--cpu 0 --no-pin", ("--cpu", "--no-pin")),
                          ("--trace missing/t.json", ("--trace", "missing"))), *ONE)
        self.refuse_each((("--json missing/f.json", ("--json", "missing")),
                          ("--batch 3", "--batch")), "floor")
