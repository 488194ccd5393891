"""The Python package, each case in an interpreter of its own; and the example notebook."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import unittest

from harness_case import BINARY, HarnessCase
from torch_case import HAS_TORCH, PYTHON

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = 'mode="eager", device="host", launches=1, time_per_cell=0.01, samples_max=5, no_pin=True'

STEP = """
    import torch
    from graphbench import Error, eager, load, sweep

    def build(batch, device):
        x = torch.ones(batch, 4)

        @eager
        def double():
            return x * 2

        assert double.graphbench_eager
        return [double]

    def fails_at_two(batch, device):
        if batch == 2:
            raise ValueError("two is too many")
        return build(batch, device)

    def nested():
        def build(batch, device):
            pass
        return build

    short = lambda batch, device: build(batch, device)
"""


class PackageCase(HarnessCase):
    def setUp(self):
        super().setUp()
        packages = self.folder / "packages"
        packages.mkdir()
        (packages / "graphbench").symlink_to(ROOT / "workloads/torch/package")
        (self.folder / "step.py").write_text(textwrap.dedent(STEP), encoding="utf-8")

    def python(self, text, code=0, python=PYTHON, **extra):
        """Runs `text` as a script. Returns what it printed, or the last line of its exception."""
        extra.setdefault("GRAPHBENCH_BINARY", BINARY)
        environment = self.environment(PYTHONPATH=str(self.folder / "packages"), **extra)
        (self.folder / "script.py").write_text(textwrap.dedent(text), encoding="utf-8")
        done = subprocess.run([python, "-B", "script.py"], cwd=self.folder, env=environment, check=False,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr.splitlines()[-1]

    def raised(self, text, **options):
        return self.python("import graphbench\n" + textwrap.dedent(text), code=1, **options)


class Package(PackageCase):
    def test_importing_it_imports_no_torch(self):
        said = self.python("import sys, graphbench; print('torch' in sys.modules)")
        self.assertEqual("False", said.strip())

    def test_load_gives_the_cells_of_a_result(self):
        document = ROOT / "ci/baselines/h200.json"
        cells = json.loads(document.read_text(encoding="utf-8"))["cells"]
        said = self.python(f"""
            import json, pathlib, graphbench
            cells = graphbench.load("{document}")
            same = graphbench.load(json.loads(pathlib.Path("{document}").read_text()))
            print(len(cells), cells[0]["id"], type(cells[0]).__name__, isinstance(cells, list), same == cells)
            """)
        self.assertEqual(f"{len(cells)} {cells[0]['id']} dict True True", said.strip())

    def test_load_refuses_other_documents_by_name(self):
        (self.folder / "other.json").write_text('{"schema": "graphbench.history/1"}', encoding="utf-8")
        (self.folder / "list.json").write_text("[]", encoding="utf-8")
        for source, name in (('"other.json"', "other.json"), ('"list.json"', "list.json"),
                             ("{}", "this dict")):
            self.assertIn(f"graphbench.Error: {name} is not the result of a sweep",
                          self.raised(f"graphbench.load({source})"))

    def test_cells_become_a_table_where_pandas_is(self):
        fake = self.folder / "packages/pandas.py"
        fake.write_text("def json_normalize(cells):\n    return ['a table', type(cells).__mro__[1], cells]\n",
                        encoding="utf-8")
        said = self.python("import graphbench; print(graphbench.Cells([{'a': 1}]).to_pandas())")
        self.assertEqual("['a table', <class 'list'>, [{'a': 1}]]", said.strip())
        fake.write_text("raise ImportError('not here')\n", encoding="utf-8")
        self.assertEqual("ImportError: to_pandas() needs pandas: install it in this environment",
                         self.raised("graphbench.Cells().to_pandas()"))

    def test_eager_wraps_and_marks_by_attribute(self):
        self.assertEqual("function True 7 | ['function', (3,), {'b': 4}]", self.python("""
            import graphbench
            def function(a, b): return a + b
            marked = graphbench.eager(function)
            print(marked.__name__, marked.graphbench_eager, marked(3, b=4), end=" | ")
            graphbench.at_eager = lambda function, args, kwargs: [function.__name__, args, kwargs]
            print(marked(3, b=4))
            """).strip())

    def test_callables_of_the_wrong_form_are_refused(self):
        for wrong in ("[len], [(1,), (2,)], print", "[], [], print", "[len], [1], print", "[len], [(1,)], 3"):
            self.assertIn("TypeError: give callables(modules, sample_args, step) one or more callables, as ",
                          self.raised(f"graphbench.callables({wrong})"))

    def test_a_function_that_workers_cannot_import_is_refused_with_what_to_do(self):
        (self.folder / "step.py").write_text(textwrap.dedent(STEP).replace("import torch\n", ""),
                                             encoding="utf-8")
        for step, name in (("mine", "mine"), ("lambda batch, device: None", "<lambda>"),
                           ("step.short", "<lambda>"), ("step.nested()", "build"), ("print", "print"),
                           ("object().__str__", "__str__"), ("7", "int"), ("None", "NoneType")):
            with self.subTest(step):
                said = self.raised(f"import step\ndef mine(batch, device): pass\ngraphbench.sweep({step})")
                self.assertEqual(
                    f"graphbench.Error: the processes that measure cannot import {name}: write it as a "
                    "function at the top level of a file, step.py (in a notebook: %%writefile step.py), "
                    'and give sweep("step.py:build")', said)

    def test_a_refusal_of_the_program_is_raised_with_its_line_and_code(self):
        said = self.python("""
            import graphbench
            for options in ({"batch": 0}, {"bach": 1}, {"torch": "none.py:build"}):
                try:
                    graphbench.sweep(options.pop("torch", "step.py:build"), quiet=True, **options)
                except graphbench.Error as error:
                    print("raised:", error.code, error)
            """)
        lines = [line for line in said.splitlines() if line.startswith("raised:")]
        self.assertEqual(3, len(lines), said)
        self.assertRegex(lines[0], "^raised: 2 --batch: .*0")
        self.assertRegex(lines[1], "^raised: 2 .*--bach")
        self.assertRegex(lines[2], '^raised: 2 --torch: "none.py" is not a file')

    def test_a_program_that_is_missing_is_named(self):
        self.assertEqual("graphbench.Error: GRAPHBENCH_BINARY: there is no program '/no/such'",
                         self.raised('graphbench.sweep("step.py:build")', GRAPHBENCH_BINARY="/no/such"))
        self.assertIn("there is no program graphbench: add its folder to PATH",
                      self.raised('graphbench.sweep("step.py:build")', GRAPHBENCH_BINARY="", PATH="/no/such"))

    def test_it_is_found_on_the_path(self):
        said = self.python("import graphbench; print(graphbench.program())", GRAPHBENCH_BINARY="",
                           PATH=f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}")
        self.assertEqual(str([BINARY]), said.strip())

    def test_a_wheels_program_is_started_by_its_launcher(self):
        wheel = self.folder / "wheel/graphbench"
        (wheel / "bin").mkdir(parents=True)
        (wheel / "bin/graphbench").write_text("", encoding="utf-8")
        text = "import graphbench; print(graphbench.program())"
        shutil.copy(ROOT / "workloads/torch/package/__init__.py", wheel)
        (self.folder / "packages/graphbench").unlink()
        (self.folder / "packages/graphbench").symlink_to(wheel)
        self.assertEqual(str([PYTHON, str(wheel / "__main__.py")]),
                         self.python(text, GRAPHBENCH_BINARY="").strip())
        self.assertEqual(str([BINARY]), self.python(text).strip())

    def test_options_become_words(self):
        self.assertEqual(
            "--batch=1,8 --mode=eager,whole --time-per-cell=0.05 --quiet --batch=1,2", self.python("""
            import graphbench
            print(*graphbench.words_of({"batch": [1, 8], "mode": ("eager", "whole"), "time_per_cell": 0.05,
                                        "quiet": True, "no_pin": False, "cpu": None}),
                  *graphbench.words_of({"batch": range(1, 3)}))
            """).strip())


@unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no torch")
class Sweeps(PackageCase):
    def test_a_string_and_a_function_give_the_document(self):
        said = self.python(f"""
            import graphbench, json, pathlib, step
            text = graphbench.sweep("step.py:build", batch=[1, 2], {QUICK})
            function = graphbench.sweep(step.build, batch=2, {QUICK}, quiet=True, json="kept.json")
            for document in (text, function):
                print([(cell["id"], cell["status"]) for cell in graphbench.load(document)])
            print(function == json.loads(pathlib.Path("kept.json").read_text()))
            """)
        ok = [(f"step-build/own/own/own/b{batch}/w3/eager", "ok") for batch in (1, 2)]
        self.assertIn("2 cells: 2 ok", said)  # the program's own table
        self.assertEqual([str(ok), str(ok[1:]), "True"],
                         [line for line in said.splitlines() if line.startswith(("[(", "True"))])

    def test_a_failed_cell_is_in_the_document(self):
        said = self.python(f"""
            import graphbench
            for cell in graphbench.sweep("step.py:fails_at_two", batch=[1, 2], {QUICK})["cells"]:
                print("cell", cell["batch"], cell["status"], (cell.get("reason") or {{}}).get("message"))
            """)
        self.assertIn("cell 1 ok None\ncell 2 failed ", said)
        self.assertIn("two is too many", said)

    def test_a_sweep_inside_of_the_step_file_is_refused(self):
        (self.folder / "step.py").write_text(textwrap.dedent(STEP) + "sweep(__file__ + ':build')\n",
                                             encoding="utf-8")
        self.assertIn("the processes that measure load the step file, so sweep() would call itself",
                      self.raised('graphbench.sweep("step.py:build")'))

    def test_nothing_measured_is_no_document(self):
        self.assertIn("graphbench wrote no document: ",
                      self.raised(f'graphbench.sweep("step.py:build", dry_run=True, batch=1, {QUICK})'))

    def test_the_notebook_runs(self):
        notebook = json.loads((ROOT / "docs/first_table.ipynb").read_text(encoding="utf-8"))
        code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(code), 2)
        brief = [each.replace("time_per_cell=0.1", "time_per_cell=0.01, launches=1") for each in code]
        self.assertEqual(1, sum(one != other for one, other in zip(code, brief)))
        said = self.python(f"names = {{}}\nfor text in {brief!r}:\n    exec(text, names)\n")
        self.assertRegex(said, r"(?m)^eager 2 \d")
        self.assertRegex(said, r"(?m)^whole 2 \S")

    def test_piecewise_finds_functions_that_any_package_marked(self):
        said = self.python(f"""
            import gc, sys
            import graphbench  # before a worker's own
            def outside():
                def marked(): pass
                return graphbench.eager(marked)
            kept = outside()
            def by_hand(): pass
            by_hand.graphbench_eager = True
            def taken_back(): pass
            taken_back.graphbench_eager = False
            sys.path.insert(0, "{ROOT / 'workloads/torch'}")
            import graphbench_pieces
            found = filter(graphbench_pieces.is_marked, gc.get_objects())
            print("found", sorted(each.__name__ for each in found))
            """)
        self.assertIn("found ['by_hand', 'marked']", said)


if __name__ == "__main__":
    unittest.main()
