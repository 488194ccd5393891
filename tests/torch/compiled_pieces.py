#!/usr/bin/env python3
"""Compiled pieces of a decoder that splits at attention, beside whole, pieces by breaks and
torch.reduce-overhead: sweeps it, judges what the document says of the code, and prints one table.

    compiled_pieces.py OUTPUT_FOLDER [--graphbench BINARY] [--python PYTHON] [--launches N] [--batch LIST]
        [--part facts|table]

Cells run in graphs and without (eager), with code for their size and with general code. A launch takes about
five minutes. OUTPUT_FOLDER gets inductor.json, own.json, compiled_pieces.json, and a log of each. Exit codes:
0 all is right, 1 some is not, 2 bad usage, 77 no GPU."""

import argparse
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
SEEN = "COMPILED_PIECES_SEEN"  # the file for what Inductor's configuration was while it compiled
LAYERS, FEWER, KEY = 6, 2, "emulate_precision_casts"


@functools.cache
def model_on(device, layers=LAYERS):
    import steps  # beside this file, as graphbench finds it

    torch.manual_seed(1)
    model = steps.Llama(layers=layers, width=1024, heads=8)
    return model.to(device, torch.bfloat16 if device.type == "cuda" else None).eval()


def decoder(batch, device, layers=LAYERS):
    """Layers of width 1024, one token behind a static cache of 511."""
    model = model_on(device, layers)
    ids, at = torch.randint(32000, (batch, 1), device=device), torch.tensor([511], device=device)
    caches = [[torch.randn(batch, 8, 512, 128, device=device, dtype=model.head.weight.dtype)
               for _ in range(2)] for _ in model.layers]
    return model.requires_grad_(False), (ids, caches, at)


def watched(batch, device):
    """Fewer layers, while each compilation notes Inductor's configuration."""
    from torch._inductor import config

    def note(graph):
        with open(os.environ[SEEN], "a", encoding="utf-8") as file:
            file.write(f"{getattr(config, KEY)}\n")

    config.post_grad_custom_post_pass = note
    return decoder(batch, device, FEWER)


def of_own_weights(batch, device):
    """A model for each batch, which one trace does not serve."""
    model_on.cache_clear()
    return decoder(batch, device, FEWER)


def swept(arguments, name, function, *options, **environment):
    """The cells of a sweep's document, by what tells them apart."""
    path, log = arguments.folder / f"{name}.json", arguments.folder / f"{name}.log"
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(
            [arguments.graphbench, "--sweep", "--device", "cuda", "--torch", f"{__file__}:{function}",
             "--python", arguments.python, "--torch-compile", arguments.compile, "--torch-cache", "keep",
             "--json", path, *options],
            stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **environment}, timeout=arguments.limit,
            check=False)
    if not path.exists():
        said = log.read_text(encoding="utf-8")[-3000:]
        sys.exit(f"{name}: exit code {done.returncode}, see {log}:\n{said}")
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def way_of(cell):
    axes = [f"{name.removeprefix('torch-')}={cell[name]}"
            for name in ("torch-compile", "torch-dynamic", "torch-inductor") if name in cell]
    return " ".join([cell["mode"], *axes])


def faults_of(cell, batches, tuned, layers=LAYERS):
    """What is wrong with a cell, in words."""
    if cell["status"] != "ok":
        return [f"{cell['status']}: {cell['reason']['message'][:300]}"]
    faults, check, facts = [], cell["check"], cell.get("library") or {}
    if not check["identical"] and not check.get("tolerated"):
        faults.append("not checked")
    if cell["mode"] != "piecewise":
        return faults
    pieces, split_at = cell["graph"]["pieces"], facts["split_at"]
    if pieces != layers + 1 or split_at != f"scaled_dot_product_attention x{layers}":
        faults.append(f"{pieces} pieces, split at {split_at}")
    if "torch-compile" not in cell:
        return faults
    batch, setup = cell["batch"], cell["launches"][0]["setup"]
    general = cell.get("torch-dynamic") == "on" and batch not in tuned
    compiled = setup.get("compiled_pieces") or []
    own = not general or facts["traced_at"] == batch  # 1 has a trace of its own, as torch's guards say
    if own and (len(compiled) != layers + 1 or facts["compiled_at"] != batch):
        faults.append(f"{len(compiled)} pieces compiled here, at {facts['compiled_at']}")
    if not own and (compiled or facts["compiled_at"] != max(batches)):
        faults.append(f"{len(compiled)} pieces compiled again, at {facts['compiled_at']}")
    if batch not in (1, max(batches)) and facts["traced_at"] != max(batches):
        faults.append(f"traced at {facts['traced_at']}")
    if any(piece["compile_seconds"] <= 0 or not piece.get("compiled_from") for piece in compiled):
        faults.append("a piece without seconds or source")
    if own and not setup.get("compile_seconds"):
        faults.append("no compile_seconds")
    if cell.get("torch-dynamic") == "on" and cell.get("tuned") != (batch in tuned):
        faults.append(f"tuned: {cell.get('tuned')}")
    return faults


