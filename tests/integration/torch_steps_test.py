"""What judged.py and systems.py of tests/torch call wrong, and that each step is there."""

import contextlib
import copy
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from harness_case import BINARY, HarnessCase
from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/torch"))
import judged  # noqa: E402
import lanes  # noqa: E402
import systems  # noqa: E402

RIGHT = {"eager": "ok", "whole": "refused", "says": "aten::item at steps.py:", "why": "It waits."}


def cell(mode, batch=1, code=None, message="it waits for the device", **more):
    if code is None:
        return {"mode": mode, "batch": batch, "status": "ok", **more}
    status, reason = "failed", {"code": code, "message": message}
    if code in ("unsupported", "interrupted"):
        status = "skipped"
    return {"mode": mode, "batch": batch, "status": status, "reason": reason, **more}


def document(*cells):
    return {"cells": list(cells)}


class Judged(unittest.TestCase):
    def setUp(self):
        self.good = document(*(each for batch in (1, 4) for each in (
            cell("eager", batch),
            cell("whole", batch, "step_failed", "capture: aten::item at steps.py:7: it\nwaits"))))

    def faults(self, document, batches="1,4", **right):
        return judged.faults_of(document, {**RIGHT, **right}, batches)

    def test_what_is_right_has_no_fault(self):
        self.assertEqual([], self.faults(self.good))
        self.assertEqual([], self.faults(self.good, whole="any"))
        self.assertEqual([], self.faults(document(cell("eager"), cell("whole")), "1", whole="any"))
        skipped = document(cell("eager"), cell("whole", 1, "unsupported", "open: aten::item at steps.py:7"))
        self.assertEqual([], self.faults(skipped, "1"))

    def test_a_wrong_answer_is_found_in_either_mode(self):
        wrong = copy.deepcopy(self.good)
        wrong["cells"][3] = cell("whole", 4)
        self.assertEqual(["whole b4: ok, and right is refused"], self.faults(wrong))
        self.assertEqual(2, len(self.faults(self.good, whole="ok")))
        wrong["cells"][0] = cell("eager", 1, "check_failed", "no")
        self.assertEqual("eager b1: refused, and right is ok (check_failed: no)", self.faults(wrong)[0])

    def test_a_trouble_is_no_refusal(self):
        for code in ("worker_crashed", "worker_timeout", "interrupted"):
            lost = document(cell("eager"), cell("whole", 1, code, "aten::item at steps.py:7"))
            for answer in ("refused", "any"):
                self.assertRegex(self.faults(lost, "1", whole=answer)[0], f"^whole b1: lost, and .*{code}")
            self.assertEqual([], self.faults(lost, "1", whole="unjudged"))

    def test_a_doctor_that_disagrees_with_whole_is_found(self):
        good = document(cell("eager"), cell("whole"))
        refused = document(cell("eager"), cell("whole", 1, "check_failed"))
        lost = document(cell("eager"), cell("whole", 1, "worker_crashed"))
        for code, ran, agrees in ((0, good, True), (10, good, False), (0, refused, False),
                                  (10, refused, True), (1, refused, True), (1, good, False),
                                  (0, lost, True), (2, good, False), (-9, refused, False)):
            faults = list(judged.faults_of_doctor(code, "why", ran, "1"))
            self.assertEqual(agrees, not faults, (code, faults))
            self.assertTrue(all("why" in fault for fault in faults))

    def test_a_missing_document_or_cell_is_found(self):
        self.assertEqual(["no document"], self.faults(None))
        del self.good["cells"][2]
        self.assertEqual(["eager b4: no cell"], self.faults(self.good))
        self.assertEqual(4, len(self.faults(document())))

    def test_missing_words_are_found(self):
        faults = self.faults(self.good, says="cholesky_solve at")
        self.assertEqual(["whole b1", "whole b4"], [fault.partition(":")[0] for fault in faults])
        self.assertIn("does not say 'cholesky_solve at': step_failed: capture:", faults[0])
        self.assertEqual(2, len(self.faults(self.good, says="cholesky_solve at", whole="any")))
        self.assertEqual([], self.faults(self.good, says="item at steps.py:7: it waits"))
        self.assertEqual([], self.faults(self.good, says="step_failed"))

    def test_missing_remarks_are_found(self):
        said = document(*(cell(mode, check={"remarks": ["a", "no input reached it"]})
                          for mode in ("eager", "whole")))
        right = {"whole": "ok", "remarks": "no input reached"}
        self.assertEqual([], self.faults(said, "1", **right))
        said["cells"][1]["check"]["remarks"] = None
        self.assertEqual(["whole b1: no remark says 'no input reached': there is none"],
                         self.faults(said, "1", **right))

    def test_another_program_is_found(self):
        records = {"other_kernels": 0, "other_copies": 0}
        ran = document(cell("eager"), cell("whole", records=records))
        self.assertEqual([], self.faults(ran, "1", whole="ok", program="same"))
        for change in ({"other_kernels": 2}, {"other_copies": 1}):
            ran["cells"][1]["records"] = {**records, **change}
            self.assertEqual(1, len(self.faults(ran, "1", whole="ok", program="same")))
            self.assertEqual([], self.faults(ran, "1", whole="ok"))
        del ran["cells"][1]["records"]
        self.assertEqual(1, len(self.faults(ran, "1", whole="ok", program="same")))


