"""The built-in workloads as PyTorch steps for `graphbench --sweep --torch ci/peers/steps.py:mlp`.

Sizes and structure are those of workloads/{mlp,attention,conv} and graphs/ir/OPS.md, in the idioms of
production code. Defaults are graphbench's: dtype bf16 and preset `base` on a GPU, fp32 and `tiny` on `host`.
"""

import functools
import math

import torch
import torch.nn.functional as F

EPS = 1e-5
SIZES = {
    "mlp": {"base": {"layers": 8, "hidden": 1024, "ffn": 4096},
            "tiny": {"layers": 8, "hidden": 64, "ffn": 256}},
    "attention": {
        "base": {"layers": 8, "hidden": 1024, "heads": 16, "cache": 1024, "tokens": 1},
        "prefill": {"layers": 8, "hidden": 1024, "heads": 16, "cache": 128, "tokens": 128},
        "tiny": {"layers": 8, "hidden": 64, "heads": 4, "cache": 64, "tokens": 1},
    },
    "conv": {"base": {"blocks": 8, "channels": 64, "size": 56},
             "tiny": {"blocks": 8, "channels": 8, "size": 8}},
}

# Shapes are fixed, so cuDNN may search for the fastest algorithm. fp32 must not become TF32 (OPS.md).
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.allow_tf32 = False
torch.backends.cuda.matmul.allow_tf32 = False


