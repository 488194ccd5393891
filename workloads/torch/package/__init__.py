"""graphbench in Python: the cells of a result, and sweeps of PyTorch steps from a script or a notebook.

Imports no torch. Step files import it too: there `eager` marks what mode piecewise does not capture."""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

in_worker = False  # graphbench's own Python process sets it
at_eager = None  # likewise, while a step runs in pieces: receives what eager() marked, and its arguments


class Error(Exception):
    """What the program said, or why it was not started. `code`: its exit code, or None."""

    def __init__(self, line, code=None):
        super().__init__(line)
        self.code = code


class Cells(list):
    """The cells of a result: dicts, as the document has them."""

    def to_pandas(self):
        """Returns a pandas.DataFrame: a row for each cell, columns such as summary.latency_seconds.p50."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("to_pandas() needs pandas: install it in this environment") from missing
        return pandas.json_normalize(self)


def load(source):
    """Returns the Cells of `source`: a document's path (str or Path), or what sweep() returned (dict)."""
    document = source
    if not isinstance(source, dict):
        document = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    if not isinstance(document, dict) or not str(document.get("schema")).startswith("graphbench.result/"):
        name = "this dict" if document is source else source
        raise Error(f"{name} is not the result of a sweep: give what `graphbench --sweep --json FILE` wrote")
    return Cells(document["cells"])


def eager(function):
    """Marks a callable of a step's list, or a function that a step calls, and returns a wrapper of it: mode
    piecewise runs it without a graph. A function at the top level of a module can also be marked by
    `function.graphbench_eager = True`."""
    @functools.wraps(function)
    def marked(*args, **kwargs):
        return at_eager(function, args, kwargs) if at_eager else function(*args, **kwargs)

    marked.graphbench_eager = True
    return marked


class Callables:
    """What callables() returns."""

    def __init__(self, callables, sample_args, step, **options):
        self.callables, self.sample_args, self.step, self.options = callables, sample_args, step, options


def callables(modules, sample_args, step, **options):
    """What `build` returns for a loop over modules or functions that mode torch.callables graphs, with their
    backward, by torch.cuda.make_graphed_callables: `step(modules)` runs them, as they are or graphed.

    `modules`: in the order in which they run. `sample_args`: a tuple of tensors for each, which require
    gradients where the loop's do. `options`: the API's, such as allow_unused_input."""
    modules, sample_args = tuple(modules), tuple(sample_args)
    if (not modules or len(modules) != len(sample_args) or not all(map(callable, (*modules, step)))
            or not all(isinstance(each, (tuple, list)) for each in sample_args)):
        raise TypeError("give callables(modules, sample_args, step) one or more callables, as many tuples of "
                        f"tensors, and a function: these are {len(modules)} and {len(sample_args)}")
    return Callables(modules, sample_args, step, **options)


def sweep(step, **options):
    """Measures a PyTorch step in processes of their own, and returns the document (dict).

    `step`: str "FILE.py:FUNCTION" or "example:NAME", or a function at the top level of an imported file.
    `options`: those of `graphbench --sweep`, with "_" for "-". Lists are joined with commas, True is a flag
    without a value, None and False leave the option out: sweep("step.py:build", batch=[1, 8], mode="eager").
    The interpreter is this one. What the program prints is printed. A sweep with failed cells returns its
    document; raises Error where the program ends otherwise."""
    if in_worker:
        raise Error("the processes that measure load the step file, so sweep() would call itself: put the "
                    'call into another file, or below `if __name__ == "__main__":`')
    options = {"python": sys.executable, "json": "-", **options}
    with tempfile.TemporaryFile() as written:
        code, line = run([*program(), "--sweep", f"--torch={step_of(step)}", *words_of(options)],
                         written if options["json"] == "-" else None)
        if code not in (0, 3):  # 3: some cells failed, and say why
            raise Error(line or f"graphbench ended with exit code {code}", code)
        written.seek(0)
        path = pathlib.Path(options["json"])
        text = written.read() or (path.read_bytes() if path.is_file() else b"")
    if not text.startswith(b"{"):  # such as the plan of --dry-run
        print(text.decode(errors="replace"), end="")
        raise Error(f"graphbench wrote no document: {line or 'it measured nothing'}", code)
    return json.loads(text)


def program():
    """The words that start the program: of $GRAPHBENCH_BINARY, the wheel, the environment, or PATH."""
    here, named = pathlib.Path(__file__).resolve().parent, os.environ.get("GRAPHBENCH_BINARY")
    if not named and (here / "bin/graphbench").is_file():
        return [sys.executable, str(here / "__main__.py")]  # it finds the libraries of NVIDIA's packages
    for place in [named] if named else [pathlib.Path(sys.executable).parent / "graphbench", "graphbench"]:
        if found := shutil.which(place):
            return [found]
    raise Error(f"GRAPHBENCH_BINARY: there is no program '{named}'" if named else
                "there is no program graphbench: add its folder to PATH, or name it by GRAPHBENCH_BINARY")


def step_of(step):
    if isinstance(step, str):
        return step
    name = getattr(step, "__name__", type(step).__name__)
    owner = sys.modules.get(getattr(step, "__module__", None))
    file = getattr(owner, "__file__", None)
    if getattr(owner, "__name__", "__main__") != "__main__" and getattr(owner, name, None) is step and file:
        return f"{file}:{name}"
    raise Error(f"the processes that measure cannot import {name}: write it as a function at the top level "
                'of a file, step.py (in a notebook: %%writefile step.py), and give sweep("step.py:build")')


def words_of(options):
    for name, value in options.items():
        if value is None or value is False:
            continue
        values = value if isinstance(value, (list, tuple, range)) else [value]
        text = "" if value is True else "=" + ",".join(map(str, values))
        yield f"--{name.replace('_', '-')}{text}"


def run(command, document):
    """Prints what the program prints, but for a document on stdout, which goes to the file `document`.
    Returns the exit code and the last message, such as a refusal."""
    last = ""
    pipes = {"stdout": document, "stderr": subprocess.PIPE} if document else {
        "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, **pipes, encoding="utf-8",
                          errors="replace") as process:
        try:
            for line in process.stderr if document else process.stdout:
                print(line, end="", flush=True)
                if line.startswith("graphbench: "):
                    last = line[len("graphbench: "):].strip()
        except BaseException:  # a notebook's interrupt reaches this process alone
            process.terminate()
            process.wait()
            raise
    return process.returncode, last
