"""The scripts of ci/: they explain themselves, refuse what they do not know, and count honestly."""

import argparse
import contextlib
import io
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHELL = [ROOT / "ci" / name
         for name in ("packages", "build", "quickstart", "test", "fresh", "bundle", "deb", "gpu", "gate",
                      "shards/entry", "shards/submit")]
sys.path[:0] = [str(ROOT / "ci"), str(ROOT / "tests" / "load")]
import figures  # noqa: E402
import influence  # noqa: E402
import sum_tests  # noqa: E402
import tables  # noqa: E402


def run(*command, **options):
    words = [str(word) for word in command]
    return subprocess.run(words, cwd="/", capture_output=True, text=True, check=False, **options)


class Scripts(unittest.TestCase):
    def test_explain_themselves_from_any_folder(self):
        for script in [*SHELL, ROOT / "ci" / "wheel", ROOT / "ci" / "house"]:
            for flag in ("-h", "--help"):
                with self.subTest(script=script.name, flag=flag):
                    done = run(script, flag)
                    self.assertEqual(0, done.returncode, done.stderr)
                    self.assertTrue(done.stdout.startswith(f"usage: {script.relative_to(ROOT)}"), done.stdout)

    def test_refuse_what_they_do_not_know(self):
        for name in ("packages", "build", "test", "bundle", "wheel", "deb", "gpu", "gate", "shards/entry",
                     "shards/submit"):
            with self.subTest(name):
                done = run(ROOT / "ci" / name, "no-such-thing", "and-another")
                self.assertEqual(2, done.returncode, done.stdout)
                self.assertIn("no-such-thing" if name != "gpu" else "and-another", done.stderr)

    def test_are_strict(self):
        for script in [*SHELL, ROOT / ".ci" / "run", ROOT / "ci" / "shards" / "shards.sbatch"]:
            self.assertIn("\nset -euo pipefail\n", script.read_text(), script)

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_pass_shellcheck(self):
        done = run("shellcheck", *SHELL, ROOT / ".ci" / "run", ROOT / "ci" / "shards" / "shards.sbatch")
        self.assertEqual(0, done.returncode, done.stdout)


