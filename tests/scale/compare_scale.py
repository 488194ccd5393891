#!/usr/bin/env python3
"""How long, and in how much memory, `graphbench compare` takes for two large documents.

    compare_scale.py BINARY [--cells 10000] [--launches 5] [--slower 10] [--keep FOLDER]

Writes two documents with every field that the schema requires, one of them with a few cells 10 % slower.
Compares them three times and prints the best time, the peak memory and the verdict's last lines. Not a test:
times depend on the machine."""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HEAD = """{"schema":"graphbench.result/1","tool":{"version":"0.1.0","commit":"0123456789ab"},
"started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T04:04:05Z","complete":true,
"environment":{"hostname":"large","os":"Linux","cpu":"CPU","cores":16,"device":{"kind":"cuda","name":"GPU",
"uuid":"GPU-0","compute_capability":"9.0","memory_bytes":1,"driver":"1","runtime":"1","libraries":{}},
"fingerprint":"00ff"},"plan":{"hash":"00aa","method":2,"argv":[],"seed":1,"launches":%d,
"axes":{"workload":["mlp"],
"preset":["base"],"dtype":["bf16"],"pass":["forward"],"batch":[1],"warmup":[0],"mode":["whole"]}},
"cells":[
"""

FIXED = ('"check":{"reference":"eager","identical":true,"max_abs_error":0.0},'
         '"graph":{"pieces":1,"nodes":24,"captured_ops":24,"eager_ops":0},'
         '"memory":{"weights_bytes":1,"pool_bytes":1,"pool_bytes_private":1}')


def summary(median):
    return (f'{{"count":500,"min":{median * 0.98:.9g},"p50":{median:.9g},"p90":{median * 1.02:.9g},'
            f'"p99":{median * 1.05:.9g},"max":{median * 1.2:.9g},"mean":{median * 1.01:.9g},'
            f'"stddev":{median * 0.01:.9g}}}')


def launch(index, draw, factor):
    return (f'{{"index":{index},"setup":{{"warmup_seconds":0.001,"capture_seconds":{draw(1e-4):.9g},'
            f'"instantiate_seconds":0.0002,"upload_seconds":0.00003,"first_step_seconds":0.0001}},'
            f'"submit_seconds":{summary(draw(5e-6))},"latency_seconds":{summary(draw(1e-4 * factor))},'
            f'"device_seconds":{summary(draw(9e-5 * factor))},"throughput_steps_per_second":9000.5}}')


def cell(batch, warmup, launches):
    return (f'{{"id":"mlp/base/bf16/forward/b{batch}/w{warmup}/whole","workload":"mlp","preset":"base",'
            f'"dtype":"bf16","pass":"forward","batch":{batch},"warmup":{warmup},"mode":"whole","status":"ok",'
            f'{FIXED},"launches":[{",".join(launches)}],'
            f'"summary":{{"speedup_over_eager":null,"breakeven_steps":null}}}}')


def drawing(seed):
    """What gives times around a median."""
    generator = random.Random(seed)
    return lambda median: median * (1 + 0.002 * generator.gauss(0, 1))


def write(path, cells, launches, slower, seed):
    draw = drawing(seed)
    path.write_text(HEAD % launches + ",\n".join(
        cell(i + 1, 0, [launch(k, draw, 1.1 if i < slower else 1) for k in range(launches)])
        for i in range(cells)) + "]}\n", encoding="utf-8")


def measure(command):
    """Wall seconds, CPU seconds, peak resident kilobytes, exit code and stdout of one run."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return (elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, process.returncode,
                out.read().decode())


def best_of_three(*command):
    """Stdout of the first run, what the runs took in words, and their exit codes."""
    runs = [measure(command) for _ in range(3)]
    took = (f"{min(run[0] for run in runs):.2f} s ({min(run[1] for run in runs):.2f} s of CPU), "
            f"{max(run[2] for run in runs) / 1e3:.0f} MB, exit code {runs[0][3]}")
    return runs[0][4], took, {run[3] for run in runs}


def read_arguments(description, **numbers):
    """The binary, these numbers and where documents are kept; and the words beside them."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("binary")
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--keep", type=pathlib.Path, help="write the documents here and leave them")
    return parser.parse_known_args()


def main():
    arguments, _ = read_arguments(__doc__, cells=10_000, launches=5, slower=10)
    with tempfile.TemporaryDirectory(prefix="graphbench-scale-") as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        base, new = folder / "base.json", folder / "new.json"
        write(base, arguments.cells, arguments.launches, 0, 1)
        write(new, arguments.cells, arguments.launches, arguments.slower, 2)
        megabytes = (base.stat().st_size + new.stat().st_size) / 1e6
        said, took, codes = best_of_three(arguments.binary, "compare", base, new)
    print("".join(line + "\n" for line in said.splitlines()[-5:]))
    print(f"{arguments.cells} cells of {arguments.launches} launches a side, {megabytes:.0f} MB: {took}")
    return 0 if codes <= {0, 10} else 1


if __name__ == "__main__":
    sys.exit(main())