class Systems(unittest.TestCase):
    """What tests/torch/systems.py calls wrong."""

    def test_counts_and_reasons_are_held_against_the_cell(self):
        counted = cell("torch.callables", library={"forward_graphs": 3, "torch": "2.11.0"},
                       records={"graphed_kernels": 35}, graph={"nodes": 0})
        for right, faults in (({"forward_graphs": 3, "graphed_kernels": 1}, []), (None, []), ({}, []),
                              ({"forward_graphs": 4}, ["forward_graphs is 3.0, not 4"]),
                              ({"graph.nodes": 1}, ["graph.nodes is 0.0, not 1"]),
                              (systems.API, [f"ok, without '{systems.API}'"])):
            self.assertEqual(faults, systems.faults_of(counted, right))
        refused = cell("torch.callables", 8, "unsupported", f"open: {systems.API}Modules must not")
        self.assertEqual([], systems.faults_of(refused, systems.API))
        self.assertEqual(["skipped"], systems.faults_of(refused, {}))
        failed = cell("torch.callables", 8, "check_failed", "a.grad differs from eager's")
        self.assertEqual([], systems.faults_of(failed, "grad"))
        self.assertEqual(1, len(systems.faults_of(failed, systems.API)))

    def test_each_step_is_there(self):
        for file, function in (name.split(":") for name in systems.CASES):
            text = (ROOT / "tests/torch" / file).read_text(encoding="utf-8")
            self.assertRegex(text, rf"(?m)^(def {function}\(|{function} = )", f"{file}:{function}")


