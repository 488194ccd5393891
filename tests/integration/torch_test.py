"""--torch: a step that PyTorch runs is a workload. On the host device it runs eagerly, from torch 1.13 on."""

import contextlib
import io
import json
import pathlib
import shutil
import signal
import sys
import textwrap
import types
import unittest
from unittest import mock

from client import wait_for
from harness_case import BINARY, HarnessCase
from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]
import every_mode  # noqa: E402
import graphbench_facts  # noqa: E402


STEPS = """
    import os
    import subprocess
    import torch

    def model(batch, device):
        torch.manual_seed(1)
        layer = torch.nn.Linear(8, 4).to(device)
        return layer, (torch.randn(batch, 8, device=device),)

    def on_two_devices(batch, device):
        layer = torch.nn.Linear(8, 4).to(device)
        layer.register_buffer("scale", torch.empty(1, device="meta"))
        return layer, (torch.randn(batch, 8, device=device),)

    def drawing(batch, device):
        return lambda: torch.rand(batch)

    def training(batch, device):
        layer = torch.nn.Linear(8, 4).to(device)
        optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
        x = torch.randn(batch, 8, device=device)
        def step():
            optimizer.zero_grad()
            loss = layer(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss
        return step

    def counting(batch, device):
        calls = []
        def step():
            calls.append(1)
            return torch.full((batch,), float(len(calls)))
        return step

    def advancing(batch, device):
        cache, at = torch.zeros(64, batch), torch.tensor([3])
        def step():
            cache.index_copy_(0, at, torch.ones(1, batch))
            at.add_(1)
            return cache.sum(0)
        return step

    class Unspeakable(Exception):
        def __str__(self):
            return str(1 / 0)

    def unspeakable(batch, device):
        raise Unspeakable

    def surrogate(batch, device):
        raise ValueError("bad \\udcff")

    def meta(batch, device):
        return lambda: torch.ones(batch, device="meta")

    def many(batch, device):
        x = torch.ones(batch)
        return lambda: [x * i for i in range(5000)]

    def failing(batch, device):
        if batch == 2:
            raise ValueError("two is too many")
        return lambda: torch.ones(batch).view(3, 5)  # the line that fails

    def leaving(batch, device):
        if batch == 2:
            os._exit(5)
        if batch == 4:
            os.closerange(0, 1000)
        left = subprocess.Popen(["sleep", "300"], start_new_session=True)
        with open("left", "a") as file:
            print(left.pid, file=file)
        print("printed to stdout" * 100_000)
        return lambda: torch.ones(batch)

    def beside(batch, device):
        import threading
        def spin():
            while True:
                sum(range(1000))
        threading.Thread(target=spin, name="spinner", daemon=True).start()
        return lambda: torch.ones(batch)

    def nothing(batch, device):
        return 7

    def importing(batch, device):
        import madeup
        return lambda: torch.full((batch,), madeup.VALUE)

    def each(batch, device):
        return CHOSEN[batch - 1](batch, device)

    CHOSEN = [model, on_two_devices, training, drawing, counting, advancing, unspeakable, surrogate, meta,
              failing, nothing]
"""
# Batches of `each`: to start a process that imports torch takes longer than to measure a step.
(MODEL, ON_TWO_DEVICES, TRAINING, DRAWING, COUNTING, ADVANCING, UNSPEAKABLE, SURROGATE, META, FAILING,
 NOTHING) = range(1, 12)


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class Torch(HarnessCase):
    def setUp(self):
        super().setUp()
        (self.folder / "step.py").write_text(textwrap.dedent(STEPS), encoding="utf-8")

    def sweep(self, function, *extra, batch="1,2", code=None):
        return self.run_graphbench(*self.sweep_of(function, *extra, batch=batch), code=code)

    @staticmethod
    def sweep_of(function, *extra, batch):
        brief = () if "--samples-max" in extra else ("--samples-max", "5", "--time-per-cell", "0.01")
        brief += () if "--launches" in extra else ("--launches", "1")
        return ("--sweep", "--device", "host", "--torch", f"step.py:{function}", "--python", PYTHON,
                "--batch", batch, *brief, *extra)

    def cells(self, function, *extra, code=0, **options):
        self.sweep(function, *extra, code=code, **options)
        self.assert_valid(self.result(), "result.schema.json")
        return {(cell["mode"], cell["batch"]): cell for cell in self.result()["cells"]}

    def test_what_one_step_is_costs_no_other_and_each_is_said(self):
        done = self.sweep("each", "--mode", "eager", batch="1:11:+1", code=3)
        document = self.result()
        self.assert_valid(document, "result.schema.json")
        self.assertIn("11 cells, 1 process", done.stderr)
        cells = {cell["batch"]: cell for cell in document["cells"]}
        for batch in (MODEL, TRAINING, DRAWING, ADVANCING):
            with self.subTest(batch):  # weights, optimizers and generators are put back before a check
                self.assertEqual(("ok", True), (cells[batch]["status"], cells[batch]["check"]["identical"]))
        self.assertEqual({"torch", "gc_seconds"}, set(cells[MODEL]["library"]))
        self.assertIsInstance(cells[MODEL]["library"]["torch"], str)
        self.assertIsInstance(cells[MODEL]["library"]["gc_seconds"], (int, float))
        self.assertEqual("skipped", cells[ON_TWO_DEVICES]["status"])
        self.assertEqual("open: the step is on several devices: the step holds scale on meta, but only cpu "
                         "is measured", cells[ON_TWO_DEVICES]["reason"]["message"])
        self.assert_says_what_is_state(cells[TRAINING]["check"])
        check = cells[COUNTING]["check"]
        self.assertEqual((False, "the step keeps state in Python: calls[2] appeared"),
                         (check["identical"], check["tolerated"]), check)
        self.assertIn(check["tolerated"], done.stdout)
        line = STEPS[:STEPS.index("# the line that fails")].count("\n") + 1
        for batch, words in ((UNSPEAKABLE, "Unspeakable, whose text cannot be made (ZeroDivisionError)"),
                             (SURROGATE, "ValueError: bad \\udcff"),
                             (META, "output 0 is on device meta or fake"),
                             (FAILING, "open: RuntimeError: shape '[3, 5]' is invalid for input of size "
                                       f"{FAILING} at step.py:{line}"),
                             (NOTHING, "must return a callable, (module, args), (module, args, kwargs), a "
                                       "list")):
            with self.subTest(batch):
                self.assertEqual("failed", cells[batch]["status"])
                self.assertIn(words, cells[batch]["reason"]["message"])

    def test_a_step_may_have_thousands_of_outputs(self):
        cell = self.cells("many", "--mode", "eager", batch="1")["eager", 1]
        self.assertEqual(("ok", True), (cell["status"], cell["check"]["identical"]), cell)

    def test_a_busy_thread_of_the_interpreter_is_said(self):
        done = self.sweep("beside", "--mode", "eager", batch="1", code=0)
        self.assertEqual("spinner", self.result()["cells"][0]["library"]["busy_threads"])
        self.assertIn("Python's thread spinner was busy", done.stdout)

    def assert_says_what_is_state(self, check):
        self.assertIn("weight (aten::addcdiv_ at step.py:27)", check["state"]["names"])
        self.assertEqual(check["state"]["bytes"], check["state"]["before_steps_bytes"])
        self.assertEqual("", check["inputs"]["kept_because"])
        self.assertLess(0, check["inputs"]["renewed"])

    def test_a_longer_sample_changes_no_verdict_and_small_state_is_put_back_before_each_step(self):
        cells = self.cells("each", "--mode", "eager", "--time-per-cell", "0.3", "--samples-max", "2000",
                           "--torch-inputs", "keep", batch=f"{TRAINING},{ADVANCING}")
        check = cells["eager", TRAINING]["check"]
        self.assertEqual((0, "--torch-inputs keep"),
                         (check["inputs"]["renewed"], check["inputs"]["kept_because"]))
        cell = cells["eager", ADVANCING]
        self.assertEqual(("ok", True), (cell["status"], cell["check"]["identical"]), cell)
        self.assertGreater(cell["launches"][0]["restore_seconds"], 0)  # its position would leave the cache

    def test_modes_that_a_host_lacks_are_one_sentence_and_the_file_is_loaded_once_a_process(self):
        with open(self.folder / "step.py", "a", encoding="utf-8") as file:
            file.write('print("loaded", file=open("loads", "a"))\n')
        done = self.sweep("model", "--split-ops", "linear", "--mode", "eager,whole,piecewise", code=0)
        self.assertEqual("loaded\n" * 4, (self.folder / "loads").read_text(encoding="utf-8"))
        for cell in self.result()["cells"]:
            if cell["mode"] == "eager":
                self.assertEqual(("ok", True), (cell["status"], cell["check"]["identical"]), cell)
                continue
            self.assertEqual("skipped", cell["status"])
            self.assertEqual(f"open: mode {cell['mode']} needs a GPU: the host device runs PyTorch's steps "
                             "only eagerly", cell["reason"]["message"])
        self.assertEqual(1, done.stdout.count("skipped unsupported: open: mode whole needs a GPU"))
        self.assertEqual(1, done.stdout.count("needs a GPU"))
        self.assertIn("(4 cells of whole, piecewise, first ", done.stdout)
        said = " ".join(done.stdout.split())
        self.assertEqual(1, said.count("No results of "), said)
        self.assertIn("No results of whole, piecewise at 1, 2 (unsupported).", said)

    def test_without_modes_it_measures_eager_alone_and_classes_no_step(self):
        done = self.sweep("model", "--launches", "1", code=0)
        model = self.result()
        self.assertEqual([("eager", 1, "ok"), ("eager", 2, "ok")],
                         [(cell["mode"], cell["batch"], cell["status"]) for cell in model["cells"]])
        self.assertIn("2 cells, 1 process", done.stderr)
        notes = [line for line in done.stdout.splitlines() if line.startswith("note: device `host`")]
        self.assertEqual(1, len(notes), done.stdout)
        self.assertIn("PyTorch's steps run only in mode eager, so nothing is said about graphs", notes[0])
        self.run_graphbench("report", "graphbench.json", "-o", "page.html", code=0)
        for text in (done.stdout, (self.folder / "graphbench.json").read_text(encoding="utf-8"),
                     (self.folder / "page.html").read_text(encoding="utf-8")):
            self.assertNotRegex(text, "(launch|device)-bound")
        self.sweep("training", "--launches", "1", code=0)  # a function is a workload of its own
        training = self.result()["plan"]
        self.assertEqual((["step-model"], ["step-training"]),
                         (model["plan"]["axes"]["workload"], training["axes"]["workload"]))
        self.assertNotEqual(model["plan"]["hash"], training["hash"])
        (self.folder / "graphbench.json").unlink()
        other = self.sweep("model", "--torch-hide-capture")
        self.assert_refused(other, "--torch-hide-capture", "would change no cell", "--mode whole")

    def test_a_profile_needs_a_device_that_sees_the_kernels(self):
        done = self.sweep("model", "--mode", "eager", "--profile", code=0)
        self.assertIn("note: no profile: the host device does not see the kernels of a step that a library "
                      "runs", " ".join(done.stdout.split()))
        self.assertNotIn("profile", self.result()["cells"][0])

    def test_an_exit_and_closed_descriptors_cost_their_batches_and_nothing_is_left_behind(self):
        done = self.sweep("leaving", "--mode", "eager", "--json", "-", batch="1,2,4,8", code=3)
        cells = {cell["batch"]: cell for cell in json.loads(done.stdout)["cells"]}
        self.assertEqual(["ok", "failed", "failed", "ok"], [cells[batch]["status"] for batch in (1, 2, 4, 8)])
        self.assertIn("exit code 5", cells[2]["reason"]["message"])
        self.assertIn("of batch 4", cells[4]["reason"]["message"])
        left = (self.folder / "left").read_text(encoding="ascii").split()
        self.assertGreater(len(left), 1)
        self.assertEqual([], [pid for pid in left if pathlib.Path("/proc", pid).exists()])

    def test_what_is_not_a_step_is_refused(self):
        for arguments, *words in ((["--torch", "step.py"], "--torch", "give FILE.py:FUNCTION"),
                                  (["--torch", "none.py:build"], "--torch", '"none.py" is not a file'),
                                  (["--torch", "example:"], "--torch", "or example:NAME"),
                                  (["--torch", "example:lama"], "--torch", '"lama" is not a step',
                                   "give convnet, decode, llama, train", 'mean "llama"'),
                                  (["--python", PYTHON], "--python", "give --torch"),
                                  (["--torch", "step.py:model", "--workload", "mlp"], "--workload", "leave"),
                                  (["--torch", "step.py:model", "--python", "none"], "--python", '"none"'),
                                  (["--torch", "step.py:none", "--python", PYTHON], "--torch",
                                   "has no function none")):
            with self.subTest(arguments):
                self.assert_refused(self.run_graphbench("--sweep", "--device", "host", *arguments), *words)
        other = self.sweep("model", "--mode", "torch.other")
        self.assert_refused(other, "--mode", "is not a mode of step-model")
    def test_each_example_step_passes_the_check_also_as_a_file_to_start_from(self):
        (self.folder / "own.py").write_text(self.run_graphbench("example", "decode", code=0).stdout,
                                            encoding="utf-8")
        listed = self.run_graphbench("list", "steps", "--format", "json", code=0).stdout
        for name in [step["name"] for step in json.loads(listed)["steps"]]:
            with self.subTest(name):
                step, shown = (("own.py:build", "own-build") if name == "decode" else
                               (f"example:{name}", f"example-{name}"))
                self.run_graphbench(
                    "--sweep", "--device", "host", "--torch", step, "--python", PYTHON, "--batch", "1,2",
                    "--mode", "eager", "--samples-max", "3", "--time-per-cell", "0.01", "--quiet", code=0)
                cells = self.result()["cells"]
                self.assertEqual([f"{shown}/own/own/own/b{batch}/w3/eager" for batch in (1, 2)],
                                 [cell["id"] for cell in cells])
                for cell in cells:
                    self.assertTrue(cell["check"]["identical"], cell["check"])
                    self.assertTrue(cell["check"]["inputs"]["renewed"], cell["check"])

    def test_an_interpreter_without_torch_or_behind_a_wrapper_is_told_apart(self):
        (self.folder / "old.d/torch").mkdir(parents=True)
        (self.folder / "old.d/torch/__init__.py").write_text('__version__ = "1.8.1"\n', encoding="utf-8")
        for name, script, words in (("empty", f"{PYTHON} -S -I", "has no torch"),
                                    ("old", f"env PYTHONPATH={self.folder}/old.d {PYTHON}",
                                     "PyTorch 1.8.1 of /usr/bin/python3 is too old: 1.13 is the least"),
                                    ("wrapper", f'true; {PYTHON} "$@"; exit', "a wrapper started")):
            with self.subTest(name):
                program = self.folder / name
                body = f"#!/bin/sh\n{script}\n" if name == "wrapper" else f'#!/bin/sh\nexec {script} "$@"\n'
                program.write_text(body, encoding="utf-8")
                program.chmod(0o755)
                done = self.run_graphbench("--sweep", "--device", "host", "--torch", "step.py:model",
                                           "--python", program)
                self.assert_refused(done, "--torch", words)

    def test_its_axes_are_in_ids_and_go_with_steps_alone(self):
        cell, = self.cells("model", "--torch-compile", "default", "--torch-hide-capture", "--mode", "whole",
                           batch="2").values()
        self.assertEqual(
            ("step-model/own/own/own/b2/w3/whole/torch-compile=default/torch-hide-capture=on", "skipped"),
            (cell["id"], cell["status"]))
        (self.folder / "graphbench.json").unlink()
        other = self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp", "--torch-compile",
                                    "default")
        self.assert_refused(other, "--torch-compile", "would change no cell")

    def test_what_a_resume_finds_changed_is_another_plan(self):
        def install(version):
            (self.folder / "madeup.py").write_text("VALUE = 2.0\n", encoding="utf-8")
            for old in self.folder.glob("madeup-*"):
                shutil.rmtree(old)
            (self.folder / f"madeup-{version}.dist-info").mkdir()
            (self.folder / f"madeup-{version}.dist-info/METADATA").write_text(
                f"Metadata-Version: 2.1\nName: madeup\nVersion: {version}\n", encoding="utf-8")

        install("1.2")
        journal = self.folder / "graphbench.json.partial"
        command = self.sweep_of("importing", "--mode", "eager", "--launches", "3", batch="1")
        process = self.start(*command)
        wait_for("a finished launch", lambda: journal.exists() and journal.read_text().count("\n") > 1)
        self.end(process, signal.SIGKILL)
        install("1.3")
        self.assertIn("belongs to another kind of device", self.run_graphbench(*command, code=2).stderr)
        install("1.2")
        step = self.folder / "step.py"
        text = step.read_text(encoding="utf-8")
        step.write_text(text + "\n", encoding="utf-8")
        self.assertIn("belongs to another plugins", self.run_graphbench(*command, code=2).stderr)
        step.write_text(text, encoding="utf-8")
        self.run_graphbench(*command, code=0)
        torch = self.result()["environment"]["device"]["libraries"]["torch"]
        self.assertTrue(torch.endswith(", madeup 1.2"), torch)


