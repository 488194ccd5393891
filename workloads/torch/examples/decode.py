"""A small decoder's next token, with a static cache: the position is a tensor, so a graph can move it."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, CONTEXT, PROMPT, WORDS = 256, 4, 8, 256, 64, 8192


def attention(q, k, v, seen):
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # PyTorch before 2.0
    return scores.masked_fill(~seen, -math.inf).softmax(-1) @ v


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                 nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, keys, values, position, seen):
        q, k, v = self.qkv(self.norm(x)).view(-1, 1, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        keys.index_copy_(2, position, k)
        values.index_copy_(2, position, v)
        x = x + self.out(attention(q, keys, values, seen).transpose(1, 2).flatten(2))
        return x + self.mlp(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))


@functools.lru_cache(maxsize=None)  # once per process: batches share it
def model_on(device):
    torch.manual_seed(0)
    return Model().to(device, torch.bfloat16 if device.type == "cuda" else None).requires_grad_(False)


def build(batch, device):
    model = model_on(device)
    torch.manual_seed(1)
    keys, values = torch.randn(2, LAYERS, batch, HEADS, CONTEXT, WIDTH // HEADS, device=device,
                               dtype=model.head.weight.dtype)
    token = torch.randint(WORDS, (batch, 1), device=device)
    places, position = torch.arange(CONTEXT, device=device), torch.full((1,), PROMPT, device=device)

    def step():
        x, seen = model.embedding(token), (places <= position).view(1, CONTEXT)
        for index, layer in enumerate(model.layers):
            x = layer(x, keys[index], values[index], position, seen)
        logits = model.head(x)
        token.copy_(logits.argmax(-1))
        position.add_(1).remainder_(CONTEXT)  # so that no number of replays writes outside of the cache
        return logits

    return step
