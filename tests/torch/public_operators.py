"""Small steps with unusual outputs, streams and operators, each written from scratch
after the public thread that its docstring names. expected.json says what a sweep must answer.
triton is asked for only by the step that uses it."""

import functools
import itertools

import torch
from step_parts import mlp, on, side_stream

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

nn, F = torch.nn, torch.nn.functional


def view_of_input(batch, device):
    """A view of the input is changed in place, and input, view and a transposed view are returned.
    Lightning-AI/lightning-thunder#2760"""
    torch.manual_seed(0)
    x = torch.randn(batch * 4, 64, device=device)

    def step():
        part = x[:, 16:32]
        part.mul_(0.5).add_(1)
        return x, part, x.t()

    return step


def same_output_twice(batch, device):
    """One tensor is returned under two names, beside a mask, None, a number and a tensor without rows.
    hidet-org/hidet#384"""
    net, x = mlp(device).eval(), torch.randn(batch * 4, 128, device=device)

    @torch.no_grad()
    def step():
        y = net(x).mean(1)
        return {"scores": y, "again": [y, y[:2]], "mask": y > 0, "loss": None, "rows": y[:0], "count": 4}

    return step


class Sample:
    """An output that is neither a dataclass nor a tuple."""

    __slots__ = ("sample", "parts")

    def __init__(self, sample, parts):
        self.sample, self.parts = sample, parts


def output_object(batch, device):
    """The step returns an object with slots, which holds tensors in a dict. sgl-project/sglang#31852"""
    net, x = mlp(device).eval(), torch.randn(batch * 4, 128, device=device)

    @torch.no_grad()
    def step():
        y = net(x)
        return Sample(y, {"mean": y.mean(), "deep": (y.sum(0), [y.argmax(1)])})

    return step


def forked_and_joined(batch, device):
    """Query, key and value are computed on three streams, which join again. ggml-org/llama.cpp#16991"""
    torch.manual_seed(0)
    q, k, v = (nn.Linear(128, 128).to(device) for _ in range(3))
    x, sides = torch.randn(batch, 16, 128, device=device), [side_stream(device) for _ in range(2)]

    @torch.no_grad()
    def step():
        main, made = torch.cuda.current_stream(device) if sides[0] else None, []
        for side, layer in zip(sides, (k, v)):
            if side:
                side.wait_stream(main)
            with on(side):
                made.append(layer(x))
        query = q(x)
        for side in filter(None, sides):
            main.wait_stream(side)
        return (query @ made[0].mT / 11).softmax(-1) @ made[1]

    return step


def forked_not_joined(batch, device):
    """Statistics run on a stream that forks off and never joins. deepseek-ai/DeepEP#62"""
    net, x, side = mlp(device).eval(), torch.randn(batch * 8, 128, device=device), side_stream(device)
    mean = torch.zeros(128, device=device)

    @torch.no_grad()
    def step():
        if side:
            side.wait_stream(torch.cuda.current_stream(device))
        with on(side):
            mean.lerp_(x.mean(0), 0.1)
        return net(x)

    return step


