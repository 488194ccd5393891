"""Small steps that draw random numbers, or keep caches and other state, each written from scratch
after the public thread that its docstring names. expected.json says what a sweep must answer."""

import collections
import functools
import math
import random

import torch
from step_parts import mlp

nn, F = torch.nn, torch.nn.functional


# --- random numbers -----------------------------------------------------------------------------------------


def top_p_by_race(batch, device):
    """Top-p sampling by sort, cumsum and a race of exponentials instead of multinomial.
    vllm-project/vllm-omni#4261"""
    torch.manual_seed(0)
    logits = torch.randn(batch, 1000, device=device) * 3
    tokens = torch.zeros(batch, dtype=torch.int64, device=device)

    @torch.no_grad()
    def step():
        p, order = logits.softmax(-1).sort(-1, descending=True)
        p = p.masked_fill(p.cumsum(-1) - p > 0.9, 0)
        pick = (p / torch.empty_like(p).exponential_()).argmax(-1, keepdim=True)
        tokens.copy_(order.gather(-1, pick).squeeze(-1))
        return tokens

    return step


def dropout_module(batch, device):
    """A module with dropout in training, given as module and arguments: masks must be new.
    pytorch/pytorch#84614"""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.Dropout2d(0.3), nn.Flatten(), nn.Dropout(0.3),
                        nn.Linear(16 * 64, 32)).to(device).train()
    return net, (torch.randn(batch * 4, 8, 8, 8, device=device),)


def attention_dropout(batch, device):
    """Attention with dropout, forward and backward, whose mask is drawn inside of the kernel.
    Dao-AILab/flash-attention#166"""
    torch.manual_seed(0)
    q, k, v = (torch.randn(batch, 4, 128, 64, device=device, dtype=torch.bfloat16, requires_grad=True)
               for _ in range(3))

    def step():
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.2, is_causal=True)
        return out.detach(), torch.autograd.grad(out.float().square().mean(), (q, k, v))

    return step


def checkpoint_dropout(batch, device):
    """A checkpointed block with dropout, whose backward sets the generator back. pytorch/pytorch#162504"""
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(128, 128), nn.Dropout(0.3), nn.Linear(128, 128)).to(device).train()
    x = torch.randn(batch * 8, 128, device=device, requires_grad=True)
    parameters = list(net.parameters())

    def step():
        loss = checkpoint(net, x, use_reentrant=False).square().mean()
        return loss.detach(), torch.autograd.grad(loss, parameters)

    return step


def reseeds(batch, device):
    """The step seeds PyTorch itself, to get the same noise at every call. pytorch/pytorch#95161"""
    net, x = mlp(device).eval(), torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        torch.manual_seed(1234)
        return net(x + torch.randn_like(x))

    return step


def layer_drop(batch, device):
    """Python's random numbers choose the layers that run. pytorch/pytorch#95425"""
    random.seed(0)
    torch.manual_seed(0)
    layers = [nn.Linear(64, 64).to(device) for _ in range(16)]
    x = torch.randn(batch * 8, 64, device=device)

    @torch.no_grad()
    def step():
        y = x
        for layer in layers:
            if random.random() < 0.5:
                y = y + torch.tanh(layer(y))
        return y

    return step


def lstm_dropout(batch, device):
    """Between the layers of an LSTM cuDNN drops with a random state of its own. pytorch/pytorch#57373"""
    torch.manual_seed(0)
    net = nn.LSTM(32, 64, num_layers=3, dropout=0.5, batch_first=True).to(device).train()
    x = torch.randn(batch, 24, 32, device=device)

    def step():
        net.zero_grad(set_to_none=True)
        y, (h, c) = net(x)
        y.square().mean().backward()
        return y.detach(), h.detach(), c.detach()

    return step


def compiled_part(batch, device):
    """Only a part of the step is compiled, and draws for its dropout. pytorch/pytorch#130123"""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(128, 128), nn.GELU(), nn.Dropout(0.2)).to(device).train()
    part, head = torch.compile(net, dynamic=False), nn.Linear(128, 10).to(device)
    x = torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        return head(part(x)).log_softmax(-1)

    return step


# --- caches and other state ---------------------------------------------------------------------------------


class Ring:
    """A cache of 16 positions that wraps round. The position is a tensor."""

    def __init__(self, batch, device):
        torch.manual_seed(0)
        self.qkv = nn.Linear(128, 384).to(device).requires_grad_(False)
        self.x = torch.randn(batch, 128, device=device)
        self.keys, self.values = torch.zeros(2, batch, 4, 16, 32, device=device).unbind()
        self.at = torch.zeros(1, dtype=torch.int64, device=device)
        self.places = torch.arange(16, device=device)

    @torch.no_grad()
    def __call__(self, scale):
        q, k, v = self.qkv(self.x).view(-1, 3, 4, 1, 32).unbind(1)
        self.keys.index_copy_(2, self.at % 16, k)
        self.values.index_copy_(2, self.at % 16, v)
        weights = (q @ self.keys.mT * scale).masked_fill(self.places > self.at, -math.inf).softmax(-1)
        self.at.add_(1)
        return weights @ self.values


