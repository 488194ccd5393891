"""What the steps of situations.py, public_*.py and planted.py have in common."""

import contextlib

import torch

nn = torch.nn


def mlp(device, width=128, dtype=torch.float32):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
    return net.to(device, dtype)


def side_stream(device):
    return torch.cuda.Stream(device) if device.type == "cuda" else None


def on(stream):
    """The stream's context; on the CPU there is no stream."""
    return torch.cuda.stream(stream) if stream else contextlib.nullcontext()
