"""Where output goes: the document, the samples, the table, progress, colours; and what a full disk does."""

import csv
import json
import os
import resource
import statistics
import subprocess

import numpy

from harness_case import BINARY, TINY, HarnessCase

ONE = [*TINY, "--workload", "mlp", "--mode", "eager"]
ESCAPE = "\x1b["
TWO = [*TINY, "--workload", "mlp", "--mode", "eager,whole", "--launches", "2"]


# A formula for a spreadsheet; a title and an erased screen for a terminal, C0, C1, an override of direction.
HOSTILE = '=HYPERLINK("http://e","x")\x1b]0;t\x07\x1b[2J\r\n\x00\x9b\u202e\u2028'


def texts_in(value, path=()):
    """The paths to all texts of a document."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, (dict, list)):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts_in(below, (*path, key))


def small_files():
    # A write beyond the limit fails with EFBIG, as one on a full disk fails with ENOSPC.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))


class Output(HarnessCase):
    def test_dash_gives_stdout_to_the_document_alone(self):
        done = self.run_graphbench(*ONE, "--json", "-", code=0)
        self.assertEqual("graphbench.result/1", json.loads(done.stdout)["schema"])
        self.assertIn("mlp", done.stderr)
        self.assertEqual([], os.listdir(self.folder))

    def test_progress_is_plain_lines_on_stderr_without_a_terminal(self):
        done = self.run_graphbench(*ONE, code=0)
        self.assertIn("worker 1/1", done.stderr)
        for text in (done.stdout, done.stderr):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\r", text)

    def test_a_result_is_shown_again(self):
        swept = self.run_graphbench(*TWO, code=0).stdout
        shown = self.run_graphbench("show", "graphbench.json", code=0).stdout
        self.assertEqual(swept.replace("; the result is in graphbench.json", ""), shown)
        page = self.run_graphbench("show", "graphbench.json", "--format", "markdown", code=0).stdout
        self.assertIn("\n\n|  | eager submit | eager latency | whole submit | whole latency | whole gain | "
                      "whole even |\n", page)
        self.assertTrue(page.startswith("- **mlp**: "), page)
        csv_of = ("show", "graphbench.json", "--format", "csv", "--columns")
        sheet = self.run_graphbench(*csv_of, "latency", code=0).stdout
        rows = list(csv.DictReader(sheet.splitlines()))
        for cell, row in zip(self.result()["cells"], rows, strict=True):
            self.assertEqual((cell["id"], str(cell["batch"])), (row["id"], row["batch"]))
            p50s = [launch["latency_seconds"]["p50"] for launch in cell["launches"]]
            shown = float(row["launches[].latency_seconds"])
            self.assertAlmostEqual(statistics.median(p50s), shown, places=12)
        sheet = self.run_graphbench(*csv_of, "gain,rate", code=0).stdout
        for name in ("speedup_over_eager", "throughput_over_eager"):
            self.assertIn(f",summary.{name},summary.{name}.ci95_low,summary.{name}.ci95_high", sheet)
        for arguments, said in (((), "FILE is missing"), (("none.json",), "none.json"),
                                (("graphbench.json", "--format", "xml"), "give table, markdown, csv"),
                                (("graphbench.json", "--columns", "latncy"), 'did you mean "latency"?')):
            self.assertIn(said, self.run_graphbench("show", *arguments, code=2).stderr)

    def test_no_text_of_a_document_moves_the_cursor_or_is_a_formula(self):
        self.run_graphbench(*TWO, "--json", "r.json", code=0)
        document = self.result("r.json")
        for cell in document["cells"]:
            cell["summary"] = {}  # a renamed mode has no eager cell to gain over
        failed = {**document["cells"][1], "batch": 3, "status": "failed",
                  "reason": {"code": "crashed", "message": "it did"}}
        document["cells"].append(failed)
        forms = [form for form in self.formats_of("show", "r.json") if form != "json"]
        shown = 0
        for place in sorted({tuple(key for key in path if isinstance(key, str))
                             for path in texts_in(document)}):
            changed = json.loads(json.dumps(document))
            for path in list(texts_in(changed)):
                if tuple(key for key in path if isinstance(key, str)) == place:
                    at = changed
                    for key in path[:-1]:
                        at = at[key]
                    at[path[-1]] = HOSTILE + at[path[-1]]
            for cell in changed["cells"]:
                words = [cell[key] for key in ("workload", "preset", "dtype", "pass")]
                cell["id"] = "/".join([*words, f"b{cell['batch']}", f"w{cell['warmup']}", cell["mode"]])
            self.write("hostile.json", json.dumps(changed))
            for form in forms:
                with self.subTest(place=place, form=form):
                    done = self.run_graphbench("show", "hostile.json", "--format", form)
                    self.assertIn(done.returncode, (0, 2), done.stderr)
                    shown += done.returncode == 0
                    self.assertNotRegex(done.stdout + done.stderr,
                                        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]")
                    if form == "csv":
                        rows = csv.reader(done.stdout.splitlines())
                        self.assertFalse([field for row in rows for field in row if field[:1] == "="])
        self.assertGreater(shown, 60)

    def test_quiet_leaves_the_conclusions(self):
        done = self.run_graphbench(*ONE, "--quiet")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        said = " ".join(done.stdout.split())
        self.assertEqual("mlp: " + " ".join(each["text"] for each in self.result()["conclusions"]), said)
        self.assertEqual("ok", self.result()["cells"][0]["status"])

    def test_a_terminal_shows_colours_unless_asked_not_to(self):
        self.assertIn(ESCAPE + "1m", self.run_on_terminal(*ONE))
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            shown = self.run_on_terminal(*ONE, **environment)
            for code in range(1, 98):
                self.assertNotIn(f"{ESCAPE}{code}m", shown)

    def test_a_full_disk_leaves_the_old_file_intact(self):
        self.write("graphbench.json", "the old file\n")
        done = self.run_graphbench(*ONE, preexec_fn=small_files, code=1)
        self.assertIn("graphbench.json", done.stderr)
        self.assertEqual("the old file\n", (self.folder / "graphbench.json").read_text())
        # The journal stays: what could be written of it is taken over once there is room.
        self.assertEqual(["graphbench.json", "graphbench.json.partial"], sorted(os.listdir(self.folder)))
        self.assertIn("mlp", done.stdout, "the table is shown all the same")

    def test_a_full_stdout_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ([*ONE, "--json", "-"], ["list", "modes"], ["--help"],
                              ["example", "decode"]):
                done = subprocess.run([BINARY, *arguments], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=120, check=False)
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertIn("stdout", done.stderr)

    def test_closed_standard_streams_do_no_harm(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", BINARY, *ONE],
                              cwd=self.folder, timeout=120, check=False)
        self.assertEqual(0, done.returncode)
        self.assertEqual("ok", self.result()["cells"][0]["status"])


class Samples(HarnessCase):
    """--samples: every sample in one file that NumPy opens without our code."""

    def test_numpy_opens_every_sample(self):
        self.run_graphbench(*TWO, "--json", "r.json", "--samples", "s.npz", code=0)
        document = self.result("r.json")
        table = numpy.load(os.path.join(self.folder, "s.npz"))
        ids = [cell["id"] for cell in document["cells"]]
        self.assertEqual(ids, [name.decode() for name in table["cells"]])
        self.assertEqual([b"latency", b"device"], list(table["passes"]))
        rows = {len(table[name]) for name in table.files if name not in ("cells", "passes")}
        self.assertEqual(1, len(rows))
        for index, cell in enumerate(document["cells"]):
            for launch in cell["launches"]:
                mine = (table["cell"] == index) & (table["launch"] == launch["index"])
                latency = mine & (table["pass"] == 0)
                self.assertEqual(len(launch["setups"]), table["placement"][latency].max())
                self.check_pass(table, latency, launch["latency_seconds"], "seconds")
                self.check_pass(table, latency, launch["submit_seconds"], "submit_seconds")
                self.check_pass(table, mine & (table["pass"] == 1), launch["device_seconds"], "seconds")
                first = table["seconds"][latency][:32]
                self.assertEqual(launch["ramp_seconds"], list(first))
        self.assertEqual(0, table["throttled"].sum())  # the host device reports no throttling
        self.assertTrue(numpy.isnan(table["submit_seconds"][table["pass"] == 1]).all())

    def check_pass(self, table, rows, summary, column):
        values, placement = table[column][rows], table["placement"][rows]
        self.assertEqual(summary["count"], (placement > 0).sum())
        each = [numpy.sort(values[placement == i]) for i in range(1, placement.max() + 1)]
        medians = [own[(len(own) + 1) // 2 - 1] for own in each]
        self.assertAlmostEqual(1, summary["p50"] / numpy.exp(numpy.log(medians).mean()), places=9)
        self.assertEqual(summary["max"], values[placement > 0].max())
        self.assertEqual(list(range(len(values))), list(table["order"][rows]))
        self.assertTrue((numpy.diff(table["started_ns"][rows]) > 0).all())

    def test_a_folder_that_is_missing_is_found_before_the_sweep(self):
        self.assert_refused(self.run_graphbench(*TWO, "--samples", "nowhere/s.npz"), "--samples")
        self.assertEqual([], os.listdir(self.folder))

    def test_no_name_of_a_file_hides_that_it_is_the_documents(self):
        os.mkdir(self.folder / "sub")
        self.refuse_each(((f"{option} {path}", (option, f'"{path}"')) for option, path in (
            ("--samples", "one"), ("--samples", "./one"), ("--trace", "sub/../one"), ("--samples", "-"),
            ("--trace", "-"))), *TWO, "--json", "one")
        self.assertEqual(["sub"], os.listdir(self.folder))
