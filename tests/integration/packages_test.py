"""Packages as a person makes and runs them, on the host: compile, inspect, sweep, and what is refused."""

import re
import resource
import shutil
import signal

from client import wait_for
from harness_case import BINARY, TINY, HarnessCase

COMPILE = ["compile", "--device", "host", "--workload", "mlp", "--preset", "tiny", "--batch", "1,2",
           "--weights", "w", "-o", "p.gbp"]
# As TINY, without what a package says itself.
SWEEP = [word for word in TINY if word not in ("--batch", "1,2")]
FILES = ["--package", "p.gbp", "--weights", "w"]


class Packages(HarnessCase):
    def compile(self, *arguments, code=0):
        return self.run_graphbench(*COMPILE, *arguments, code=code)

    def refused(self, *arguments, said):
        done = self.run_graphbench(*arguments, code=2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(said, done.stderr)

    def cells(self, *arguments):
        cells = self.measure(*SWEEP, "--quiet", *arguments)[2]
        self.assert_ok(cells.values())
        return cells

    def test_runs_in_every_mode_what_was_compiled(self):
        said = self.compile().stdout
        self.assertIn("p.gbp: ", said)
        self.assertIn("1 programs, 0 library choices;", said)
        packaged = self.cells(*FILES)
        built = self.cells("--workload", "mlp", "--preset", "tiny", "--batch", "1,2")
        self.assertEqual(set(packaged), set(built))
        self.assertEqual({"eager", "whole", "piecewise"}, {id.split("/")[-1] for id in packaged})
        for name, cell in packaged.items():
            self.assertEqual(cell["graph"], built[name]["graph"], name)
            self.assertNotIn("package", built[name])
            use = cell["package"]
            self.assertEqual(use["bytes"], (self.folder / "p.gbp").stat().st_size)
            self.assertEqual(use["weights_bytes"], (self.folder / "w").stat().st_size)
            self.assertGreater(use["load_seconds"], use["verify_seconds"])
            self.assertGreater(use["first_step_seconds"], 0)
            self.assertNotIn("plans", use)

    def test_inspect_says_what_is_inside(self):
        self.compile("--method", "infer=forward:tiny", "--method", "learn=training:tiny", "--general")
        said = self.run_graphbench("package", "inspect", "p.gbp", "--programs", code=0).stdout
        self.assert_all_in(("for host; mlp, fp32, attention auto, epilogues on; ",
                            "batches 1 2, and any other", "method   infer: forward of tiny",
                            "method   learn: training of tiny", "section  manifest",
                            "section  program/learn/before", "section  choices", "section  seal",
                            "tensor   ", "graphbench program 1\n"), said)
        tensors = [line for line in said.splitlines() if line.startswith("tensor")]
        self.assertFalse([line for line in tensors if line.endswith(")")], "methods share what is equal")
        self.assertEqual({"forward", "training"}, {id.split("/")[3] for id in self.cells(*FILES)})
        other = self.cells(*FILES, "--batch", "7", "--pass", "forward")
        self.assertEqual({"b7"}, {id.split("/")[4] for id in other})
        cells = self.cells(*FILES, "--pass", "training", "--evaluate", "--mode", "whole")
        self.assertTrue(all(cell["training"]["evaluation"]["identical"] for cell in cells.values()))

    def test_presets_and_attention_are_the_packages_own(self):
        self.run_graphbench("compile", "--device", "host", "--workload", "attention", "--batch", "2",
                            "--attention", "decomposed", "--method", "a=forward:tiny", "--method",
                            "b=forward:base", "--weights", "w", "-o", "p.gbp", code=0)
        self.assertIn("(b)", self.run_graphbench("package", "inspect", "p.gbp", code=0).stdout)
        cells = self.cells(*FILES, "--mode", "whole")
        self.assertEqual(["attention/tiny/fp32/forward/b2/w0/whole/attention=decomposed"], list(cells))
        self.refused(*SWEEP, *FILES, "--preset", "huge", said="--preset: \"huge\" is not in")

    def test_a_sweep_runs_the_program_that_was_compiled(self):
        self.compile("--epilogues", "off", "--method", "f=forward:tiny", "--method", "t=training:tiny")
        cells = self.cells(*FILES, "--batch", "2", "--mode", "whole")
        way = "mlp/tiny/fp32/forward/b2/w0/whole/epilogues=off"
        self.assertEqual({way, "mlp/tiny/fp32/training/b2/w0/whole"}, set(cells))
        self.assertEqual(56, cells[way]["graph"]["nodes"])

    def test_options_that_exclude_each_other_are_refused(self):
        self.compile()
        for option, value in (("workload", "mlp"), ("dtype", "fp32"), ("set", "mlp.hidden=64"),
                              ("attention", "fused"), ("epilogues", "off"), ("optimizer", "sgd")):
            self.refused(*SWEEP, *FILES, f"--{option}", value,
                         said=f"--{option}: the option is for building programs")
        self.refused(*SWEEP, "--package", "p.gbp",
                     said="--package: the option does nothing without --weights: give --weights too")
        self.refused(*SWEEP, "--weights", "w", said="--weights: the option does nothing without --package")
        self.refused(*SWEEP, *FILES, "--batch", "2,3",
                     said="--batch: 3 is not in \"%s\": the package has 1, 2, "
                          "and was compiled without --general"
                     % (self.folder / "p.gbp").resolve())
        self.refused(*SWEEP, *FILES, "--pass", "training", said="--pass: \"training\" is not in")
        self.refused("bench", *FILES, said="the option belongs to --sweep")
        self.refused("ab", "--base", BINARY, *FILES, said="ab does not accept this option")

    def test_files_that_are_not_right_are_refused(self):
        self.compile()
        package, weights = ((self.folder / name).read_bytes() for name in ("p.gbp", "w"))
        others = {"w": "w2", "p.gbp": "p2.gbp", "mlp": "conv"}
        self.run_graphbench(*[others.get(word, word) for word in COMPILE], code=0)
        self.refused(*SWEEP, "--package", "p.gbp", "--weights", "w2", said="--weights: ")
        for name, content, option, said in (
                ("p.gbp", package[:-9], "--package", "section seal: the section is cut short"),
                ("p.gbp", package.replace(b"host", b"tost", 1), "--package",
                 "section manifest: the section does not match"),
                ("w", weights[:-4096] + b"x" + weights[-4095:], "--weights", "tensor "),
                ("w", weights[:-1], "--weights", "the file is cut short")):
            (self.folder / "p.gbp").write_bytes(package)
            (self.folder / "w").write_bytes(weights)
            (self.folder / name).write_bytes(content)
            self.refused(*SWEEP, *FILES, said=f"{option}: ")
            self.refused(*SWEEP, *FILES, said=said)
            if name == "p.gbp":
                self.refused("package", "inspect", "p.gbp", said=said)
        self.refused(*SWEEP, "--package", "none", "--weights", "w", said="cannot be read")

    def memory_of(self, *arguments):
        """What compile prints of memory, in bytes."""
        said = self.run_graphbench(*COMPILE, *arguments, "--cache", "off", code=0).stdout
        numbers = re.search(r"device memory in bytes: peak (\d+), peak of weights (\d+), "
                            r"still used after a method was compiled (\d+); not counted: workspace (\d+), "
                            r"tuning (\d+); host memory of weights: (\d+)$", said, re.M).groups()
        return dict(zip(("program", "weights", "between", "workspace", "tuning", "host"), map(int, numbers)))

    def test_low_memory_has_one_methods_weights_and_a_little_buffer(self):
        methods = ["--method", "a=forward:tiny", "--method", "b=training:tiny", "--method", "c=forward:base"]
        files = {}
        for way in ("OFF", "ON"):
            memory = self.memory_of(*methods, "--low-memory", way)
            files[way] = [(self.folder / name).read_bytes() for name in ("p.gbp", "w")]
            tensors = [line.split() for line in
                       self.run_graphbench("package", "inspect", "p.gbp", code=0).stdout.splitlines()
                       if line.startswith("tensor")]
            large = sum(int(words[2]) for words in tensors if words[-1] == "(c)")
            total = sum(int(words[2]) for words in tensors)
            self.assertGreater(total, large)
            self.assertEqual((memory["weights"], memory["between"], memory["tuning"]), (large, 0, 0), way)
            self.assertGreater(memory["program"], large)
            if way == "OFF":
                self.assertEqual(memory["host"], total)
            else:
                self.assertLessEqual(memory["host"], 1 << 20)
                self.assertLessEqual(memory["weights"] + memory["host"], 1.05 * large)
        self.assertEqual(files["OFF"], files["ON"])

    def test_low_memory_loads_a_package_through_a_little_buffer(self):
        self.compile("--method", "c=forward:base")
        for way, staging in (("OFF", False), ("ON", True)):
            cells = self.cells(*FILES, "--mode", "whole", "--low-memory", way)
            for name, cell in cells.items():
                self.assertEqual(cell["package"].get("low_memory", False), way == "ON", name)
                self.assertEqual(cell["package"]["staging_bytes"] <= 1 << 20, staging, name)
                memory = cell["memory"]
                self.assertEqual(memory["weights_bytes_max"], memory["weights_bytes"], name)
                peak = memory["peak_bytes"]
                self.assertGreater(peak["load"], memory["weights_bytes"], name)
                self.assertEqual((peak["build"], peak["between_methods"]), (None, 0), name)

    def test_words_of_low_memory_are_ON_and_OFF(self):
        for word in ("on", "off", "1", "true"):
            self.refused(*COMPILE, "--low-memory", word,
                         said=f"--low-memory: \"{word}\" is not valid: give ON or OFF")
        self.compile()
        for word in ("on", "YES"):
            self.refused(*SWEEP, *FILES, "--low-memory", word,
                         said=f"--low-memory: \"{word}\" is not valid: give OFF, ON")
        self.refused(*SWEEP, "--low-memory", "ON",
                     said="--low-memory: the option does nothing without --package")

    def test_a_package_with_general_kernels_runs_at_any_batch(self):
        self.compile("--general")
        for arguments in ([], ["--batch", "3"], ["--io", "copy_in_out"]):
            self.assertTrue(self.cells(*FILES, *arguments))

    def test_bad_input_to_compile_is_refused(self):
        for arguments, said in (
                (["--arch", "sm_1"], "--arch: \"sm_1\" is not a known architecture: give host, sm_75"),
                (["--arch", "sm_90"], "--arch: \"sm_90\" is not an architecture of device kind host"),
                (["--method", "x"], "--method: \"x\" is not a method: give NAME=PASS:PRESET"),
                (["--method", "x=backward:tiny"], "--method: \"backward\" is not a pass"),
                (["--method", "x=forward:huge"], "--method x: "),
                (["--method", "x=forward:tiny", "--method", "x=training:tiny"], "give each method once"),
                (["--workload", "mpl"], "--workload"), (["--device", "tpu"], "--device"),
                (["--arch", "ptx"], "--arch: \"ptx\" is not a known architecture"),
                (["--epilogues", "none"],
                 "--epilogues: \"none\" is not a value of epilogues: give on, off, joined"),
                (["--attention", "none"], "--attention: \"none\""), (["--dtype", "fp7"], "--dtype: \"fp7\""),
                (["--plugin", "none.so"], "--plugin: "), (["--cache", "/dev/null"], "--cache: ")):
            self.refused(*COMPILE, *arguments, said=said)
        self.refused(*COMPILE[:-1], "w", said="is also the package's file")
        self.refused("package", said="the command needs an action: give inspect")
        self.refused("package", "inspect", said="FILE is missing")
        self.assertEqual([], list(self.folder.iterdir()))

    def test_without_space_the_old_files_stay(self):
        self.compile()
        before = {name: (self.folder / name).read_bytes() for name in ("p.gbp", "w")}
        limit = (2000, 2000)
        for way in ("OFF", "ON"):
            done = self.run_graphbench(*[word.replace("1,2", "4") for word in COMPILE], "--low-memory", way,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
                                       code=1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(before, {path.name: path.read_bytes() for path in self.folder.iterdir()})

    def compile_plugin(self, name):
        return ["compile", "--device", "host", "--plugin", self.plugin(name), "--workload", name, "--preset",
                "tiny", "--batch", "1", "--weights", "w", "-o", "p.gbp", "--worker-timeout", "2"]

    def test_a_plugin_that_ends_its_process_ends_no_compilation_well(self):
        loading, building = "while the file was loaded", "while the program of method forward was built"
        for name, how, during in (("open_exit", "ended with exit code 0", loading),
                                  ("open_crash", "crashed with SIGSEGV", loading),
                                  ("open_hang", "was silent for more than 2 s", loading),
                                  ("build_exit", "ended with exit code 0", building),
                                  ("build_crash", "crashed with SIGSEGV", building),
                                  ("build_hang", "was silent for more than 2 s", building)):
            with self.subTest(plugin=name):
                done = self.run_graphbench(*self.compile_plugin(name))
                option = "--plugin" if during == loading else "--workload"
                self.assert_refused(done, f"graphbench: {option}: ", f"{name}.so\" {how} {during}")
                self.assertEqual([], list(self.folder.iterdir()))

    def test_an_interruption_leaves_no_file(self):
        for by in (signal.SIGINT, signal.SIGTERM):
            process = self.begin("compile", "--device", "host", "--workload", "mlp", "--preset", "base",
                                 "--batch", "1", "--method", "a=forward:base", "--low-memory", "ON",
                                 "--weights", "w", "-o", "p.gbp", restore_signals=True)
            wait_for("the weights' temporary file", lambda: list(self.folder.glob(".w.*.tmp")), 60)
            done = self.end(process, by)
            self.assert_refused(done, "graphbench: interrupted: no package was written", code=130)
            self.assertEqual([], list(self.folder.iterdir()))

    def test_ops_of_a_plugin_need_the_same_file(self):
        plugin = self.plugin("good_op")
        self.run_graphbench("compile", "--device", "host", "--plugin", plugin, "--workload", "good_op",
                            "--preset", "tiny", "--batch", "1", "--weights", "w", "-o", "p.gbp", code=0)
        said = self.run_graphbench("package", "inspect", "p.gbp", code=0).stdout
        self.assertIn("plugin   good_op.so", said)
        self.cells(*FILES, "--plugin", plugin)
        self.refused(*SWEEP, *FILES, said="plugins: the package has ops of \"good_op.so\"")
        other = self.folder / "other.so"
        shutil.copy(plugin, other)
        with other.open("ab") as file:
            file.write(b"\0")
        self.refused(*SWEEP, *FILES, "--plugin", other, said="which no --plugin has: give that file")