class Program(unittest.TestCase):
    """Runs main() with a function in place of sweeps."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        table = {"planted": {"one": RIGHT, "two": RIGHT}}
        for name, value in (("expected", lambda: table), ("files_of", lambda group: {
                "one": pathlib.Path("planted.py"), "two": pathlib.Path("planted.py")})):
            patch = mock.patch.object(judged, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def main(self, documents, *more, said=""):
        def ended(command, log_path, limit):
            name = command[command.index("--json") + 1]
            step = pathlib.Path(name).stem.rpartition("_")[2]
            if step in documents:
                (log_path.parent / name).write_text(json.dumps(documents[step]), encoding="utf-8")
            return said

        words = ["judged.py", str(self.folder), "--graphbench", sys.executable, "--batch", "1", *more]
        output = io.StringIO()
        with mock.patch.object(sys, "argv", words), mock.patch.object(lanes, "ended", ended), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                code = judged.main()
            except SystemExit as exit_:
                code = exit_.code
        return code, output.getvalue().splitlines()

    good = document(cell("eager"), cell("whole", 1, "step_failed", "aten::item at steps.py:7"))

    def test_it_prints_a_line_per_step_and_counts(self):
        code, lines = self.main({"one": self.good, "two": self.good}, "--lanes", "1")
        self.assertEqual((0, 3, "right 2, wrong 0"), (code, len(lines), lines[-1]))
        self.assertRegex(lines[0], r"^planted/one: \d+ s right$")
        code, lines = self.main({"one": self.good, "two": document(cell("eager"), cell("whole"))})
        self.assertEqual((1, "right 1, wrong 1"), (code, lines[-1]))
        self.assertTrue(any(re.match(r"planted/two: \d+ s WRONG whole b1: ok, and right is", line)
                            for line in lines), lines)

    def test_a_sweep_without_a_document_is_wrong_also_where_an_older_one_lies(self):
        self.main({"one": self.good, "two": self.good})
        code, lines = self.main({"one": self.good}, said="ended after 3 s")
        self.assertEqual((1, "right 0, wrong 2"), (code, lines[-1]))  # `one` did not come to its end either
        self.assertIn("WRONG ended after 3 s; no document", "\n".join(lines))

    def test_what_was_not_begun_in_time_is_wrong(self):
        code, lines = self.main({"one": self.good, "two": self.good}, "--seconds", "5")
        self.assertEqual((1, "right 0, wrong 2"), (code, lines[-1]))
        self.assertIn("not begun within 5 s", lines[0])

    def test_names_that_do_not_exist_are_refused(self):
        for words, said in ((("--step", "one,three"), "--step: there is no step 'three' in planted"),
                            (("--group", "public"), "--group: there is no group 'public': take planted"),
                            (("--graphbench", "/no/such"), "--graphbench: there is no program '/no/such'")):
            code, lines = self.main({}, *words)
            self.assertEqual(2, code)
            self.assertIn(said, lines[-1])
        code, lines = self.main({"two": self.good}, "--step", "two")
        self.assertEqual((0, "right 1, wrong 0"), (code, lines[-1]))

    def test_an_example_needs_no_file(self):
        steps = {("examples", "one"): RIGHT}
        with mock.patch.object(judged, "chosen", lambda parser, arguments: steps), \
                mock.patch.object(judged, "files_of", lambda group: {}):
            code, lines = self.main({"one": self.good})
        self.assertEqual((0, "right 1, wrong 0"), (code, lines[-1]))

    def test_nothing_to_run_is_no_success(self):
        with mock.patch.object(judged, "chosen", lambda parser, arguments: {}):
            self.assertEqual((1, ["right 0, wrong 0"]), self.main({}))


class OnTheHost(HarnessCase):
    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_the_examples_are_those_that_are_installed(self):
        done = subprocess.run(
            [sys.executable, ROOT / "tests/torch/judged.py", self.folder, "--graphbench", BINARY, "--python",
             PYTHON, "--device", "host", "--group", "examples", "--step", "decode", "--batch", "1"],
            capture_output=True, text=True, check=False)
        line, _ = done.stdout.splitlines()
        self.assertRegex(line, r"^examples/decode: \d+ s WRONG whole b1: refused, .* needs a GPU: [^;]*$")
        found = json.loads((self.folder / "judged_examples_decode.json").read_text(encoding="utf-8"))
        self.assertEqual(["example-decode"], found["plan"]["axes"]["workload"])

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_a_real_sweep_is_judged(self):
        done = subprocess.run(
            [sys.executable, ROOT / "tests/torch/judged.py", self.folder, "--graphbench", BINARY, "--python",
             PYTHON, "--device", "host", "--group", "situations", "--step", "never_finite", "--batch", "1"],
            capture_output=True, text=True, check=False)
        self.assertEqual(1, done.returncode, done.stderr)
        line, count = done.stdout.splitlines()
        self.assertRegex(line, r"^situations/never_finite: \d+ s WRONG whole b1: the reason does not say "
                               r"'no finite element': unsupported: .* mode whole needs a GPU: [^;]*$")
        self.assertEqual("right 0, wrong 1", count)
        self.assertTrue((self.folder / "judged_situations_never_finite.json").exists())


class Lanes(unittest.TestCase):
    def test_how_a_sweep_ended_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            self.assertEqual("", lanes.ended([sys.executable, "-c", "raise SystemExit(3)"], log, 60))
            self.assertEqual("exit code 7: why", lanes.ended(
                [sys.executable, "-c", "print('why'); raise SystemExit(7)"], log, 60))
            for code in ("raise SystemExit(130)", "import os; os.kill(os.getpid(), 9)"):
                self.assertEqual("ended after 60 s", lanes.ended([sys.executable, "-c", code], log, 60))


class Table(unittest.TestCase):
    def test_has_an_entry_for_every_step_and_a_step_for_every_entry(self):
        table = judged.expected()
        self.assertEqual({"situations", "public", "planted", "models", "examples"}, set(table))
        for group, steps in table.items():
            with self.subTest(group):
                self.assertGreater(len(steps), 3 if group == "examples" else 20)
                self.assertEqual(sorted(judged.files_of(group)), sorted(steps))

    def test_a_step_has_one_file(self):
        for group in judged.expected():
            paths = [path for path in (ROOT / "tests/torch").glob(f"{group}*.py")]
            names = [name for path in paths for name in judged.builds_of(path)]
            self.assertEqual(len(set(names)), len(names), group)

    def test_entries_are_answers_with_a_reason(self):
        for group, steps in judged.expected().items():
            for name, right in steps.items():
                with self.subTest(f"{group}/{name}"):
                    self.assertLessEqual(set(right), {"eager", "whole", "says", "remarks", "program", "why"})
                    self.assertLessEqual({right["eager"], right["whole"]}, set(judged.ANSWERS))
                    self.assertRegex(right["why"], r"^\S.*\.$")
                    if "says" in right:
                        self.assertNotEqual("ok", right["whole"], "no reason is expected")
                    if "remarks" in right:
                        self.assertEqual("ok", right["whole"], "no ok cell is expected")
                    if group == "planted" and right["whole"] == "refused":
                        self.assertIn("says", right)  # refused with the cause

    def test_steps_of_threads_name_them(self):
        for path in sorted((ROOT / "tests/torch").glob("public_*.py")):
            text = path.read_text(encoding="utf-8")
            for name in judged.builds_of(path):
                docstring = text.split(f"def {name}(batch, device):\n", 1)[1].split('"""')[1]
                self.assertRegex(" ".join(docstring.split()), r"[.:] [\w.-]+/[\w.-]+#\d+$", name)


if __name__ == "__main__":
    unittest.main()
