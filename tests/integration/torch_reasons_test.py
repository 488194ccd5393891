"""The doctor's answers: each reason has a section of docs/reference/capture-failures.md, whose examples do
what the page says; and the doctor on the host device. tests/torch/cures.py examines them on a GPU."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

from harness_case import BINARY, HarnessCase
from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workloads/torch"), str(ROOT / "tests/torch")]
import cures  # noqa: E402
from graphbench_reasons import CURES, Answer, section_of, with_section  # noqa: E402

SECTIONS = [section for section, _ in CURES]

PINNED = ("Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is "
          "pinned. "
          "Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.")
REFUSED = "CUDA error: operation not permitted when stream is capturing"
STALE = "a graph would replay what was captured"
# What the doctor says, most of it as it was seen on an H200.
REASONS = {
    "read-back": ["aten::item at step.py:3: it waits for the device",
                  "aten::item at backward: it waits for the device",
                  "aten::nonzero at step.py:3 (modeling.py:9): it waits for the device",
                  "aten::masked_select at step.py:3: it waits for the device",
                  "aten::unique at step.py:3: it waits for the device",
                  f"aten::index at step.py:3: {REFUSED}", f"aten::index_put_ at step.py:3: {REFUSED}",
                  "Tensor.cpu at step.py:3: it waits for the device, if its tensor is on the GPU"],
    "wait": ["Event.synchronize at step.py:3: it waits for the device",
             "Event.elapsed_time at step.py:3: it waits for the device",
             "Stream.synchronize at step.py:3: it waits for the device",
             "torch.cuda.synchronize at step.py:3: it waits for the device"],
    "print": [f"print of a tensor at step.py:3: {REFUSED}"],
    "host-memory": [f"aten::_to_copy at step.py:3: {PINNED}", f"aten::copy_ at step.py:3: {PINNED}",
                    f"aten::_to_copy at step.py:3: {REFUSED}",
                    f"the whole step: RuntimeError: {PINNED} at step.py:3"],
    "refused-op": [f"aten::bincount at step.py:3: {PINNED}", f"aten::cholesky_solve at step.py:3: {REFUSED}",
                   f"torchvision::nms at step.py:3: {REFUSED}",
                   "triton kernel double at step.py:3: the capture was invalidated",
                   f"the whole step: AcceleratorError: {REFUSED} at step.py:3",
                   "the whole step: KeyError: 3 at step.py:3"],
    "first-call": ["aten::mm at step.py:3: CUBLAS_STATUS_NOT_INITIALIZED (only at its first call)",
                   "needs one warm-up: aten::mm at step.py:3"],
    "own-graph": ["CUDAGraph.replay at step.py:3: the step replays graphs itself, which a capture cannot "
                  "hold: "
                  "take reduce-overhead, or the step's own graphs, out"],
    "generator": ["the whole step: RuntimeError: Attempt to increase offset for a CUDA generator not in "
                  "capture "
                  "mode. at step.py:3",
                  "the whole step: RuntimeError: Cannot construct a new CUDAGeneratorImpl during CUDA graph "
                  "capture. If you need this call to be captured, please file an issue.",
                  "the whole step: RuntimeError: Offset increment outside graph capture encountered "
                  "unexpectedly. at step.py:3",
                  "the whole step: Skip: the step draws from a generator of its own, which this PyTorch "
                  "cannot "
                  "register with a graph",
                  "the whole step: RuntimeError: Cannot call CUDAGeneratorImpl::set_current_seed during "
                  "CUDA graph "
                  "capture. at step.py:3"],
    "python-state": [f"the step keeps state in Python: net.count[2] appeared; {STALE}: keep it in a tensor",
                     f"the step does not repeat itself: from equal tensors and generators output 0 differs "
                     f"by 1, "
                     f"and nothing that was seen in Python explains it; {STALE}",
                     "the whole step: RuntimeError: Attempting CUDA graph capture of step() for an instance "
                     "of "
                     "Adam but param_groups' capturable is False. at step.py:3"],
    "captured-value": ["output 0 differs from eager's by 1 of the norm of eager's, and the limit is 0.002",
                       "state a tensor [] differs from eager's in 100 % of its elements",
                       "the update of w differs from eager's by 1 of the update's norm, and the limit is 0.3",
                       "after two steps in a row output 0 differs from eager's, after one it does not: the "
                       "second "
                       "step reads what the first one left, and the captured one does not",
                       "eager's step leaves w.grad, and this step does not",
                       "output 0 has another shape or type than eager's"],
    "another-stream": ["the whole step: RuntimeError: CUDA error: capturing stream has unjoined work",
                       "work went to another stream: output 0 differs from eager's"],
    "several-devices": ["the step is on several devices: the step holds w on cuda:1, but only cuda:0 is "
                        "measured"],
    "no-output": ["the graph is empty: the step enqueued nothing while it was captured",
                  "the step returned generator, in which no tensor was found, and wrote no tensor: run the "
                  "generator to its end in the step, and return what it yields",
                  "nothing can be compared: output 0 has no finite element"],
}


def found(op, reason, first=False):
    return {"op": op, "place": "step.py:3", "reason": reason, "first_call_only": first}


class Reasons(unittest.TestCase):
    def test_each_has_its_section(self):
        self.assertEqual(set(SECTIONS), set(REASONS))
        for section, reasons in REASONS.items():
            for reason in reasons:
                self.assertEqual(section, section_of(reason), reason)
                self.assertEqual(f"{reason} (capture-failures: {section})", with_section(reason))
        self.assertEqual("", with_section(""))

    def test_a_files_name_is_no_reason(self):
        for name in ("generator", "capturable=False", "unjoined", "pinned", "print"):
            for section, reasons in REASONS.items():
                for reason in reasons:
                    self.assertEqual(section, section_of(reason.replace("step.py", f"{name}.py")))

    def test_every_section_is_on_the_page_once_and_has_both_steps(self):
        text = cures.PAGE.read_text(encoding="utf-8")
        self.assertEqual(sorted(SECTIONS), sorted(re.findall(r"^## (.*)$", text, re.MULTILINE)))
        pairs = cures.examples(text)
        self.assertEqual(sorted(SECTIONS), sorted(pairs))
        for section, (before, after) in pairs.items():
            self.assertIn("def before():", before, section)
            self.assertNotIn("def after():", before, section)
            self.assertTrue(after.startswith(before), section)
            self.assertIn("def after():", after, section)

    def compare(self, *arguments):
        return subprocess.run([PYTHON, "-B", ROOT / "tests/torch/cures.py", "--compare", *arguments],
                              capture_output=True, text=True, check=False)

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_the_steps_of_each_example_return_the_same(self):
        done = self.compare()
        self.assertEqual((0, f"{len(SECTIONS)} examples, 0 wrong\n"), (done.returncode, done.stdout),
                         done.stderr)

    @unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
    def test_an_example_that_returns_something_else_is_found(self):
        text = cures.PAGE.read_text(encoding="utf-8")
        wrong = text.replace("        return x / x.max()\n", "        return x / x.min()\n")
        self.assertNotEqual(text, wrong)
        page = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "page.md"
        page.write_text(wrong, encoding="utf-8")
        done = self.compare("--page", page)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("read-back: `before` and `after` return different tensors\n", done.stdout)


class Examined(unittest.TestCase):
    """How tests/torch/cures.py judges what the doctor answers on a GPU."""

    def fault(self, section, name, code, sections=(), silent="", needs=()):
        return cures.fault_of(section, name, code, {
            "found": [{"section": each, "reason": "why"} for each in sections], "silent": silent and "why",
            "silent_section": silent, "needs_warm_up": list(needs)})

    def test_before_is_refused_with_its_section_and_after_is_not(self):
        self.assertEqual("", self.fault("print", "before", 10, ["read-back", "print"]))
        self.assertEqual("", self.fault("no-output", "before", 10, silent="no-output"))
        self.assertEqual("", self.fault("print", "after", 0, needs=["mm"]))
        for wrong in (("print", "before", 10, ["wait"]), ("print", "before", 0, ["print"]),
                      ("print", "before", 0), ("print", "after", 10, ["print"])):
            self.assertIn("exit code", self.fault(*wrong), wrong)

    def test_a_first_call_is_no_refusal(self):
        self.assertEqual("", self.fault("first-call", "before", 0, needs=["mm"]))
        self.assertEqual("", self.fault("first-call", "after", 0))
        self.assertIn("exit code 0", self.fault("first-call", "before", 0))
        self.assertIn("exit code 0", self.fault("first-call", "after", 0, needs=["mm"]))
        self.assertIn("exit code 10", self.fault("first-call", "before", 10, ["first-call"]))


class Answers(unittest.TestCase):
    """Of a GPU's findings, which the doctor gives to Answer."""

    def given(self, *arguments, **more):
        answer = Answer("step.py", 4, *arguments, **more)
        document = json.loads(answer.give("-")[1])
        self.assertEqual(answer.give("-")[0], answer.give("")[0])
        return (*answer.give(""), document)

    def test_where_nothing_stops_a_capture_it_is_said(self):
        code, text, document = self.given([])
        self.assertEqual((0, "nothing stops a capture\n"), (code, text))
        self.assertEqual({"schema": "graphbench.doctor/1", "step": "step.py", "batch": 4, "stops": False,
                          "found": [], "silent": "", "silent_section": "", "remarks": [], "needs_warm_up": [],
                          "undecided": ""}, document)

    def test_a_call_has_its_op_place_reason_and_section(self):
        code, text, document = self.given([found("aten::item", "it waits for the device")])
        self.assertEqual((10, "aten::item at step.py:3: it waits for the device (capture-failures: "
                              "read-back)\n"),
                         (code, text))
        self.assertEqual([{**found("aten::item", "it waits for the device"), "section": "read-back"}],
                         document["found"])

    def test_what_no_call_shows_has_a_section_too(self):
        code, text, document = self.given([], REASONS["captured-value"][0], ["output 1 has no element"])
        self.assertEqual((10, f"{REASONS['captured-value'][0]} (capture-failures: captured-value)\n"
                              "output 1 has no element\n"), (code, text))
        self.assertEqual(("captured-value", ["output 1 has no element"], True),
                         (document["silent_section"], document["remarks"], document["stops"]))

    def test_a_first_call_stops_nothing_and_needs_a_warm_up(self):
        cold = [found(f"aten::{name}", "CUBLAS_STATUS_NOT_INITIALIZED", True)
                for name in ("mm", "bmm", "addmm")]
        code, text, document = self.given([], cold=cold)
        self.assertEqual((0, "nothing stops a capture\nneeds one warm-up: aten::mm at step.py:3; aten::bmm "
                             "at "
                             "step.py:3, ... (capture-failures: first-call)\n"), (code, text))
        self.assertEqual([{"op": each["op"], "place": "step.py:3"} for each in cold],
                         document["needs_warm_up"])
        code, text, _ = self.given(cold[:1])
        self.assertEqual(0, code)
        self.assertIn("(only at its first call) (capture-failures: first-call)\nnothing stops", text)