def plain_rms_norm(x, shape, gamma, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * gamma


def plain_attention(q, k, v, is_causal):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if is_causal:
        scores = scores + torch.full(scores.shape[-2:], -math.inf, device=q.device).triu(1)
    return scores.softmax(-1) @ v


# PyTorch 1.13, which runs on the host device only, has neither function.
rms_norm = getattr(F, "rms_norm", plain_rms_norm)
attention_of = getattr(F, "scaled_dot_product_attention", plain_attention)


def uniform(device, *shape, low=-1.0, high=1.0):
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    return torch.empty(shape, dtype=dtype, device=device).uniform_(low, high)


class Model(torch.nn.Module):
    """Holds parameters as tuples, one per layer, so that a step does not pay for calls of inner modules."""

    def __init__(self, device):
        super().__init__()
        self.device = device

    def weight(self, low, high, *shape):
        values = torch.nn.Parameter(uniform(self.device, *shape, low=low, high=high))
        self.register_parameter(f"weight{len(self._parameters)}", values)
        return values

    def within(self, bound, *shape):
        return self.weight(-bound, bound, *shape)

    def kept(self, fan_in, *shape):
        return self.within(math.sqrt(3.0 / fan_in), *shape)

    def forward(self, x):
        for layer in self.layers:
            x = self.layer(x, *layer)
        return x


class Mlp(Model):
    def __init__(self, device, layers, hidden, ffn):
        super().__init__(device)
        self.hidden = hidden
        self.layers = [(self.weight(0.5, 1.5, hidden),
                        self.kept(hidden, ffn, hidden), self.within(0.1, ffn),
                        self.kept(ffn * layers, hidden, ffn), self.within(0.1, hidden))
                       for _ in range(layers)]

    def layer(self, x, gamma, w1, b1, w2, b2):
        normed = rms_norm(x, (self.hidden,), gamma, EPS)
        return x + F.linear(F.gelu(F.linear(normed, w1, b1), approximate="tanh"), w2, b2)


class Conv(Model):
    def __init__(self, device, blocks, channels, size):
        super().__init__(device)
        self.image = (channels, size, size)
        fan_in = channels * 9
        filters = (channels, channels, 3, 3)
        self.layers = [(self.kept(fan_in, *filters), self.within(0.1, channels),
                        self.kept(fan_in * blocks, *filters), self.within(0.1, channels))
                       for _ in range(blocks)]
        self.to(memory_format=torch.channels_last)

    def layer(self, x, w1, b1, w2, b2):
        hidden = F.relu_(F.conv2d(x, w1, b1, padding=1))
        return F.relu_(F.conv2d(hidden, w2, b2, padding=1).add_(x))


class Attention(Model):
    def __init__(self, device, layers, hidden, heads, cache, tokens):
        super().__init__(device)
        self.hidden, self.heads, self.cache, self.tokens = hidden, heads, cache, tokens
        self.head_dim = hidden // heads
        self.layers = [(self.weight(0.5, 1.5, hidden), self.kept(hidden, 3 * hidden, hidden),
                        self.kept(hidden * layers, hidden, hidden)) for _ in range(layers)]
        # The tables of cosines and sines have one row per position. As in model code, they are computed in
        # fp64 and stored in the dtype of the activations.
        half = torch.arange(self.head_dim // 2, dtype=torch.float64)
        angles = torch.arange(cache, dtype=torch.float64)[:, None] * 10000.0 ** (-2.0 * half / self.head_dim)
        angles = torch.cat((angles, angles), dim=-1)
        dtype = self.layers[0][0].dtype
        self.register_buffer("cos", angles.cos().to(device=device, dtype=dtype))
        self.register_buffer("sin", angles.sin().to(device=device, dtype=dtype))
        self.register_buffer("offsets", torch.arange(tokens, device=device))

    def caches(self, batch):
        shape = (batch, self.heads, self.cache, self.head_dim)
        return [(uniform(self.device, *shape), uniform(self.device, *shape)) for _ in self.layers]

    def forward(self, x, positions, rows, caches):
        slots = positions + self.offsets
        cos, sin = self.cos[slots][:, :, None, :], self.sin[slots][:, :, None, :]
        for (k_cache, v_cache), (gamma, wqkv, wo) in zip(caches, self.layers):
            qkv = F.linear(rms_norm(x, (self.hidden,), gamma, EPS), wqkv)
            qkv = qkv.view(-1, self.tokens, 3 * self.heads, self.head_dim)
            qk, v = qkv[:, :, :2 * self.heads], qkv[:, :, 2 * self.heads:]
            low, high = qk.chunk(2, dim=-1)
            qk = torch.addcmul(qk * cos, torch.cat((-high, low), dim=-1), sin)
            k_cache[rows, :, slots] = qk[:, :, self.heads:]
            v_cache[rows, :, slots] = v
            q = qk[:, :, :self.heads].transpose(1, 2)
            # A causal preset fills its cache exactly; only then does torch's is_causal mean the same as
            # OPS.md.
            mixed = attention_of(q, k_cache, v_cache, is_causal=self.tokens > 1)
            x = x + F.linear(mixed.transpose(1, 2).reshape(-1, self.hidden), wo)
        return x


@functools.cache
def model_of(kind, preset, device):
    """The process's model, which all batches share. On the host device the default sizes are small."""
    torch.manual_seed(1)
    if device.type != "cuda" and preset == "base":
        preset = "tiny"
    return kind(device, **SIZES[kind.__name__.lower()][preset])


def inference(model, *inputs):
    def step():
        with torch.inference_mode():
            return model(*inputs)

    return step


def mlp(batch, device):
    model = model_of(Mlp, "base", device)
    return inference(model, uniform(device, batch, model.hidden))


def conv(batch, device):
    model = model_of(Conv, "base", device)
    return inference(model, uniform(device, batch, *model.image).to(memory_format=torch.channels_last))


def attention(batch, device, preset="base"):
    """A decoding step: one token per sequence, at the last position of the KV cache."""
    model = model_of(Attention, preset, device)
    positions = torch.full((batch, 1), model.cache - model.tokens, device=device)
    rows = torch.arange(batch, device=device)[:, None]
    return inference(model, uniform(device, batch * model.tokens, model.hidden), positions, rows,
                     model.caches(batch))


def prefill(batch, device):
    """Attention over 128 tokens per sequence."""
    return attention(batch, device, "prefill")


def train_mlp(batch, device):
    """Forward, mse loss against random targets, backward and AdamW, whose state has the parameters' dtype."""
    model = model_of(Mlp, "base", device)
    fast = {"fused": True, "capturable": True} if device.type == "cuda" else {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, **fast)
    x, targets = uniform(device, batch, model.hidden), uniform(device, batch, model.hidden)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), targets)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step