class Compilations(unittest.TestCase):
    def setUp(self):
        self.records = []
        self.utils = types.SimpleNamespace(
            counters={"stats": {"unique_graphs": 2}, "graph_break": {"a paragraph": 1}},
            get_compilation_metrics=lambda: self.records, clear_compilation_metrics=self.records.clear)
        self.enterContext(mock.patch.dict(sys.modules, {"torch._dynamo": mock.Mock(utils=self.utils)}))

    def compiles(self, line, reason=None):
        self.records.append(types.SimpleNamespace(co_filename="step.py", co_firstlineno=line,
                                                  recompile_reason=reason))

    def test_reasons_are_counted_but_for_the_first_compilation_of_an_opening(self):
        self.compiles(3, "another batch's size")
        self.compiles(3, "a  global\nchanged")
        self.compiles(7, "another batch's size")
        opened = graphbench_facts.compilations(opening=True, forget=True)
        self.assertEqual({"stats.unique_graphs": 2, "recompile_reason.a global changed": 1}, dict(opened))
        self.assertEqual({}, dict(graphbench_facts.compilations()))
        self.compiles(3, "a global changed")
        self.assertEqual({"recompile_reason.a global changed": 1}, dict(graphbench_facts.compilations()))

    def test_reasons_are_few_and_short_and_older_versions_have_none(self):
        for at in range(20):
            self.compiles(at, f"{at} " + "x" * 500)
        found = graphbench_facts.compilations(forget=True)
        reasons = [name for name in found if name.startswith("recompile_reason.")]
        self.assertEqual((8, {217}), (len(reasons), {len(reason) for reason in reasons}))
        self.records.append(types.SimpleNamespace(co_filename="step.py", co_firstlineno=1))
        self.assertEqual({}, dict(graphbench_facts.compilations()))
        del self.utils.get_compilation_metrics
        self.assertEqual({}, dict(graphbench_facts.compilations()))
        with mock.patch.dict(sys.modules):
            del sys.modules["torch._dynamo"]
            self.assertEqual({}, dict(graphbench_facts.compilations()))


