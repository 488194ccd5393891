"""`graphbench compare` as CI runs it: exit codes, formats, files, and one line for every bad input."""

import copy
import gzip
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree

from harness_case import BINARY, ROOT, HarnessCase

BASELINE = ROOT / "ci" / "baselines" / "h200.json"

# What launches of one thing look like, as factors.
LUCK = (1.0, 1.002, 0.999, 1.001, 0.998, 1.0005, 0.9995, 1.0015, 0.9985, 1.0)


def document(cells=3, launches=5, factor=1.0, **plan):
    """Only what the schema requires and a comparison needs, with `factor` on the latency of cell 0."""
    def launch(i, cell):
        time = 1e-4 * LUCK[i] * (factor if cell == 0 else 1)
        return {"index": i, "latency_seconds": {"p50": time}, "setup": {"capture_seconds": 1e-3 * LUCK[i]}}
    return {"schema": "graphbench.result/1",
            "environment": {"fingerprint": "ff", "device": {"kind": "cuda", "name": "GPU", "driver": "1"}},
            "plan": {"hash": "aa", "method": 2, **plan},
            "cells": [{"id": f"cell {c}", "status": "ok", "launches": [launch(i, c) for i in range(launches)]}
                      for c in range(cells)]}


class CompareCase(HarnessCase):
    def setUp(self):
        super().setUp()
        self.put("base.json", document())
        self.put("slower.json", document(factor=1.05))

    def put(self, name, value):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return name

    def compare(self, *arguments, code=0, **options):
        return self.run_graphbench("compare", *arguments, **options, code=code)


