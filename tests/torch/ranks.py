#!/usr/bin/env python3
"""Steps whose ranks work together, and gains of graphs by graphbench beside a script written by hand.

    graphbench --sweep --torch tests/torch/ranks.py:decode --ranks 2
    ranks.py [--ranks N] [--batch LIST] [--pairs N]     as by_hand.py, one process per rank

It also compares sums after 100,000 replays. Exit codes as by_hand.py's."""

import argparse
import gc
import json
import mmap
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from steps import inference, once  # noqa: E402

REPLAYS, CELLS_WITHIN, GAIN_LIMIT = 100_000, 0.9, 0.02
MODES = "eager", "torch.replay", "whole"


def reduced(partial):
    """The sum over ranks, in place."""
    dist.all_reduce(partial)
    return partial


class Block(torch.nn.Module):
    """A block of steps.py: each rank has a share of the heads and of the hidden width."""

    def __init__(self, width, heads, ranks):
        super().__init__()
        self.heads, own, hidden = heads // ranks, width // ranks, 11 * width // 4 // ranks
        self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(width) for _ in range(2))
        self.qkv = torch.nn.Linear(width, 3 * own, bias=False)
        self.out = torch.nn.Linear(own, width, bias=False)
        self.gate = torch.nn.Linear(width, hidden, bias=False)
        self.up = torch.nn.Linear(width, hidden, bias=False)
        self.down = torch.nn.Linear(hidden, width, bias=False)

    def forward(self, x, cache, at):
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, tokens, 3, self.heads, -1).unbind(2)
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        k, v = (kept.index_copy_(2, at, new) for kept, new in zip(cache, (k, v)))
        attention = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + reduced(self.out(attention.transpose(1, 2).reshape(batch, tokens, -1)))
        h = self.norms[1](x)
        return x + reduced(self.down(torch.nn.functional.silu(self.gate(h)) * self.up(h)))


class Llama(torch.nn.Module):
    def __init__(self, layers=16, width=2048, heads=16, words=32000):
        super().__init__()
        ranks = dist.get_world_size() if dist.is_initialized() else 1
        self.embed = torch.nn.Embedding(words, width)
        self.layers = torch.nn.ModuleList(Block(width, heads, ranks) for _ in range(layers))
        self.norm = torch.nn.RMSNorm(width)
        self.head = torch.nn.Linear(width, words // ranks, bias=False)

    def forward(self, ids, caches, at):
        x = self.embed(ids)
        for layer, cache in zip(self.layers, caches):
            x = layer(x, cache, at)
        return self.head(self.norm(x)[:, -1])


def make():
    return Llama().to(device=f"cuda:{torch.cuda.current_device()}", dtype=torch.bfloat16).eval()


def decode(batch, device):
    """16 layers of width 2048, one token behind a static cache of 511; ranks reduce twice per layer."""
    model = once(make)
    torch.manual_seed(batch)
    ids, at = torch.randint(32000, (batch, 1), device=device), torch.tensor([511], device=device)
    heads = model.layers[0].heads
    caches = [[torch.randn(batch, heads, 512, 128, device=device, dtype=torch.bfloat16) for _ in range(2)]
              for _ in model.layers]
    return inference(model, ids, caches, at)


def sums(batch, device):
    """Products that ranks add up, small enough for many replays."""
    torch.manual_seed(1 + dist.get_rank())
    weight = torch.randn(256, 256, device=device) / 16
    x = torch.randn(batch, 256, device=device)

    def step():
        y = x
        for _ in range(2):
            y = reduced(torch.tanh(y @ weight))
        return y

    return step


def hang(batch, device):
    """From the 40th call on, and in a capture, the last rank leaves out its last collective."""
    calls, x = [0], torch.ones(batch, 256, device=device)

    def step():
        calls[0] += 1
        y = reduced(x * 2)
        late = calls[0] >= 40 or torch.cuda.is_current_stream_capturing()
        if not late or dist.get_rank() < dist.get_world_size() - 1:
            dist.all_reduce(y)
        return y

    return step


class Meeting:
    """A barrier of processes in shared memory, and the largest of their numbers."""

    def __init__(self, path, rank, ranks):
        with open(path, "r+b") as file:
            self.numbers = memoryview(mmap.mmap(file.fileno(), 16 * ranks)).cast("d")
        self.rank, self.ranks, self.turn = rank, ranks, 0

    def largest(self, number=0.0):
        self.numbers[self.ranks + self.rank] = number
        self.meet()
        found = max(self.numbers[self.ranks:])
        self.meet()
        return found

    def meet(self):
        self.turn += 1
        self.numbers[self.rank] = self.turn
        while min(self.numbers[:self.ranks]) < self.turn:
            pass


def measure(tools, host, build, batch, pairs, meeting):
    by_hand, loops, address = tools
    opened, streams, found = {}, {}, {}
    for mode in MODES:
        opened[mode] = loops.open(address, f"cuda:{meeting.rank}".encode(), mode.encode(), batch)
        streams[mode] = host.steps[host.last].stream
    hand = by_hand.ByHand(torch, build, batch)
    by_hand.pin()
    for mode in MODES:
        call = hand.step if mode == "eager" else hand.graph.replay

        def ours():
            with torch.cuda.stream(streams[mode]):
                meeting.meet()
                return meeting.largest(loops.latency(opened[mode], 1))

        def script():
            with torch.cuda.stream(hand.stream):
                meeting.meet()
                start = time.perf_counter()
                call()
                hand.stream.synchronize()
                return meeting.largest(time.perf_counter() - start)

        ratios, seconds = [], []
        for _ in range(pairs):
            turns = [(ours(), script()) for _ in range(4)]
            turns += [pair[::-1] for pair in [(script(), ours()) for _ in range(4)]]
            ratios.append(statistics.median(mine / theirs for mine, theirs in turns))
            seconds.append(statistics.median(theirs for _, theirs in turns))
        found[mode] = statistics.median(seconds), statistics.median(ratios)
    os.sched_setaffinity(0, by_hand.CPUS)
    for each in opened.values():
        loops.close(each)
    return found


def same_sums(tools, host, meeting):
    by_hand, loops, address = tools
    device = f"cuda:{meeting.rank}".encode()
    opened = {mode: loops.open(address, device, mode, 8) for mode in (b"eager", b"whole")}
    steps = list(host.steps.values())[-2:]
    loops.latency(opened[b"eager"], 1)
    loops.latency(opened[b"whole"], REPLAYS)
    eager, whole = steps[0].result, steps[1].static
    return torch.equal(eager, whole), [loops.close(each) for each in opened.values()]


def rank_main(arguments):
    import ctypes

    import by_hand

    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    tree = HERE.parents[1]
    if not (tree / "lib/graphbench").exists():  # not installed
        tree = tree / "build/release"
    sys.path.insert(0, str(tree / "lib/graphbench"))
    os.environ.setdefault("GRAPHBENCH_MODULE_DIR", str(tree / "lib/graphbench"))
    import graphbench

    loops = by_hand.library(tree)
    gc.disable()
    by_hand.CPUS = set(sorted(by_hand.CPUS)[rank::arguments.ranks])
    meeting = Meeting(arguments.meeting, rank, arguments.ranks)
    host = graphbench.Host(str(HERE / "ranks.py"), "sums")
    equal, _ = same_sums((by_hand, loops, ctypes.addressof(host.plugin)), host, meeting)
    host = graphbench.Host(str(HERE / "ranks.py"), "decode")
    within = []
    if rank == 0:
        print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {arguments.ranks} ranks; "
              f"sums after {REPLAYS} replays are {'equal' if equal else 'DIFFERENT'}\n"
              "batch  eager ms replay ms    whole  by hand     ours   ratio", flush=True)
    for batch in arguments.batch:
        found = measure((by_hand, loops, ctypes.addressof(host.plugin)), host, host.build, batch,
                        arguments.pairs, meeting)
        (eager, ratio), (replay, replay_ratio), (_, whole_ratio) = (found[mode] for mode in MODES)
        within.append(abs(ratio / replay_ratio - 1) <= GAIN_LIMIT)
        if rank == 0:
            gain, ours = eager / replay, ratio / replay_ratio
            print(f"{batch:5} {eager * 1e3:9.3f} {replay * 1e3:9.3f} {gain * ratio / whole_ratio:8.3f} "
                  f"{gain:8.3f} {gain * ours:8.3f} {ours:7.4f}{'' if within[-1] else '*'}", flush=True)
        gc.collect()
        torch.cuda.empty_cache()
    if rank == 0:
        print(f"gain within 2 %: {sum(within)} of {len(within)}", flush=True)
    failed = bool(meeting.largest(float(sum(within) < CELLS_WITHIN * len(within) or not equal)))
    os._exit(int(failed))  # graphs are alive, for which NCCL would wait


