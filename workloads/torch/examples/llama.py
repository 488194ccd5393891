"""A small decoder with Llama's layers: prefill of 32 tokens, and the logits of the last one."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional

WIDTH, INNER, HEADS, LAYERS, TOKENS, WORDS = 256, 688, 4, 8, 32, 8192


def norm(x, weight):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


def attention(q, k, v):
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    later = torch.ones(TOKENS, TOKENS, dtype=torch.bool, device=q.device).triu(1)  # PyTorch before 2.0
    return (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(later, -math.inf).softmax(-1) @ v


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.Parameter(torch.ones(2, WIDTH))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.down = nn.Linear(WIDTH, 2 * INNER, bias=False), nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x, cos, sin):
        heads = self.qkv(norm(x, self.norms[0])).view(-1, TOKENS, 3, HEADS, WIDTH // HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        mixed = attention(rotate(q, cos, sin), rotate(k, cos, sin), v)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        gate, up = self.gate(norm(x, self.norms[1])).chunk(2, -1)
        return x + self.down(functional.silu(gate) * up)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.Parameter(torch.ones(WIDTH))
        size = WIDTH // HEADS // 2
        angles = torch.outer(torch.arange(TOKENS), 10000.0 ** (-torch.arange(size) / size))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        return self.head(norm(x[:, -1], self.norm))


@functools.lru_cache(maxsize=None)  # once per process: batches share it
def model_on(device):
    torch.manual_seed(0)
    return Model().to(device, torch.bfloat16 if device.type == "cuda" else None).requires_grad_(False)


def build(batch, device):
    model = model_on(device)
    torch.manual_seed(1)
    return model, (torch.randint(WORDS, (batch, TOKENS), device=device),)
