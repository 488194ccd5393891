"""The history as a person uses it: added, listed, plotted, compared against; killed, crowded, damaged."""

import datetime
import json
import math
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import time

from harness_case import TINY, HarnessCase

CI_NAMES = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "GIT_COMMIT")
CELL = "mlp/tiny/fp32/forward/b2/w0/whole"


class History(HarnessCase):
    """Every test has a measured document, measured once for all of them."""

    measured = None

    def setUp(self):
        super().setUp()
        if History.measured is None:
            self.run_graphbench(*TINY, "--workload", "mlp", "--launches", "3", "--json", "once.json", code=0)
            History.measured = (self.folder / "once.json").read_text(encoding="utf-8")
        self.file = self.folder / "kept.sqlite"

    def environment(self, **extra):
        environment = super().environment(**extra)
        for name in (*CI_NAMES, "GRAPHBENCH_HISTORY", "XDG_DATA_HOME"):
            environment.pop(name, None)
        # No repository above the temporary folder may name these results.
        environment.update({"GIT_CEILING_DIRECTORIES": "/", "HOME": str(self.folder), **extra})
        environment["GIT_DIR"] = extra.get("GIT_DIR", str(self.folder / "no-repository"))
        return environment

    def write_document(self, name, day=1, factor=1.0, **changes):
        """The measured document, as if of another day and with its latencies scaled."""
        document = json.loads(History.measured)
        document["started_at"] = f"2024-{1 + day // 28:02}-{1 + day % 28:02}T02:00:00Z"
        for cell in document["cells"]:
            cell["summary"] = {}  # it would contradict the launches
            for launch in cell["launches"]:
                for key, seconds in launch["latency_seconds"].items():
                    if isinstance(seconds, float):
                        launch["latency_seconds"][key] = factor * seconds
        document.update(changes)
        return self.write(name, json.dumps(document))

    def history(self, *arguments, **options):
        return self.run_graphbench("history", arguments[0], "--history", self.file, *arguments[1:], **options)

    def add(self, *arguments, **options):
        return self.history("add", *arguments, **options, code=0).stdout

    def entries(self, *arguments):
        return json.loads(self.history("list", *arguments, "--format", "json", code=0).stdout)["entries"]


