"""The three base workloads as PyTorch: the sizes and the structure of workloads/{mlp,attention,conv} and of
graphs/ir/OPS.md, in the idioms of production code. A program offers its step twice: `step(io)` straight
through, and `segments(io)`, cut where graphbench's program splits, for the piecewise executor."""

import dataclasses
import math
import typing

import torch
import torch.nn.functional as F

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
EPS = 1e-5
THETA = 10000.0


@dataclasses.dataclass
class Segment:
    """A captured piece or an eagerly launched splitting op: a function of values that other segments make,
    by name. A piece gives new values, an eager op writes into one that it takes."""
    captured: bool
    takes: tuple
    gives: tuple
    run: typing.Callable


def kept_variance(fan_in):
    return math.sqrt(3.0 / fan_in)


class Program:
    """Weights, and static buffers as large as the largest batch needs, of which smaller ones use a slice."""

    def __init__(self, batch_max, dtype, device, seed):
        self.batch_max = batch_max
        self.dtype = DTYPES[dtype]
        self.device = device
        self.generator = torch.Generator(device=device).manual_seed(seed)
        self.weights = []

    def uniform(self, shape, low, high):
        values = torch.empty(shape, dtype=self.dtype, device=self.device)
        return values.uniform_(low, high, generator=self.generator)

    def weight(self, shape, low, high=None):
        """Uniform in [low, high), or in ±low."""
        values = self.uniform(shape, *((-low, low) if high is None else (low, high)))
        self.weights.append(values)
        return values

    def weights_bytes(self):
        return sum(values.nbytes for values in self.weights)

    def fill_inputs(self, seed):
        self.generator.manual_seed(seed)
        self.x.uniform_(-1.0, 1.0, generator=self.generator)

    def poison_state(self):
        """Makes wrong what a step has to write into its state."""

    def written_state(self, io):
        """What a step on these values wrote into its state."""
        return []


class LayeredProgram(Program):
    """Layers that need nothing of each other but x: a piece a layer."""

    def io(self, batch):
        return {"x": self.x[:batch]}

    def step(self, io):
        x = io["x"]
        for layer in self.layers:
            x = self.layer(x, *layer)
        return x

    def segments(self, io):
        def piece(layer):
            return Segment(True, ("x",), ("x",), lambda x: self.layer(x, *layer))
        return [piece(layer) for layer in self.layers]


class Mlp(LayeredProgram):
    SIZES = {"base": (8, 1024, 4096), "tiny": (8, 64, 256)}

    def __init__(self, preset, batch_max, dtype, device, seed):
        super().__init__(batch_max, dtype, device, seed)
        layers, self.hidden, ffn = self.SIZES[preset]
        self.layers = [(self.weight((self.hidden,), 0.5, 1.5),
                        self.weight((ffn, self.hidden), kept_variance(self.hidden)),
                        self.weight((ffn,), 0.1),
                        self.weight((self.hidden, ffn), kept_variance(ffn * layers)),
                        self.weight((self.hidden,), 0.1)) for _ in range(layers)]
        self.x = self.uniform((batch_max, self.hidden), -1.0, 1.0)

    def layer(self, x, gamma, w1, b1, w2, b2):
        normed = F.rms_norm(x, (self.hidden,), gamma, EPS)
        return x + F.linear(F.gelu(F.linear(normed, w1, b1), approximate="tanh"), w2, b2)


class Conv(LayeredProgram):
    SIZES = {"base": (8, 64, 56), "tiny": (8, 8, 8)}

    def __init__(self, preset, batch_max, dtype, device, seed):
        super().__init__(batch_max, dtype, device, seed)
        blocks, channels, size = self.SIZES[preset]
        fan_in = channels * 9
        self.layers = [(self.filter(channels, kept_variance(fan_in)), self.weight((channels,), 0.1),
                        self.filter(channels, kept_variance(fan_in * blocks)), self.weight((channels,), 0.1))
                       for _ in range(blocks)]
        images = self.uniform((batch_max, channels, size, size), -1.0, 1.0)
        self.x = images.to(memory_format=torch.channels_last)

    def filter(self, channels, bound):
        values = self.uniform((channels, channels, 3, 3), -bound, bound)
        self.weights.append(values.to(memory_format=torch.channels_last))
        return self.weights[-1]

    def layer(self, x, w1, b1, w2, b2):
        hidden = F.relu_(F.conv2d(x, w1, b1, padding=1))
        return F.relu_(F.conv2d(hidden, w2, b2, padding=1).add_(x))


def rotate_half(x):
    low, high = x.chunk(2, dim=-1)
    return torch.cat((-high, low), dim=-1)