class EveryMode(HarnessCase):
    def cell(self, mode, batch=1, status="ok", **more):
        return {"mode": mode, "batch": batch, "status": status, **more}

    def test_a_cell_has_its_latency_or_its_reason(self):
        summary = {"latency_seconds": {"p50": 2e-3}, "speedup_over_eager": None}
        graph = {"latency_seconds": {"p50": 5e-4}, "speedup_over_eager": 4.0}
        cells = [self.cell("eager", summary=summary),
                 self.cell("whole", summary=graph, records={"other_kernels": 2}),
                 self.cell("piecewise", status="skipped",
                           reason={"code": "unsupported", "message": "breaks"}),
                 self.cell("torch.cudagraphs", status="failed", reason={"code": "x", "message": "a\nb"}),
                 self.cell("torch.reduce-overhead", status="skipped",
                           reason={"code": "interrupted", "message": "ended"}),
                 self.cell("torch.callables", status="skipped",
                           reason={"code": "unsupported", "message": "breaks"})]
        (self.folder / "modes_gpt2.json").write_text(json.dumps({"cells": cells}), encoding="utf-8")
        lines, missing = every_mode.table_of(["gpt2", "hung"], self.folder, {"hung": "killed after 9 s"})
        self.assertEqual("| gpt2 | 1 | 2 ms | 500 us, 4.00x* | skipped [1] | failed [2] | skipped [3] | "
                         "skipped [1] |", lines[2])
        self.assertEqual(["1. breaks", "2. a b", "3. ended", "4. killed after 9 s"], lines[-4:])
        self.assertEqual(2 + len(every_mode.MODES), missing)

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_it_sweeps_each_step_within_its_time(self):
        output = io.StringIO()
        words = ["every_mode.py", str(self.folder), "--graphbench", BINARY, "--python", PYTHON, "--device",
                 "host", "--step", "layers,none", "--batch", "1", "--lanes", "1"]
        with mock.patch.object(every_mode, "MODES", ("eager", "whole")), \
                mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(output):
            self.assertEqual(1, every_mode.main(), output.getvalue())
        table = (self.folder / "modes.md").read_text(encoding="utf-8")
        self.assertRegex(table, r"\| layers \| 1 \| \S+ [um]s \| skipped \[1\] ")
        self.assertRegex(table, r"\d\. exit code 2: .*has no function none")