class Adding(History):
    def test_keeps_a_document_with_its_names_and_says_so(self):
        path = self.write_document("a.json")
        said = self.add(path, "--commit", "0123456789abcdef", "--branch", "main", "--label", "nightly")
        self.assertIn('is stored as entry 1, branch "main", commit "0123456789abcdef", label "nightly"', said)
        entry, = self.entries()
        self.assertEqual(("main", "0123456789abcdef", "nightly", 3, True), tuple(
            entry[name] for name in ("branch", "commit", "label", "launches", "complete")))
        self.assert_all_in(("0123456789ab", "nightly"), self.history("list").stdout)

    def test_keeps_the_same_document_once(self):
        path = self.write_document("a.json")
        self.add(path)
        self.assertIn("is already stored as entry 1: nothing changed", self.add(path, "--branch", "other"))
        entry, = self.entries()
        self.assertIsNone(entry["branch"])

    def test_gives_a_document_that_is_stored_its_label(self):
        path = self.write_document("a.json")
        self.add(path, "--branch", "main")
        said = self.add(path, "--branch", "other", "--label", "accepted")
        self.assertIn('is already stored as entry 1: its label is "accepted" now\n', said)
        self.assertIn("nothing changed", self.add(path, "--label", "accepted"))
        self.assertIn("nothing changed", self.add(path))
        entry, = self.entries("--against", "accepted")
        self.assertEqual(("main", "accepted"), (entry["branch"], entry["label"]))
        self.assertIn('its label is "v1" now, and was "accepted"', self.add(path, "--label", "v1"))

    def test_takes_names_from_ci(self):
        environment = self.environment(GITHUB_SHA="feedbeef00", GITHUB_REF_NAME="7/merge",
                                       GITHUB_HEAD_REF="topic")
        said = self.add(self.write_document("a.json"), env=environment)
        self.assertIn("(from GitHub Actions)", said)
        entry, = self.entries()
        self.assertEqual(("topic", "feedbeef00"), (entry["branch"], entry["commit"]))

    def test_takes_names_from_git(self):
        repository = self.folder / "repository"
        git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "init", "-q", "-b", "trunk", str(repository)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True,
                              text=True).stdout.strip()
        self.add(self.write_document("a.json"), env=self.environment(GIT_DIR=str(repository / ".git")))
        entry, = self.entries()
        self.assertEqual(("trunk", head), (entry["branch"], entry["commit"]))

    def test_one_broken_document_keeps_all_out(self):
        good = self.write_document("a.json")
        for name, text in (("b.json", "{"), ("c.json", '{"schema": "graphbench.result/9"}'), ("d.json", "")):
            with self.subTest(name):
                self.assert_refused(self.history("add", good, self.write(name, text)), name)
        self.assertFalse(self.file.exists())
        self.assert_refused(self.history("add", good, self.folder), str(self.folder))
        self.assert_refused(self.history("add", "absent.json"), "absent.json")

    def test_refuses_a_time_that_cannot_be_put_in_order(self):
        for time_said in ("yesterday", "2024-01-02T02:00:00+02:00", "2024-01-02 02:00:00Z", "Z",
                          "2024-01-02T02:00:00.Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z",
                          "2024-00-01T00:00:00Z", "2024-01-02T24:00:00Z", "2024-01-02T23:60:00Z",
                          "2024-01-02T23:59:61Z"):
            with self.subTest(time_said):
                done = self.history("add", "--allow-date",
                                    self.write_document("a.json", started_at=time_said))
                self.assert_refused(done, "a.json", f'started_at: "{time_said}"')
                done = self.history("add", self.write_document("a.json", finished_at=time_said))
                self.assert_refused(done, "a.json", f'finished_at: "{time_said}"')
        self.assertFalse(self.file.exists())
        self.add(self.write_document("b.json", started_at="2024-02-29T02:00:00.25Z"))

    def test_a_clock_that_is_wrong_does_not_make_the_baseline_for_ever(self):
        def at(name, **from_now):
            then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**from_now)
            return self.write_document(name, started_at=then.strftime("%Y-%m-%dT%H:%M:%SZ"), finished_at=None)

        late, backwards = at("late.json", days=2), self.write_document("back.json",
                                                                       finished_at="2023-01-01T00:00:00Z")
        self.assert_refused(self.history("add", late), "late.json: started_at: ", "later than tomorrow",
                            "--allow-date")
        self.assert_refused(self.history("add", backwards), "back.json: finished_at: ", "before started_at",
                            "--allow-date")
        self.assertFalse(self.file.exists())
        self.add(at("zone.json", hours=20), "--label", "zone")  # a clock of another time zone
        self.add(late, backwards, "--allow-date", "--branch", "main")
        self.assertEqual([3, 1, 2], [entry["id"] for entry in self.entries()])

    def test_removes_entries_all_or_none(self):
        self.add(*(self.write_document(f"{day}.json", day) for day in range(3)), "--branch", "main")
        for ids, words in ((["2", "7"], "the history has no entry 7: nothing was removed"),
                           (["2", "2"], "the history has no entry 2"), (["x"], '"x" is not an entry'),
                           (["0"], "0"), ([], "needs an entry")):
            with self.subTest(ids=ids):
                self.assert_refused(self.history("remove", *ids), "history remove: ", words)
        self.assertEqual([1, 2, 3], [entry["id"] for entry in self.entries()])
        said = self.history("remove", "2", "1", code=0).stdout
        self.assertEqual('entry 2 of 2024-01-02T02:00:00Z, branch "main" is removed\n'
                         'entry 1 of 2024-01-01T02:00:00Z, branch "main" is removed\n', said)
        self.assertEqual([3], [entry["id"] for entry in self.entries()])
        self.assertEqual(1, len(json.loads(self.history("show", CELL, "--format", "json").stdout)["points"]))
        self.assertIn("is stored as entry 4", self.add(self.folder / "1.json"))
        self.history("remove", "3", "4", code=0)
        self.assert_refused(self.history("show", CELL), "is not a cell")

    def test_a_name_that_sqlite_knows_better_is_still_a_file(self):
        document = self.write_document("a.json")
        for name in (":memory:", "file:kept?mode=memory"):
            with self.subTest(name):
                self.run_graphbench("history", "add", "--history", name, document, code=0)
                self.run_graphbench("history", "list", "--history", name, code=0)
                self.assertTrue((self.folder / name).is_file())

    def test_makes_its_default_file(self):
        self.run_graphbench("history", "add", self.write_document("a.json"), code=0)
        self.assertTrue((self.folder / ".local/share/graphbench/history.sqlite").is_file())
        named = self.environment(GRAPHBENCH_HISTORY=str(self.folder / "named.sqlite"))
        self.run_graphbench("history", "add", self.folder / "a.json", env=named)
        self.assertTrue((self.folder / "named.sqlite").is_file())