class Attention(Program):
    DECODE, PREFILL = (8, 1024, 16, 1024, 1), (8, 1024, 16, 128, 128)
    SIZES = {"base": DECODE, "decode": DECODE, "prefill": PREFILL,
             "tiny": (8, 64, 4, 64, 1), "tiny-prefill": (8, 64, 4, 16, 16)}

    def __init__(self, preset, batch_max, dtype, device, seed):
        super().__init__(batch_max, dtype, device, seed)
        layers, self.hidden, self.heads, self.cache, self.tokens = self.SIZES[preset]
        self.head_dim = self.hidden // self.heads
        width = self.hidden
        self.layers = [(self.weight((width,), 0.5, 1.5),
                        self.weight((3 * width, width), kept_variance(width)),
                        self.weight((width, width), kept_variance(width * layers))) for _ in range(layers)]
        shape = (batch_max, self.heads, self.cache, self.head_dim)
        self.caches = [(self.uniform(shape, -1.0, 1.0), self.uniform(shape, -1.0, 1.0))
                       for _ in range(layers)]
        self.x = self.uniform((batch_max * self.tokens, width), -1.0, 1.0)
        self.positions = torch.full((batch_max, 1), self.cache - self.tokens, device=device)
        self.offsets = torch.arange(self.tokens, device=device)
        self.rows = torch.arange(batch_max, device=device)[:, None]
        self.cos, self.sin = self.rope_tables()

    def rope_tables(self):
        """A row a position: computed in fp64, kept in the dtype of the activations, as model code does."""
        half = torch.arange(self.head_dim // 2, dtype=torch.float64, device=self.device)
        rates = THETA ** (-2.0 * half / self.head_dim)
        angles = torch.arange(self.cache, dtype=torch.float64, device=self.device)[:, None] * rates
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(self.dtype), angles.sin().to(self.dtype)

    def io(self, batch):
        return {"x": self.x[:batch * self.tokens], "positions": self.positions[:batch],
                "rows": self.rows[:batch], "caches": [(k[:batch], v[:batch]) for k, v in self.caches]}

    def places(self, io):
        """Once a step: the slots that the step's tokens take, and their rotations."""
        slots = io["positions"] + self.offsets
        return slots, self.cos[slots][:, :, None, :], self.sin[slots][:, :, None, :]

    def query(self, x, places, rows, cache, gamma, wqkv):
        """Norm, projection, rotation, cache append; gives q[B,H,T,D]."""
        slots, cos, sin = places
        qkv = F.linear(F.rms_norm(x, (self.hidden,), gamma, EPS), wqkv)
        qkv = qkv.view(-1, self.tokens, 3 * self.heads, self.head_dim)
        qk, v = qkv[:, :, :2 * self.heads], qkv[:, :, 2 * self.heads:]
        qk = torch.addcmul(qk * cos, rotate_half(qk), sin)
        cache[0][rows, :, slots] = qk[:, :, self.heads:]
        cache[1][rows, :, slots] = v
        return qk[:, :, :self.heads].transpose(1, 2)

    def attend(self, q, cache):
        """Causal presets fill their cache exactly, where torch's is_causal means what OPS.md says."""
        return F.scaled_dot_product_attention(q, cache[0], cache[1], is_causal=self.tokens > 1)

    def step(self, io):
        x, places = io["x"], self.places(io)
        for cache, (gamma, wqkv, wo) in zip(io["caches"], self.layers):
            q = self.query(x, places, io["rows"], cache, gamma, wqkv)
            mixed = self.attend(q, cache).transpose(1, 2).reshape(-1, self.hidden)
            x = x + F.linear(mixed, wo)
        return x

    def segments(self, io):
        segments = []
        for layer in range(len(self.layers) + 1):
            segments.append(self.piece(layer, io))
            if layer < len(self.layers):
                segments.append(self.attention_op(io["caches"][layer]))
        return segments

    def piece(self, layer, io):
        """From one attention op to the next: the projection after one, then all that the other needs, with
        the buffer it writes to, which is the pool's because the capture allocates it."""
        places = ("slots", "cos", "sin")
        if layer == len(self.layers):
            return Segment(True, ("x", "mixed"), ("x",), lambda x, mixed: self.project(x, mixed, layer - 1))

        def first(x):
            found = self.places(io)
            return (x, *self.towards_attention(x, found, layer, io), *found)

        def later(x, mixed, *found):
            x = self.project(x, mixed, layer - 1)
            return (x, *self.towards_attention(x, found, layer, io))

        if layer == 0:
            return Segment(True, ("x",), ("x", "q", "mixed", *places), first)
        return Segment(True, ("x", "mixed", *places), ("x", "q", "mixed"), later)

    def project(self, x, mixed, layer):
        return x + F.linear(mixed, self.layers[layer][2])

    def towards_attention(self, x, places, layer, io):
        gamma, wqkv, _ = self.layers[layer]
        return self.query(x, places, io["rows"], io["caches"][layer], gamma, wqkv), torch.empty_like(x)

    def attention_op(self, cache):
        def run(q, mixed):
            out = mixed.view(-1, self.tokens, self.heads, self.head_dim).transpose(1, 2)
            out.copy_(self.attend(q, cache))
        return Segment(False, ("q", "mixed"), (), run)

    def poison_state(self):
        for k, v in self.caches:
            k[:, :, self.cache - self.tokens:].fill_(math.nan)
            v[:, :, self.cache - self.tokens:].fill_(math.nan)

    def written_state(self, io):
        first = self.cache - self.tokens
        return [values[:, :, first:].clone() for cache in io["caches"] for values in cache]


class AttentionInTraining(Attention):
    """Whole sequences without a cache: k and v are activations."""
    SIZES = {"base": Attention.PREFILL, "tiny": Attention.SIZES["tiny-prefill"]}

    def __init__(self, *arguments):
        super().__init__(*arguments)
        del self.caches

    def io(self, batch):
        return {"x": self.x[:batch * self.tokens]}

    def layer(self, x, gamma, wqkv, wo):
        qkv = F.linear(F.rms_norm(x, (self.hidden,), gamma, EPS), wqkv)
        qkv = qkv.view(-1, self.tokens, 3 * self.heads, self.head_dim)
        qk, v = qkv[:, :, :2 * self.heads], qkv[:, :, 2 * self.heads:].transpose(1, 2)
        cos, sin = self.cos[:self.tokens, None], self.sin[:self.tokens, None]
        q, k = torch.addcmul(qk * cos, rotate_half(qk), sin).transpose(1, 2).split(self.heads, dim=1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + F.linear(mixed.transpose(1, 2).reshape(-1, self.hidden), wo)


PROGRAMS = {"mlp": Mlp, "attention": Attention, "conv": Conv}
TRAINED = {**PROGRAMS, "attention": AttentionInTraining}