class KernelBuild(unittest.TestCase):
    """ci/cmake/kernel_build.cmake: the name of our kernels that kept plans are found by."""

    def test_is_another_where_a_kernel_is_and_only_there(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cuda = shutil.copytree(ROOT / "graphs" / "cuda", folder / "cuda")

            def build(version="1.2.3", options="80;90"):
                done = run("cmake", f"-DSOURCE={cuda}", f"-DFILE={folder / 'made.cpp'}",
                           f"-DVERSION={version}",
                           f"-DOPTIONS={options}", "-P", ROOT / "ci" / "cmake" / "kernel_build.cmake")
                self.assertEqual(0, done.returncode, done.stderr)
                return re.search(r'return "(.*)"', (folder / "made.cpp").read_text()).group(1)

            def append(file):
                with (cuda / file).open("a") as stream:
                    stream.write("// more\n")

            first = build()
            self.assertRegex(first, "^graphbench 1\\.2\\.3, kernels [0-9a-f]{16}$")
            append("nvml.cpp")
            self.assertEqual(first, build())
            self.assertNotEqual(first, build(version="1.2.4"))
            self.assertNotEqual(first, build(options="90"))
            for file in ("convert.cuh", "ops/rmsnorm.cu", "ops/matmul.cpp", "tuning/candidate_timer.cpp"):
                before = build()
                append(file)
                self.assertNotEqual(before, build(), file)


class Tables(unittest.TestCase):
    def test_are_what_the_results_say(self):
        for page in ("figures.md", "torch.md"):
            text = (ROOT / "docs" / page).read_text()
            self.assertEqual(text, tables.rewritten(page, text), "run ci/tables.py")
        with self.assertRaisesRegex(SystemExit, "docs/torch.md has 0 tables torch: give it one"):
            tables.rewritten("torch.md", text.replace("<!-- table torch -->", ""))

    def test_name_one_commit(self):
        documents = [{"environment": {"device": {"name": "GPU", "driver": "1"}}, "tool": {"commit": commit},
                      "cells": [{"status": "ok", "launches": [{}]}]} for commit in ("a", "b")]
        self.assertIn("GPU (driver 1), commit a, 1 launches", tables.origin(documents[:1]))
        with self.assertRaisesRegex(SystemExit, "several commits or cards"):
            tables.origin(documents)

    def test_show_pytorchs_eager_and_whole_side_by_side(self):
        def cell(batch, mode, seconds, status="ok", gain=None):
            summary = {"latency_seconds": {"p50": seconds, "ci95": None}, "speedup_over_eager": gain,
                       "speedup_over_eager_ci95": None}
            return {"workload": "steps-mlp", "batch": batch, "mode": mode, "warmup": 3, "status": status,
                    "summary": summary}

        cells = [cell(1, "eager", 4.75e-4), cell(1, "whole", 1.58e-4, gain=3.006),
                 cell(8, "eager", 5e-4), cell(8, "whole", None, "failed"), cell(8, "torch.replay", 2e-4)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "torch.json"
            path.write_text(json.dumps({"plan": {"axes": {"warmup": [3]}}, "cells": cells}))
            done = run(sys.executable, ROOT / "ci" / "tables.py", "--print", "torch", path)
        self.assertEqual("| PyTorch | eager latency | whole latency | whole gains |\n"
                         "|---|---|---|---|\n"
                         "| mlp b1 | 475us | 158us | 3.01x |\n", done.stdout, done.stderr)


class Messages(unittest.TestCase):
    """ci/messages: one list of all that the program tells its users."""

    def listed(self, *arguments):
        done = run(sys.executable, ROOT / "ci" / "messages", *arguments)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout.splitlines()

    def test_lists_messages_with_their_places(self):
        lines = self.listed()
        self.assertGreater(len(lines), 1000)
        place = r"^harness/judge/compare/judge\.cpp:\d+: "
        self.assertTrue([line for line in lines if re.match(place + "one launch per side: ", line)])
        # A value between two literals is shown as `...`.
        self.assertTrue([line for line in lines if "is listed twice" in line and "'...'" in line])

    def test_draws_the_same_texts_for_one_seed(self):
        drawn = self.listed("--draw", "40", "--seed", "7")
        self.assertEqual(40, len(drawn))
        self.assertEqual(drawn, self.listed("--draw", "40", "--seed", "7"))
        self.assertNotEqual(drawn, self.listed("--draw", "40", "--seed", "8"))

    def test_lists_comments(self):
        lines = self.listed("--comments")
        self.assertGreater(len(lines), 1000)
        for path in ("harness/sweep/run_sweep.cpp:1", "ci/figures.py:2", "dashboards/page/main.mjs:1"):
            self.assertTrue([line for line in lines if line.startswith(f"{path}: ")], path)

    def test_keeps_words_that_no_message_should_have(self):
        odd = re.compile(r"\b(is|are) there twice\b|\bis none of\b|\blikewise\b|"
                         r"\b(launches|samples|bytes|steps) a (side|cell|step|second)\b|\bwill not do\b|"
                         r"\bis another's\b|\bsomething (follows|is)\b|\bwhat it is of\b|\bit is gone\b")
        self.assertEqual([], [line for line in self.listed() if odd.search(line)])


class Packages(unittest.TestCase):
    """ci/packages against a dpkg that knows of everything but npm."""

    QUERY = """#!/bin/sh
if [ $# -eq 2 ]; then printf '%s\\n' "$PROVIDED"; exit 0; fi
if [ "$3" = npm ]; then exit 1; fi
printf installed
"""

    def run_with(self, provided, *groups, system="ID=debian\nVERSION_ID=12\n"):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "os-release").write_text(system)
            for name, text in (("dpkg-query", self.QUERY), ("id", "#!/bin/sh\necho 1000\n")):
                path = pathlib.Path(folder) / name
                path.write_text(text)
                path.chmod(0o755)
            for name in ("bash", "dirname", "grep", "sed", "tr"):
                (pathlib.Path(folder) / name).symlink_to(shutil.which(name))
            return run(ROOT / "ci" / "packages", *groups, env={
                "PATH": folder, "PROVIDED": provided, "GRAPHBENCH_OS_RELEASE": f"{folder}/os-release"})

    def test_takes_what_another_package_provides_for_installed(self):
        for provided in ("installed, npm", "installed, nodejs-dev, npm (= 11.0)\ninstalled, "):
            done = self.run_with(provided)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertRegex(done.stdout, r"^packages: all \d+ are installed\n$")

    def test_says_what_is_missing_where_it_may_not_install(self):
        no_npm = ("installed, ", "config-files, npm", "installed, npm-extras", "installed, node (= npm)")
        for provided in no_npm:
            done = self.run_with(provided)
            self.assertEqual(1, done.returncode, done.stdout)
            self.assertIn("apt-get install -y --no-install-recommends npm\n", done.stderr)

    def test_has_a_list_for_each_release(self):
        # The stand-in for dpkg-query lacks one package of a release.
        for release, package in (("12", "libboost1.81-dev"), ("13", "libboost1.83-dev")):
            self.QUERY = Packages.QUERY.replace("npm", package)
            done = self.run_with("installed, ", "build", system=f'ID=debian\nVERSION_ID="{release}"\n')
            self.assertIn(f"--no-install-recommends {package}\n", done.stderr)
            system = f"ID=debian\nVERSION_ID={25 - int(release)}\n"
            other = self.run_with("installed, ", "build", system=system)
            self.assertEqual(0, other.returncode, other.stderr)

    def test_installs_nothing_on_another_system(self):
        done = self.run_with("installed, ", system='ID=ubuntu\nVERSION_ID="24.04"\n')
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertRegex(done.stderr, "Debian 12 and 13, and this is ubuntu 24.04; .*own means:\n  npm\n$")

    def test_building_wants_less_than_testing_and_neither_wants_the_page(self):
        counts = []
        for group in ("build", "test"):
            done = self.run_with("installed, ", group)
            self.assertEqual(0, done.returncode, done.stderr)
            counts.append(int(re.fullmatch(r"packages: all (\d+) are installed\n", done.stdout)[1]))
        self.assertLess(10, counts[0])
        self.assertLess(counts[0], counts[1])


REPORT = """<testsuite>
<testcase name="a" status="run"/>
<testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c" status="notrun"><skipped message="Unable to find executable"/></testcase>
<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="e" status="disabled"/>
</testsuite>"""


class SumOfTests(unittest.TestCase):
    def sum(self, *reports, failures=0):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for index, text in enumerate(reports):
                paths.append(pathlib.Path(folder) / f"{index}.xml")
                if text is not None:
                    paths[-1].write_text(text)
            done = run(sys.executable, ROOT / "ci" / "sum_tests.py", "--failures", failures, *paths)
            self.said = done.stdout.splitlines()
            return done.returncode, self.said[-1]

    def test_says_what_a_test_that_passed_left_out(self):
        report = """<testsuite><testcase name="a" status="run"><system-out>.....
Ran 5 tests
skipped: b with bf16
</system-out></testcase></testsuite>"""
        self.assertEqual((0, "1 passed, 0 failed, 0 skipped"), self.sum(report))
        self.assertEqual("skipped: b with bf16", self.said[0])

    def test_counts_each_outcome_over_all_reports(self):
        self.assertEqual((1, "2 passed, 4 failed, 4 skipped"), self.sum(REPORT, REPORT))

    def test_reads_what_a_googletest_program_writes(self):
        report = """<testsuites tests="3" failures="1"><testsuite name="S">
<testcase name="a" status="run" result="completed"/>
<testcase name="b" status="run" result="skipped"><skipped message="a.cpp:1&#x0A;no GPU"/></testcase>
<testcase name="c" status="run" result="completed"><failure message="a.cpp:2"/></testcase>
</testsuite></testsuites>"""
        self.assertEqual((1, "1 passed, 1 failed, 1 skipped"), self.sum(report))

    def test_counts_the_tests_of_a_program_and_the_program_itself_only_where_it_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            def sum_of(entry):
                own, all_of_them = pathlib.Path(folder) / "a_test.xml", pathlib.Path(folder) / "tests.xml"
                own.write_text('<testsuites><testcase name="x" status="run"/></testsuites>')
                all_of_them.write_text(f"<testsuite>{entry}</testsuite>")
                done = run(sys.executable, ROOT / "ci" / "sum_tests.py", all_of_them, own)
                return done.stdout.splitlines()[-1]
            ran, died = 'status="run"', 'status="fail"'
            self.assertEqual("1 passed, 0 failed, 0 skipped", sum_of(f'<testcase name="a_test" {ran}/>'))
            self.assertEqual("1 passed, 1 failed, 0 skipped", sum_of(f'<testcase name="a_test" {died}/>'))

    def test_passes_where_all_passed(self):
        report = '<testsuite><testcase name="a" status="run"/></testsuite>'
        self.assertEqual((0, "1 passed, 0 failed, 0 skipped"), self.sum(report))

    def test_takes_a_missing_or_broken_report_an_empty_run_and_a_failed_build_for_failures(self):
        for report in (None, "<testsuite>"):
            self.assertEqual((1, "0 passed, 1 failed, 0 skipped"), self.sum(report))
        self.assertEqual((1, "0 passed, 0 failed, 0 skipped"), self.sum("<testsuite/>"))
        self.assertEqual((1, "0 passed, 2 failed, 0 skipped"), self.sum(failures=2))

    def test_takes_a_program_that_could_not_start_for_a_failure(self):
        case = sum_tests.xml.etree.ElementTree.fromstring(REPORT)[2]
        self.assertEqual("failed", sum_tests.outcome_of(case))


def cell(workload="mlp", batch=1, mode="whole", status="ok", identical=True, pool=1000, own=1000, warmup=0):
    return {
        "id": f"{workload}/base/bf16/forward/b{batch}/w{warmup}/{mode}",
        "workload": workload, "preset": "base", "dtype": "bf16", "pass": "forward",
        "batch": batch, "warmup": warmup, "mode": mode, "status": status,
        "check": {"identical": identical}, "memory": {"pool_bytes": pool, "pool_bytes_own": own},
    }


class Figures(unittest.TestCase):
    def verdicts(self, rows):
        return [row.passed for row in rows]

    def test_a_sweep_passes_only_with_every_cell_ok_and_identical(self):
        good = [cell(batch=batch) for batch in range(1, figures.CELLS + 1)]
        self.assertEqual([True], self.verdicts(figures.cells_row({"cells": good})))
        for wrong in (cell(status="failed"), cell(identical=False), {**cell(), "check": None}):
            self.assertEqual([False], self.verdicts(figures.cells_row({"cells": good[:-1] + [wrong]})))
        self.assertEqual([False], self.verdicts(figures.cells_row({"cells": good[:-1]})))

    def test_a_shared_pool_is_held_to_its_largest_batch(self):
        cells = [cell(batch=1, pool=1050, own=100), cell(batch=8, pool=1050, own=1000)]
        self.assertEqual([True], self.verdicts(figures.pool_rows({"cells": cells})))
        alone = {**cell(batch=1, pool=100, own=100), "prepare": "first-use"}
        self.assertEqual([True], self.verdicts(figures.pool_rows({"cells": [*cells, alone]})))
        cells[0]["memory"]["pool_bytes"] = cells[1]["memory"]["pool_bytes"] = 1051
        self.assertEqual([False], self.verdicts(figures.pool_rows({"cells": cells})))

    def test_the_committed_default_sweep_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "ci" / "baselines" / "h200.json", pathlib.Path(folder) / "result.json")
            rows = figures.sweep_rows(pathlib.Path(folder), [("sweep", "0", "110")])
            self.assertEqual([], [row for row in rows if not row.passed])
            slow = figures.sweep_rows(pathlib.Path(folder), [("sweep", "0", "111")])
            self.assertEqual([False], [row.passed for row in slow if "default sweep" in row.figure])

    def test_a_worker_whose_memory_is_in_no_account_fails(self):
        good = {**cell(), "memory": {"used_bytes": 1000, "unaccounted_bytes": -20}}
        self.assertEqual([True], self.verdicts(figures.memory_rows({"cells": [good]})))
        for left in (21, None):
            wrong = {**cell(batch=2), "memory": {"used_bytes": 1000, "unaccounted_bytes": left}}
            self.assertEqual([False], self.verdicts(figures.memory_rows({"cells": [good, wrong]})))
        self.assertEqual([False], self.verdicts(figures.memory_rows({"cells": [{**cell(), "memory": None}]})))

    def test_a_cell_without_a_pool_to_judge_or_without_memory_fails(self):
        for wrong in (cell(mode="eager"), {**cell(), "memory": None}):
            self.assertEqual([False], self.verdicts(figures.pool_rows({"cells": [wrong]})))

    def test_witnesses_must_agree_in_every_cell(self):
        def profiled(device, difference):
            witness = {"device_seconds": device, "difference_seconds": 2e-6 + difference,
                       "events_seconds": 2e-6}
            return {**cell(), "id": "some/cell", "profile": {"witness": witness}}

        agreeing = [profiled(100e-6, 1.9999e-6), profiled(10e-6, -0.9e-6)]
        no_witness = {**cell(), "profile": {"witness": None}}
        self.assertEqual([True], self.verdicts(figures.witness_rows({"cells": agreeing})))
        for wrong in (profiled(100e-6, 2.1e-6), profiled(10e-6, -1.1e-6), no_witness, cell()):
            self.assertEqual([False], self.verdicts(figures.witness_rows({"cells": [*agreeing, wrong]})))
        measured = figures.witness_rows({"cells": agreeing})[0].measured
        self.assertIn("+2.00 us (and 2.00 us of the events) of 100.0 us in some/cell", measured)
        self.assertEqual([False], self.verdicts(figures.witness_rows({"cells": []})))

    def test_the_last_of_steps_that_arrive_at_once_responds_after_all_latencies(self):
        def ladder(latest):
            placements = [{"busy_seconds": 1.0}, {"busy_seconds": 0.9}]
            return {"role": "eager", "id": "some/ladder",
                    "launches": [{"placements": placements, "response_seconds": {"max": latest}}]}

        skipped = {"role": "asked", "id": "other", "launches": [], "reason": {"message": "why"}}
        for ladders, passed in (([ladder(1.005)], [True]), ([ladder(1.02)], [False]), ([skipped], [False]),
                                ([], [False])):
            self.assertEqual(passed, self.verdicts(figures.response_rows({"ladders": ladders})))

    def test_launches_must_agree_in_nearly_every_graph_cell(self):
        def spread(between, batch, mode="whole", **more):
            return {**cell(batch=batch, mode=mode, **more),
                    "summary": {"latency_seconds": {"between_launches": between}}}

        agreeing = [spread(0.005, batch) for batch in range(19)] + [spread(0.9, 1, mode="eager")]
        for last, good in ((spread(0.0051, 99), True), (spread(None, 99), False),
                           (spread(0.001, 99, status="failed"), False)):
            row, tight = figures.spread_rows({"cells": [*agreeing, last]})
            self.assertEqual(good, row.passed, row.measured)
            self.assertFalse(tight.passed, tight.measured)
        worse = [spread(0.006, 98), spread(0.007, 99, "piecewise")]
        row = figures.spread_rows({"cells": [*agreeing, *worse]})[0]
        self.assertFalse(row.passed)
        said = "19 of 21 (whole 19 of 20, piecewise 0 of 1), worst 0.70% in mlp"
        self.assertEqual(said, row.measured[:len(said)])
        self.assertEqual([False, False], self.verdicts(figures.spread_rows({"cells": []})))
        halves = [spread(0.002, 1), spread(0.004, 2)]
        self.assertEqual([True, True], self.verdicts(figures.spread_rows({"cells": halves})))

    def test_load_agrees_with_google_benchmark_within_one_percent(self):
        name = "conv/base/bf16/forward/b256/w3/whole"
        sustained = {"latency_seconds": {"mean": 2.5e-3}, "sm_clock_hz": 1.65e9, "power_watts": 692,
                     "seconds_to_steady": 6.5}
        def folder_of(real_time, sustained):
            folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
            cells = [{**cell(), "id": name, "launches": [{"sustained": sustained}],
                      "summary": {"latency_seconds": {"p50": 2.2e-3}}}]
            runs = [{"name": name + "/manual_time", "repetition_index": i, "real_time": time}
                    for i, time in enumerate((2.2e6, real_time))]
            (folder / "sustained.json").write_text(json.dumps({"cells": cells}))
            (folder / "sustained_bench.json").write_text(json.dumps({"benchmarks": runs}))
            return folder

        for real_time, good in ((2.52e6, True), (2.48e6, True), (2.54e6, False), (2.46e6, False)):
            self.assertEqual([good], self.verdicts(figures.sustained_rows(folder_of(real_time, sustained))))
        never = {**sustained, "latency_seconds": None}
        self.assertEqual([False], self.verdicts(figures.sustained_rows(folder_of(2.5e6, never))))

    def assert_read(self, reader, text, *passed):
        """Line by line; a text without such lines fails."""
        self.assertEqual([False], self.verdicts(reader("nothing of the kind\n")))
        rows = reader(text)
        self.assertEqual(list(passed), self.verdicts(rows))
        return rows

    def test_instrument_costs_are_read_line_by_line(self):
        text = ("workload   mode        sampled_ns      bare_ns  difference_ns its 95 % interval\n"
                "mlp        eager            77000        76990            +20      -20      +50\n"
                "mlp        whole              990          930            +30       +5      +65  OVER\n"
                "conv       piecewise         7600         7610            -10      -20       +5\n")
        rows = self.assert_read(figures.instrument_rows, text, True, False, True)
        self.assertEqual("+30 ns (95 %: +5..+65), not decided", rows[1].measured)

    def test_loops_of_callers_are_read_line_by_line(self):
        text = ("submit with 4096 bytes in and as many out\n"
                "io             nodes    ours_us    bare_us   ratio     low    high  limit\n"
                "copy_in_out        1       9.20       9.10   1.011   1.001   1.050   1.05\n"
                "recapture         16      30.00      20.00   1.500   1.400   1.600   0.00\n"
                "update          4096    4400.00    3600.00   1.222   1.200   1.240   1.10  OVER\n"
                "| nodes | bytes | `static` | two copies | `update` |\n"
                "| 4096 | 4096 | 1700 | 1708 | 5200 |\n"
                "1000 updates of 16 nodes: device +0, heap -16, resident +4096 bytes\n"
                "1000 updates of 1024 nodes: device +2097152, heap +0, resident +0 bytes  OVER\n")
        rows = self.assert_read(figures.caller_rows, text, True, False, True, False)
        self.assertEqual("device +2097152, heap +0, resident +0 bytes", rows[3].measured)
        self.assertIn("io update, 4096 nodes", rows[1].figure)

    def test_hits_of_ladders_are_read_line_by_line(self):
        text = ("submit of a full hit and a padded one, of 67 sizes\n"
                "workload    rows     size    ours_us    bare_us   ratio     low    high  limit\n"
                "mlp            5 in     8      12.50      12.00   1.042   1.030   1.060   1.10\n"
                "attention    505 in   512      19.00      16.00   1.188   1.170   1.200   1.10  OVER\n")
        rows = self.assert_read(figures.ladder_rows, text, True, False)
        self.assertIn("attention, 505 rows in 512", rows[1].figure)

    def test_bare_loops_are_read_line_by_line(self):
        text = ("workload   batch mode         ours_us    bare_us   ratio     low    high  limit\n"
                "mlp            1 whole            2.20       2.10   1.048   1.046   1.050   1.10\n"
                "conv           1 piecewise       76.00      73.00   1.064   0.990   1.128   1.10  OVER\n"
                "attention    256 piecewise      360.00     300.00   1.200   1.190   1.210   1.15  OVER\n")
        rows = self.assert_read(figures.bare_rows, text, True, False, False)
        self.assertEqual("1.064 (95 %: 0.990..1.128), not decided", rows[1].measured)
        self.assertEqual("1.200 (95 %: 1.190..1.210)", rows[2].measured)

    def test_lost_memory_is_read_line_by_line(self):
        line = "{} 1000 capture/destroy cycles, 10000 replays: free before 9, after 8, lost {} bytes{}\n"
        text = line.format("mlp       ", 0, "") + line.format("conv      ", 3 << 20, "  OVER 2 MiB")
        self.assert_read(figures.cycle_rows, text, True, False)

    def test_influence_is_within_where_its_whole_interval_is(self):
        def blocks(effect, noise, chance=random.Random(3)):
            def sweep(shift):
                return {metric: [math.log(20e-6) + shift + chance.gauss(0, noise) for _ in range(2)]
                        for metric in influence.METRICS}
            return [{True: [sweep(effect), sweep(effect)], False: [sweep(0), sweep(0)]} for _ in range(12)]

        for effect, noise, good in ((0, 0.002, True), (0.01, 0.002, False), (-0.01, 0.002, False),
                                    (0, 0.05, False)):
            with self.subTest(effect=effect, noise=noise):
                said, options = io.StringIO(), argparse.Namespace(launches=2, json=None)
                with contextlib.redirect_stdout(said):
                    status = influence.report(blocks(effect, noise), options, 0.005)
                self.assertEqual(0 if good else 1, status)
                self.assertEqual([good], self.verdicts(figures.influence_rows(said.getvalue())))
        ratio, low, high = influence.ratio_of(blocks(0.01, 0.002), "latency")
        self.assertLess(low, math.exp(0.01))
        self.assertGreater(high, math.exp(0.01))
        self.assertAlmostEqual(math.exp(0.01), ratio, delta=0.002)
        self.assertAlmostEqual(2.201, influence.t_quantile(0.975, 11), places=3)
        self.assertEqual([False], self.verdicts(figures.influence_rows("")))

    def test_a_skip_counts_against_a_gpu_machine(self):
        def counts(inner):
            case = figures.xml.etree.ElementTree.fromstring(f"<testcase>{inner}</testcase>")
            return figures.counts_against(case)

        self.assertFalse(counts(""))
        self.assertTrue(counts('<failure message="x"/>'))
        self.assertTrue(counts('<skipped message="needs a GPU: no driver"/>'))
        self.assertFalse(counts('<skipped message="a.cpp:34&#x0A;the program has no state"/>'))

    def test_missing_evidence_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(sys.executable, ROOT / "ci" / "figures.py", folder)
            self.assertEqual(1, done.returncode, done.stderr)
            self.assertNotIn("| pass", done.stdout)

    def test_a_limit_is_kept_at_the_limit_and_broken_above(self):
        self.assertEqual([True, False], [figures.at_most("t", 180, 180.0, "s").passed,
                                         figures.at_most("t", 180, 180.1, "s").passed])
        self.assertFalse(figures.at_most("t", 180, None, "s").passed)