class Showing(History):
    def fill(self, days=40, rise_at=20):
        random.seed(7)
        paths = [self.write_document(f"{day:03}.json", day,
                                     random.gauss(1, 0.005) * (1.08 if day >= rise_at else 1))
                 for day in range(days)]
        self.add(*paths, "--branch", "main")

    def test_plots_a_cell_and_finds_its_change(self):
        self.fill()
        shown = self.history("show", CELL, "--ascii").stdout
        self.assertRegex(shown, r"\+[78]\.\d %  since 2024-01-21  entry 21  main")
        self.assertRegex(shown, r"correlation of neighbouring entries: -?0\.\d\d\n")
        self.assertIn("o", shown)
        self.assertTrue(shown.isascii())
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)
        unicode = self.history("show", CELL, env=self.environment(LC_ALL="C.UTF-8")).stdout
        self.assertIn("●", unicode)

    def test_lists_the_cells_that_changed_with_the_newest_change_first(self):
        self.fill(days=30)
        listed = self.history("show", "--format", "json").stdout
        changed = json.loads(listed)
        self.assertEqual("graphbench.changes/1", changed["schema"])
        self.assertIn(CELL, [each["cell"] for each in changed["cells"]])
        starts = [each["since"]["started_at"] for each in changed["cells"]]
        self.assertEqual(sorted(starts, reverse=True), starts)
        self.assertEqual({21}, {each["since"]["id"] for each in changed["cells"]})
        table = self.history("show").stdout
        self.assertRegex(table, rf"\+[78]\.\d %  2024-01-21 +21  main .* {CELL}\n")
        self.assertEqual(listed, self.history("show", "*", "--format", "json").stdout)
        batch = CELL.split("/")[4]
        matched = json.loads(self.history("show", f"*/{batch}/*", "--format", "json").stdout)["cells"]
        self.assertTrue(matched)
        self.assertEqual({batch}, {each["cell"].split("/")[4] for each in matched})
        steady = self.history("show", "--metric", "submit").stdout
        self.assertRegex(steady, r"^0 cells changed, \d+ not\n")
        self.assert_refused(self.history("show", "nothing/*"), '"nothing/*" matches no cell')
        self.assert_refused(self.history("show", "--branch", "x"), 'no entry of branch "x"')

    def test_says_that_series_are_too_short_to_search(self):
        self.add(self.write_document("a.json"))
        self.assertRegex(self.history("show").stdout, r"cells? with fewer than \d+ entries: too few")

    def test_says_where_it_is_as_json(self):
        self.fill()
        series = json.loads(self.history("show", CELL, "--format", "json").stdout)
        change, = series["changes"]
        self.assertEqual(20, change["index"])
        self.assertAlmostEqual(1.08, change["ratio"], delta=0.01)
        self.assertEqual(40, len(series["points"]))
        steady = json.loads(self.history("show", CELL, "--metric", "submit", "--format", "json").stdout)
        self.assertEqual([], steady["changes"])

    def test_leaves_other_environments_out_and_says_so(self):
        self.fill(days=12, rise_at=99)
        other = json.loads(History.measured)["environment"]
        other["fingerprint"] = "0" * 64
        self.add(self.write_document("other.json", 5, environment=other))
        shown = self.history("show", CELL, "--ascii").stdout
        self.assertIn("not shown: 1 entry with another environment or plan", shown)
        self.assertIn("12 entries", shown)
        self.assertIn("13 entries", self.history("show", CELL, "--every-environment", "--ascii").stdout)

    def test_refuses_what_is_not_there(self):
        self.assert_refused(self.history("show", CELL), "the history does not exist yet")
        self.fill(days=1)
        self.assert_refused(self.history("show", CELL.replace("whole", "whle")), f'did you mean "{CELL}"')
        self.assert_refused(self.history("show", CELL, "--branch", "x"), 'of branch "x"')
        self.assert_refused(self.history("show", CELL, "--metric", "latncy"), 'did you mean "latency"')


