#!/usr/bin/env python3
"""Serves three models of steps.py under three traffics each, and holds predictions against what was served.

    by_ladder.py OUTPUT_FOLDER [--step NAME,...] [--traffic NAME,...] [--mode whole] [--steps N]
        [--verify N] [--device DEVICE] [--graphbench PATH] [-- OPTION...]

Each traffic is served once from graphs and once eagerly; with --verify also, N times, from the sizes that
are suggested, as many powers of two, and an engine's default ones. The exit code is 0 if all are served with
their padding checked, at most one prediction is more than 5 % off, and no other list is certainly faster than
the suggested one; 1 if not; 2 for bad usage."""

import argparse
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT, MISSES_MAX = 0.05, 1
SIZES = "1,2,4,8,12,16,20"
MEASURED = "size,count\n1,30\n2,10\n3,25\n5,40\n7,10\n12,30\n14,5\n20,4\n28,2\n"
TRAFFICS = {"measured": ("traffic.csv", SIZES + ",28"), "uniform": ("uniform:1:20", SIZES),
            "zipf": ("zipf:1.1:20", SIZES)}


def serve(step, traffic, sizes, given, name):
    """The ladder's document, or None; and what was printed."""
    document = given.folder / f"ladder_{name}.json"
    document.unlink(missing_ok=True)
    done = subprocess.run(
        [given.graphbench, "ladder", "--torch", f"{HERE}/steps.py:{step}", "--python", given.python,
         "--device", given.device, "--mode", given.mode, "--traffic", traffic, "--capture-sizes", sizes,
         "--steps", str(given.steps), "--launches", str(given.verify or 1), "--no-rivals", "--suggest",
         "--quiet", "--json", document, *(["--verify", "--for", "vllm"] if given.verify else []),
         *given.more],
        capture_output=True, text=True, check=False)
    (given.folder / f"ladder_{name}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    return (json.loads(document.read_text(encoding="utf-8")) if document.exists() else None), done.stderr


def row_of(ladders):
    """What the table says of a served traffic, and how far the prediction is off."""
    asked = ladders["asked"]
    launch = asked["launches"][0]
    steps = asked["traffic"]["steps"]
    off = launch["predicted_seconds"] / launch["busy_seconds"] - 1
    over = asked["summary"]["over_eager"]
    memory = launch["memory"]
    megabytes = [f"{(memory[key] or 0) / 2**20:.0f}" for key in ("pool_bytes", "exec_bytes", "static_bytes")]
    return [f"{launch['busy_seconds'] / steps * 1e6:.0f}", f"{off:+.1%}", f"{over:.2f}x" if over else "-",
            f"{launch['hit_rate']:.0%}", f"{launch['padding']['waste']:.0%}", "/".join(megabytes),
            "same bits" if asked["check"]["identical"] else "near"], abs(off)


def rivals_of(document):
    """What other lists take over the suggested one, in words, and the names of the certainly faster ones."""
    said, faster = [], []
    for rival in [each for made in document["suggestions"] for each in made.get("rivals", [])]:
        low, high = rival.get("over_ci95") or (None, None)
        ratio = f"{rival['over']:.3f}x ({low:.3f}-{high:.3f})" if low else "unserved"
        said.append(f"{rival['name']} {ratio}")
        if high and high < 1:
            faster.append(rival["name"])
    return ", ".join(said), faster


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--step", default="decode,bert,resnet50")
    parser.add_argument("--traffic", default=",".join(TRAFFICS))
    parser.add_argument("--verify", type=int, default=0, help="launches")
    parser.add_argument("--mode", default="whole")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--graphbench", default=HERE.parents[1] / "build/release/bin/graphbench")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given = parser.parse_args(sys.argv[1:end])
    given.more = sys.argv[end + 1:]
    given.folder.mkdir(parents=True, exist_ok=True)
    measured = given.folder / "traffic.csv"
    measured.write_text(MEASURED, encoding="utf-8")
    failed, misses = [], []
    print("step       traffic        us/step  predicted  gain  hits  padding  pool/execs/static MiB  check")
    for step in given.step.split(","):
        for asked in given.traffic.split(","):
            name, (traffic, sizes) = f"{step}_{asked}", TRAFFICS[asked]
            traffic = traffic.replace("traffic.csv", str(measured))
            began = time.monotonic()
            document, said = serve(step, traffic, sizes, given, name)
            ladders = {each["role"]: each for each in (document or {}).get("ladders", [])}
            bad = next((each for each in ladders.values() if each["status"] != "ok"), None)
            if not ladders or bad:
                failed.append(f"{name}: {bad['reason'] if bad else said.strip()[-300:]}")
                print("failed:", failed[-1], flush=True)
                continue
            row, off = row_of(ladders)
            if off > LIMIT:
                misses.append(name)
            print(f"{step:10} {pathlib.Path(traffic).name:14}", *row, f"{time.monotonic() - began:.0f}",
                  sep="  ", flush=True)
            if given.verify:
                said, faster = rivals_of(document)
                print(f"{'':10} over the suggested sizes: {said}", flush=True)
                failed += [f"{name}: {each} is faster than what is suggested" for each in faster]
    print(f"{len(failed)} failed: {'; '.join(failed)}" if failed else "all served")
    print(f"{len(misses)} predictions more than {LIMIT:.0%} off{': ' if misses else ''}{', '.join(misses)}")
    return 1 if failed or len(misses) > MISSES_MAX else 0


if __name__ == "__main__":
    sys.exit(main())