def ring_cache(batch, device):
    """A streaming model's cache wraps round by a position on the device, in a partial of an object.
    kyutai-labs/moshi#8"""
    return functools.partial(Ring(batch, device), scale=32 ** -0.5)


class Narrowed:
    """The position is a Python int: where the cache is written and how much of it is read."""

    def __init__(self, batch, device):
        torch.manual_seed(0)
        self.at, self.x = 3, torch.randn(batch, 1, 64, device=device)
        self.cache = torch.randn(batch, 256, 64, device=device)
        places, waves = torch.arange(256.0, device=device), torch.arange(1.0, 65, device=device)
        self.cos = torch.cos(places[:, None] / waves)

    @torch.no_grad()
    def step(self):
        new = self.x * self.cos.narrow(0, self.at, 1)
        self.cache[:, self.at] = new[:, 0]
        self.at = self.at % 254 + 1
        seen = self.cache[:, :self.at]
        return (new @ seen.mT / 8).softmax(-1) @ seen


def narrowed_by_int(batch, device):
    """Rotary tables and cache are narrowed by a Python position. huggingface/candle#3728"""
    return Narrowed(batch, device).step


Beams = collections.namedtuple("Beams", "tokens origin")


def beams_reordered(batch, device):
    """One step of beam search: top-k over beams, and the cache is reordered in place.
    huggingface/transformers#46612"""
    torch.manual_seed(0)
    words, head = nn.Embedding(100, 32).to(device), nn.Linear(32, 100).to(device)
    cache = torch.randn(batch, 3, 12, 32, device=device)
    scores, last = torch.zeros(batch, 3, device=device), torch.randint(100, (batch, 3), device=device)

    @torch.no_grad()
    def step():
        h = words(last) + cache.mean(2)
        total = scores[..., None] + head(h).log_softmax(-1)
        best, index = total.flatten(1).topk(3)
        origin = torch.div(index, 100, rounding_mode="floor")
        rolled = torch.cat([cache[:, :, 1:], h[:, :, None]], 2)
        cache.copy_(rolled.gather(1, origin[..., None, None].expand_as(rolled)))
        scores.copy_(best)
        last.copy_(index % 100)
        return Beams(last, origin)

    return step


def padded_slots(batch, device):
    """Padded requests all write into slot 0, which is never read: a race that does not matter.
    sgl-project/sglang#32555"""
    net, rows = mlp(device, 64).eval(), batch + 5
    x = torch.randn(rows, 64, device=device)
    pages = torch.zeros(rows * 4, 64, device=device)
    order = torch.arange(rows, device=device)
    slots = torch.where(order < batch, order * 4 + 3, torch.zeros_like(order))
    table = torch.stack([slots[:batch], slots[:batch].flip(0)], 1)

    @torch.no_grad()
    def step():
        pages[slots] = net(x)
        return pages[table].mean(1)

    return step


def convolution_state(batch, device):
    """A state-space model's decode step rolls one state in place and decays another.
    vllm-project/vllm#23035"""
    torch.manual_seed(0)
    into, kernel = nn.Linear(64, 64).to(device), torch.randn(64, 4, device=device)
    decay = torch.rand(64, 16, device=device)
    x, conv, ssm = torch.randn(batch, 64, device=device), *(
        torch.zeros(batch, 64, n, device=device) for n in (4, 16))

    def step(conv, ssm):
        with torch.no_grad():
            conv.copy_(torch.roll(conv, -1, -1))
            conv[..., -1] = into(x)
            h = F.silu((conv * kernel).sum(-1))
            ssm.mul_(decay).add_(h[..., None])
            return ssm.sum(-1) + h

    return functools.partial(step, conv, ssm)


class Neuron(nn.Module):
    """Leaky integrate and fire. The potential is an attribute that forward() binds again."""

    def __init__(self):
        super().__init__()
        self.potential = 0.0

    def forward(self, current):
        self.potential = self.potential * 0.9 + current
        spikes = (self.potential > 1).float()
        self.potential = self.potential - spikes
        return spikes


def potential_rebound(batch, device):
    """A spiking network keeps its potential over calls by binding an attribute again.
    fangwei123456/spikingjelly#740"""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 64), Neuron(), nn.Linear(64, 32), Neuron()).to(device)
    x = torch.rand(batch * 4, 64, device=device)

    @torch.no_grad()
    def step():
        return sum(net(x) for _ in range(3)), net[1].potential

    return step


