"""A/B runs as a person runs them: alternating launches, documents of both sides, interruptions."""

import json
import os
import re
import shutil
import signal

from ab_case import TINY, AbCase
from harness_case import BINARY


class Ab(AbCase):
    def test_measures_two_binaries_and_keeps_both_results(self):
        done = self.ab(*self.two(1e-4, 1e-4), "--format", "json", code=0)
        comparison = json.loads(done.stdout)
        self.assertTrue(comparison["comparable"])
        metrics = [metric for cell in comparison["cells"] for metric in cell["metrics"]]
        self.assertTrue(metrics)
        self.assertTrue(all(metric["paired"] for metric in metrics))
        sides = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        ids = {side["plan"]["interleaved"]["id"] for side in sides}
        self.assertEqual(1, len(ids))
        self.assertEqual(["base", "new"], [side["plan"]["interleaved"]["side"] for side in sides])
        self.assertEqual(sides[0]["plan"]["hash"], sides[1]["plan"]["hash"])
        for side in sides:
            self.assert_sound(side)
            self.assertEqual(6, len(side["cells"]))
            for cell in side["cells"]:
                self.assertEqual([0, 1, 2, 3, 4], [launch["index"] for launch in cell["launches"]])
                self.assertGreater(cell["summary"]["submit_over_floor"], 0)
        self.assertIn("left", done.stderr)

    def firsts(self, sweeps, names):
        """Which side began each pair, by what the pair measured: they take turns."""
        found = {}
        for name, one, two in zip(names, sweeps[::2], sweeps[1::2]):
            self.assertEqual({"old", "new"}, {one[0], two[0]})
            found.setdefault(name, []).append(one[0])
        for name, order in found.items():
            self.assertIn(order, (["old", "new"] * 2, ["new", "old"] * 2), name)
        return found

    def test_alternates_launches_group_by_group(self):
        done = self.ab("--base", self.wrapper("old"), "--new", self.wrapper("new"), "--launches", "4",
                       "--quiet", code=(0, 10, 11))
        self.assertNotIn("left", done.stderr)
        sweeps = self.sweeps()
        self.assertEqual(2 * 4 * 3, len(sweeps))
        for one, two in zip(sweeps[::2], sweeps[1::2]):
            place = one[2].index("--json") + 1
            self.assertEqual(one[2][:place] + one[2][place + 1:], two[2][:place] + two[2][place + 1:])
        self.firsts(sweeps, [one[2][one[2].index("--mode") + 1] for one in sweeps[::2]])

    def test_alternates_cell_by_cell_where_asked(self):
        done = self.ab("--base", self.wrapper("old"), "--new", self.wrapper("new"), "--launches", "4",
                       "--mode", "eager,whole", "--alternate", "cell", code=(0, 10, 11))
        self.assertRegex(done.stderr, "w0 b[12] ")
        sweeps = self.sweeps()
        self.assertEqual(2 * 4 * 2 * 2, len(sweeps))
        cells = [tuple(call[2][call[2].index(name) + 1] for name in ("--mode", "--batch")) for call in sweeps]
        self.assertEqual(cells[::2], cells[1::2])
        firsts = self.firsts(sweeps, cells[::2])
        self.assertEqual({(mode, batch) for mode in ("eager", "whole") for batch in "12"}, set(firsts))
        rounds = {tuple(cells[i:i + 8:2]) for i in range(0, len(sweeps), 8)}
        self.assertGreater(len(rounds), 1, "every launch has the same order")

    def test_documents_of_single_cells_are_whole_and_are_another_plan_than_whole_tasks(self):
        sides = ["--base", BINARY, "--launches", "2", "--mode", "eager,whole"]
        self.ab(*sides, "--alternate", "cell", code=(0, 10, 11))
        cells = [self.result(f"graphbench-{side}.json") for side in ("base", "new")]
        for side in cells:
            self.assert_sound(side)
            self.assertTrue(side["complete"] and side["plan"]["cell_processes"])
            self.assertEqual([1, 2], side["plan"]["axes"]["batch"])
            self.assertEqual([2] * 4, [len(cell["launches"]) for cell in side["cells"]])
            self.assertTrue(all(cell["summary"]["speedup_over_eager"] for cell in side["cells"]))
            whole = [cell["memory"] for cell in side["cells"] if cell["mode"] == "whole"]
            self.assertTrue(all(each["pool_bytes"] == each["pool_bytes_own"] for each in whole), whole)
        self.assertEqual(cells[0]["plan"]["hash"], cells[1]["plan"]["hash"])
        compared = ["compare", "graphbench-base.json", "graphbench-new.json", "--format", "json"]
        comparison = json.loads(self.run_graphbench(*compared).stdout)
        self.assertTrue(comparison["comparable"])
        self.assertTrue(all(metric["paired"] for cell in comparison["cells"] for metric in cell["metrics"]))

        whole = ["--json-base", "whole.json", "--json-new", "x.json"]
        self.ab(*sides, *whole, code=(0, 10, 11))
        self.assertNotIn("cell_processes", self.result("whole.json")["plan"])
        done = self.run_graphbench("compare", "whole.json", "graphbench-new.json", "--format", "json",
                                   code=12)
        differences = {each["field"]: each for each in json.loads(done.stdout)["differences"]}
        self.assertTrue(differences["plan"]["blocking"])
        self.assertEqual("true", differences["plan.cell_processes"]["new"])

    def test_runs_one_binary_in_two_environments(self):
        wrapper = self.wrapper("one")
        self.ab("--base", wrapper, "--new", wrapper, "--env-a", "SIDE=a", "--env-b", "SIDE=b",
                "--env-b", "X=1", "--launches", "2", code=(0, 10, 11))
        self.assertEqual({"a": 6, "b": 6}, {side: sum(call[1] == side for call in self.sweeps())
                                            for side in "ab"})

    def test_new_is_this_binary_where_it_is_not_named(self):
        self.ab("--base", self.wrapper("old"), "--launches", "2", "--mode", "eager", "--quiet",
                code=(0, 10, 11))
        self.assertEqual(2, len(self.sweeps()))
        self.assertEqual(2, len(self.result("graphbench-new.json")["cells"][0]["launches"]))

    def test_a_side_that_fails_loses_its_cells_and_says_so(self):
        broken = "if calls == 4: sys.exit(1)"
        self.ab("--base", self.fixed("old", 1e-3), "--new", self.wrapper("new", broken),
                "--launches", "3", code=10)
        failed = [cell for cell in self.result("graphbench-new.json")["cells"] if cell["status"] == "failed"]
        self.assertEqual(2, len(failed))
        self.assertEqual({"sweep_failed"}, {cell["reason"]["code"] for cell in failed})

    def test_refuses_what_is_no_graphbench(self):
        text = self.write("notes.txt", "x")
        empty = self.write("empty", "")
        empty.chmod(0o755)
        for binary, word in (("absent", "is not a file"), (self.folder, "is not a file"),
                             (text, "cannot be executed"), (empty, "--base"),
                             ("/bin/true", "is not graphbench"), ("/bin/cat", "is not graphbench")):
            with self.subTest(binary=str(binary)):
                self.assert_refused(self.ab("--base", binary), "--base", word)
        self.assert_refused(self.ab("--base", BINARY, "--new", "absent"), "--new")

    def test_help_names_the_defaults_that_are_other_than_a_sweeps(self):
        words = " ".join(self.run_graphbench("ab", "--help").stdout.split())
        self.assertIn("cell and side (default: 5)", words)

    def test_refuses_other_bad_input(self):
        self.refuse_each((
            ("--env-a NOVALUE", ("--env-a", "NAME=VALUE")), ("--json x", ("--json", "leave it out")),
            ("--linger 1", ("--linger", "leave it out")), ("--json-new no/folder/x.json", "--json-new"),
            ("--json-new graphbench-base.json", "--json-new"), ("--json-base -", ("--json-base", "stdout")),
            ("-o ./graphbench-new.json", ("-o", "another")), ("--margin much", "--margin"),
            ("--launches 0", "--launches"), ("--until-decided --launches 3", "--launches"),
            *((f"--until-decided {minutes}", ("--until-decided", minutes))
              for minutes in ("0", "-1", "soon", "1e9")),
            ("--until-decided 5 --confirm", "--confirm"), ("--mode hole", "--mode"),
            ("--require-power 0%", ("--require-power", "0%")),
            ("--alternate cels", ("--alternate", '"cels"', "cell"))), "ab", *TINY, "--base", BINARY)
        self.assert_refused(self.run_graphbench("--seed", "1", "ab", "--base", BINARY), "before ab")

    def test_a_base_that_refuses_an_option_is_bad_input(self):
        older = 'if "--cold-l2" in sys.argv: print("graphbench: --cold-l2: what is that?"); sys.exit(2)'
        old = self.wrapper("old", older)
        self.assert_refused(self.ab("--base", old, "--cold-l2", "--quiet"), "--base", "what is that")
        self.assertEqual([], list(self.folder.glob("graphbench-*")))

    def test_a_dry_run_says_what_would_run_and_measures_nothing(self):
        done = self.run_graphbench("ab", "--base", BINARY, *TINY, "--launches", "2", "--dry-run", code=0)
        self.assertRegex(done.stdout, r"^per side \d+ cells, \d+ processes, about [^\n]+\n$")
        self.assertEqual([], list(self.folder.glob("graphbench-*")))

    def test_an_interruption_keeps_what_was_measured(self):
        process = self.start("ab", "--base", BINARY, *TINY, "--launches", "200")
        seen = ""
        while not re.search(r"worker ([3-9]|\d\d)", seen):  # each side has a launch then
            line = process.stderr.readline()
            self.assertTrue(line, seen)
            seen += line
        done = self.end(process, signal.SIGINT)
        self.assertEqual((130, ""), (done.returncode, done.stdout), done.stderr)
        self.assertIn("kept in graphbench-base.json and graphbench-new.json", done.stderr)
        for side in ("base", "new"):
            document = self.result(f"graphbench-{side}.json")
            self.assertFalse(document["complete"])
            self.assert_sound(document)
            self.assertTrue(any(cell["launches"] for cell in document["cells"]))

    def test_leaves_nothing_behind(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.ab("--base", BINARY, "--launches", "2", "--mode", "eager",
                env=self.environment(TMPDIR=str(scratch)))
        self.assertEqual([], os.listdir(scratch))
        shutil.rmtree(scratch)
        self.assertEqual(["graphbench-base.json", "graphbench-new.json"], sorted(os.listdir(self.folder)))