class Against(History):
    def compare(self, *arguments):
        return self.run_graphbench("compare", "--history", self.file, *arguments)

    def test_compares_with_the_latest_of_a_branch(self):
        older = self.write_document("old.json", 1, 2.0)
        self.add(older, self.write_document("base.json", 2), "--branch", "main")
        self.add(self.write_document("topic.json", 3, 5.0), "--branch", "topic")
        new = self.write_document("new.json", 4, 1.3)
        done = self.compare("--against", "main", new, "--format", "json")
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        comparison = json.loads(done.stdout)
        self.assertEqual("history entry 2 (main)", comparison["base"]["source"])
        cell = next(cell for cell in comparison["cells"] if cell["id"] == CELL)
        latency = next(each for each in cell["metrics"] if each["metric"] == "latency")
        self.assertAlmostEqual(1.3, latency["ratio"], places=6)

    def test_says_what_there_is_where_there_is_no_baseline(self):
        new = self.write_document("new.json", 4)
        self.assert_refused(self.compare("--against", "main", new), "the history does not exist yet")
        self.add(self.write_document("a.json", 1), "--branch", "topic")
        self.assert_refused(self.compare("--against", "main", new), 'the name "main"', "give one of topic")
        plan = {**json.loads(History.measured)["plan"], "hash": "0" * 64}
        self.add(self.write_document("b.json", 2, plan=plan), "--branch", "main")
        self.assert_refused(self.compare("--against", "main", new), "entry 2, differs in plan")
        done = self.compare("--against", "main", new, "--allow", "plan")
        self.assertIn(done.returncode, (0, 11), done.stderr)
        self.add(self.write_document("c.json", 3, complete=False), "--branch", "cut")
        self.assert_refused(self.compare("--against", "cut", new), "interrupted")

    def test_lists_what_a_name_stands_for_and_refuses_one_that_nothing_has(self):
        self.add(self.write_document("a.json", 1), "--branch", "main")
        self.add(self.write_document("b.json", 2), "--label", "accepted", "--commit", "0123456789ab")
        for name, wanted in (("main", [1]), ("accepted", [2]), ("0123456", [2])):
            self.assertEqual(wanted, [entry["id"] for entry in self.entries("--against", name)], name)
        self.assert_refused(self.history("list", "--against", "mian"),
                            '--against: no entry of the history has the name "mian": give one of '
                            "accepted, main")
        self.assert_refused(self.history("list", "--against", "main", "--branch", "main"), "--branch")


class Surviving(History):
    def test_refuses_a_file_that_is_no_history_and_leaves_it_alone(self):
        """What else is refused is held by history_file_test."""
        document = self.write_document("a.json")
        content = b"not a database, but a diary\n" * 200
        for command in (["list"], ["add", str(document)], ["show", CELL]):
            with self.subTest(command=command[0]):
                self.file.write_bytes(content)
                self.assert_refused(self.history(*command), str(self.file))
                self.assertEqual(content, self.file.read_bytes())
                self.assertEqual([], list(self.folder.glob("kept.sqlite-*")))

    def test_two_at_once_both_land(self):
        names = [str(self.write_document(f"{i}.json", i)) for i in range(12)]
        running = [self.start("history", "add", "--history", self.file, name) for name in names]
        for process in running:
            _, err = process.communicate(timeout=60)
            self.assertEqual(0, process.returncode, err)
        self.assertEqual(12, len(self.entries()))

    def test_killed_at_any_moment_nothing_is_half_there(self):
        """Adds of five documents each, killed after a random time: every batch is whole or absent."""
        random.seed(11)
        kills = int(os.environ.get("GRAPHBENCH_KILLS", "40"))
        batches = [[str(self.write_document(f"{kill}-{i}.json", (kill * 5 + i) % 300,
                                            1 + kill / 1e4 + i / 1e6))
                    for i in range(5)] for kill in range(8)]
        took, medians = math.inf, None
        killed = landed = 0
        for kill in range(kills):
            self.file.unlink(missing_ok=True)
            started = time.monotonic()
            self.add(*batches[0])
            took = min(took, time.monotonic() - started)  # another program may have slowed some of them down
            batch = batches[1 + kill % 7]
            process = self.start("history", "add", "--history", self.file, *batch)
            time.sleep(random.uniform(0, 1.2 * took))
            self.end(process, signal.SIGKILL)
            killed += process.returncode == -signal.SIGKILL
            entries = self.entries()
            self.assertIn(len(entries), (5, 10))
            landed += len(entries) == 10
            counted = self.medians_by_entry()
            medians = medians or counted[1]
            self.assertEqual({entry["id"]: medians for entry in entries}, counted)
            self.add(*batch)
            self.assertEqual(10, len(self.entries()))
        print(f"killed {killed} of {kills} adds; {landed} had landed")
        self.assertGreater(killed, kills // 4, "the kills came too late to tell anything")

    def medians_by_entry(self):
        connection = sqlite3.connect(f"{pathlib.Path(self.file).as_uri()}?mode=ro", uri=True)
        self.addCleanup(connection.close)
        self.assertEqual(("ok",), connection.execute("PRAGMA integrity_check").fetchone())
        return dict(connection.execute("SELECT entry, count(*) FROM medians GROUP BY entry"))