class Swap:
    """Two states that change places after each step."""

    def __init__(self, batch, device):
        torch.manual_seed(0)
        self.now = torch.rand(batch, 1, 32, 32, device=device)
        self.then = torch.zeros_like(self.now)
        self.kernel = torch.tensor([[0, 1, 0], [1, -4, 1], [0, 1, 0]], device=device).float()[None, None]

    @torch.no_grad()
    def step(self):
        torch.add(self.now, F.conv2d(self.now, self.kernel, padding=1), alpha=0.2, out=self.then)
        self.now, self.then = self.then, self.now
        return self.now


def states_swapped(batch, device):
    """A simulation swaps two state buffers by reference after an odd number of steps.
    newton-physics/newton#54"""
    return Swap(batch, device).step


class Seen(nn.Module):
    """A running mean over all calls, whose buffers are bound again."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x):
        self.count = self.count + 1
        self.mean = self.mean + (x.mean(0) - self.mean) / self.count
        return (x - self.mean) / self.count


def count_rebound(batch, device):
    """A layer's counter grows out of place, so a replay reads memory that was given back.
    pytorch/pytorch#70444"""
    torch.manual_seed(0)
    net, x = Seen(64).to(device), torch.randn(batch * 4, 64, device=device)
    return lambda: net(x)


class Rotary:
    """A table that only the first call fills, in place."""

    def __init__(self, device):
        self.table, self.filled = torch.zeros(64, 32, device=device), False

    def __call__(self, x):
        if not self.filled:
            at = torch.arange(64, device=x.device)[:, None]
            self.table.copy_(torch.cos(at / 10 ** torch.linspace(0, 3, 32, device=x.device)))
            self.filled = True
        return x * self.table


def table_filled_once(batch, device):
    """A table is filled in place by the first call only: no later step writes it again.
    allenai/MolmoBot#10"""
    torch.manual_seed(0)
    rotary, x = Rotary(device), torch.randn(batch, 64, 32, device=device)

    @torch.no_grad()
    def step():
        return rotary(x).sum(-1)

    return step


def streaming_states(batch, device):
    """Many modules keep small caches and offsets made under inference_mode. sgl-project/sglang-omni#801"""
    torch.manual_seed(0)
    with torch.inference_mode():
        layers = [dict(mix=nn.Linear(32, 32).to(device), tail=torch.zeros(batch, 4, 32, device=device),
                       offset=torch.zeros(batch, dtype=torch.int64, device=device)) for _ in range(12)]
        x = torch.randn(batch, 32, device=device)

    @torch.inference_mode()
    def step():
        y = x
        for layer in layers:
            tail = layer["tail"]
            tail.copy_(torch.cat([tail[:, 1:], y[:, None]], 1))
            y = torch.tanh(layer["mix"](tail.mean(1))) + torch.cos(layer["offset"].float())[:, None]
            layer["offset"] += 1
        return y

    return step


def delayed_scaling(batch, device):
    """An FP8 matmul is scaled by the largest value of the last calls, kept on the device.
    NVIDIA/TransformerEngine#766"""
    torch.manual_seed(0)
    fp8, one = torch.float8_e4m3fn, torch.ones((), device=device)
    x = torch.randn(16 * batch, 256, device=device)
    w = torch.randn(256, 256, device=device).clamp(-4, 4).to(fp8)
    history, scale = torch.ones(8, device=device), torch.ones((), device=device)

    @torch.no_grad()
    def step():
        history.copy_(history.roll(1))
        history[:1].copy_(x.abs().amax())
        scale.copy_(448 / history.amax())
        q = (x * scale).clamp(-448, 448).to(fp8)
        return torch._scaled_mm(q, w.t(), scale_a=scale.reciprocal(), scale_b=one, out_dtype=torch.bfloat16)

    return step


def replay_buffer(batch, device):
    """Reinforcement learning: write a transition at a position on the device, sample, learn, follow.
    pytorch/rl#4216"""
    critic, target = mlp(device, 32), mlp(device, 32).requires_grad_(False)
    store, at = torch.zeros(256, 32, device=device), torch.zeros((), dtype=torch.int64, device=device)
    seen, places = torch.randn(batch, 32, device=device), torch.arange(batch, device=device)
    optimizer = torch.optim.SGD(critic.parameters(), lr=0.01)

    def step():
        with torch.no_grad():
            store.index_copy_(0, (at + places) % 256, seen)
            at.add_(batch)
            sample = store[torch.randint(256, (32,), device=device)]
            goal = 0.1 + 0.99 * target(sample)
        optimizer.zero_grad(set_to_none=True)
        loss = F.smooth_l1_loss(critic(sample), goal)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(target.parameters()), list(critic.parameters()), 0.005)
        return loss.detach()

    return step


def hook_keeps_activation(batch, device):
    """A forward hook puts an activation into a dict that the step does not read. sgl-project/sglang#38439"""
    net, x, kept = mlp(device).eval(), torch.randn(batch * 8, 128, device=device), {}
    net[1].register_forward_hook(lambda module, inputs, output: kept.update(hidden=output))

    @torch.no_grad()
    def step():
        return net(x)

    step.kept = kept
    return step