class Verdicts(CompareCase):
    def test_a_result_against_itself_is_the_same(self):
        done = self.compare("base.json", "base.json")
        self.assertIn("passed: nothing is slower", done.stdout)
        self.assertEqual("", done.stderr)
        self.assertNotIn("copy", done.stdout)
        self.put("timed.json", {**document(), "started_at": "2026-01-02T03:04:05Z"})
        self.put("again.json", {**document(factor=1.001), "started_at": "2026-01-02T03:04:05Z"})
        for format in ("table", "markdown"):
            done = self.compare("timed.json", "timed.json", "--format", format)
            self.assertIn("NEW is BASE, or a copy of BASE", done.stdout)
            self.assertNotIn("copy", self.compare("timed.json", "again.json", "--format", format).stdout)

    def test_slower_is_10_and_faster_is_0(self):
        done = self.compare("base.json", "slower.json", code=10)
        self.assertIn("slower: 1 of 3 cells, up to 1.050x in latency of cell 0", done.stdout)
        self.assertIn("passed: faster: 1 of 3 cells, down to 0.952x in latency of cell 0",
                      self.compare("slower.json", "base.json").stdout)

    def test_an_interrupted_sweep_is_named_where_a_reader_looks_first(self):
        self.put("part.json", {**document(), "complete": False})
        first, rest = self.compare("base.json", "part.json", code=11).stdout.split("\n", 1)
        self.assertTrue(first.startswith("blind: NEW is not complete"), first)
        self.assertIn("\nNEW is not complete: the cells that the interrupted sweep did not measure are "
                      "missing\n", rest)
        for format in ("json", "markdown", "github", "junit"):
            done = self.compare("base.json", "part.json", "--format", format, code=11)
            self.assertIn("NEW is not complete", done.stdout, format)
        self.assertNotIn("complete", self.compare("base.json", "base.json").stdout)

    def test_html_waits_for_the_report(self):
        self.assert_refused(self.run_graphbench("compare", "base.json", "slower.json", "--format", "html"),
                            "--format", "html", "table", "markdown")

    def test_counts_that_differ_are_changed(self):
        for name, nodes, host in (("few.json", 24, "one"), ("many.json", 26, "two")):
            counted = document()
            counted["environment"]["hostname"] = host
            for cell in counted["cells"]:
                cell["graph"] = {"pieces": 1, "nodes": nodes, "captured_ops": 24, "eager_ops": 0}
                cell["memory"] = {"pool_bytes": 1 << 20, "exec_bytes": 500000 + nodes,
                                  "exec_resolution_bytes": 2}
                cell["paths"] = [{"path": "linear:own", "ops": nodes}]
            self.put(name, counted)
        done = self.compare("few.json", "many.json")
        self.assertIn("changed: 3 cells", done.stdout)
        self.assertIn("nodes 24 -> 26, paths linear:own x24 -> linear:own x26", done.stdout)
        self.assertIn("changed: 6 counts of 3 cells", done.stdout)
        self.assertIn("two machines (hostname: one -> two)", done.stdout)
        self.compare("few.json", "many.json", "--strict", code=10)
        changed = json.loads(self.compare("few.json", "many.json", "--format", "json").stdout)
        self.assertEqual({"name": "nodes", "verdict": "changed", "base": 24, "new": 26},
                         changed["cells"][0]["changed"][0])
        self.assertNotIn("changed", self.compare("few.json", "few.json").stdout)

    def of_a_mode(self, name, factors):
        """Nine cells of one mode, all of whose launches are slower by these."""
        made = document(cells=9)
        for batch, cell in enumerate(made["cells"], 1):
            cell["id"] = f"mlp/base/bf16/forward/b{batch}/w3/whole"
            for launch, factor in zip(cell["launches"], factors):
                launch["latency_seconds"]["p50"] *= factor
        return self.put(name, made)

    def test_a_mode_is_judged_in_the_mean_over_its_cells(self):
        base = self.of_a_mode("steady.json", [1] * 5)
        done = self.compare(base, self.of_a_mode("slow.json", [1.05] * 5), code=10)
        self.assertRegex(done.stdout, r"\n  whole +latency +9 .* slower\n")
        self.assertIn("; whole latency 1.050x in the mean of its 9 cells", done.stdout)
        self.compare(base, base, "--require-power", "5%,latency=3%,setup=3%")
        done = self.compare(base, base, "--require-power", "5%,latency=1.9%", code=11)
        self.assertIn("--require-power 5 %,latency=1.9 % is not met: raise", done.stdout)
        done = self.compare(base, base, "--require-power", "submit=5%", code=11)
        self.assertIn("is not met", done.stdout, "no submit time was measured")

    def test_launches_apart_are_named_and_decide_no_exit_code(self):
        base = self.of_a_mode("steady.json", [1] * 5)
        done = self.compare(base, self.of_a_mode("odd.json", [1, 1, 1.5, 1, 1]), code=11)
        self.assertRegex(done.stdout,
                         r"  launch 2 of NEW: latency is 1\.49\dx that of the others, "
                         r"in most of 9 cells\n")
        wild = self.of_a_mode("wild.json", [1, 1.4, 1, 1.4, 1])
        done = self.compare(base, wild, "--strict", code=11)
        self.assertIn("; 2 of 5 launches of NEW are 40 % slower than its others in latency: two states?\n",
                      done.stdout)
        found = json.loads(self.compare(base, wild, "--format", "json", code=11).stdout)
        self.assertEqual([2, 5], [found["two_states"][0][key] for key in ("slower", "launches")])
        self.assertNotIn("steadiness", found["means"][0], "five launches cannot tell")

    def test_margins_and_floors_decide_what_matters(self):
        self.compare("base.json", "slower.json", "--margin", "10%")
        self.compare("base.json", "slower.json", "--margin", "capture=10%", code=10)
        self.compare("base.json", "slower.json", "--margin", "1%,latency=10%")
        self.compare("base.json", "slower.json", "--floor", "20us")

    def test_a_dash_is_stdout(self):
        done = self.compare("base.json", "base.json", "-o", "-", "--format", "json")
        self.assertTrue(json.loads(done.stdout)["passed"])
        self.assertFalse((self.folder / "-").exists())

    def test_sides_without_a_common_cell_are_not_comparable(self):
        other = document()
        for cell in other["cells"]:
            cell["id"] = "another " + cell["id"]
        done = self.compare("base.json", self.put("other.json", other), code=12)
        self.assertTrue(done.stdout.startswith("not comparable: no cell is ok on both sides"), done.stdout)

    def test_one_launch_a_side_is_blind(self):
        self.put("one.json", document(launches=1))
        done = self.compare("one.json", "one.json", code=11)
        self.assertTrue(done.stdout.startswith("blind: no latency is decided: each side has one launch; "),
                        done.stdout)
        self.assertIn("--launches 5", done.stdout)
        self.compare("one.json", "one.json", "--strict", code=11)
        self.compare("base.json", "base.json", "--strict")

    def test_a_committed_result_of_a_gpu(self):
        done = self.compare(BASELINE, BASELINE)
        self.assertIn("inconclusive: 174 of 345 metrics", done.stdout)
        self.assertIn("NVIDIA H200", done.stdout)

    def test_another_device_or_plan_is_12_unless_allowed(self):
        other = document()
        other["environment"]["device"]["name"] = "other"
        other["plan"]["hash"] = "bb"
        self.put("other.json", other)
        done = self.compare("base.json", "other.json", code=12)
        self.assertIn("not comparable: the sides differ in device.name,plan", done.stdout)
        self.compare("base.json", "other.json", "--allow", "plan", code=12)
        self.compare("base.json", "other.json", "--allow", "device,plan")

    def test_throttled_launches_are_listed_on_every_format(self):
        for name, hertz, reasons in (("fast.json", 1.98e9, []), ("capped.json", 1.2e9, ["sw_power_cap"])):
            measured = document()
            reading = {"sm_clock_hz": hertz, "throttle": reasons}
            for cell in measured["cells"]:
                for launch in cell["launches"]:
                    launch["machine"] = {"throttled": bool(reasons), "before": reading, "after": reading}
            self.put(name, measured)
        for format in ("table", "markdown", "json", "junit", "github"):
            with self.subTest(format):
                said = self.compare("fast.json", "capped.json", "--format", format).stdout
                said = said.replace("&#95;", "_").replace("&gt;", ">").replace("&#62;", ">")
                self.assert_all_in(("machine.sm_clock_hz", "1980 MHz", "1200 MHz", "machine.throttle",
                                    "sw_power_cap in 15 of 15 cell launches"), said)
        self.assertNotIn("differs", self.compare("base.json", "capped.json").stdout)

    def test_lost_cells_are_10_and_new_ones_are_0(self):
        self.put("fewer.json", document(cells=2))
        self.assertIn("lost: 1 cell", self.compare("base.json", "fewer.json", code=10).stdout)
        self.assertIn("not in BASE", self.compare("fewer.json", "base.json").stdout)
        failed = document()
        failed["cells"][1].update(status="failed", reason={"code": "io", "message": "disk"}, launches=[])
        self.put("failed.json", failed)
        done = self.compare("base.json", "failed.json", code=10)
        self.assertIn("cell 1  failed in NEW: io: disk", done.stdout)
        self.assertIn("ok in NEW, but not in BASE", self.compare("failed.json", "base.json").stdout)

    def test_folders_hold_a_launch_or_a_shard_a_document(self):
        whole = document()
        for i in range(5):
            part = copy.deepcopy(whole)
            for cell in part["cells"]:
                cell["launches"] = [dict(cell["launches"][i], index=0)]
            self.put(f"launches/{i}.json", part)
        for c in range(3):
            self.put(f"shards/{c}.json", dict(whole, cells=[whole["cells"][c]]))
        for folder in ("launches", "shards"):
            done = self.compare("base.json", folder)
            self.assertIn("passed: nothing is slower", done.stdout)

    def test_an_interleaved_run_is_compared_in_pairs(self):
        for name, factor in (("a.json", 1.0), ("b.json", 1.05)):
            drifting = document(factor=factor, interleaved={"id": "run"})
            for cell in drifting["cells"]:
                for i, launch in enumerate(cell["launches"]):
                    launch["latency_seconds"]["p50"] *= 1 + 0.05 * i
            self.put(name, drifting)
        self.assertIn("slower: 1 of 3 cells", self.compare("a.json", "b.json", code=10).stdout)

    def test_a_real_sweep_of_this_machine(self):
        for name in ("a.json", "b.json"):
            self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp", "--batch", "1,2",
                                "--warmup", "0", "--launches", "3", "--time-per-cell", "0.005",
                                "--samples-max", "5", "--json", name, "--quiet", code=0)
        self.compare("a.json", "a.json", code=(0, 11))
        done = self.run_graphbench("compare", "a.json", "b.json", "--format", "json", code=(0, 10, 11))
        self.assertEqual(6, json.loads(done.stdout)["counts"]["cells"]["compared"])


