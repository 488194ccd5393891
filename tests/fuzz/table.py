#!/usr/bin/env python3
"""Fuzzes every reader for a number of executions, and prints what was tried and reached of each, as Markdown.
Exit code 1: something was found, or the committed examples are more than --corpus-mb.

    tests/fuzz/table.py build/asan                         the committed examples alone
    tests/fuzz/table.py build/asan --runs 1000000          at the size that each reader takes
    tests/fuzz/table.py build/asan --runs 100000000 --bytes 4096 --readers package --jobs 8

--jobs processes for each reader share its executions, each with a seed of its own. Executions and speeds are
sums, other numbers the largest of any process. --seconds limits the time for each reader."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "load"))
from service import read_options  # noqa: E402

STATS = {"executions": r"stat::number_of_executed_units: (\d+)",
         "per second": r"stat::average_exec_per_sec: +(\d+)",
         "edges": r"cov: (\d+)", "features": r"ft: (\d+)", "kept inputs": r"corp: (\d+)/"}


def commands_of(build):
    """The command of each reader's test, whose arguments are said once, in CMakeLists.txt."""
    shown = subprocess.run(["ctest", "--test-dir", build / "tests/fuzz", "--show-only=json-v1"],
                           check=True, capture_output=True, text=True).stdout
    tests = json.loads(shown)["tests"]
    if missing := [test["name"] for test in tests if "command" not in test]:
        sys.exit(f"table.py: {', '.join(missing)} are not built: ci/build asan --target sanitized_tests")
    return {test["name"].removeprefix("fuzz."): test["command"] for test in tests}


def fuzz(command, options):
    """Whether something was found, the row's numbers, and what the processes said."""
    *arguments, found, examples = (each for each in command if not each.startswith("-max_total_time"))
    arguments += [f"-runs={options.runs // options.jobs}", f"-max_total_time={options.seconds}"]
    if options.bytes:
        arguments.append(f"-max_len={options.bytes}")  # the last of a name counts
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
                for _ in range(options.jobs)]
        running = [subprocess.Popen([*arguments, f"-seed={1 + job}", found, examples], stderr=log,
                                    stdout=subprocess.DEVNULL) for job, log in enumerate(logs)]
        failed = [process.wait() != 0 for process in running]
        texts = [log.seek(0) or log.read() for log in logs]
    said = {name: [int(number) for text in texts for number in re.findall(pattern, text)[-1:]]
            for name, pattern in STATS.items()}
    sums = {name: sum(said.pop(name)) for name in ("executions", "per second")}
    texts = [text for text, bad in zip(texts, failed) if bad]
    return any(failed), {**sums, **{name: max(each, default=0) for name, each in said.items()}}, texts


def main():
    options = read_options(__doc__, program="build", runs=0, bytes=0, seconds=0, readers="", corpus_mb=2.0,
                           jobs=1)
    readers, corpus_bytes, failed = commands_of(options.build), 0, 0
    print("| reader | bytes at most | " + " | ".join(STATS) + " | examples | their bytes |")
    print("| --- |" + " ---: |" * (len(STATS) + 3))
    for reader, command in readers.items():
        if options.readers and reader not in options.readers.split(","):
            continue
        examples = [path.stat().st_size for path in pathlib.Path(command[-1]).iterdir()]
        corpus_bytes += sum(examples)
        bad, said, errors = fuzz(command, options)
        limit = options.bytes or next(each.split("=")[1] for each in command if each.startswith("-max_len"))
        row = [reader, limit, *said.values(), len(examples), sum(examples)]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        if bad:
            failed += 1
            print(*(text[-2000:] for text in errors), sep="\n", file=sys.stderr)
    if corpus_bytes > options.corpus_mb * 1e6:
        failed += 1
        print(f"the examples are {corpus_bytes} bytes, more than {options.corpus_mb} MB", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
