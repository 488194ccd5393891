"""A small residual network: inference of images of 64 x 64, channels last."""

import functools

import torch
from torch import nn

WIDTHS, BLOCKS, SIDE = (32, 64, 128), 3, 64


def convolution(inner, outer, stride=1):
    return nn.Sequential(nn.Conv2d(inner, outer, 3, stride, padding=1, bias=False), nn.BatchNorm2d(outer))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(convolution(width, width), nn.ReLU(), convolution(width, width))

    def forward(self, x):
        return torch.relu(x + self.body(x))


@functools.lru_cache(maxsize=None)  # once per process: batches share it
def model_on(device):
    torch.manual_seed(0)
    layers, inner = [nn.Conv2d(3, WIDTHS[0], 4, stride=4)], WIDTHS[0]
    for width in WIDTHS:
        layers += [convolution(inner, width, stride=2), nn.ReLU(), *(Block(width) for _ in range(BLOCKS))]
        inner = width
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inner, 1000)).eval()
    model.to(device, torch.bfloat16 if device.type == "cuda" else None, memory_format=torch.channels_last)
    return model.requires_grad_(False)


def build(batch, device):
    model = model_on(device)
    torch.manual_seed(1)
    images = torch.randn(batch, 3, SIDE, SIDE, device=device, dtype=model[0].weight.dtype)
    return model, (images.contiguous(memory_format=torch.channels_last),)