@functools.cache
def decaying_sum():
    @torch.library.custom_op("graphbench_public::decaying_sum", mutates_args={"total"})
    def operator(total: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        total.mul_(0.5).add_(new)
        return total.sum(-1)

    return operator


def operator_writes(batch, device):
    """A custom operator changes one of its arguments, which is the step's only state.
    pytorch/pytorch#162282"""
    operator, net = decaying_sum(), mlp(device).eval()
    x, total = torch.randn(batch * 4, 128, device=device), torch.zeros(batch * 4, 128, device=device)

    @torch.no_grad()
    def step():
        return operator(total, net(x))

    return step


if triton:
    @triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 512})], key=["count"])
    @triton.jit
    def _scaled_sum(x, y, out, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        tl.store(out + at, tl.load(x + at, inside) * 2 + tl.load(y + at, inside), inside)


def triton_autotuned(batch, device):
    """An autotuned Triton kernel measures itself at the first call and only launches later.
    triton-lang/triton#10596"""
    torch.manual_seed(0)
    x, y = torch.randn(2, batch * 1000, device=device).unbind()

    def step():
        out = torch.empty_like(x)
        _scaled_sum[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel())
        return out.view(batch, -1)

    return step


def gradients_per_sample(batch, device):
    """Differential privacy: vmap over grad, clipping by sample, noise. meta-pytorch/opacus#445"""
    net = mlp(device, 32)
    x, goal = torch.randn(2, batch * 4, 32, device=device).unbind()
    parameters = {name: each.detach() for name, each in net.named_parameters()}

    def loss_of(parameters, x, goal):
        return F.mse_loss(torch.func.functional_call(net, parameters, (x[None],)), goal[None])

    def step():
        each = torch.func.vmap(torch.func.grad(loss_of), (None, 0, 0))(parameters, x, goal)
        norms = sum(g.flatten(1).square().sum(1) for g in each.values()).sqrt()
        factors = (0.1 / (norms + 1e-6)).clamp(max=1)
        return {name: torch.einsum("b...,b->...", g, factors) + torch.randn_like(g[0]) * 0.01
                for name, g in each.items()}

    return step


def molecule_step(batch, device):
    """Dynamics: forces are minus the gradient of an energy summed by index_add, and atoms move in place.
    openmm/openmm-torch#120"""
    torch.manual_seed(0)
    atoms, net = batch * 16, mlp(device, 16).requires_grad_(False)
    first, second = torch.randint(atoms, (2, atoms * 6), device=device).unbind()
    places, speeds = torch.rand(2, atoms, 3, device=device).unbind()
    centres = torch.linspace(0, 2, 16, device=device)

    def step():
        at = places.detach().requires_grad_()
        far = ((at[first] - at[second]).square().sum(-1) + 1e-3).sqrt()
        pair = net(torch.exp(-(far[:, None] - centres).square())).mean(-1)
        energy = torch.zeros(atoms, device=device).index_add(0, first, pair)
        forces = -torch.autograd.grad(energy.sum(), at)[0]
        speeds.add_(forces, alpha=1e-3)
        places.add_(speeds, alpha=1e-3)
        return {"energy": energy.detach(), "forces": forces}

    return step


def gradient_penalty(batch, device):
    """Training on a gradient: create_graph=True, then backward through it. NVIDIA/nvalchemi-toolkit#173"""
    net, x = mlp(device, 64), torch.randn(batch * 8, 64, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)
        at = x.clone().requires_grad_()
        slope = torch.autograd.grad(net(at).sum(), at, create_graph=True)[0]
        loss = (slope.norm(dim=1) - 1).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def spectral_rings(batch, device):
    """Real FFTs of rings of different, also prime, lengths, complex weights and their gradient.
    ecmwf/anemoi-core#974"""
    torch.manual_seed(0)
    lengths = (20, 131, 64, 45)
    x = [torch.randn(batch, 4, n, device=device) for n in lengths]
    w = torch.randn(4, 8, device=device, dtype=torch.complex64, requires_grad=True)

    def step():
        waves = [torch.fft.rfft(ring)[..., :8] * w for ring in x]
        rings = [torch.fft.irfft(wave, n=n) for wave, n in zip(waves, lengths)]
        loss = sum(ring.square().mean() for ring in rings)
        return [wave.detach() for wave in waves], torch.autograd.grad(loss, w)[0]

    return step


def flex_documents(batch, device):
    """Compiled flex attention with a block mask of documents that was made before. vllm-project/vllm#45232"""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch.manual_seed(0)
    q, k, v = torch.randn(3, batch, 4, 256, 64, device=device, dtype=torch.bfloat16).unbind()
    document = torch.arange(256, device=device) // 100
    mask = create_block_mask(lambda b, h, i, j: (document[i] == document[j]) & (i >= j), None, None, 256, 256,
                             device=device)
    compiled = torch.compile(flex_attention, dynamic=False)

    @torch.no_grad()
    def step():
        return compiled(q, k, v, block_mask=mask)

    return step


def ctc_on_device(batch, device):
    """CTC loss with targets and lengths on the device, which cuDNN can capture. pytorch/pytorch#128271"""
    torch.manual_seed(0)
    logits = torch.randn(50, batch * 4, 15, device=device, requires_grad=True)
    targets = torch.randint(1, 15, (batch * 4 * 10,), dtype=torch.int32, device=device)
    times, sizes = (torch.full((batch * 4,), n, dtype=torch.int32, device=device) for n in (50, 10))

    def step():
        loss = F.ctc_loss(logits.log_softmax(-1), targets, times, sizes, reduction="sum")
        return loss.detach(), torch.autograd.grad(loss, logits)[0]

    return step


def batch_norm_channels_last(batch, device):
    """Training of convolutions in channels_last, whose batch norm counts and averages.
    LibreYOLO/libreyolo#671"""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.SiLU(inplace=True),
                        nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(32, 10))
    net = net.to(device, memory_format=torch.channels_last).train()
    x = torch.randn(batch * 4, 3, 32, 32, device=device).to(memory_format=torch.channels_last)
    goal = torch.randint(10, (batch * 4,), device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(net(x), goal)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def batch_norm_cumulative(batch, device):
    """Batch norm with momentum=None averages over all batches: the counter becomes a Python float.
    pytorch/pytorch#5766"""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64, momentum=None)).to(device).train()
    x = torch.randn(batch * 8, 64, device=device)

    @torch.no_grad()
    def step():
        return net(x)

    return step


def weight_made_before(batch, device):
    """Part of the autograd graph is older than the step: a normed weight, kept by retain_graph.
    pytorch/pytorch#164302"""
    torch.manual_seed(0)
    size, direction = torch.ones(64, 1, device=device, requires_grad=True), torch.randn(64, 64, device=device)
    direction.requires_grad_()
    weight = size * direction / direction.norm(dim=1, keepdim=True)
    x = torch.randn(batch * 8, 64, device=device)

    def step():
        loss = F.linear(x, weight).relu().square().mean()
        return loss.detach(), torch.autograd.grad(loss, (size, direction), retain_graph=True)

    return step


class Straight(torch.autograd.Function):
    """Rounds forward, passes the gradient on, and counts its calls backward in a tensor."""

    @staticmethod
    def forward(ctx, x, calls):
        ctx.calls = calls
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        ctx.calls.add_(1)
        return gradient.clamp(-0.1, 0.1), None


def straight_through(batch, device):
    """A function of the user's own whose backward writes a tensor that is not returned.
    Lightning-AI/lightning-thunder#596"""
    net, x = mlp(device, 64), torch.randn(batch * 8, 64, device=device)
    calls = torch.zeros((), dtype=torch.int64, device=device)

    def step():
        net.zero_grad(set_to_none=True)
        loss = Straight.apply(net(x) * 4, calls).square().mean()
        loss.backward()
        return loss.detach()

    return step


def batches_in_turn(batch, device):
    """A Python iterator gives each call the next of three batches. pytorch/torchtitan#3559"""
    net, batches = mlp(device).eval(), itertools.cycle(torch.randn(3, batch * 4, 128, device=device).unbind())

    @torch.no_grad()
    def step():
        return net(next(batches))

    return step