def left(documents):
    """Returns 1 unless each cell of the documents is a hang that names its ranks, and nothing is left."""
    cells = [cell for name in documents for cell in json.loads(pathlib.Path(name).read_text())["cells"]]
    messages = [cell["reason"]["message"] for cell in cells]
    named = sum("rank 0 at step" in each and "rank 1 at step" in each for each in messages)
    programs = subprocess.run(["pgrep", "-af", "ranks.py[: ](decode|hang)"], capture_output=True, text=True,
                              check=False).stdout
    query = ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader"]
    on_gpus = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    shared = [name for name in os.listdir("/dev/shm") if name.startswith(("nccl", "torch", "graphbench"))]
    print(f"{named} of {len(cells)} hangs are named; left: {programs or 'no program'}, "
          f"{on_gpus or 'no use of GPUs'}, {shared or 'no shared memory'}\n{messages[0]}")
    return int(named < len(cells) or bool(programs or on_gpus or shared))


def main():
    parser = argparse.ArgumentParser(prog="ranks.py", description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--batch", type=lambda text: [int(each) for each in text.split(",")],
                        default=[1, 2, 4, 8, 16, 32, 64, 128, 192, 256])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--meeting", help=argparse.SUPPRESS)
    parser.add_argument("--left", nargs="+", metavar="FILE", help="check what hangs have left instead")
    arguments = parser.parse_args()
    if arguments.left:
        return left(arguments.left)
    if arguments.meeting:
        return rank_main(arguments)
    if torch.cuda.device_count() < arguments.ranks:
        print(f"ranks.py: skipped, needs {arguments.ranks} GPUs", file=sys.stderr)
        return 77
    with socket.socket() as probe, tempfile.NamedTemporaryFile() as file:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
        file.write(bytes(16 * arguments.ranks))
        file.flush()
        probe.close()
        started = [subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--meeting", file.name],
                                    env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(arguments.ranks),
                                         "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
                   for rank in range(arguments.ranks)]
        while not all(each.poll() is not None for each in started):
            if any(each.poll() not in (None, 0, 1) for each in started):
                for each in started:
                    each.kill()
            time.sleep(0.2)
    return max(abs(each.returncode) for each in started)


if __name__ == "__main__":
    sys.exit(main())
