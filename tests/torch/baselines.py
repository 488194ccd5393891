#!/usr/bin/env python3
"""Measures the documents of PyTorch steps that ci/baselines keeps, with launches added until gains are known.

    baselines.py OUTPUT_FOLDER [--step NAME,...] [--launches N,N] [--device DEVICE] [--graphbench PATH]
        [--python PATH] [-- OPTION...]

Each step of steps.py is one document, CARD-torch-STEP.json, of batches 1, 8 and 32. If a gain's interval is
wider than 10 % of the gain to either side, the step is measured again with the next number of launches. The
exit code is 0 if all gains are known as well, 1 if some are not or a cell failed; 2 for bad usage."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 0.10  # half of an interval, of the gain
# In the order in which they are wanted: the first six, then more as time allows.
STEPS = {"llama": "eager,whole,piecewise", "static_cache": "eager,whole,piecewise",
         "bert": "eager,whole,piecewise", "resnet50": "eager,whole", "convnext": "eager,whole",
         "train_bert": "eager,whole", "vit": "eager,whole,piecewise", "gpt2": "eager,whole,piecewise",
         "whisper": "eager,whole,piecewise", "mixture": "eager,whole,piecewise"}


def card_of(document):
    """The card's name as files have it: `h200` of "NVIDIA H200", `h100` of "NVIDIA H100 80GB HBM3"."""
    return document["environment"]["device"]["name"].removeprefix("NVIDIA ").split()[0].lower()


def measure(step, launches, given):
    """The step's document, or None; and what was printed."""
    path = given.folder / "measured.json"
    path.unlink(missing_ok=True)
    done = subprocess.run(
        [given.graphbench, "--sweep", "--device", given.device, "--torch", f"{HERE}/steps.py:{step}",
         "--python", given.python, "--mode", STEPS[step], "--batch", "1,8,32", "--launches", str(launches),
         "--torch-hide-capture", "on", "--quiet", "--json", path, *given.more],
        capture_output=True, text=True, check=False)
    if not path.exists():
        return None, done.stdout + done.stderr
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)
    for here, anywhere in ((f'"{HERE}/', '"tests/torch/'), (f'"{given.python}"', '"python3"'),
                           (f'"{path}"', f'"{path.name}"')):  # a baseline keeps no folder of the machine
        text = text.replace(here, anywhere)
    (given.folder / f"{card_of(document)}-torch-{step}.json").write_text(text, encoding="utf-8")
    path.unlink()
    return document, done.stdout + done.stderr


def unknown(document):
    """Cells that failed, and gains that are not known well enough, in words."""
    said = []
    for cell in document["cells"]:
        name = f"b{cell['batch']} {cell['mode']}"
        if cell["status"] != "ok":
            said.append(f"{name} {cell['status']}: {cell['reason']['message'][:160]}")
            continue
        gain, ends = (cell["summary"].get(f"speedup_over_eager{end}") for end in ("", "_ci95"))
        if cell["mode"] == "eager":
            continue
        if not gain or not ends:
            said.append(f"{name}: no interval of its gain")
        elif max(gain - ends[0], ends[1] - gain) > WIDTH * gain:
            said.append(f"{name}: {gain:.2f}x ({ends[0]:.2f}-{ends[1]:.2f})")
    return said


def numbers(text):
    found = [int(each) for each in text.split(",")]
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give positive numbers, such as 5,10")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--step", default=",".join(STEPS))
    parser.add_argument("--launches", type=numbers, default="5,10")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--graphbench", default=HERE.parents[1] / "build/release/bin/graphbench")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given = parser.parse_args(sys.argv[1:end])
    given.more = sys.argv[end + 1:]
    if not os.access(given.graphbench, os.X_OK):
        parser.error(f"--graphbench: there is no program {given.graphbench}: build it, or name another")
    if strange := set(given.step.split(",")) - set(STEPS):
        parser.error(f"--step: '{min(strange)}' is not one of {', '.join(STEPS)}")
    try:
        given.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"{given.folder}: {error.strerror}: give a folder")
    missed = []
    for step in given.step.split(","):
        for launches in given.launches:
            began = time.monotonic()
            document, printed = measure(step, launches, given)
            (given.folder / f"{step}.log").write_text(printed, encoding="utf-8")
            said = unknown(document) if document else [printed.strip()[-300:]]
            print(f"{step}, {launches} launches, {time.monotonic() - began:.0f} s:",
                  "; ".join(said) or "every gain is known to 10 %", flush=True)
            if not said or document is None:
                break
        missed += [step] if said else []
    print(f"not known as well: {', '.join(missed)}" if missed else "all known")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