class Formats(CompareCase):
    def test_the_document_is_valid_and_is_written_whole(self):
        done = self.compare("base.json", "slower.json", "--format", "json", "-o", "out.json", code=10)
        self.assertEqual("", done.stdout)
        written = self.result("out.json")
        self.assertEqual("slower", written["verdict"])
        self.assert_valid(written, "comparison.schema.json")
        self.assertEqual(["base.json", "out.json", "slower.json"], sorted(os.listdir(self.folder)))

    def test_every_format_says_the_same_and_exits_alike(self):
        formats = self.formats_of("compare", "base.json", "slower.json")
        self.assertIn("junit", formats)
        for format in formats:
            with self.subTest(format):
                done = self.compare("base.json", "slower.json", "--format", format, code=10)
                self.assertIn("cell 0", done.stdout)
                self.assertIn("slower", done.stdout)
                file = self.compare("base.json", "slower.json", "--format", format, "-o", f"{format}.out",
                                    code=10)
                self.assertEqual("", file.stdout)
                self.assertEqual(done.stdout, (self.folder / f"{format}.out").read_text(encoding="utf-8"))

    def test_junit_holds_one_failed_test(self):
        done = self.compare("base.json", "slower.json", "--format", "junit", code=10)
        suite = ElementTree.fromstring(done.stdout).find("testsuite")
        self.assertEqual(("3", "1", "0"), tuple(suite.get(name) for name in ("tests", "failures", "skipped")))
        self.assertEqual("cell 0", suite.find("testcase").get("name"))

    def test_colours_are_for_terminals_only(self):
        self.assertNotIn("\x1b", self.compare("base.json", "base.json").stdout)

    def test_a_terminal_gets_colours_unless_it_asks_for_none(self):
        for extra, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            with self.subTest(extra=extra):
                shown = self.run_on_terminal("compare", "base.json", "slower.json", code=10, **extra)
                self.assertEqual(coloured, "\x1b[31m" in shown)

    def test_a_reader_that_has_seen_enough_is_no_error(self):
        self.put("base.json", document(cells=3000))
        self.put("slower.json", document(cells=3000, factor=1.05))
        for new, code in (("base.json", 0), ("slower.json", 10)):
            with self.subTest(new):
                ours, theirs = os.pipe()
                os.close(ours)
                done = subprocess.run([BINARY, "compare", "base.json", new, "--format", "json"],
                                      stdout=theirs, stderr=subprocess.PIPE, cwd=self.folder, timeout=60,
                                      check=False)
                os.close(theirs)
                self.assertEqual((code, b""), (done.returncode, done.stderr))

    def test_help_names_arguments_and_exit_codes(self):
        done = self.compare("--help")
        self.assert_all_in(("BASE", "NEW", "--margin", "--allow", "12 not comparable"), done.stdout)


