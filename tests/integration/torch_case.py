"""The interpreter for tests of PyTorch's steps."""

import subprocess

PYTHON = "/usr/bin/python3"
# Not by an import, which takes two seconds of CPU in each test program.
HAS_TORCH = subprocess.run(
    [PYTHON, "-c", "import importlib.util; raise SystemExit(importlib.util.find_spec('torch') is None)"],
    check=False).returncode == 0