STEPS = """
    import torch

    def build(step):
        def made(batch, device):
            x = torch.rand(batch, 64, device=device)
            return lambda: step(x)
        return made

    plain = build(lambda x: x * 2)
    item = build(lambda x: x * x.sum().item())
    branch = build(lambda x: x * 2 if x.sum() > 1 else x)
    mask = build(lambda x: x[x > 0.5])
    counted = build(lambda x: torch.bincount((4 * x).long().flatten()))
    to_cpu = build(lambda x: x.cpu() * 2)
    listed = build(lambda x: x * x.sum(1).tolist()[0])
    printed = build(lambda x: (print(x), x * 2)[1])
    hot = build(lambda x: torch.nn.functional.one_hot((4 * x).long(), 4))
    number = build(lambda x: x * float(x.max()) if int(x.min()) < 1 else x)
    ranged = build(lambda x: sum(x[:, i] for i in range((3 * x.max()).long())))
    close = build(lambda x: x * torch.allclose(x, x))
    filled = build(lambda x: torch.where(x > 0.5, x, torch.zeros_like(x)).masked_fill(x > 0.7, 3))

    def is_captured():
        try:  # a build of torch without CUDA cannot ask
            return torch.cuda.is_current_stream_capturing()
        except RuntimeError:
            return False

    guarded = build(lambda x: x if is_captured() else x * x.sum().item())
    both = build(lambda x: x * x.max().item() if is_captured() else x * x.cpu())
    none = build(lambda x: None)
    functions = build(lambda x: lambda: x * 2)
    no_input = lambda batch, device: lambda: torch.ones(batch, device=device)

    def generator(batch, device):
        x = torch.rand(batch, 64, device=device)
        def step():
            yield x * 2
        return step

    def counting(batch, device):
        x, at = torch.rand(batch, 64, device=device), [0]
        def step():
            at[0] += 1
            return x + at[0]
        return step

    def meta(batch, device):
        x, shape = torch.rand(batch, 64, device=device), torch.empty(3, device="meta")
        return lambda: x * len(shape)

    def failing(batch, device):
        return lambda: torch.ones(batch).view(3, 5)

    def no_step(batch, device):
        return 7
"""
UNDECIDED = "a GPU must decide: run the doctor on one, because device `host` captures nothing"
WAITS = "it waits for the device, if its tensor is on the GPU (capture-failures: "


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class OnTheHost(HarnessCase):
    ASKED = ("plain filled hot guarded no_input item branch number ranged close both mask counted to_cpu "
             "listed printed none generator functions counting meta failing").split()

    @classmethod
    def setUpClass(cls):
        """Asks about all functions in children of one interpreter: an import of torch takes longer."""
        super().setUpClass()
        with tempfile.TemporaryDirectory() as folder:
            step = pathlib.Path(folder) / "step.py"
            step.write_text(textwrap.dedent(STEPS), encoding="utf-8")
            done = subprocess.run(
                [PYTHON, "-B", ROOT / "tests/torch/doctors.py",
                 pathlib.Path(BINARY).parents[1] / "lib/graphbench", step, *cls.ASKED],
                capture_output=True, text=True, check=True)
        cls.answers = json.loads(done.stdout)

    def setUp(self):
        super().setUp()
        (self.folder / "step.py").write_text(textwrap.dedent(STEPS), encoding="utf-8")

    def doctor(self, function, *more, code):
        return self.run_graphbench("doctor", "--torch", f"step.py:{function}", "--python", PYTHON, *more,
                                   code=code)

    def lines(self, function, code):
        ended, said, complaint = self.answers[function]
        self.assertEqual(code, ended, said + complaint)
        lines = said.splitlines()
        self.assertIn(UNDECIDED, lines[-1])
        return lines

    def test_where_nothing_is_found_a_gpu_must_decide(self):
        for function in ("plain", "filled", "hot", "guarded"):
            self.assertEqual([f"found nothing that stops a capture; {UNDECIDED}"], self.lines(function, 0))
        lines = self.lines("no_input", 0)
        self.assertEqual(f"found nothing that stops a capture; {UNDECIDED}", lines[-1])

    def test_calls_that_always_wait_are_named_with_line_and_section(self):
        for function, op, section in (
                ("item", "aten::item", "read-back"), ("branch", "aten::item", "read-back"),
                ("number", "aten::item", "read-back"), ("ranged", "aten::item", "read-back"),
                ("close", "aten::item", "read-back"), ("both", "aten::item", "read-back"),
                ("mask", "aten::index", "read-back"), ("counted", "aten::bincount", "refused-op"),
                ("to_cpu", "Tensor.cpu", "read-back"), ("listed", "Tensor.tolist", "read-back"),
                ("printed", "print of a tensor", "print")):
            with self.subTest(function):
                line = STEPS[:STEPS.index(f"    {function} = ")].count("\n") + 1
                self.assertEqual([f"{op} at step.py:{line}: {WAITS}{section})", UNDECIDED],
                                 self.lines(function, 10))

    def test_what_is_returned_and_kept_is_said(self):
        for function, words, section in (
                ("none", "the step returned NoneType, in which no tensor was found", "no-output"),
                ("generator", "run the generator to its end in the step", "no-output"),
                ("functions", "return a list of callables", "no-output"),
                ("counting", "the step keeps state in Python: at[0] went from 2 to 3; a graph would replay "
                             "what was "
                             "captured: keep it in a tensor", "python-state"),
                ("meta", "the step holds shape on meta", "several-devices")):
            with self.subTest(function):
                lines = self.lines(function, 10)
                self.assertEqual(2, len(lines), lines)
                self.assertIn(words, lines[0])
                self.assertTrue(lines[0].endswith(f" (capture-failures: {section})"), lines[0])

    def test_the_document_is_complete(self):
        self.doctor("item", "--device", "host", "--batch", "4", "--json", "doctor.json", code=10)
        document = json.loads((self.folder / "doctor.json").read_text(encoding="utf-8"))
        each, = document.pop("found")
        self.assertEqual({"schema": "graphbench.doctor/1", "step": str(self.folder / "step.py"), "batch": 4,
                          "stops": True, "silent": "", "silent_section": "", "remarks": [],
                          "needs_warm_up": [],
                          "undecided": UNDECIDED}, document)
        self.assertEqual(("aten::item", "read-back"), (each["op"], each["section"]))
        self.assertEqual({"op", "place", "reason", "section", "first_call_only"}, set(each))
        done = self.doctor("counting", "--device", "host", "--json", "-", code=10)
        self.assertEqual(("python-state", []),
                         tuple(json.loads(done.stdout)[name] for name in ("silent_section", "found")))

    def test_exit_codes_and_refusals(self):
        code, _, complaint = self.answers["failing"]
        self.assertEqual(1, code)
        self.assertIn("RuntimeError: shape '[3, 5]' is invalid", complaint)
        self.assertIn("the function must return a callable", self.doctor("no_step", code=1).stderr)
        for arguments, words in ((["--torch", "step.py:no", "--python", PYTHON], "has no function no"),
                                 (["--torch", "step.py:plain", "--python", PYTHON, "--device", "cuda:9"],
                                  "give --device host"),
                                 (["--torch", "step.py:plain", "--json", "no/x.json"], "no/x.json"),
                                 (["--torch", "step.py:plain", "--batch", "1,2"], "give one"),
                                 ([], "give --torch")):
            with self.subTest(arguments):
                self.assertIn(words, self.run_graphbench("doctor", *arguments, code=2).stderr)

    def test_what_the_profiler_writes_to_stderr_is_dropped_and_what_the_step_writes_is_not(self):
        script = f"""
            import os, sys, types
            from unittest import mock
            sys.path[:0] = [{str(ROOT / "workloads/torch")!r}]
            import torch, graphbench_doctor as doctor
            class Profile:
                def __init__(self, activities): pass
                start = stop = events = lambda self: os.write(2, b"WARNING: kineto\\n") and []
            with mock.patch.object(torch.profiler, "profile", Profile), \\
                    mock.patch.object(torch.cuda, "synchronize"):
                assert not doctor.work_of(lambda: os.write(2, b"the step's own\\n"))
            os.write(2, b"the end\\n")
        """
        done = subprocess.run([PYTHON, "-B", "-c", textwrap.dedent(script)], capture_output=True, text=True,
                              check=False)
        self.assertEqual((0, "the step's own\nthe end\n"), (done.returncode, done.stderr))

    def test_a_step_that_bears_no_dispatch_mode_is_run_without_one(self):
        script = f"""
            import contextlib, sys
            sys.path[:0] = [{str(ROOT / "workloads/torch")!r}]
            import graphbench_doctor_host as host
            ran, modes = [], []
            class Doctor(host.HostDoctor):
                @contextlib.contextmanager
                def watching(self, ops=True):
                    modes.append(ops)
                    with super().watching(ops):
                        yield

            def step():
                ran.append(bool(modes and modes.pop()))
                if ran[-1]:
                    raise NotImplementedError("an operator of higher order has no rule for this mode")
            Doctor("step.py").watch(step)
            assert ran == [False, True, True, False], ran
            try:
                Doctor("step.py").watch(lambda: 1 / 0)
            except ZeroDivisionError:
                print("raised")
        """
        done = subprocess.run([PYTHON, "-B", "-c", textwrap.dedent(script)], capture_output=True, text=True,
                              check=False)
        self.assertEqual((0, "raised\n", ""), (done.returncode, done.stdout, done.stderr))


if __name__ == "__main__":
    unittest.main()
