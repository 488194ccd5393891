"""What `run` and `torch_peer.py` are told, and how it is checked; stdlib only.

The peers take the options of `graphbench --sweep` under the same names: both sides are told the same."""

import argparse
import re

WORKLOADS = ("mlp", "attention", "conv")
MODES = ("eager", "whole", "piecewise")
BESIDE_WHOLE = ("callables", "compiled")  # modes of torch, compared with graphbench's whole
PASSES = ("forward", "training")
OPTIMIZERS = ("none", "adamw")
DTYPES = ("bf16", "fp16", "fp32")
PRESETS = {
    "mlp": ("base", "tiny"),
    "attention": ("base", "tiny", "decode", "prefill", "tiny-prefill"),
    "conv": ("base", "tiny"),
}
RANGE = re.compile(r"(\d+):(\d+):([x+])(\d+)")


def names_of(known):
    """A parser of comma-separated names out of `known`."""
    def parse(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f'"{name}" is none of {", ".join(known)}')
        if len(set(names)) != len(names):
            raise argparse.ArgumentTypeError(f'"{text}" names one twice')
        return names
    return parse


def batches(text):
    """1,2,4 or 1:256:x2 or 8:64:+8 or 1,2,4,8:64:+8, ends included, as graphbench's own --batch has it."""
    values = []
    for part in text.split(","):
        match = RANGE.fullmatch(part)
        if not match:
            values.append(int(part) if part.isdecimal() else 0)
            continue
        first, last, step = int(match[1]), int(match[2]), int(match[4])
        if first < 1 or last < first or step < (2 if match[3] == "x" else 1):
            raise argparse.ArgumentTypeError(f'"{part}" is no rising range: 1:256:x2 or 8:64:+8 would do')
        while first <= last:
            values.append(first)
            first = first * step if match[3] == "x" else first + step
    if not values or min(values) < 1 or len(set(values)) != len(values):
        raise argparse.ArgumentTypeError(f'"{text}" is no list of batch sizes: 1,2,4 or 1:256:x2 would do')
    return values


def positive(kind):
    """A parser of numbers above zero."""
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError(f'"{text}" is no number above 0')
        return value
    return parse


def device(text):
    if not re.fullmatch(r"cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f'"{text}" is neither cuda nor cuda:N')
    return text


def add_sweep_options(parser):
    """The options that both sides understand."""
    parser.add_argument("--workload", type=names_of(WORKLOADS), default=list(WORKLOADS), metavar="NAME,...")
    parser.add_argument("--mode", type=names_of((*MODES, *BESIDE_WHOLE)), metavar="MODE,...",
                        help="of forward eager, whole, piecewise; of training eager, whole, callables "
                             "(default: all three); compiled, beside whole of forward: torch.compile")
    parser.add_argument("--pass", dest="program_pass", choices=PASSES, default="forward",
                        help="forward, or training: forward, mse loss, backward (default: forward)")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="none",
                        help="of training: none, or adamw (default: none)")
    parser.add_argument("--deterministic", action="store_true",
                        help="torch takes deterministic algorithms alone, as graphbench always does")
    parser.add_argument("--batch", type=batches, default=batches("1:256:x2"), metavar="LIST",
                        help="1,2,4 or 1:256:x2 or 8:64:+8 (default: 1:256:x2)")
    parser.add_argument("--dtype", type=names_of(DTYPES), default=["bf16"], metavar="TYPE,...")
    parser.add_argument("--preset", default="base", metavar="NAME",
                        help="base, tiny, prefill (default: base)")
    parser.add_argument("--warmup", type=positive(int), default=3, metavar="N",
                        help="eager steps before capture (default: 3); torch needs one at least")
    parser.add_argument("--device", type=device, default="cuda", metavar="DEVICE", help="cuda or cuda:N")
    parser.add_argument("--seed", type=positive(int), default=1, metavar="N")
    parser.add_argument("--time-per-cell", type=positive(float), default=0.15, metavar="SECONDS")
    parser.add_argument("--samples-max", type=positive(int), default=2000, metavar="N")


def check(parser, arguments):
    """What no option can say by itself."""
    trains = arguments.program_pass == "training"
    modes = ("eager", "whole", "callables") if trains else (*MODES, "compiled")
    arguments.mode = arguments.mode or [mode for mode in modes if mode != "compiled"]
    for mode in set(arguments.mode) - set(modes):
        parser.error(f"--mode: {arguments.program_pass} has no {mode}: it has {', '.join(modes)}")
    if "compiled" in arguments.mode and "whole" not in arguments.mode:
        parser.error("--mode: compiled is compared with graphbench's whole: give whole,compiled")
    if "compiled" in arguments.mode and getattr(arguments, "traffic", None):
        parser.error("--mode: compiled serves no --traffic")
    if arguments.optimizer != "none" and not trains:
        parser.error(f"--optimizer: {arguments.optimizer} needs --pass training")
    if trains and getattr(arguments, "traffic", None):
        parser.error("--traffic: it is served in the forward pass")
    if getattr(arguments, "traffic", None) and (arguments.mode == ["eager"] or "eager" not in arguments.mode):
        parser.error("--traffic: give --mode eager and a graph mode: torch's steps are summed from eager")
    for workload in arguments.workload:
        if arguments.preset not in PRESETS[workload]:
            parser.error(f'--preset: {workload} has no preset "{arguments.preset}": it has '
                         f'{", ".join(PRESETS[workload])}')


def shared(arguments):
    return ["--workload", ",".join(arguments.workload), "--dtype", ",".join(arguments.dtype), "--preset",
            arguments.preset, "--warmup", str(arguments.warmup), "--device", arguments.device, "--seed",
            str(arguments.seed)]


def sizes(arguments):
    return ",".join(str(batch) for batch in arguments.batch)


def ladder_line(arguments):
    """The arguments of `graphbench ladder`: the same sizes in the graph modes, under the traffic."""
    modes = ",".join(mode for mode in arguments.mode if mode != "eager")
    return [*shared(arguments), "--mode", modes, "--capture-sizes", sizes(arguments), "--traffic",
            arguments.traffic, "--steps", str(arguments.steps),
            *(["--no-rivals"] if arguments.no_rivals else [])]


def graphbench_line(arguments):
    """Graphbench has callables as a form of the backward pass, in the mode whole, and no compiled."""
    forms = {"whole": "iteration", "callables": "callables"}
    backward = [forms[mode] for mode in arguments.mode if mode in forms]
    if arguments.program_pass == "forward" or not backward:
        return command_line(arguments, [mode for mode in arguments.mode if mode != "compiled"])
    modes = [mode for mode in arguments.mode if mode not in forms]
    return [*command_line(arguments, [*modes, "whole"]), "--backward", ",".join(backward)]


def command_line(arguments, mode=None):
    """The sweep's options as arguments again, for a process of either side."""
    training = ["--pass", "training", "--optimizer", arguments.optimizer]
    return [
        *shared(arguments),
        *(training if arguments.program_pass == "training" else []),
        "--mode", ",".join(mode or arguments.mode),
        "--batch", sizes(arguments),
        "--time-per-cell", str(arguments.time_per_cell),
        "--samples-max", str(arguments.samples_max),
    ]
