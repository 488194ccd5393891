"""The command `graphbench` of the Python package: becomes the program that the package contains."""

import importlib.util
import os
import pathlib
import sys

PROGRAM = pathlib.Path(__file__).resolve().parent / "bin" / "graphbench"


def environment():
    """Says which interpreter has the user's packages, and in which folders NVIDIA's have their libraries."""
    variables = dict(os.environ)
    variables.setdefault("GRAPHBENCH_PYTHON", sys.executable)
    nvidia = importlib.util.find_spec("nvidia")
    folders = [variables.get("GRAPHBENCH_CUDA_LIBRARIES", "")]
    for base in (nvidia.submodule_search_locations or ()) if nvidia else ():
        folders += map(str, sorted(pathlib.Path(base).glob("*/lib")))
    variables["GRAPHBENCH_CUDA_LIBRARIES"] = ":".join(filter(None, folders))
    return variables


def main():
    os.execve(PROGRAM, ["graphbench", *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