def latency_of(cell):
    """In microseconds, with the interval over launches, or within the only one."""
    if not (found := cell.get("summary", {}).get("latency_seconds")):
        return "-"
    interval = found.get("ci95") or cell["launches"][0]["latency_seconds"]["p50_ci95"]
    return f"{found['p50'] * 1e6:.1f} ({interval[0] * 1e6:.1f}-{interval[1] * 1e6:.1f})"


def judge(cells, batches, tuned):
    """Prints the table. Returns the number of wrong cells."""
    wrong, rows = 0, {}
    for cell in cells:
        faults = faults_of(cell, batches, tuned)
        wrong += bool(faults)
        if faults:
            print(f"wrong {cell['id']}: {'; '.join(faults)}")
        rows.setdefault(way_of(cell), {})[cell["batch"]] = cell
    print(f"{'latency, us (95 % interval)':58}" + "".join(f"{batch:>24}" for batch in batches))
    for way, row in sorted(rows.items()):
        text = f"{way:58}"
        for batch in batches:
            text += f"{latency_of(row.get(batch) or {}):>24}"
        print(text)
    print(f"\n{'of compiled pieces':58}     batch  traced  compiled  pieces  seconds  from   error")
    for way, row in sorted(rows.items()):
        for batch, cell in sorted(row.items()):
            facts = cell.get("library") or {}
            if "traced_at" in facts:
                pieces = cell["launches"][0]["setup"].get("compiled_pieces") or []
                print(f"{way:58}{batch:>10}{facts['traced_at']:>8}{facts['compiled_at']:>10}{len(pieces):>8}"
                      f"{sum(piece['compile_seconds'] for piece in pieces):>9.2f}  "
                      f"{','.join(sorted({piece.get('compiled_from', '') for piece in pieces})):6} "
                      f"{cell['check']['max_abs_error']:.3g}")
    return wrong


def judge_facts(arguments, seen):
    """Inductor's options, and a model for each batch. Returns the number of wrong cells."""
    once = ("--mode", "piecewise", "--launches", "1", "--time-per-cell", "0.2")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        own = pool.submit(swept, arguments, "own", "of_own_weights", "--batch", "1,16", *once)
        cells = swept(arguments, "inductor", "watched", "--batch", "16", "--torch-inductor",
                      f"none,{KEY}=True", *once, **{SEEN: str(seen)})
    wrong = sum(bool(faults_of(cell, [16], [], FEWER)) for cell in cells)
    for cell in cells:
        why = (cell.get("reason") or {}).get("message", "")
        error = (cell.get("check") or {}).get("max_abs_error")
        print(f"{way_of(cell)}: {cell['status']} {why} largest error {error}")
    values = seen.read_text(encoding="utf-8").split() if seen.exists() else []
    print(f"{KEY} while Inductor compiled: {dict(collections.Counter(values))}")
    wrong += set(values) != {"False", "True"}
    said = [(cell.get("reason") or {}).get("message", "") for cell in own.result()
            if cell["status"] == "skipped"]
    print(f"a model for each batch: {said}")
    return wrong + (len(said) != 1 or "another tensor at batch 1 than at 16" not in said[0])


def main():
    parser = argparse.ArgumentParser(prog="compiled_pieces.py", description=__doc__.splitlines()[0],
                                     allow_abbrev=False)
    parser.add_argument("folder", type=pathlib.Path, metavar="OUTPUT_FOLDER")
    parser.add_argument("--graphbench", default="graphbench", help="the binary (default: on PATH)")
    parser.add_argument("--python", default="python3", help="the interpreter that has torch")
    parser.add_argument("--launches", default="1")
    parser.add_argument("--batch", default="1,16,256")
    parser.add_argument("--tune", default="16")
    parser.add_argument("--compile", default="default")
    parser.add_argument("--part", choices=("facts", "table"), help="which sweeps alone (default: all)")
    parser.add_argument("--limit", type=int, default=420, help="seconds of a sweep")
    arguments = parser.parse_args()
    if not torch.cuda.device_count():
        print("compiled_pieces.py: skipped, needs a GPU", file=sys.stderr)
        return 77
    arguments.folder = arguments.folder.resolve()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    batches, tuned = ([int(each) for each in text.split(",")] for text in (arguments.batch, arguments.tune))
    seen = arguments.folder / "seen"
    seen.unlink(missing_ok=True)
    cache = arguments.folder / "cache"  # an empty one, which all sweeps share
    shutil.rmtree(cache, ignore_errors=True)
    os.environ.update(TORCHINDUCTOR_CACHE_DIR=str(cache), TRITON_CACHE_DIR=str(cache / "triton"))
    wrong = 0
    if arguments.part != "table":
        wrong += judge_facts(arguments, seen)
    if arguments.part != "facts":
        cells = swept(
            arguments, "compiled_pieces", "decoder", "--batch", arguments.batch, "--launches",
            arguments.launches, "--mode", "whole,piecewise,torch.reduce-overhead", "--tune-sizes",
            arguments.tune, "--time-per-cell", "0.5", "--grid", "mode=whole,piecewise torch-compile=none",
            "--grid", "mode=eager,piecewise,torch.reduce-overhead torch-dynamic=on")
        wrong += judge(cells, batches, tuned)
    print(f"{wrong} wrong" if wrong else "all right")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