class BadInput(CompareCase):
    def refuse(self, arguments, *words):
        """Exit code 2, one line, nothing on stdout, and -o leaves no file behind."""
        with self.subTest(arguments=arguments):
            self.assert_refused(self.run_graphbench("compare", *arguments), *words)
            self.assertFalse((self.folder / "out.json").exists())

    def refuse_document(self, text, *words):
        self.put("bad.json", text)
        for arguments in (("bad.json", "base.json"), ("base.json", "bad.json")):
            self.refuse((*arguments, "--format", "json", "-o", "out.json"), "bad.json: ", *words)

    def mutant(self, change):
        changed = document()
        change(changed)
        return json.dumps(changed)

    def test_documents_that_are_none(self):
        """Each kind once; what is said of every fault is held by parse_document_test and merge_test."""
        good = json.dumps(document())
        self.refuse_document("", "the file is empty")
        self.refuse_document(good[:len(good) // 2], "cut off")
        self.refuse_document('{"schema":"graphbench.result/1","x":' + "[" * 100000, "bad.json")
        self.refuse_document(self.mutant(lambda d: d.update(cells=[])), "nothing can be compared")
        self.refuse_document(self.mutant(lambda d: d["plan"].pop("method")), 'the plan has no "method"')
        self.refuse_document(good.replace('"p50": 0.0001}', '"p50": NaN}', 1),
                             "cells[0].launches[0].latency_seconds.p50: ", "NaN is neither JSON nor a time")
        self.refuse(("missing.json", "base.json"), "missing.json: the file cannot be read: No such file")
        self.put("folder/0.json", document())
        self.put("folder/1.json", "{")
        self.refuse(("base.json", "folder"), "folder/1.json: ")

    def test_encodings_and_packings_are_named(self):
        good = json.dumps(document()).encode()
        for text, words in ((b"\xef\xbb\xbf" + good, "byte order mark"),
                            (good.decode().encode("utf-16"), "UTF-16"), (gzip.compress(good), "compressed")):
            (self.folder / "bad.json").write_bytes(text)
            self.refuse(("base.json", "bad.json"), "bad.json: the file ", words)

    def test_other_numbers_that_are_none(self):
        for key, value, words in (("count", -5, "-5 is not a whole number from 0 up"),
                                  ("count", 0, "a median needs at least one sample"),
                                  ("count", 1.5, "1.5 is not a whole number"),
                                  ("mean", -1e-4, "not a time from 0 to 1e9 seconds"),
                                  ("p999", -1e-4, "not a time from 0 to 1e9 seconds")):
            bad = self.mutant(lambda d, changed={key: value}:
                              d["cells"][1]["launches"][0]["latency_seconds"].update(changed))
            self.refuse_document(bad, f"bad.json: cells[1].launches[0].latency_seconds.{key}: ", words,
                                 '(cell "cell 1")')
        bad = self.mutant(lambda d: d["cells"][1]["launches"][2].update(throughput_steps_per_second=-1))
        self.refuse_document(bad, "cells[1].launches[2].throughput_steps_per_second: -1", '(cell "cell 1")')
        bad = self.mutant(lambda d: d["cells"][2].update(summary={"submit_seconds": {"p50": -2e-6}}))
        self.refuse_document(bad, "cells[2].summary.submit_seconds.p50: -2e-06", '(cell "cell 2")')
        unsaid = {"submit_seconds": None, "latency_seconds": {"p50": None}, "breakeven_steps": None}
        self.put("new.json", self.mutant(lambda d: d["cells"][2].update(summary=unsaid)))
        self.compare("base.json", "new.json")

    def test_what_is_not_seen_in_a_name_is_shown_and_cannot_break_the_line(self):
        name, shown = "cell \u202e1\u200b", "cell \\u202e1\\u200b"
        for given, wanted in (("a\nb\x1b[31m", "a\\x0ab\\x1b"), (name, shown)):
            bad = self.mutant(lambda d, given=given: d["cells"][1].update(id=given, launches=[]))
            self.refuse_document(bad, wanted)
        self.refuse((f"no{name}\x1b.json", "base.json"), f"no{shown}\\x1b.json: the file cannot be read")
        self.put("named.json", self.mutant(lambda d: d["cells"][1].update(id=name)))
        for format in ("table", "markdown", "junit", "github"):
            done = self.compare("named.json", "base.json", "--format", format, code=10)
            wanted = shown.replace("\\", "&#92;") if format == "markdown" else shown
            self.assertIn(wanted, done.stdout, format)
            self.assertNotRegex(done.stdout, "[\u202e\u200b]", format)

    def test_pipes_are_read_and_not_waited_for(self):
        os.mkfifo(self.folder / "pipe")
        self.refuse(("pipe", "base.json"), "pipe: the file cannot be read: the pipe has no writer")
        ours, theirs = os.pipe()
        os.write(theirs, json.dumps(document()).encode())  # less than a pipe holds
        os.close(theirs)
        self.addCleanup(os.close, ours)
        done = subprocess.run([BINARY, "compare", f"/dev/fd/{ours}", "base.json"], cwd=self.folder,
                              pass_fds=[ours], timeout=60, capture_output=True, text=True, check=False)
        self.assertIn("passed: nothing is slower", done.stdout, done.stderr)

    def test_arguments(self):
        self.refuse((), "BASE is missing")
        self.refuse(("base.json",), "NEW is missing")
        self.refuse(("base.json", "base.json", "base.json"), "one argument too many")
        both = ("base.json", "base.json")
        self.refuse((*both, "--margn", "2%"), "--margn: ", 'did you mean "--margin"?')
        self.refuse((*both, "--margin", "2"), "--margin: ", '"2"', "2%")
        self.refuse((*both, "--margin", "latncy=2%"), 'did you mean "latency"?')
        self.refuse((*both, "--margin", "1%", "--margin", "2%"), "--margin: ", "give the option once")
        self.refuse((*both, "--floor", "200"), "--floor: ", "ns, us, ms or s")
        self.refuse((*both, "--alpha", "2"), "--alpha: ")
        self.refuse((*both, "--allow", "moon"), "--allow: ", "device.name", "plan")
        self.refuse((*both, "--format", "xml"), "--format: ", "table", "json")
        self.refuse((*both, "-o", "no/where.json"), "-o: ", "no")
        self.refuse((*both, "--batch", "1"), "--batch")
        (self.folder / "link.json").symlink_to("base.json")
        for output in ("base.json", "link.json", "./base.json"):
            self.refuse((*both, "-o", output), "-o: ", "which is compared")
        self.assertEqual(document(), self.result("base.json"))

    def test_a_full_disk_is_the_machines_fault(self):
        done = self.run_graphbench("compare", "base.json", "base.json", "-o", "/dev/full", code=1)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
